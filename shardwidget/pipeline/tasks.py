"""Tasks as tuples and as text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from shardwidget.document import Ints
from shardwidget.document.order import KINDS, Order


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

_MOST = 2**31
"""What numbers of stages and microbatches are below."""

_TASK = re.compile(r"(\d+)([FBIW])(\d+)")


def parse(text: str) -> Unit:
    """The unit that ``"0F3"`` or ``"0F7+7B3"`` names.

    Raises:
        ValueError: the text is not a task.
    """
    matches = [_TASK.fullmatch(part) for part in text.split("+")]
    if not all(matches):
        raise ValueError(
            f'{text[:80]!r} is not a task; write "0F3" (stage, kind F, B, I or W, microbatch), or "0F7+7B3" for tasks '
            "that are fused"
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
    numbered = range(_MOST)
    if far := [task for task in tasks if task.stage not in numbered or task.microbatch not in numbered]:
        raise ValueError(
            f"{str(far[0])[:80]} is not a task: stages and microbatches are numbered from 0 to below {_MOST}"
        )
    return Order(
        counts=Ints.pack([sum(map(len, units)) for units in ranks]),
        stage=Ints.pack([task.stage for task in tasks]),
        task_kind=Ints.pack([KINDS.index(task.kind) for task in tasks]),
        microbatch=Ints.pack([task.microbatch for task in tasks]),
        fused=Ints.pack([int(k > 0) for units in ranks for unit in units for k in range(len(unit))]),
        tick=Ints.pack([] if ticks is None else ticks),
        wasted=Ints.pack([] if wasted is None else wasted),
    )
