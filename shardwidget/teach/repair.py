"""Repairing a function that stops or gives a wrong result: a cell holds the fixed one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shardwidget.document import Feedback, Field, Part
from shardwidget.teach import layouts, run
from shardwidget.teach.kind import Answer, Kind
from shardwidget.teach.source import figure_of, figure_of_value, names_of


class Repair(Kind):
    """Asks for a fixed function, which a cell assigns: ``exercise.answer = fixed``.

    Args:
        f: the broken one.
        *args: arguments that both are called with.
        gives: the expected result: a value, or a function of the arguments.
        source: the text to show; None reads that of ``f``.
        **options: ``prompt hints name mode``.

    Raises:
        ValueError: ``gives`` raises, or ``f`` is not broken.
    """

    task = "repair"
    prompt = "This does not do what it should. Write a function that does, and assign it in a cell."
    hints = (
        "Call the function in a cell and read JAX's message to its end: it often names the argument to give.",
        "sw.ShardMapStepper(f, *args) stops at the value that causes the error.",
    )

    def __init__(
        self, f: Callable[..., Any], *args: Any, gives: Any, source: str | None = None, **options: Any
    ) -> None:
        super().__init__(options)
        self._args = args
        self.names = names_of(f)
        self._wanted = run.wanted_value(gives, args)
        self._broken = run.call(f, args)
        off = "" if self._broken.error else run.difference(self._broken.value, self._wanted)
        if not self._broken.error and not off:
            raise ValueError("there is nothing to repair: the function gives what it should")
        self.mesh = layouts.mesh_document(layouts.mesh_of(args))
        self.figures = (figure_of(f, args, source), figure_of_value("wanted", self._wanted))
        self.fields = (Field("function", "fixed function", "code", example="fixed"),)
        self.goal = self._broken.error
        if off:
            self.prompt = f"{off} Write a function that gives what it should, and assign it in a cell."
        self._identity = f"{self.figures[0].listing} {run.describe(args)}"

    def identity(self) -> str:
        """What is asked, of what, on which mesh."""
        return self._identity

    def judge(self, answer: Answer) -> Feedback:
        """Compares with what JAX says."""
        outcome = run.call(answer["function"], self._args)
        if outcome.error:
            still = outcome.error == self._broken.error and outcome.said == self._broken.said
            message = "It still stops in the same way." if still else f"It stops with another error, {outcome.error}."
            question = "Which line does JAX's message refer to, and what does it suggest?"
            part = Part("function", False, message)
            return Feedback("wrong", message, question, parts=(part,), error=outcome.error, said=outcome.said)
        if off := run.difference(outcome.value, self._wanted):
            question = "What should each device add, and what should it leave to the others?"
            return Feedback("partly", f"It runs. {off}", question, parts=(Part("function", False, off),))
        return Feedback("right", "It runs, and the result is what it should be.", parts=(Part("function", True),))
