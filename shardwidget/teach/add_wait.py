"""Finding the wait that is missing: which line of a Pallas kernel must wait, and until which moment."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from shardwidget._format import count
from shardwidget.document import Feedback, Field, Figure
from shardwidget.read._kernel.asked import AskedKernel, Wait, When
from shardwidget.teach.kernels import kernel_listing, mesh_of_kernel
from shardwidget.teach.kind import Answer, Kind
from shardwidget.teach.run import describe

TURNS = ("the same run", "one run before", "two runs before")
EVENTS: dict[str, When] = {
    "{line} is done": "end",
    "the copy of {line} has been sent": "sent",
    "the copy of {line} has arrived": "arrived",
}


class AddWait(Kind):
    """Asks for the wait that is missing in a Pallas kernel: before which line, for which device, until when.

    What is answered is tried: the recorded kernel is gone through with that wait, in all orders at once. It is right
    if nothing races then and the kernel still ends.

    Args:
        f: a function that calls the kernel, inside ``jax.shard_map`` over one mesh axis.
        *args: its arguments, on CPU devices.
        source: the text to show; None reads that of the kernel.
        **options: ``prompt hints name mode``.

    Raises:
        ValueError: ``f`` calls no such kernel, it runs over several axes, it does not end, nothing in it races, or no
            single wait ends its races.
    """

    task = "add_wait"
    prompt = "A wait is missing in this kernel. Which line must wait, for which device, and until when?"
    hints = (
        "Which access comes too early? Its line must wait, or one before it.",
        "On which device is the access that must have ended by then, and which line there says that it has?",
    )

    def __init__(self, f: Callable[..., Any], *args: Any, source: str | None = None, **options: Any) -> None:
        super().__init__(options)
        self._kernel = AskedKernel(f, args)
        if len(self._kernel.axes) != 1:
            raise ValueError(f"{self._kernel.name} must run over one mesh axis; it runs over {len(self._kernel.axes)}")
        if not self._kernel.pairs:
            raise ValueError(f"the exercise has no truth: nothing in {self._kernel.name} races")
        self._devices = {_whose(k): k for k in self._kernel.offsets}
        shown = kernel_listing(self._kernel, source)
        lines, copies = self._kernel.lines(shown), self._kernel.lines(shown, "copy")
        self._events: dict[str, tuple[str, When]] = {
            text.format(line=line): (line, event)
            for line in lines
            for text, event in EVENTS.items()
            if event == "end" or line in copies
        }
        self._turns = TURNS[: min(len(TURNS), self._kernel.most_turns)]
        if not any(map(self._kernel.ends_all, self._waits(lines))):
            raise ValueError(f"the exercise has no truth: no single wait ends the races of {self._kernel.name}")
        self.mesh = mesh_of_kernel(self._kernel)
        self.figures = (Figure(self._kernel.name, listing=shown),)
        turn = (
            (Field("turn", "counting the runs of both lines", "choice", self._turns),) if len(self._turns) > 1 else ()
        )
        self.fields = (
            Field("before", "line that must wait", "choice", lines),
            Field("device", "for", "choice", tuple(self._devices)),
            Field("until", "until", "choice", tuple(self._events)),
            *turn,
        )
        self._identity = f"{shown} {describe(args)}"

    def identity(self) -> str:
        """The kernel's text and the types of its arguments."""
        return self._identity

    def judge(self, answer: Answer) -> Feedback:
        """Goes through the kernel with the wait."""
        wait = self._wait(answer["before"], answer["device"], answer["until"], answer.get("turn", TURNS[0]))
        line = f"`{wait.before}`"
        if not self._kernel.needs(wait):
            note = f"There is no such moment for any run of {line}, so nothing waits."
            return Feedback("wrong", note, "How often does each of the two lines run?")
        left = self._kernel.left(wait)
        if left is None:
            note = f"Then the kernel cannot go on: before {line}, a device waits for what comes only after it."
            return Feedback("wrong", note, "What must a device do before the event that you wait for can happen?")
        if not left:
            return Feedback("right", f"With this wait before {line}, nothing races, in any order.")
        ended = len(self._kernel.pairs) - len(left)
        race = f"{count(len(left), 'pair')} of accesses {'race' if len(left) > 1 else 'races'}"
        if ended:
            note = f"It ends some of the races: {race} still."
            return Feedback("partly", note, "Which run, or which device, is not covered yet?")
        question = "Does the event come before the access that is overtaken, or after it?"
        return Feedback("wrong", f"It ends no race: {race}, as before.", question)

    def _waits(self, lines: tuple[str, ...]) -> Iterator[Wait]:
        """All that can be answered."""
        for one in itertools.product(lines, self._devices, self._events, self._turns or TURNS[:1]):
            yield self._wait(*one)

    def _wait(self, before: str, device: str, until: str, turn: str) -> Wait:
        line, event = self._events[until]
        return Wait(before, self._devices[device], line, event, TURNS.index(turn))


def _whose(offset: int) -> str:
    """Which device, as seen from the one that waits."""
    if offset == 0:
        return "the device itself"
    side = "right" if offset > 0 else "left"
    return f"its {side} neighbour" if abs(offset) == 1 else f"the device {abs(offset)} to its {side}"
