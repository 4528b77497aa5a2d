"""``ShardingComparison`` on the Python side: what it sends, what it takes, what it refuses, what it saves."""

import json
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AbstractMesh, AxisType, NamedSharding
from jax.sharding import PartitionSpec as P
from traitlets import TraitError

import shardwidget as sw
from shardwidget.document import to_wire
from shardwidget.export import bundle, comparison, svg
from tests.front_end import FakeComm
from tests.wire import items

STOP = 2
"""The row of ``product`` that stops on an Explicit mesh."""


def put(spec: P, shape: tuple[int, ...] = (8, 8), kind: AxisType = AxisType.Auto) -> jax.Array:
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(kind,) * 2)
    return jax.device_put(np.ones(shape, np.float32), NamedSharding(mesh, spec))


def product(a, b):
    h = jnp.sin(a)
    return h @ b


@pytest.fixture
def view() -> sw.ShardingComparison:
    return sw.ShardingComparison(product, put(P("x", "y")), put(P("y", None)))


def front_end(view: sw.ShardingComparison) -> FakeComm:
    assert isinstance(view.comm, FakeComm)
    return view.comm


def chosen(view: sw.ShardingComparison) -> int:
    stop = view.document.rows[STOP].error
    assert stop
    return stop.chosen


def other(view: sw.ShardingComparison) -> int:
    """A fix that is not the one in use."""
    return next(k for k in range(len(view.document.rows[STOP].fixes)) if k != chosen(view))


def test_the_document_and_the_front_end_are_sent_once(view):
    (state,) = front_end(view).states
    assert state["_document"] == to_wire(view.document)
    assert state["_esm"] == bundle.read("comparison.js")
    assert (state["choices"], state["selection"], state["_static"]) == ({}, None, False)
    row = view.document.rows[1]
    assert (row.primitive, row.explicit, row.auto, row.concrete) == ("sin", "f32[8@x,8@y]", "f32[8,8]", "P('x', 'y')")


def test_a_choice_in_the_browser_goes_on_below_it(view):
    fix = other(view)
    front_end(view).from_browser(choices={str(STOP): fix})
    assert view.choices == {STOP: fix}
    assert chosen(view) == fix
    layout = view.document.rows[STOP].values[0].explicit
    assert layout
    assert layout.text == view.document.rows[STOP].fixes[fix].type
    sent = [state["_document"] for state in front_end(view).states if "_document" in state]
    assert sent[-1] == to_wire(view.document)
    assert items(sent[-1]["rows"])[STOP]["error"]["chosen"] == fix


def test_a_choice_from_python_is_the_same_as_one_at_the_start(view):
    fix = other(view)
    view.choices = {STOP: fix}
    choices, document = front_end(view).states[-2:]
    assert document == {"_document": to_wire(view.document)}
    assert choices == {"choices": {STOP: fix}}
    again = sw.ShardingComparison(product, put(P("x", "y")), put(P("y", None)), choices={STOP: fix})
    assert again.document == view.document
    view.choices = {}
    assert chosen(view) != fix


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({1: 0}, rf"row 1 has no fix to choose; those with a choice are {STOP}"),
        ({STOP: 99}, rf"row {STOP} has the fixes 0 to \d+; got 99"),
        ({STOP: -1}, rf"row {STOP} has the fixes 0 to \d+; got -1"),
        ({"a": 0}, "choices must be"),
        ({STOP: 0.5}, "choices must be"),
    ],
)
def test_a_choice_that_is_not_there_is_refused_and_nothing_changes(view, choices, message):
    before = view.document
    with pytest.raises(TraitError, match=message):
        view.choices = choices
    assert (view.choices, view.document) == ({}, before)


def test_a_selection_goes_both_ways(view):
    view.selection = {"row": 1}
    assert front_end(view).states[-1] == {"selection": 1}
    front_end(view).from_browser(selection=2)
    assert view.selection == {"row": 2}
    front_end(view).from_browser(selection=None)
    assert view.selection is None
    for row in (-1, len(view.document.rows)):
        with pytest.raises(TraitError, match=r"selection must be None or .\"row\": 0 to 3.; got"):
            view.selection = {"row": row}


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"colour": 1},
            TypeError,
            "no argument 'colour'. Its keyword arguments are kwargs, mesh, compiled, name, choices",
        ),
        ({"mode": "svg"}, ValueError, "'widget' or 'html'; got 'svg'"),
        ({"compiled": "both"}, ValueError, "'auto'"),
    ],
)
def test_a_wrong_option_is_answered_with_the_legal_ones(options, error, message):
    with pytest.raises(error, match=message):
        sw.ShardingComparison(product, put(P("x", "y")), put(P("y", None)), **options)


