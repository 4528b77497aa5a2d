"""The command ``shardwidget``, on files as users have them."""

import json
import re
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest

import shardwidget as sw
from shardwidget._cli import main
from tests.searches import search

pytestmark = pytest.mark.once

TRAIN = """
import jax, jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

def step(x, w):
    return jax.nn.relu(x @ w)

def rows(x, w):
    return jax.shard_map(lambda a: jax.lax.psum(a, "data"), in_specs=P("data"), out_specs=P())(x @ w)

def shapes(mesh, *spec):
    s = lambda shape, *spec: jax.ShapeDtypeStruct(shape, jnp.float32, sharding=NamedSharding(mesh, P(*spec)))
    return s((64, 512), "data"), s((512, 128), *spec)

def split(mesh):
    return step, shapes(mesh, None, "model")

def gathered(mesh):
    return step, shapes(mesh, "data")

def tree(mesh):
    return {"w": shapes(mesh)[1]}

def alone():
    return step, (jnp.ones((4, 4)), jnp.ones((4, 4)))

def wrong():
    return 3

def broken():
    raise RuntimeError("no data here")

def many():
    raise ValueError("the first line\\n\\nthe last line")

def exits():
    raise SystemExit(0)
"""

AXES = ("--axes", "data=4,model=2")
EIGHT = (*AXES, "--devices", "8")


@pytest.fixture(scope="module")
def train(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("cli") / "train.py"
    path.write_text(TRAIN)
    return path


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "shardwidget", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)


@pytest.fixture
def here(monkeypatch, capsys):
    """Runs the command in this process, in a folder: for files that are read without devices of their own."""

    def here(folder: Path, *arguments: str) -> tuple[int, str, str]:
        monkeypatch.chdir(folder)
        return main(arguments), *capsys.readouterr()

    return here


def test_a_program_is_printed_kept_and_compared(train: Path, here):
    folder = train.parent
    printed = run(folder, "program", "train.py::gathered", *AXES)
    assert printed.returncode == 0, printed.stderr
    assert printed.stdout.startswith("step: 1 all-gather over data in line ")
    kept = run(folder, "program", "train.py::gathered", *AXES, "--json")
    (folder / "gathered.json").write_text(kept.stdout)
    assert sw.load(folder / "gathered.json").collectives[0].kind == "all-gather"
    assert here(folder, "program", "gathered.json") == (0, printed.stdout, "")
    _, markdown, _ = here(folder, "program", "gathered.json", "--md")
    assert markdown.startswith("**step: 1 all-gather over data in line ")
    assert markdown.endswith("\n```\n")
    same = run(folder, "diff", "gathered.json", "train.py::gathered", *AXES)
    assert (same.returncode, same.stdout.splitlines()[0]) == (0, "step: no difference; 1 place, 5.83 µs")
    other = run(folder, "diff", "gathered.json", "train.py::split", *AXES)
    assert other.returncode == 1
    assert other.stdout.startswith("step: −1 all-gather over data ")
    assert "return jax.nn.relu(x @ w)" in other.stdout
    assert here(folder, "program", "gathered.json", "--html", "page.html") == (0, "page.html\n", "")
    assert sw.load(folder / "page.html") == sw.load(folder / "gathered.json")


def test_trees_are_compared_as_what_their_files_hold(train: Path):
    tree = run(train.parent, "model", "train.py::tree", *AXES, "--json").stdout
    (train.parent / "tree.json").write_text(tree)
    done = run(train.parent, "diff", "tree.json", "train.py::tree", *AXES)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip()


READ = {
    "memory": ("train.py::split", "step: at most "),
    "model": ("train.py::tree", "tree: 224 KiB too much, w: Copied on all 8 devices"),
    "comparison": ("train.py::split", "step: "),
}


@pytest.mark.parametrize("reader", READ)
def test_other_readers(train: Path, reader: str):
    source, start = READ[reader]
    done = run(train.parent, reader, source, *AXES)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(start)
    found = json.loads(run(train.parent, reader, source, *AXES, "--json").stdout)
    assert found["kind"] == reader


def test_two_searches_are_compared(tmp_path: Path, here):
    for compiled, name in ((3, "before.json"), (4, "after.json")):
        search(compiled=compiled).to_json(tmp_path / name)
    assert here(tmp_path, "search", "before.json") == (0, f"{search(compiled=3)!r}\n", "")
    status, same, _ = here(tmp_path, "diff", "before.json", "before.json")
    assert status == 0
    assert "12 candidates are the same in both" in same
    status, other, _ = here(tmp_path, "diff", "before.json", "after.json")
    assert status == 1
    assert "1 candidate differs: 1 compiled in only one of them." in other


def test_cpu_devices_are_as_many_as_asked_for(train: Path):
    done = run(train.parent, "program", "train.py::alone", "--devices", "3")
    assert done.returncode == 0, done.stderr
    assert "0 collectives" in done.stdout


@pytest.mark.libtpu
def test_a_program_for_tpus_that_are_not_here(train: Path):
    done = run(train.parent, "program", "train.py::gathered", "--tpu", "v5e:2x4", *AXES)
    assert done.returncode == 0, done.stderr
    assert "Compiled for TPU v5e" in done.stdout


