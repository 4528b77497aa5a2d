"""Finding a race: the two lines of a Pallas kernel that nothing orders, and what they both access."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shardwidget.document import Feedback, Field, Figure, Part
from shardwidget.read._kernel.asked import BEGIN, END, AskedKernel, Race
from shardwidget.teach.kernels import kernel_listing, mesh_of_kernel
from shardwidget.teach.kind import Answer, Kind
from shardwidget.teach.run import describe


class FindRace(Kind):
    """Asks for the race of a Pallas kernel: two lines, and the buffer that they both access.

    The truth is what ``read.kernel`` finds; any of its races is right.

    Args:
        f: a function that calls the kernel, inside ``jax.shard_map``.
        *args: its arguments, on CPU devices.
        source: the text to show; None reads that of the kernel.
        **options: ``prompt hints name mode``.

    Raises:
        ValueError: ``f`` calls no such kernel, it does not end, or nothing in it races.
    """

    task = "find_race"
    prompt = (
        "Nothing orders two accesses of one buffer in this kernel, one of which writes it. Which buffer, and which two "
        "lines? They may be one line on two devices."
    )
    hints = (
        "A device may be several steps ahead of its neighbours: what does it write on them, and what do they still do "
        "there?",
        "Go through the waits: which event of which device does each of them wait for, and which does none?",
    )

    def __init__(self, f: Callable[..., Any], *args: Any, source: str | None = None, **options: Any) -> None:
        super().__init__(options)
        self._kernel = AskedKernel(f, args)
        if not self._kernel.races:
            raise ValueError(f"the exercise has no truth: nothing in {self._kernel.name} races")
        self.mesh = mesh_of_kernel(self._kernel)
        shown = kernel_listing(self._kernel, source)
        self.figures = (Figure(self._kernel.name, listing=shown),)
        lines = (*self._kernel.lines(shown, "read", "write", "copy"), BEGIN, END)
        self.fields = (
            Field("buffer", "buffer", "choice", self._kernel.buffers),
            Field("one", "one line", "choice", lines),
            Field("other", "the other line", "choice", lines),
        )
        self._identity = f"{shown} {describe(args)}"

    def identity(self) -> str:
        """The kernel's text and the types of its arguments."""
        return self._identity

    def judge(self, answer: Answer) -> Feedback:
        """Compares with the races of the kernel."""
        buffer, one, other = (answer[name] for name in ("buffer", "one", "other"))
        right = max((self._matches(race, buffer, one, other) for race in self._kernel.races), key=sum)
        if all(right):
            race = (buffer, (min(one, other), max(one, other)))
            parts = tuple(Part(f.name, True) for f in self.fields)
            return Feedback("right", f"{self._kernel.said(race)}. No semaphore orders the two.", parts=parts)
        note = self._off(buffer, (one, other))
        first = right.index(False)
        parts = tuple(
            Part(f.name, good, note if k == first else "")
            for k, (f, good) in enumerate(zip(self.fields, right, strict=True))
        )
        question = "Which access of which device can still be under way when another device comes to the second?"
        return Feedback("partly" if right[0] and sum(right) > 1 else "wrong", note, question, parts=parts)

    def _off(self, buffer: str, lines: tuple[str, str]) -> str:
        what = f"`{lines[0]}`" if lines[0] == lines[1] else f"`{lines[0]}` and `{lines[1]}`"
        if not self._kernel.meet(buffer, lines):
            return f"At {what}, two devices or a device and a copy never meet in one part of {buffer}, one writing it."
        return f"{what} meet in one part of {buffer}, but waits order them: one has always ended when the other begins."

    @staticmethod
    def _matches(race: Race, buffer: str, one: str, other: str) -> tuple[bool, bool, bool]:
        name, (a, b) = race
        straight, crossed = (one == a, other == b), (one == b, other == a)
        return (name == buffer, *max(straight, crossed, key=sum))
