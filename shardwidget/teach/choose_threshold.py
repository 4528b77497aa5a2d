"""Choosing the threshold of a reshard plan: as few chunks as devices have room for."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from shardwidget._format import byte_count
from shardwidget.document import Feedback, Field, Figure, Part, ReshardPlan, Table
from shardwidget.teach.amount import read_bytes
from shardwidget.teach.forms import AnswerError
from shardwidget.teach.kind import Answer, Kind

MOST = 64
"""The most arrays of a plan that a question shows."""


class ChooseThreshold(Kind):
    """Asks for the threshold of a reshard plan that keeps every device within a limit, in the fewest chunks.

    Args:
        plan: what ``read.reshard_plan`` returns, to groups or from them.
        at_most: bytes that a device may hold at any moment.
        **options: ``prompt hints name mode``.

    Raises:
        TypeError: it is not a plan.
        ValueError: it has no threshold, or too many arrays to read; or no threshold keeps the limit, or every one.
    """

    task = "choose_threshold"
    hints = (
        "What does a device hold before anything moves? It holds that during the first chunk too, and what the chunk "
        "adds.",
        "An array that has moved is freed where it was, and stays only in the groups that keep it.",
    )

    def __init__(self, plan: Any, *, at_most: int, **options: Any) -> None:
        super().__init__(options)
        if not isinstance(plan, ReshardPlan):
            raise TypeError(f"plan must be what read.reshard_plan returns; got a {type(plan).__name__}")
        if plan.direction == "device_put" or not 1 < len(plan.arrays) <= MOST:
            raise ValueError(f"the plan must move 2 to {MOST} arrays to groups or from them; it has {len(plan.arrays)}")
        self._plan, self._limit = plan, int(at_most)
        ways = [(len(p.chunks), max(p.peak_bytes)) for p in map(plan.with_threshold, _thresholds(plan))]
        within = [chunks for chunks, peak in ways if peak <= self._limit]
        if len(within) in (0, len(ways)):
            low, high = (byte_count(of(peak for _, peak in ways)) for of in (min, max))
            raise ValueError(
                f"at_most must leave something to choose: thresholds of this plan make peaks of {low} to {high}; got "
                f"{byte_count(self._limit)}"
            )
        self._fewest = min(within)
        self.mesh = plan.mesh
        self.figures = (_figure(plan),)
        self.prompt = (
            f"For which `threshold=` does no device hold more than {byte_count(self._limit)} at any moment of this "
            "plan, in as few chunks as possible?"
        )
        names = tuple(plan.arrays[i].path for i in plan.order)
        sizes = tuple(plan.weights[i] for i in plan.order)
        self.fields = (Field("threshold", "threshold", "threshold", names, sizes=sizes),)

    def identity(self) -> str:
        """The arrays, their order, and the limit."""
        arrays = [(a.path, a.groups, a.source_bytes, a.target_bytes) for a in self._plan.arrays]
        return f"{self._plan.direction} {arrays} {self._plan.order} {self._limit}"

    def read_field(self, field: Field, value: Any) -> int:
        """A number of bytes, 1 or more, or text with a unit."""
        count = read_bytes(value)
        if count < 1:
            raise AnswerError("a threshold must be 1 byte or more")
        return count

    def write_field(self, field: Field, value: int) -> str:
        """The number with a unit, where that is exact."""
        return byte_count(value) if read_bytes(byte_count(value)) == value else str(value)

    def judge(self, answer: Answer) -> Feedback:
        """Plans with the answered threshold."""
        made = self._plan.with_threshold(answer["threshold"])
        peak, chunks = max(made.peak_bytes), len(made.chunks)
        gives = f"{chunks} chunk{'s' * (chunks != 1)}, {byte_count(peak)} at most"
        if peak > self._limit:
            where = f"{made.axis} {made.peak_bytes.index(peak)}"
            message = f"A device of {where} holds {byte_count(peak)}, more than {byte_count(self._limit)}."
            question = "Which array of the largest chunk could move in the next one?"
            return Feedback("wrong", message, question, gives, (Part("threshold", False, message),))
        if chunks > self._fewest:
            message = f"No device holds more than {byte_count(self._limit)}, and fewer chunks would do."
            question = "Which neighbours in the order could share a chunk, and what do they come to together?"
            return Feedback("partly", message, question, gives, (Part("threshold", False, message),))
        return Feedback("right", "It fits, in as few chunks as possible.", "", gives, (Part("threshold", True),))


def _thresholds(plan: ReshardPlan) -> list[int]:
    """The thresholds at which chunks change: what neighbours in the order weigh together."""
    weights = [plan.weights[i] for i in plan.order]
    return sorted({max(1, total) for first in range(len(weights)) for total in accumulate(weights[first:])})


def _figure(plan: ReshardPlan) -> Figure:
    back = plan.direction == "mpmd_to_spmd"
    head = ("array", f"{'from' if back else 'to'} {plan.axis}", "weight", "before", "after")
    rows = []
    for i in plan.order:
        array = plan.arrays[i]
        groups = ", ".join(map(str, array.groups[:1] if back else array.groups))
        sizes = (plan.weights[i], array.source_bytes, array.target_bytes)
        rows.append((array.path, groups, *map(byte_count, sizes)))
    way = f"from groups of {plan.axis}" if back else f"to groups of {plan.axis}"
    title = "in the order in which they move; bytes on a device before and after"
    return Figure(way, tables=(Table(title, (head, *rows)),))