GUIDE = (Path(__file__).parents[2] / "docs/how-to/command-line.md").read_text(encoding="utf-8")
COMMANDS = sorted(set(re.findall(r"`(shardwidget (?:\w+ [^`]+|doctor))`", GUIDE)))
MORE = """
def mapped(mesh):
    summed = jax.shard_map(lambda a: jax.lax.psum(a, "data"), mesh=mesh, in_specs=P("data"), out_specs=P())
    return summed, shapes(mesh)[:1]

@jax.jit
def descent(w, x):
    return w - 0.1 * jax.grad(lambda w: jnp.mean((x @ w) ** 2))(w)

def train(mesh):
    x, w = shapes(mesh, None, "model")
    return descent, (w, x)

def arrays(mesh):
    return step, [jax.device_put(jnp.ones(s.shape), s.sharding) for s in shapes(mesh, None, "model")]
"""


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_guide_runs_as_it_is_written(command: str, tmp_path: Path):
    text = TRAIN.replace("def gathered", "def case").replace("def tree", "def params")
    (tmp_path / "train.py").write_text(text + MORE)
    read = command.split(" > ")[0].split()[1:]
    if "before.json" in read:
        document = sw.read.program(jnp.tanh, jnp.ones((4, 4))).to_json()
        (tmp_path / "before.json").write_text(document)
    if "after.json" in read:
        for compiled, name in ((3, "before.json"), (4, "after.json")):
            search(compiled=compiled).to_json(tmp_path / name)
    if "host.xplane.pb" in read:
        with jax.profiler.trace(str(tmp_path)):
            jax.block_until_ready(jnp.ones((4, 4)) + 1)
        next(tmp_path.rglob("*.xplane.pb")).rename(tmp_path / "host.xplane.pb")
        read = read[:2]  # What ran here ran on no mesh.
    done = run(tmp_path, *read)
    assert done.returncode == ("diff" in read), done.stderr
    assert done.stdout


WRONG = {
    "no file": (("program", "nowhere.py::f"), "there is no file nowhere.py. Give FILE.py::NAME, or a .json"),
    "no name": (("program", "train.py"), "which function of train.py? Give train.py::NAME"),
    "another name": (
        ("program", "train.py::stp"),
        "train.py has no function stp; its functions are: step, ",
    ),
    "a result of another form": (("program", "train.py::wrong"), "wrong must return (f, args), a function and a tuple"),
    "an error of the user's": (("program", "train.py::broken"), "RuntimeError: no data here"),
    "no mesh": (("program", "train.py::split"), "split takes a mesh: give --tpu v5e:4x4 --axes data=4,model=4, or"),
    "a mesh for nobody": (("program", "train.py::alone", *AXES), "--tpu and --axes make a mesh, which alone does not"),
    "odd axes": (("program", "train.py::split", "--axes", "data:4"), "--axes data:4 is not of the form data=4,model=4"),
    "a damaged file": (
        ("program", "bad.json"),
        "ValueError: bad.json holds no document of shardwidget: it is not JSON",
    ),
    "another document": (("memory", "placement.json"), "placement.json is a placement: give a memory"),
    "a profile for another command": (
        ("program", "host.xplane.pb"),
        "host.xplane.pb is a profile: shardwidget run",
    ),
    "a damaged profile": (("run", "host.xplane.pb"), "ValueError: the profile cannot be read (3 bytes)"),
    "a profile of nothing": (
        ("run", "host.xplane.pb", "--program", "none.py::f"),
        "there is no none.py::f: shardwidget",
    ),
    "a folder": (("program", "folder"), "folder is a folder. Give FILE.py::NAME, or a .json"),
    "an empty file": (("program", "empty.json"), "ValueError: empty.json holds no document"),
    "half a file": (("program", "half.json"), "ValueError: half.json holds no document of shardwidget: it is not JSON"),
    "a file that is no text": (
        ("program", "bytes.json"),
        "ValueError: bytes.json holds no document of shardwidget",
    ),
    "a document of a later version": (("program", "later.json"), "ValueError: later.json"),
    "a name in a document": (
        ("program", "placement.json::f"),
        "placement.json::f names a function, and",
    ),
    "a text of something else": (("program", "odd.hlo", *EIGHT), "odd.hlo is not the text of a compiled module: give"),
    "memory of a text of something else": (
        ("memory", "odd.hlo", *EIGHT),
        "odd.hlo is not the text of a compiled module",
    ),
    "an error of many lines": (("program", "train.py::many"), "ValueError: the first line … (--traceback shows all)"),
    "a file that ends Python": (("program", "train.py::exits"), "train.py::exits ended Python, sys.exit(0): it must"),
    "two kinds": (("diff", "placement.json", "model.json"), "model.json is a model: shardwidget model model.json"),
    "no text": (("program", "bytes.hlo"), "bytes.hlo is no text: give what compiled.as_text() writes"),
    "no difference of these": (("diff", "placement.json", "placement.json", "--of", "model"), "placement.json is a"),
    "an odd topology": (("program", "train.py::split", "--tpu", "v5e"), "ValueError: topology must be a string like"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said_in_a_line_and_the_status_is_2(train: Path, name: str, monkeypatch, capsys):
    arguments, message = WRONG[name]
    monkeypatch.chdir(train.parent)
    monkeypatch.setattr(sys, "path", [*sys.path])
    Path("bad.json").write_text("{")
    for name in ("host.xplane.pb", "bytes.hlo", "bytes.json"):
        Path(name).write_bytes(b"\xff\xfe\x00")
    Path("folder").mkdir(exist_ok=True)
    Path("empty.json").touch()
    Path("odd.hlo").write_text("HloModule\n\nENTRY {\n")
    whole = sw.read.placement(jnp.ones(3)).to_json()
    Path("placement.json").write_text(whole)
    Path("half.json").write_text(whole[: len(whole) // 2])
    Path("later.json").write_text(json.dumps(json.loads(whole) | {"version": 99}))
    sw.read.model({"w": jnp.ones(3)}).to_json("model.json")
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"shardwidget: {message}")
    assert "Traceback" not in err
    assert err.count("\n") == 1
    assert main([*arguments, "--traceback"]) == 2
    assert ("Traceback" in capsys.readouterr().err) == ("Error: " in err)
