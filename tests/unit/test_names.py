"""Names from a program: whatever is in them, no terminal obeys it, no line is forged, and a view can be sent."""

import json

import jax
import numpy as np
import pytest
from jax.sharding import AbstractMesh, AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import shardwidget as sw
from shardwidget._text import encodable, visible
from shardwidget.document import to_wire

FORGED = "params/embed  1 TiB"
NAMES = {
    "escape": "a\x1b[2J\x1b]0;title\x07",
    "line": f"a\n{FORGED}",
    "return": f"a\r{FORGED}",
    "other line ends": f"a\x0b{FORGED}\x85{FORGED}\u2028{FORGED}",
    "direction": "a\u202egnp.exe\u2066",
    "no width": "a\u200b\ufeff",
    "tab and zero": "a\t\0",
    "eight bits": "a\x9b2J",
    "half": "a\ud800",
    "other half": "a\udfff b",
}


def _array(name):
    mesh = AbstractMesh((4, 2), (name, "y"), axis_types=(AxisType.Explicit,) * 2)
    return jax.ShapeDtypeStruct((8, 16), "float32", sharding=NamedSharding(mesh, P(name, "y")))


def _traced(name):
    def f(x):
        return x * 2

    f.__name__ = name
    mesh = AbstractMesh((4, 2), ("x", "y"))
    return sw.ShardMapStepper(
        lambda x: jax.shard_map(f, mesh=mesh, in_specs=P("x"), out_specs=P("x"))(x), np.ones(8, np.float32)
    )


def _set(name):
    mesh = AbstractMesh((4, 2), (name, "y"))
    question = sw.Exercise.write_spec((8, 16), mesh, copies=4, name=name)
    return sw.ExerciseSet([question], name=name, student=name, progress=False)


VIEWS = {
    "array": lambda name: sw.ArrayView(_array(name)),
    "tree": lambda name: sw.ModelView({name: _array(name), "b": {name + "2": _array("x")}}),
    "trees": lambda name: sw.ModelView.compare({name: _array("x")}, {name: _array("x")}),
    "playground": lambda name: sw.SpecPlayground((8, 16), AbstractMesh((4, 2), (name, "y"))),
    "stepper": _traced,
    "exercises": _set,
    "pipeline": lambda name: sw.PipelineView(sw.pipeline.one_f_one_b(2, 4), name=name),
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("view", VIEWS)
def test_a_name_stays_a_name(view, name):
    shown = VIEWS[view](name)
    text = repr(shown)
    assert all(line.isprintable() for line in text.split("\n"))
    assert not any(line.strip().startswith(FORGED) for line in text.split("\n"))
    data, _ = shown._repr_mimebundle_()
    for part in (data["text/plain"], data["text/html"], shown.to_html(), json.dumps(_strings(shown.document))):
        part.encode()
    assert FORGED not in [line.strip() for line in data["text/html"].splitlines()]
    json.dumps(_strings(to_wire(shown.document)), ensure_ascii=False).encode()


def _refused(name):
    question = sw.Exercise.write_spec((8, 16), AbstractMesh((4, 2), ("x", "y")), copies=4, name=name, mode="html")
    with pytest.warns(UserWarning, match="not counted") as warned:
        question.answer = name
    yield str(warned[0].message)
    step = jax.ShapeDtypeStruct((8,), "float32")

    def f(x):
        return x

    f.__name__ = name
    calls = {
        "check": question.check,
        "points": lambda: sw.grade(".", _set(name), points={name + "1": 1}),
        "search": lambda: sw.read.search(f, step, mesh=jax.make_mesh((2,), ("x",))),
        "groups": lambda: sw.read.program(f"replica_groups={name}", mesh=jax.make_mesh((2,), ("x",))),
    }
    for call in calls.values():
        # JAX 0.9 has no search.
        with pytest.raises((AssertionError, ValueError, TypeError, NotImplementedError)) as raised:
            call()
        yield str(raised.value)


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_message_with_a_name_can_be_printed(name):
    for said in _refused(name):
        assert all(line.isprintable() for line in said.split("\n")), said


def _strings(value):
    if isinstance(value, dict):
        return {key: _strings(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_strings(item) for item in value]
    return value if isinstance(value, str) else None


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain × é 日本 😀", "plain × é 日本 😀"),
        ("a\nb", r"a\nb"),
        ("\x1b[0m", r"\x1b[0m"),
        ("\u202e", r"\u202e"),
        ("\ud800", r"\ud800"),
        ("\U000e0041", r"\U000e0041"),
        ("", ""),
    ],
)
def test_what_cannot_be_seen_is_written_as_an_escape(text, shown):
    assert visible(text) == shown
    assert visible(text, keep="\n") == (text if "\n" in text else shown)
    assert encodable(text) == (shown if "\ud800" in text else text)
