"""Exercises on pipeline schedules: the simulator is the truth, and any order that is as good counts."""

import pytest

import shardwidget as sw
from shardwidget import pipeline


def told(exercise, answer):
    exercise.answer = answer
    feedback = exercise.document.questions[0].feedback
    assert feedback is not None
    return feedback


@pytest.mark.parametrize("bubble", ["3/11", "27.3 %", "0.2727", "27.27%"])
def test_a_bubble_in_any_spelling(bubble):
    e = sw.Exercise.read_schedule(pipeline.one_f_one_b(4, 8))
    assert told(e, {"bubble": bubble, "peak": "4"}).verdict == "right"
    e.check()


@pytest.mark.parametrize(("bubble", "kept"), [("6/22", "3/11"), ("50 %", "1/2"), ("0.27272", "0.2727"), ("0", "0")])
def test_an_answer_is_kept_as_it_was_meant(bubble, kept):
    e = sw.Exercise.read_schedule(pipeline.one_f_one_b(4, 8))
    e.answer = {"bubble": bubble, "peak": "4"}
    assert [given.text for given in e.document.questions[0].answer] == [kept, "4"]


def test_what_is_off_is_named():
    e = sw.Exercise.read_schedule(pipeline.gpipe(4, 8))
    half = told(e, {"bubble": "3/8", "peak": "8"})
    assert half.verdict == "partly"
    assert half.message == "That is idle time as a fraction of useful time."
    assert told(e, {"bubble": "1/2", "peak": "3"}).message == "The idle fraction is off. A rank keeps more at once."
    with pytest.warns(UserWarning, match="x is not a fraction"):
        e.answer = {"bubble": "x", "peak": "8"}
    with pytest.warns(UserWarning, match=r"3\.5 is not a whole number"):
        e.answer = {"bubble": "1/2", "peak": "3.5"}


def test_an_order_is_run():
    e = sw.Exercise.order_tasks(pipeline.one_f_one_b(2, 3), rank=1)
    question = e.document.questions[0]
    assert "`1B0`, `1B1`, `1B2`, `1F0`, `1F1`, `1F2`" in question.prompt
    assert [row[0] for row in question.figures[0].tables[0].rows] == ["rank 0"]
    assert told(e, "1F0 1F1 1B0 1F2 1B1 1B2").verdict == "partly"
    assert "Rank 1 runs 1B0 before 1F0" in told(e, "1B0 1F0 1F1 1B1 1F2 1B2").message
    assert told(e, "1B0 1F0 1F1 1B1 1F2 1B2").message.endswith("which it needs.")
    assert told(e, "1F2 1B2 1F0 1B0 1F1 1B1").message.startswith("Deadlock: rank ")
    assert told(e, ["1F0", "1B0", "1F1", "1B1", "1F2", "1B2"]).verdict == "right"
    assert e.answer == ("1F0", "1B0", "1F1", "1B1", "1F2", "1B2")
    with pytest.warns(UserWarning, match="0F0 is not a task of rank 1"):
        e.answer = "0F0 1F0"


def test_what_cannot_be_asked():
    with pytest.raises(ValueError, match="rank must be 0 to 1; got 2"):
        sw.Exercise.order_tasks(pipeline.gpipe(2, 2), rank=2)
    with pytest.raises(ValueError, match="use fewer microbatches"):
        sw.Exercise.read_schedule(pipeline.gpipe(2, 64))
