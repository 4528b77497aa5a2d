"""The exercise on a plan's threshold: any threshold counts that fits in as few chunks; the plan is the truth."""

import pytest

import shardwidget as sw
from tests.reshards import MIB, back, example, put


def told(exercise, answer):
    exercise.answer = answer
    feedback = exercise.document.questions[0].feedback
    assert feedback is not None
    return feedback


def test_a_threshold_is_planned_with():
    e = sw.Exercise.choose_threshold(example(), at_most=12 * MIB)
    (figure,) = e.document.questions[0].figures
    assert figure.tables[0].rows[1] == ("0", "0", "4 MiB", "2 MiB", "4 MiB")
    assert figure.tables[0].rows[0][1] == "to stage"
    assert "more than 12 MiB at any moment" in e.document.questions[0].prompt
    # Weights 4, 4 and 2 MiB: together, two and one, one and two, one by one.
    assert told(e, "10 MiB").message == "A device of stage 0 holds 14 MiB, more than 12 MiB."
    assert told(e, 8 * MIB).gives == "2 chunks, 13 MiB at most"
    slow = told(e, "5 MiB")
    assert (slow.verdict, slow.gives) == ("partly", "3 chunks, 11 MiB at most")
    assert not e.passed
    right = told(e, "6MiB")
    assert (right.verdict, right.gives) == ("right", "2 chunks, 12 MiB at most")
    assert e.answer == 6 * MIB
    e.check()
    with pytest.warns(UserWarning, match="a threshold must be 1 byte or more"):
        e.answer = 0
    with pytest.warns(UserWarning, match="is not a number of bytes"):
        e.answer = "six"


def test_a_plan_back_is_asked_about_too():
    e = sw.Exercise.choose_threshold(back(), at_most=12 * MIB)
    assert e.document.questions[0].figures[0].title == "from groups of stage"
    assert told(e, "1 GiB").verdict == "wrong"
    assert told(e, "8 MiB").verdict == "partly"


@pytest.mark.parametrize(
    ("plan", "limit", "error", "words"),
    [
        ("plan", MIB, TypeError, "what read.reshard_plan returns; got a str"),
        (put(), MIB, ValueError, "2 to 64 arrays"),
        (example(), MIB, ValueError, "make peaks of 11 MiB to 14 MiB; got 1 MiB"),
        (example(), 14 * MIB, ValueError, "leave something to choose"),
    ],
)
def test_what_cannot_be_asked(plan, limit, error, words):
    with pytest.raises(error, match=words):
        sw.Exercise.choose_threshold(plan, at_most=limit)
