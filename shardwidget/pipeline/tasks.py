"""Tasks as tuples, as text and as columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from shardwidget.document import Ints
from shardwidget.document.schedule import KINDS, Order


class Task(NamedTuple):
    """One stage working on one microbatch."""

    stage: int
    kind: str
    """``F`` forward, ``B`` whole backward, ``I`` its input half, ``W`` its weight half."""
    microbatch: int

    def __str__(self) -> str:
        return f"{self.stage}{self.kind}{self.microbatch}"


Unit = tuple[Task, ...]
"""What a rank runs as one: a task, or several that are fused."""

_TASK = re.compile(r"(\d+)([FBIW])(\d+)")


def parse(text: str) -> Unit:
    """The unit that ``"0F3"`` or ``"0F7+7B3"`` names.

    Raises:
        ValueError: the text is not a task.
    """
    matches = [_TASK.fullmatch(part) for part in text.split("+")]
    if not all(matches):
        raise ValueError(
            f'{text!r} is not a task; write "0F3" (stage, kind F, B, I or W, microbatch), or "0F7+7B3" for tasks that '
            "are fused"
        )
    return tuple(Task(int(m[1]), m[2], int(m[3])) for m in matches if m)


def write(unit: Iterable[Task]) -> str:
    """The text of a unit."""
    return "+".join(map(str, unit))


def pack(
    ranks: Sequence[Sequence[Unit]], *, ticks: Sequence[int] | None = None, wasted: Sequence[bool] | None = None
) -> Order:
    """The order of units, one sequence per rank.

    Args:
        ranks: units of each rank.
        ticks: of each task, all ranks in a row, its tick; None where ranks do not advance together.
        wasted: of each task, whether nothing uses it.
    """
    tasks = [task for units in ranks for unit in units for task in unit]
    return Order(
        counts=Ints.pack([sum(map(len, units)) for units in ranks]),
        stage=Ints.pack([task.stage for task in tasks]),
        task_kind=Ints.pack([KINDS.index(task.kind) for task in tasks]),
        microbatch=Ints.pack([task.microbatch for task in tasks]),
        fused=Ints.pack([int(k > 0) for units in ranks for unit in units for k in range(len(unit))]),
        tick=Ints.pack([] if ticks is None else ticks),
        wasted=Ints.pack([] if wasted is None else wasted),
    )


@dataclass(frozen=True, eq=False)
class Tasks:
    """An order as columns of int64, shape ``[tasks]`` each; ``counts`` has shape ``[ranks]``."""

    counts: np.ndarray
    rank: np.ndarray
    stage: np.ndarray
    kind: np.ndarray
    microbatch: np.ndarray
    unit: np.ndarray
    """Index of each task's unit; units are numbered across all ranks."""
    tick: np.ndarray
    wasted: np.ndarray
    """bool; all False where nothing is known."""

    @property
    def size(self) -> int:
        """Number of tasks."""
        return self.stage.size

    @cached_property
    def stages(self) -> int:
        """Number of stages."""
        return int(self.stage.max()) + 1

    @cached_property
    def microbatches(self) -> int:
        """Number of microbatches."""
        return int(self.microbatch.max()) + 1

    @cached_property
    def rank_of_stage(self) -> np.ndarray:
        """The rank of each stage, shape ``[stages]``; -1 for a stage that has no task."""
        out = np.full(self.stages, -1)
        out[self.stage] = self.rank
        return out

    def text(self, task: int) -> str:
        """Task number ``task`` as text."""
        return f"{self.stage[task]}{KINDS[self.kind[task]]}{self.microbatch[task]}"

    def texts(self) -> tuple[tuple[str, ...], ...]:
        """Units as text, by rank."""
        out: list[list[str]] = [[] for _ in self.counts]
        before = -1
        for rank, stage, kind, microbatch, unit in zip(
            *(c.tolist() for c in (self.rank, self.stage, self.kind, self.microbatch, self.unit)), strict=True
        ):
            text = f"{stage}{KINDS[kind]}{microbatch}"
            if unit == before:
                out[rank][-1] += f"+{text}"
            else:
                out[rank].append(text)
            before = unit
        return tuple(map(tuple, out))


def decode(order: Order) -> Tasks:
    """The columns of an order."""
    counts = order.counts.array()
    stage = order.stage.array()
    wasted = order.wasted.array().astype(bool)
    return Tasks(
        counts=counts,
        rank=np.repeat(np.arange(counts.size), counts),
        stage=stage,
        kind=order.task_kind.array(),
        microbatch=order.microbatch.array(),
        unit=np.cumsum(1 - order.fused.array()) - 1,
        tick=order.tick.array(),
        wasted=wasted if wasted.size else np.zeros(stage.size, bool),
    )
