"""Lowering communication: the same result with fewer bytes sent."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from shardwidget import read
from shardwidget._format import byte_count
from shardwidget.document import Feedback, Field, Part
from shardwidget.teach import layouts, run
from shardwidget.teach.errands import Judging, Runs, Traced, fresh, sent_bytes
from shardwidget.teach.kind import Answer, Kind
from shardwidget.teach.others import others
from shardwidget.teach.results import Outcome, Result, difference, result
from shardwidget.teach.source import figure_of


class LowerCommunication(Kind):
    """Asks for a function with the same result that sends less, which a cell assigns.

    What is sent is counted in the program that XLA makes: bytes a device sends by the ring algorithm, each collective
    as often as it runs. That program is also what is run and compared, with other arguments too, so an answer must be
    one that ``jax.jit`` can trace.

    Args:
        f: a function that sends too much.
        *args: arguments on a mesh with devices.
        below: the most bytes that a device may send in the compiled program; None asks for less than ``f`` sends.
        source: the text to show; None reads that of ``f``.
        **options: ``prompt hints name mode``.

    Raises:
        ValueError: the program cannot be compiled or counted, or ``f`` sends no more than that already.
    """

    task = "lower_communication"
    says_goal = True
    hints = (
        "sw.CompiledProgram(f, *args) shows which collectives XLA inserts, and for which line.",
        "Communication is where a dimension that is summed over is split, or two operands are sharded differently.",
    )

    def __init__(
        self, f: Callable[..., Any], *args: Any, below: int | None = None, source: str | None = None, **options: Any
    ) -> None:
        super().__init__(options)
        self._f, self._args = f, args
        self.names_from = f
        outcome = run.call(f, fresh(args))
        if outcome.error:
            raise ValueError(f"the exercise has no truth: the function raises {outcome.error}: {outcome.said}")
        self._wanted = result(outcome.value)
        with run.on_mesh(layouts.mesh_of(args)):
            sent = sent_bytes(read.program(f, *args))
        if sent is None:
            raise ValueError("the exercise has no truth: how often a collective in a loop runs is not known")
        self._limit = sent - 1 if below is None else below
        if sent <= self._limit:
            raise ValueError(f"a device sends {byte_count(sent)} already, which is not above {self._limit}")
        self.mesh = layouts.mesh_document(layouts.mesh_of(args))
        self.figures = (figure_of(f, args, source),)
        self.fields = (Field("function", "function that sends less", "code", example="better"),)
        limit, most = ("less than", sent) if below is None else ("at most", below)
        self.goal = f"{limit} {byte_count(most)}"
        self.prompt = (
            f"A device sends `{byte_count(sent)}` when this runs compiled. Write a function with the same result that "
            f"sends {limit} `{byte_count(most)}`, and assign it in a cell."
        )
        self._identity = f"{self.figures[0].listing} {run.describe(args)} {below}"

    def identity(self) -> str:
        """What is asked, of what, on which mesh."""
        return self._identity

    def judging(self, answer: Answer) -> Judging:
        """Compares what XLA compiles, in results and in bytes, with other arguments too."""
        traced = yield Traced(answer["function"], self._args)
        if traced.error:
            return _stopped(traced)
        compiled = yield Runs(traced.value, (self._args, *self._others))
        for outcome, truth in zip(compiled.outcomes, self._truths, strict=True):
            if outcome.error:
                return _stopped(outcome)
            if off := difference(outcome.value, truth):
                return Feedback("wrong", off, "Which operation must stay?", parts=(Part("function", False, off),))
        sent = compiled.sent
        if sent is None:
            note = "A collective is in a loop whose trip count is not known, so its bytes cannot be counted."
            return Feedback(
                "wrong", note, "Can the loop have a fixed trip count?", parts=(Part("function", False, note),)
            )
        gives = f"{byte_count(sent)} per device"
        if sent <= self._limit:
            message = f"The result is the same, and a device sends {byte_count(sent)}."
            return Feedback("right", message, "", gives, (Part("function", True),))
        note = f"The result is the same. A device sends {byte_count(sent)}: {compiled.bill}."
        return Feedback(
            "partly", note, "Which of these moves data that could stay?", gives, (Part("function", False, note),)
        )

    @cached_property
    def _tried(self) -> tuple[tuple[tuple[Any, ...], Result], ...]:
        """Other arguments for which the function gives something, each with what it gives."""
        found = ((args, run.call(self._f, fresh(args))) for args in others(self._args, self._identity))
        return tuple((args, result(outcome.value)) for args, outcome in found if not outcome.error)

    @property
    def _others(self) -> tuple[tuple[Any, ...], ...]:
        return tuple(args for args, _ in self._tried)

    @property
    def _truths(self) -> tuple[Result, ...]:
        return (self._wanted, *(truth for _, truth in self._tried))


def _stopped(outcome: Outcome) -> Feedback:
    part = Part("function", False, "It stops.")
    question = "Which line does JAX's message refer to?"
    return Feedback("wrong", "It stops.", question, parts=(part,), error=outcome.error, said=outcome.said)
