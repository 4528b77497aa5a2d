"""Documents as JSON and back, with and without JAX."""

import json
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AbstractMesh, PartitionSpec

import shardwidget as sw
from shardwidget.document import VERSION, Document, to_wire
from shardwidget.export.state import encode
from shardwidget.testing.baseline import baseline, differences
from tests.comparisons import COMPARISONS
from tests.diffs import DIFFS
from tests.kernels import KERNELS
from tests.links import LINKS
from tests.memories import MEMORIES
from tests.models import MODEL_COMPARISONS, MODELS
from tests.mpmd import MPMD
from tests.namespaces import NAMESPACES
from tests.overlaps import OVERLAPS
from tests.placements import mesh, placement
from tests.programs import PROGRAMS
from tests.reshards import RESHARDS
from tests.runs import RUNS
from tests.schedules import SCHEDULES
from tests.searches import SEARCHES
from tests.traces import TRACES

SPLIT = jax.NamedSharding(jax.make_mesh((4, 2), ("x", "y"), devices=jax.devices()[:8]), PartitionSpec("x"))
PLACEMENTS = {
    "mesh": lambda: placement(mesh(x=4, y=2)),
    "pod": lambda: placement(mesh(x=64, y=64), (8192, 8192), (("x",), ("y",))),
    "of processes": lambda: placement(mesh([0, 1, 1, 0], x=4), (8,), (("x",),)),
}
PLAYGROUNDS = {
    "moved": lambda: sw.SpecPlayground((8, 16), AbstractMesh((4, 2), ("x", "y")), spec=PartitionSpec("y")).document,
}


@jax.jit
def twice(x):
    return x * 2


WORDS = {
    "baseline diff": lambda: differences("step.txt", {}, baseline(PROGRAMS["training"]())),
    "remedies": lambda: sw.read.remedies(lambda a: (a * 2, a.sum()), jnp.ones(1024)),
    "recompiled": lambda: sw.read.recompiled(lambda: [twice(jnp.ones(n)) for n in (2, 3)]),
    "why": lambda: sw.read.comparison(twice, jax.ShapeDtypeStruct((8, 8), "float32", sharding=SPLIT)).why(1, 0),
}
GROUPS = (
    TRACES, COMPARISONS, PROGRAMS, MEMORIES, RUNS, MODELS, MODEL_COMPARISONS, MPMD, NAMESPACES, RESHARDS, SCHEDULES,
    SEARCHES, KERNELS, DIFFS, LINKS, OVERLAPS, PLACEMENTS, PLAYGROUNDS, WORDS,
)  # fmt: skip
MAKE = {f"{k}: {name}": make for k, group in enumerate(GROUPS) for name, make in group.items()}


@cache
def example(name: str) -> Document:
    made = MAKE[name]
    found = made() if callable(made) else made
    assert isinstance(found, Document)
    return found


def page(*documents: Document) -> str:
    """What of saved pages is read."""
    states = (encode({"_document": to_wire(document)}) for document in documents)
    return "<html>" + "".join(f'<script type="application/json" data-sw="state">{s}</script>' for s in states)


@pytest.mark.parametrize("name", MAKE)
def test_a_document_is_the_same_after_json_and_after_a_page(name: str):
    document = example(name)
    assert sw.load(document.to_json()) == document
    assert sw.load(page(document)) == document


@cache
def validator():
    from jsonschema import Draft202012Validator  # Takes seconds, which every process would spend that collects tests.

    schema = sw.json_schema()
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@pytest.mark.parametrize("name", MAKE)
def test_json_fits_the_schema(name: str):
    data = json.loads(example(name).to_json())
    validator().validate(data)
    data.pop(next(key for key in reversed(data) if key not in ("kind", "version", "shardwidget")))
    assert not validator().is_valid(data)


WITHOUT_JAX = """
import json, sys
sys.modules |= {"jax": None, "jaxlib": None}
from pathlib import Path
import shardwidget
from shardwidget.widgets._show import _OF_DOCUMENTS
shown = set()
for path in map(Path, sys.argv[1:]):
    document = shardwidget.load(path)
    assert json.loads(document.to_json()) == json.loads(path.read_text(encoding="utf-8")), path
    assert repr(document) and document._repr_html_()
    if document.kind in _OF_DOCUMENTS and document.kind not in shown:
        view = shardwidget.show(document)
        assert str(view) and view._repr_mimebundle_() and view.to_html(), path
        shown.add(document.kind)
assert shown == set(_OF_DOCUMENTS), set(_OF_DOCUMENTS) - shown
"""


