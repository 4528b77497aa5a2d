"""PipelineView: what it reads, what it sends, its traits, text, table, picture and saved page."""

import re

import jax
import pytest
from traitlets import TraitError

import shardwidget as sw
from shardwidget import pipeline, read
from shardwidget.document import Schedule, Schedules


def test_a_schedule_is_shown_with_its_figures():
    view = sw.PipelineView(pipeline.one_f_one_b(4, 8), follow=3, moment=11.5)
    assert isinstance(view.document, Schedule)
    assert repr(view).splitlines()[:3] == [
        "1F1B: idle 27.3 % of all time, 37.5 % of useful time, keeps 4, 3, 2, 1 activations, 48 sends, 33 steps long",
        "4 ranks, 4 stages, 8 microbatches",
        "rank 0  0F0 0F1 0F2 0F3 0B0 0F4 0B1 0F5 0B2 0F6 0B3 0F7 0B4 0B5 0B6 0B7",
    ]
    assert view._document["source"]["generator"] == "one_f_one_b"
    assert (view.follow, view.moment) == (3, 11.5)


def test_schedules_are_compared_on_one_scale():
    view = sw.PipelineView.compare(
        {"1F1B": pipeline.one_f_one_b(4, 8), "Interleaved": pipeline.interleaved_1f1b(8, 8, 4)}
    )
    assert isinstance(view.document, Schedules)
    assert [one.simulate().makespan for one in view.document.schedules] == [33, 28.5]
    assert "Interleaved  idle 15.8 %" in repr(view)
    # As the widget counts: of two stages on a rank, an activation of one is half of a microbatch's.
    assert "keeps 4, 3, 2, 1 microbatches" in repr(view)
    assert "keeps 5.5, 4.5, 3.5, 2.5 microbatches" in repr(view)
    assert "keeps 11, 9, 7, 5 activations" in repr(sw.PipelineView(pipeline.interleaved_1f1b(8, 8, 4)))


def test_times_that_are_given_stay():
    timed = read.schedule([["0F0", "0B0"]])
    named = sw.PipelineView.compare({"a": timed, "b": [["0F0", "0B0"]]})
    assert isinstance(named.document, Schedules)
    assert [one.name for one in named.document.schedules] == ["a", "b"]


def test_show_takes_a_schedule():
    assert isinstance(sw.show(pipeline.zb_v(8, 8)), sw.PipelineView)


def test_ranks_on_a_mesh():
    mesh = jax.sharding.AbstractMesh((2, 4), ("data", "stage"))
    view = sw.PipelineView(pipeline.gpipe(4, 4), mesh=mesh, axis="stage")
    assert isinstance(view.document, Schedule)
    assert view.document.mesh is not None
    assert (view.document.mesh.shape, view.document.axis) == ((2, 4), "stage")
    with pytest.raises(ValueError, match="the mesh has data of 2, stage of 4"):
        sw.PipelineView(pipeline.gpipe(4, 4), mesh=mesh)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"follow": -1}, TraitError, "follow must be None or a microbatch"),
        ({"moment": -1.0}, TraitError, "moment must be a time"),
        ({"moment": float("nan")}, TraitError, "moment must be a time"),
        ({"folow": 1}, TypeError, "Did you mean 'follow'"),
    ],
)
def test_what_is_not_there_is_refused(options, error, words):
    with pytest.raises(error, match=words):
        sw.PipelineView(pipeline.gpipe(2, 2), **options)


@pytest.mark.parametrize(
    ("schedules", "error", "words"),
    [({}, ValueError, "give one schedule or more"), ({"a": 7}, TypeError, "is not a schedule that can be read")],
)
def test_nothing_to_compare(schedules, error, words):
    with pytest.raises(error, match=words):
        sw.PipelineView.compare(schedules)


def test_an_impossible_schedule_is_not_drawn():
    with pytest.raises(ValueError, match="impossible schedule"):
        sw.PipelineView([["0B0", "0F0"]])


def test_names_of_the_user_stay_text():
    view = sw.PipelineView(pipeline.gpipe(2, 2), name="<b>mine</b>")
    assert "<b>mine" not in view._table()
    assert "<b>mine" not in re.sub(r"(?s)<script.*?</script>", "", view.to_html())


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pictures_and_pages_need_no_browser(theme):
    view = sw.PipelineView(pipeline.dualpipe_v(8, 8), follow=1)
    svg = view.to_svg(theme=theme)
    assert svg.startswith("<svg")
    assert "DualPipeV" in svg
    assert "pipeline" in view.to_html()
    compared = sw.PipelineView.compare({"a": pipeline.gpipe(4, 4), "b": pipeline.zb_h1(4, 4)})
    assert "2 schedules" in compared.to_svg(theme=theme)
