"""Repairing a function that stops or gives a wrong result: a cell holds the fixed one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import jax
import numpy as np

from shardwidget.document import Feedback, Field, Part
from shardwidget.teach import layouts, run
from shardwidget.teach.errands import Calls, Judging, fresh, most_bytes
from shardwidget.teach.kind import Answer, Kind
from shardwidget.teach.others import others
from shardwidget.teach.results import Outcome, Result, difference, result, same
from shardwidget.teach.source import figure_of, figure_of_value


class Repair(Kind):
    """Asks for a fixed function, which a cell assigns: ``exercise.answer = fixed``.

    Args:
        f: the broken one.
        *args: arguments that both are called with.
        gives: the expected result: a value, or a function of the arguments, with which an answer is tried for other
            arguments too. With a value, an answer that does not depend on its arguments is refused.
        source: the text to show; None reads that of ``f``.
        **options: ``prompt hints name mode``.

    Raises:
        ValueError: ``gives`` raises, or ``f`` is not broken.
    """

    task = "repair"
    says_goal = True
    hints = (
        "Call the function in a cell and read JAX's message to its end: it often names the argument to give.",
        "sw.ShardMapStepper(f, *args) stops at the value that causes the error.",
    )

    def __init__(
        self, f: Callable[..., Any], *args: Any, gives: Any, source: str | None = None, **options: Any
    ) -> None:
        super().__init__(options)
        self._f, self._args, self._gives = f, args, gives
        self.names_from, self.secret = f, gives
        wanted = run.wanted_value(gives, args)
        self._wanted = result(wanted)
        self._broken = run.call(f, fresh(args))
        off = "" if self._broken.error else difference(result(self._broken.value), self._wanted)
        if not self._broken.error and not off:
            raise ValueError("there is nothing to repair: the function gives what it should")
        self.mesh = layouts.mesh_document(layouts.mesh_of(args))
        self.figures = (figure_of(f, args, source), figure_of_value("wanted", wanted))
        self.fields = (Field("function", "fixed function", "code", example="fixed"),)
        self.goal = self._broken.error
        fault = off or f"This stops with `{self._broken.error}`."
        self.prompt = f"{fault} Write a function that gives what it should, and assign it in a cell."
        self._identity = f"{self.figures[0].listing} {run.describe(args)}"

    def identity(self) -> str:
        """What is asked, of what, on which mesh."""
        return self._identity

    def judging(self, answer: Answer) -> Judging:
        """Compares with what JAX says, with other arguments too."""
        inputs = (self._args, *self._others)
        first, *more = yield Calls(answer["function"], inputs, most_bytes(self._wanted))
        if first.error:
            still = first.error == self._broken.error and first.said == self._broken.said
            message = "It still stops in the same way." if still else f"It stops with another error, {first.error}."
            question = "Which line does JAX's message refer to, and what does it suggest?"
            part = Part("function", False, message)
            return Feedback("wrong", message, question, parts=(part,), error=first.error, said=first.said)
        if more and self._varies and all(not o.error and same(o.value, first.value) for o in more):
            note = "It gives the same, whatever its arguments are."
            question = "Which of the arguments should the result be made from?"
            return Feedback("wrong", note, question, parts=(Part("function", False, note),))
        if off := difference(first.value, self._wanted):
            question = "What should each device add, and what should it leave to the others?"
            return Feedback("partly", f"It runs. {off}", question, parts=(Part("function", False, off),))
        return self._elsewhere(more) or Feedback(
            "right", "It runs, and the result is what it should be.", parts=(Part("function", True),)
        )

    def _elsewhere(self, more: Sequence[Outcome]) -> Feedback | None:
        """What is off with other arguments; None where nothing is, or nothing is known."""
        for outcome, truth in zip(more, self._truths, strict=False):
            off = f"It raises {outcome.error}." if outcome.error else difference(outcome.value, truth)
            if off:
                note = f"The result is right for these arguments, not for others of the same types. {off}"
                question = "Does something in it hold for these values alone?"
                said: Any = {"error": outcome.error, "said": outcome.said}
                return Feedback("partly", note, question, parts=(Part("function", False, note),), **said)
        return None

    @cached_property
    def _others(self) -> tuple[tuple[Any, ...], ...]:
        """Other arguments; where ``gives`` is a function, those for which it gives something finite."""
        made = others(self._args, self._identity)
        return tuple(args for args in made if not callable(self._gives) or self._truth(args) is not None)

    @cached_property
    def _truths(self) -> tuple[Result, ...]:
        """The results for other arguments; none where ``gives`` is a value."""
        if not callable(self._gives):
            return ()
        found = map(self._truth, self._others)
        return tuple(truth for truth in found if truth is not None)

    @cached_property
    def _varies(self) -> bool:
        """Whether the right result depends on the arguments, or can be taken to."""
        if callable(self._gives):
            return not all(same(truth, self._wanted) for truth in self._truths)
        broken = [run.call(self._f, fresh(args)) for args in (self._args, *self._others)]
        if any(outcome.error for outcome in broken):
            return True
        first, *more = (result(outcome.value) for outcome in broken)
        return not all(same(first, other) for other in more)

    def _truth(self, args: tuple[Any, ...]) -> Result | None:
        outcome = run.call(self._gives, fresh(args))
        if outcome.error:
            return None
        truth = result(outcome.value)
        arrays = [leaf.values for leaf in truth.leaves if leaf.values is not None]
        finite = all(np.isfinite(a).all() for a in arrays if jax.dtypes.issubdtype(a.dtype, np.inexact))
        return truth if finite else None