def test_its_text_table_and_picture_are_those_of_its_document(view, tmp_path):
    assert repr(view) == comparison.picture(view.document)
    assert repr(view).startswith(
        "product: line 31 stops on an Explicit mesh: ShardingTypeError\n4 rows on mesh x=4 y=2: 1 type"
    )
    data, _ = view._repr_mimebundle_()
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == view.model_id
    assert comparison.table(view.document) in data["text/html"]
    assert "<script" not in data["text/html"]
    picture = view.to_svg()
    assert picture.startswith("<svg ")
    assert "ShardingTypeError" in picture
    assert view.to_svg(tmp_path / "f.svg", width=480, theme="dark") == str(tmp_path / "f.svg")


def test_a_picture_is_of_the_choices_that_are_made(view, monkeypatch):
    asked = []
    monkeypatch.setattr(svg, "picture", lambda state, **_: asked.append(state) or "<svg/>")
    view.choices = {STOP: other(view)}
    view.to_svg()
    assert asked[0]["_document"] == to_wire(view.document)
    assert asked[0]["_document"]["continuations"] == []


def test_html_mode_needs_no_front_end():
    view = sw.ShardingComparison(product, put(P("x", "y")), put(P("y", None)), mode="html", selection={"row": 1})
    data, metadata = view._repr_mimebundle_()
    assert (set(data), metadata, view.comm) == ({"text/plain", "text/html"}, {}, None)
    assert '"selection":1' in data["text/html"]


@pytest.mark.once
def test_a_saved_page_brings_every_other_choice_along(view, tmp_path):
    path = tmp_path / "f.html"
    assert view.to_html(path) == str(path)
    found = re.search(r'data-sw="state">(.*?)</script>', path.read_text(encoding="utf-8"))
    assert found
    state = json.loads(found[1])
    assert (state["choices"], state["selection"], state["_static"]) == ({}, None, True)
    fixes = len(view.document.rows[STOP].fixes)
    known = {(c["row"], c["choice"]) for c in state["_document"]["continuations"]}
    assert known == {(STOP, k) for k in range(fixes)} - {(STOP, chosen(view))}
    for c in state["_document"]["continuations"]:
        live = sw.ShardingComparison(product, put(P("x", "y")), put(P("y", None)), choices={STOP: c["choice"]})
        rows = [to_wire(row) for row in view.document.rows]
        for index, row in zip(c["at"], items(c["rows"]), strict=True):
            rows[index] = row
        assert json.loads(json.dumps(rows)) == json.loads(json.dumps([to_wire(row) for row in live.document.rows]))


def test_arrays_are_compared_by_name():
    params = {"w": put(P("x", "y"), kind=AxisType.Explicit), "b": put(P("y"), (8,), AxisType.Explicit)}
    view = sw.ShardingComparison(params)
    assert view.document.of == "arrays"
    assert view.document.name == "params"
    assert sorted(row.explicit for row in view.document.rows) == ["f32[8@x,8@y]", "f32[8@y]"]
    assert sw.ShardingComparison(params, name="weights").document.name == "weights"
    assert view.to_html().startswith("<!doctype html>")


def test_no_devices_are_needed():
    mesh = AbstractMesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
    x = jax.ShapeDtypeStruct((8, 8), "float32", sharding=NamedSharding(mesh, P("x", "y")))
    view = sw.ShardingComparison(jnp.sin, x)
    assert view.document.rows[-1].explicit == "f32[8@x,8@y]"
    assert view.document.rows[-1].concrete == ""
    assert view.document.note


def test_what_the_function_raises_comes_through():
    def wrong(a):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        sw.ShardingComparison(wrong, put(P("x", "y")))
    with pytest.raises(TypeError, match=r"a jax\.Array or a pytree"):
        sw.ShardingComparison("x")


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (lambda: sw.show(product, put(P("x", "y")), put(P("y", None))), "ShardingComparison"),
        (lambda: sw.show(jax.jit(jax.grad(lambda a: (a * a).sum())), put(P("x", "y"))), "ShardingComparison"),
        (
            lambda: sw.show(product, *(put(s, kind=AxisType.Explicit) for s in (P("x", "y"), P("y")))),
            "ShardingComparison",
        ),
        (lambda: sw.show({"w": put(P("x", "y"))}), "ModelView"),
        (lambda: sw.show([put(P("x", "y"))] * 3), "ModelView"),
        (lambda: sw.show(((8, 8), "float32", put(P("x", "y")).sharding)), "ArrayView"),
        (lambda: sw.show(put(P("x", "y"))), "ArrayView"),
    ],
)
def test_show_picks(make, kind):
    assert type(make()).__name__ == kind


def test_show_picks_the_stepper_where_there_is_a_shard_map_however_deep():
    x = put(P("x", "y"))
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
    f = jax.shard_map(lambda b: b * 2, mesh=mesh, in_specs=P("x", "y"), out_specs=P("x", "y"))
    deep = jax.jit(lambda a: jax.lax.fori_loop(0, 2, lambda _, c: f(c), a))
    for g in f, deep, jax.grad(lambda a: deep(a).sum()):
        assert isinstance(sw.show(g, x), sw.ShardMapStepper)
    stops = jax.shard_map(lambda b: b * 2, mesh=mesh, in_specs=P("x", "y"), out_specs=P())
    assert isinstance(sw.show(stops, x), sw.ShardMapStepper)
