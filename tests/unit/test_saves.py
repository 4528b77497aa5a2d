"""Which changes are worth offering, by their figures."""

from __future__ import annotations

import pytest

from shardwidget.read._instead.communication import Figures, saves

BEFORE = Figures(sent=1000, seconds=1.0, memory=1000)


@pytest.mark.parametrize(
    ("sent", "seconds", "memory", "worth"),
    [
        (900, 1.0, 1000, True),
        (900, 1.09, 1000, True),
        (900, 1.11, 1000, False),
        (370, 1.22, 1000, True),  # Fewer bytes in more collectives, of which each waits a little.
        (370, 1.40, 1000, False),
        (1300, 0.3, 1000, True),
        (1300, 0.9, 1000, False),
        (1000, 1.0, 900, True),
        (995, 1.0, 1000, False),
    ],
)
def test_what_falls_is_worth_what_rises(sent: int, seconds: float, memory: int, worth: bool) -> None:
    assert saves(BEFORE, Figures(sent, seconds, memory)) == worth


def test_a_small_saving_counts_by_what_its_line_sends() -> None:
    assert saves(BEFORE, Figures(995, 1.0, 1000), own=10)
    assert not saves(BEFORE, Figures(995, 1.0, 1000), own=100)
    assert not saves(BEFORE, Figures(995, 1.001, 1000), own=10)
    assert not saves(BEFORE, BEFORE, own=10)


def test_memory_alone_is_not_worth_work() -> None:
    before, less = BEFORE._replace(work=100.0), BEFORE._replace(memory=900, work=100.0)
    assert saves(before, less)
    assert not saves(before, less._replace(work=800.0))


def test_a_program_that_sends_nothing_is_not_made_to_send() -> None:
    nothing = Figures(0, 0.0, 1000)
    assert not saves(nothing, Figures(10, 0.1, 1000))