@pytest.mark.once
def test_json_is_read_without_jax(tmp_path: Path):
    paths = [example(name).to_json(tmp_path / f"{k}.json") for k, name in enumerate(MAKE)]
    done = subprocess.run([sys.executable, "-c", WITHOUT_JAX, *paths], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr


def test_values_may_be_left_out():
    trace = example("0: psum")
    assert isinstance(trace, sw.Trace)
    assert all(v.window is not None for v in trace.variables)
    without = sw.load(trace.to_json(values=False))
    assert len(without.variables) == len(trace.variables)
    assert all(v.window is None for v in without.variables)
    assert without.steps[0].outputs[0] is without.variables[without.steps[0].outputs[0].id]


def test_a_page_with_several_documents_asks_which():
    text = page(example("2: ring"), example("0: psum"))
    with pytest.raises(ValueError, match=r"the text holds 2 documents: program, trace. Choose one: load\('the text'"):
        sw.load(text)
    assert sw.load(text, number=1) == example("0: psum")
    with pytest.raises(IndexError, match="has no document 2: it holds 2, numbered from 0"):
        sw.load(text, number=2)


def test_a_saved_page_of_a_widget_is_read(tmp_path: Path):
    view = sw.CompiledProgram(example("2: training"))
    assert sw.load(view.to_html(tmp_path / "page.html")) == example("2: training")


def changed(path: str, value: object, name: str = "2: ring") -> str:
    """A document's JSON with another value at a path."""
    data = json.loads(example(name).to_json())
    *outer, last = path.split(".")
    at = data
    for key in outer:
        at = at[int(key) if key.isdigit() else key]
    if value is None:
        del at[last]
    else:
        at[last] = value
    return json.dumps(data)


BAD = {
    "no JSON": ("{nothing", r"the text holds no document of shardwidget: it is not JSON \(Expecting property name"),
    "no page of ours": ("<html></html>", "it is neither JSON nor a page with widgets"),
    "no kind": ("{}", "its kind is None, not one of 'algorithms', 'baseline diff'"),
    "another kind": ('{"kind": "cake", "version": 1}', "its kind is 'cake'"),
    "a kind that is no text": ('{"kind": [], "version": 1}', "its kind is "),
    "of a newer version": (
        changed("version", VERSION + 1),
        rf"was written by shardwidget {sw.__version__}, in version {VERSION + 1} of its format; this is .* Update",
    ),
    "a missing field": (changed("mesh", None), "the text is damaged: mesh is missing"),
    "a text for a number": (
        changed("collectives.0.bytes_per_device", "many"),
        r"collectives\[0\].bytes_per_device must be an integer; it is 'many'",
    ),
    "true for a number": (changed("collectives.0.bytes_per_device", True), "must be an integer; it is True"),
    "a number for a text": (changed("name", 3), "name must be a text; it is 3"),
    "a number for an object": (changed("mesh", 3), "mesh must be an object; it is 3"),
    "a number for an array": (changed("collectives", 3), "collectives must be an array; it is 3"),
    "another word": (changed("mesh.axes.0.type", "auto?"), r"mesh.axes\[0\].type must be one of .*; it is 'auto\?'"),
    "a float among integers": (changed("mesh.device_ids", [0, 1.5]), r"mesh.device_ids\[1\] must be an integer"),
    "bytes that are none": (
        changed("variables.0.window.data", "zeros", "0: psum"),
        r'variables\[0\].window.data must be an object \{"\$bytes": base64\}',
    ),
    "a variable that is not there": (changed("steps.1.inputs", [99], "0: psum"), "names variable 99; there are"),
    "a table that is none": (
        changed("buffers", {"bytes": {"at": [0]}}, "3: training"),
        "buffers is not a table as saved pages have it",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_damaged_file_says_what_is_wrong_and_where(name: str):
    text, message = BAD[name]
    with pytest.raises(ValueError, match=message):
        sw.load(text)


def of_an_older_version(**fields: object) -> str:
    """What a release wrote that had not all of today's fields."""
    data = json.loads(example("2: ring").to_json())
    for name in ("findings", "verdicts", "listings", "note"):  # Added since, each with a default.
        del data[name]
    return json.dumps(data | {"shardwidget": "0.0.9"} | fields)


def test_a_file_of_an_older_version_is_read_without_what_it_lacks():
    program = sw.load(of_an_older_version())
    now = example("2: ring")
    assert isinstance(now, sw.Program)
    assert program == replace(now, findings=(), verdicts=(), listings=(), note="")
    assert "all-gather" in repr(program)
    assert "all-gather" in sw.show(program).to_html()


def test_a_file_of_another_version_that_cannot_be_read_says_which_wrote_it():
    with pytest.raises(
        ValueError, match=rf"by shardwidget 0\.0\.9; this is {sw.__version__}, .* mesh must be an object"
    ):
        sw.load(of_an_older_version(mesh=3))


def test_any_text_survives(tmp_path: Path):
    odd = replace(placement(mesh(x=2)), name="\ud800 </script> 名 \x1b")
    assert sw.load(odd.to_json(tmp_path / "odd.json")) == odd
    assert sw.load(page(odd)).name == "\\ud800 </script> 名 \x1b"


def test_no_such_file():
    with pytest.raises(FileNotFoundError, match=r"program\.json"):
        sw.load("program.json")


def test_numbers_are_floats_where_documents_have_floats():
    run = sw.load(changed("seconds", [1, 2], "4: step"))
    assert run.seconds == (1.0, 2.0)
    assert all(type(s) is float for s in run.seconds)


def test_integers_without_a_pattern_are_listed():
    memory = example("3: training")
    assert isinstance(memory, sw.Memory)
    data = json.loads(memory.to_json())
    np.testing.assert_array_equal(data["work"], memory.work.array())
