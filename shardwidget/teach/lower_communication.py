"""Lowering communication: the same result with fewer bytes sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shardwidget import read
from shardwidget._format import byte_count
from shardwidget.document import Feedback, Field, Part, Program
from shardwidget.teach import layouts, run
from shardwidget.teach.kind import Answer, Kind
from shardwidget.teach.source import figure_of, names_of


class LowerCommunication(Kind):
    """Asks for a function with the same result that sends less, which a cell assigns.

    What is sent is counted in the program that XLA makes: bytes a device sends by the ring algorithm, each collective
    as often as it runs.

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
    hints = (
        "sw.CompiledProgram(f, *args) shows which collectives XLA inserts, and for which line.",
        "Communication is where a dimension that is summed over is split, or two operands are sharded differently.",
    )

    def __init__(
        self, f: Callable[..., Any], *args: Any, below: int | None = None, source: str | None = None, **options: Any
    ) -> None:
        super().__init__(options)
        self._args = args
        self.names = names_of(f)
        outcome = run.call(f, args)
        if outcome.error:
            raise ValueError(f"the exercise has no truth: the function raises {outcome.error}: {outcome.said}")
        self._wanted = outcome.value
        sent = sent_bytes(_program(f, args))
        if sent is None:
            raise ValueError("the exercise has no truth: how often a collective in a loop runs is not known")
        self._limit = sent - 1 if below is None else below
        if sent <= self._limit:
            raise ValueError(f"a device sends {byte_count(sent)} already, which is not above {self._limit}")
        self.mesh = layouts.mesh_document(layouts.mesh_of(args))
        self.figures = (figure_of(f, args, source),)
        self.fields = (Field("function", "function that sends less", "code", example="better"),)
        most = byte_count(below) if below is not None else f"less than {byte_count(sent)}"
        self.goal = f"at most {most}" if below is not None else most
        self.prompt = (
            f"A device sends `{byte_count(sent)}` when this runs compiled. Write a function with the same result that "
            f"sends {self.goal}, and assign it in a cell."
        )
        self._identity = f"{self.figures[0].listing} {run.describe(args)} {below}"

    def identity(self) -> str:
        """What is asked, of what, on which mesh."""
        return self._identity

    def judge(self, answer: Answer) -> Feedback:
        """Compares with what JAX says."""
        f = answer["function"]
        outcome = run.call(f, self._args)
        if outcome.error:
            part = Part("function", False, "It stops.")
            question = "Which line does JAX's message refer to?"
            return Feedback("wrong", "It stops.", question, parts=(part,), error=outcome.error, said=outcome.said)
        if off := run.difference(outcome.value, self._wanted):
            return Feedback("wrong", off, "Which operation must stay?", parts=(Part("function", False, off),))
        program = _program(f, self._args)
        sent = sent_bytes(program)
        if sent is None:
            note = "A collective is in a loop whose trip count is not known, so its bytes cannot be counted."
            return Feedback(
                "wrong", note, "Can the loop have a fixed trip count?", parts=(Part("function", False, note),)
            )
        gives = f"{byte_count(sent)} per device"
        if sent <= self._limit:
            message = f"The result is the same, and a device sends {byte_count(sent)}."
            return Feedback("right", message, "", gives, (Part("function", True),))
        note = f"The result is the same. A device sends {byte_count(sent)}: {_bill(program)}."
        return Feedback(
            "partly", note, "Which of these moves data that could stay?", gives, (Part("function", False, note),)
        )


def _program(f: Callable[..., Any], args: tuple[Any, ...]) -> Program:
    with run.on_mesh(layouts.mesh_of(args)):
        return read.program(f, *args)


def sent_bytes(program: Program) -> int | None:
    """Bytes that a device sends in one call; None where that is not known."""
    total = 0
    for c in program.collectives:
        if c.times is None:
            return None
        total += c.bytes_per_device * c.times
    return total


def _bill(program: Program) -> str:
    sent = [c for c in program.collectives if c.bytes_per_device]
    words = [f"{c.kind} over {', '.join(c.axes) or 'some devices'} {byte_count(c.bytes_per_device)}" for c in sent[:4]]
    return ", ".join(words) + (f" and {len(sent) - 4} more" if len(sent) > 4 else "")
