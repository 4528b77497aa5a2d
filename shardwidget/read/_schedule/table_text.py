"""PyTorch's CSV of a pipeline schedule: one row per rank, one cell per slot.

``torch.distributed.pipelining`` writes and reads it; cells that only move data are left out: they follow from the rest.
"""

from __future__ import annotations

import csv
import re

from shardwidget.document import Schedule
from shardwidget.pipeline.lists import of_units
from shardwidget.pipeline.tasks import Task, Unit

_ACTION = re.compile(r"(\d+)(BW|F|I|B|W)(\d+)")
_MOVE = re.compile(r"\d+(UNSHARD|RESHARD|REDUCE_GRAD|SEND_F|RECV_F|SEND_B|RECV_B)\d*")
_OVERLAP = re.compile(r"\((.+)\)OVERLAP_F_B")


def schedule(text: str) -> Schedule:
    """The schedule of a CSV. Empty cells are idle; ``B`` is the input half wherever the stage has weight halves.

    Raises:
        ValueError: a cell cannot be read, or the schedule is impossible.
    """
    try:
        rows = [row for row in csv.reader(text.splitlines()) if row]
    except csv.Error as error:
        raise ValueError(f"the text is no CSV of a pipeline schedule: {error}") from None
    ranks = [
        [unit for column, cell in enumerate(row) if (unit := _unit(cell.strip(), rank, column))]
        for rank, row in enumerate(rows)
    ]
    halved = {(task.stage, task.microbatch) for units in ranks for unit in units for task in unit if task.kind == "W"}
    return of_units([[tuple(_halved(task, halved) for task in unit) for unit in units] for units in ranks], "")


def _halved(task: Task, halved: set[tuple[int, int]]) -> Task:
    is_half = task.kind == "B" and (task.stage, task.microbatch) in halved
    return task._replace(kind="I") if is_half else task


def _unit(cell: str, rank: int, column: int) -> Unit:
    if not cell or _MOVE.fullmatch(cell):
        return ()
    overlap = _OVERLAP.fullmatch(cell)
    found = [_ACTION.fullmatch(part.strip()) for part in (overlap[1].split(";") if overlap else [cell])]
    if not all(found):
        raise ValueError(
            f"row {rank + 1}, column {column + 1}: {cell[:80]!r} is not an action of a pipeline schedule; one is 0F3 "
            "(stage, F, I, B, W or BW, microbatch), (0F7;7B3)OVERLAP_F_B, or a move like 0SEND_F3"
        )
    return tuple(Task(int(m[1]), "B" if m[2] == "BW" else m[2], int(m[3])) for m in found if m)
