"""ReshardPlanView: what it takes, its traits, text, table, picture and saved page."""

import re

import pytest
from jax.sharding import PartitionSpec as P
from traitlets import TraitError

import shardwidget as sw
from tests import reshards
from tests.reshards import MIB, example


def test_a_plan_is_shown_and_picked():
    plan = example()
    view = sw.show(plan, chunk=1)
    assert isinstance(view, sw.ReshardPlanView)
    assert view.document is plan
    assert (view.chunk, view.threshold) == (1, 8 * MIB)
    assert view._document["kind"] == "reshard"
    assert repr(view) == repr(sw.ReshardPlanView(plan))


def test_arrays_and_targets_are_planned():
    mesh = reshards.eight()
    x = reshards.struct((8, 8), mesh, P("stage", "fsdp"))
    view = sw.ReshardPlanView({"w": x}, {"w": ({1}, P("fsdp"))}, mesh, "stage", threshold=1024)
    assert [a.path for a in view.document.arrays] == ["w"]
    put = sw.ReshardPlanView(x, reshards.struct((8, 8), mesh, P("tensor")).sharding)
    assert (put.document.direction, put.threshold) == ("device_put", 0)
    with pytest.raises(TypeError, match="give ReshardPlanView\\(plan\\) alone"):
        sw.ReshardPlanView(view.document, mesh=mesh)


def test_another_threshold_is_another_plan():
    view = sw.ReshardPlanView(example(), chunk=1)
    view.threshold = 5 * MIB
    assert view.document.chunks == ((0,), (1,), (2,))
    view.chunk = 2
    view.threshold = 32 * MIB
    assert view.document.chunks == ((0, 1, 2),)
    assert view.chunk == 0
    assert "in 1 chunk" in repr(view)
    assert sw.ReshardPlanView(example(), threshold=5 * MIB, chunk=2).document.chunks == ((0,), (1,), (2,))


def test_what_the_browser_slides_arrives_in_one_message():
    view = sw.ReshardPlanView(example())
    view.set_state({"chunk": 2, "threshold": 5 * MIB})
    assert (view.chunk, view.threshold) == (2, 5 * MIB)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"chunk": 2}, TraitError, "chunk must be 0 to 1; got 2"),
        ({"threshold": 0}, ValueError, "threshold must be a number of bytes, 1 or more; got 0"),
        ({"chunks": 1}, TypeError, "Did you mean 'chunk'"),
    ],
)
def test_what_is_not_there_is_refused(options, error, words):
    with pytest.raises(error, match=words):
        sw.ReshardPlanView(example(), **options)


def test_a_device_put_has_no_threshold():
    view = sw.ReshardPlanView(reshards.put())
    with pytest.raises(TraitError, match="has no threshold"):
        view.threshold = 5
    with pytest.raises(TraitError, match="got -1"):
        sw.ReshardPlanView(example()).threshold = -1


@pytest.mark.parametrize("make", [example, reshards.back, reshards.put])
def test_pictures_and_pages_need_no_browser(make):
    view = sw.ReshardPlanView(make())
    assert view.to_svg(theme="dark").startswith("<svg")
    page = view.to_html()
    assert '"kind":"reshard"' in re.sub(r"\\s", "", page)


def test_a_picture_has_the_threshold_of_now():
    view = sw.ReshardPlanView(example())
    before = view.to_svg()
    view.threshold = 5 * MIB
    assert "3 chunks" in view.to_svg() != before
