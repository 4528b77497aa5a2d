"""``ShardMapStepper`` on the Python side: what it sends, what it takes, what it refuses, what it saves."""

import json
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AbstractMesh, AxisType
from jax.sharding import PartitionSpec as P
from traitlets import TraitError

import shardwidget as sw
from shardwidget.cost import INTERCONNECTS
from shardwidget.document import to_wire
from shardwidget.export import bundle, svg
from shardwidget.export import trace as steps
from tests.front_end import FakeComm
from tests.wire import items


@pytest.fixture
def mesh():
    return jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)


@pytest.fixture
def f(mesh):
    def product(a, b):
        p = a @ b
        return jax.lax.psum(p, "y")

    return jax.shard_map(product, mesh=mesh, in_specs=(P("x", "y"), P("y", None)), out_specs=P("x", None))


A, B = np.arange(32, dtype=np.float32).reshape(8, 4), np.arange(16, dtype=np.float32).reshape(4, 4)


def front_end(stepper: sw.ShardMapStepper) -> FakeComm:
    assert isinstance(stepper.comm, FakeComm)
    return stepper.comm


def last(stepper: sw.ShardMapStepper) -> int:
    return len(stepper.document.steps) - 1


def test_the_document_and_the_front_end_are_sent_once(f):
    stepper = sw.ShardMapStepper(f, A, B, step=2, watch=["p"])
    (state,) = front_end(stepper).states
    assert state["_document"] == to_wire(stepper.document)
    assert state["_esm"] == bundle.read("stepper.js")
    assert (state["step"], state["watch"], state["_static"]) == (2, ["p"], False)
    np.testing.assert_array_equal(stepper.document.outputs, A @ B)


def test_a_step_goes_both_ways(f):
    stepper = sw.ShardMapStepper(f, A, B)
    stepper.step = 2
    assert front_end(stepper).states[-1] == {"step": 2}
    front_end(stepper).from_browser(step=1)
    assert stepper.step == 1
    front_end(stepper).from_browser(watch=["p", "a"])
    assert stepper.watch == ["p", "a"]


def test_a_step_that_is_not_there_is_refused(f):
    stepper = sw.ShardMapStepper(f, A, B, step=1)
    for step in (-1, last(stepper) + 1, 10**9):
        with pytest.raises(TraitError, match=rf"step must be 0 to {last(stepper)}; got {step}"):
            stepper.step = step
        with pytest.raises(TraitError, match=rf"step must be 0 to {last(stepper)}; got {step}"):
            sw.ShardMapStepper(f, A, B, step=step)
    with pytest.raises(TraitError, match="step"):
        stepper.set_trait("step", 1.5)
    assert stepper.step == 1


def test_a_name_that_is_not_there_cannot_be_watched(f):
    stepper = sw.ShardMapStepper(f, A, B, watch=["p"])
    with pytest.raises(TraitError, match=r"no variable of this trace is called 'q', 'r'; the names are .*\ba\b.*\bp\b"):
        stepper.watch = ["p", "q", "r"]
    assert stepper.watch == ["p"]
    with pytest.raises(TraitError, match="'q'"):
        sw.ShardMapStepper(f, A, B, watch=["q"])


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"colour": 1},
            TypeError,
            "no argument 'colour'. Its keyword arguments are kwargs, engine, keep, interconnect, step, watch, mode",
        ),
        ({"mode": "svg"}, ValueError, "'widget' or 'html'; got 'svg'"),
        ({"interconnect": "v5e"}, ValueError, "'v5e' is not known. Give one of 'TPU v3', .*'GB200 NVL72', or numbers"),
        ({"interconnect": 9e10}, TypeError, "interconnect=90000000000.0 is not known. Give one of 'TPU v3'"),
    ],
)
def test_a_wrong_option_is_answered_with_the_legal_ones(f, options, error, message):
    with pytest.raises(error, match=message):
        sw.ShardMapStepper(f, A, B, **options)


def test_an_interconnect_is_shown_first(f):
    mine = sw.Interconnect("mine", "switch", bandwidth=1e6)
    first, own, none = (
        sw.ShardMapStepper(f, A, B, interconnect=interconnect).document for interconnect in ("H100", mine, None)
    )
    assert first.interconnects[0] == "H100"
    assert sorted(first.interconnects) == sorted(INTERCONNECTS)
    assert own.interconnects == ("mine", *INTERCONNECTS)
    assert sorted(none.interconnects) == sorted(INTERCONNECTS)
    assert none.interconnects[0] == "TPU v5e"
    (collective,) = (step.collective for step in own.steps if step.collective)
    # Twice half of the array of 2×4 floats, which two devices share.
    assert collective.bandwidth[0] == pytest.approx(32 / 1e6)
    assert len(collective.bandwidth) == len(collective.latency) == len(own.interconnects)
    replaced = sw.Interconnect("H100", "switch", bandwidth=1e6)
    again = sw.ShardMapStepper(f, A, B, interconnect=replaced).document
    assert again.interconnects == first.interconnects


