"""Predicting the peak: how many bytes a device holds at most while a program runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shardwidget import read
from shardwidget._format import byte_count
from shardwidget.document import Feedback, Field, Part
from shardwidget.teach import layouts, run
from shardwidget.teach.amount import read_bytes
from shardwidget.teach.kind import Answer, Kind, not_right
from shardwidget.teach.source import figure_of


class PredictPeak(Kind):
    """Asks how many bytes a device holds at the peak of a compiled program.

    The truth is what ``read.memory`` finds.

    Args:
        f: a function.
        *args: its arguments, on a mesh with devices.
        within: how far an answer may be off, as a fraction of the truth.
        source: the text to show; None reads that of ``f``.
        **options: ``prompt hints name mode``.

    Raises:
        ValueError: the program cannot be compiled or read.
    """

    task = "predict_peak"
    hints = (
        "Arguments are there from the beginning. What does the forward pass keep for the backward pass, and what is "
        "computed again?",
        "Count the largest array on one device: divide each dimension by the mesh axes that split it.",
    )

    def __init__(
        self, f: Callable[..., Any], *args: Any, within: float = 0.1, source: str | None = None, **options: Any
    ) -> None:
        super().__init__(options)
        if not 0 < within < 1:
            raise ValueError(f"within must be a fraction of the peak, between 0 and 1; got {within}")
        with run.on_mesh(layouts.mesh_of(args)):
            self._peak = read.memory(f, *args).peak_bytes
        self._within = within
        self.mesh = layouts.mesh_document(layouts.mesh_of(args))
        self.figures = (figure_of(f, args, source),)
        self.prompt = (
            "How many bytes does a device hold at the peak of this program, compiled? "
            f"An answer within {100 * within:g}% counts."
        )
        example = not_right(("3.5 MiB", "12 KiB"), lambda text: self._is_right(read_bytes(text)))
        self.fields = (Field("peak", "bytes at the peak", "text", example=example),)
        self._identity = f"{self.figures[0].listing} {run.describe(args)} {within}"

    def identity(self) -> str:
        """What is asked, of what, on which mesh."""
        return self._identity

    def read_field(self, field: Field, value: Any) -> int:
        """A number of bytes, or text with a unit."""
        return read_bytes(value)

    def write_field(self, field: Field, value: int) -> str:
        """The number with a unit."""
        return byte_count(value)

    def judge(self, answer: Answer) -> Feedback:
        """Compares with the peak of the compiled program."""
        given, truth = answer["peak"], self._peak
        gives = byte_count(given)
        if self._is_right(given):
            return Feedback("right", f"The peak is {byte_count(truth)}.", "", gives, (Part("peak", True),))
        note = "That is too much." if given > truth else "That is too little."
        ask = "What is recomputed, instead of being kept?" if given > truth else "What is kept for the backward pass?"
        near = abs(given - truth) <= 0.5 * truth
        return Feedback("partly" if near else "wrong", note, ask, gives, (Part("peak", False, note),))

    def _is_right(self, given: int) -> bool:
        return abs(given - self._peak) <= self._within * self._peak