def test_its_text_is_that_of_its_trace(f):
    stepper = sw.ShardMapStepper(f, A, B)
    assert repr(stepper) == steps.picture(stepper.document)
    assert repr(stepper).splitlines()[1].startswith("5 steps on mesh x=4 y=2, run on its devices")
    assert "psum" in repr(stepper)


def test_a_notebook_gets_the_widget_a_table_and_text(f):
    stepper = sw.ShardMapStepper(f, A, B)
    data, _ = stepper._repr_mimebundle_()
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == stepper.model_id
    assert data["text/plain"] == repr(stepper)
    assert data["text/html"].count("<tr") == 1 + len(stepper.document.steps)
    assert "<script" not in data["text/html"]


def test_html_mode_needs_no_front_end(f):
    stepper = sw.ShardMapStepper(f, A, B, mode="html", step=2)
    data, metadata = stepper._repr_mimebundle_()
    assert (set(data), metadata, stepper.comm) == ({"text/plain", "text/html"}, {}, None)
    assert '"step":2' in data["text/html"]


def test_a_saved_page_is_complete(f, tmp_path):
    stepper = sw.ShardMapStepper(f, A, B, step=3, watch=["a"])
    path = tmp_path / "f.html"
    assert stepper.to_html(path) == str(path)
    page = path.read_text(encoding="utf-8")
    assert page == stepper.to_html()
    found = re.search(r'data-sw="state">(.*?)</script>', page)
    assert found
    state = json.loads(found[1])
    assert (state["step"], state["watch"], state["_static"]) == (3, ["a"], True)
    steps, variables = items(state["_document"]["steps"]), items(state["_document"]["variables"])
    assert [s["sentence"] for s in steps] == [s.sentence for s in stepper.document.steps]
    assert all(variables[v]["window"] for step in steps for v in step["outputs"])


def test_a_picture_is_of_the_step_that_is_shown(f, tmp_path):
    stepper = sw.ShardMapStepper(f, A, B, step=3)
    picture = stepper.to_svg()
    assert picture.startswith("<svg ")
    assert "3/4" in picture
    stepper.step = 0
    assert "0/4" in stepper.to_svg()
    stepper.watch = ["p"]
    assert stepper.to_svg() != picture
    assert stepper.to_svg(tmp_path / "f.svg", width=480, theme="dark") == str(tmp_path / "f.svg")
    assert 'width="480"' in (tmp_path / "f.svg").read_text(encoding="utf-8")


def test_the_fallback_has_a_picture_where_one_can_be_drawn(f, monkeypatch):
    stepper = sw.ShardMapStepper(f, A, B)
    monkeypatch.setattr(svg, "available", lambda: True)
    monkeypatch.setattr(svg, "picture", lambda *_, **__: "<svg/>")
    assert "<img" in stepper._repr_mimebundle_()[0]["text/html"]
    monkeypatch.setattr(svg, "available", lambda: False)
    assert "<img" not in stepper._repr_mimebundle_()[0]["text/html"]


def test_no_devices_are_needed():
    mesh = AbstractMesh((8, 8), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
    f = jax.shard_map(lambda a: jax.lax.psum(a, "y"), mesh=mesh, in_specs=P("x", "y"), out_specs=P("x", None))
    stepper = sw.ShardMapStepper(f, jax.ShapeDtypeStruct((16, 16), "float32"))
    assert stepper.document.engine == "host"
    assert "simulated on the host" in repr(stepper)


def test_the_host_is_used_where_it_is_asked_for(f):
    assert sw.ShardMapStepper(f, A, B, engine="host").document.engine == "host"
    assert sw.ShardMapStepper(f, A, B).document.engine == "mesh"


def test_a_program_that_stops_is_shown_up_to_there(mesh):
    f = jax.shard_map(lambda a: a * 2, mesh=mesh, in_specs=P("x", "y"), out_specs=P())
    stepper = sw.ShardMapStepper(f, A)
    assert stepper.document.error
    assert stepper.document.steps[-1].primitive == "error"
    assert stepper.step == last(stepper)
    assert sw.ShardMapStepper(f, A, step=0).step == 0
    assert "stops with ValueError" in repr(stepper).splitlines()[1]
    assert "out_specs" in stepper.to_html()


def test_a_function_without_shard_map_names_what_shows_it(mesh):
    with pytest.raises(ValueError, match="ShardingComparison"):
        sw.ShardMapStepper(lambda a: a + 1, jnp.ones(3))


@pytest.mark.parametrize("x", [jnp.ones(3), None, "f", 3])
def test_anything_but_a_function_is_refused(x):
    with pytest.raises(TypeError, match="function"):
        sw.ShardMapStepper(x)


def test_show_picks_the_stepper_for_a_function(f):
    assert isinstance(sw.show(f, A, B, step=1), sw.ShardMapStepper)
    with pytest.raises(TypeError, match=r"show\(x\), or show\(f, \*args, .*\); got ndarray and 1 more"):
        sw.show(A, B)
