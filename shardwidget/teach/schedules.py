"""What exercises on pipeline schedules look at: the ranks as a mesh, and their tasks as a table."""

from __future__ import annotations

from typing import Any

from shardwidget import read
from shardwidget.document import Figure, Ints, Mesh, MeshAxis, Schedule, Table

MOST = 64
"""The most tasks of a rank that a question shows."""


def schedule_of(x: Any) -> Schedule:
    """The schedule that is asked about.

    Raises:
        ValueError: it is impossible, or too long to read.
    """
    schedule = read.schedule(x)
    if max(map(len, schedule.tasks)) > MOST:
        raise ValueError(f"a rank has more than {MOST} tasks, too many to read; use fewer microbatches")
    return schedule


def mesh_of(schedule: Schedule) -> Mesh:
    """The schedule's mesh, or its ranks as one."""
    ranks = schedule.ranks
    axes = (MeshAxis(schedule.axis, ranks, "Auto"),)
    return schedule.mesh or Mesh(axes, Ints.pack(range(ranks)), Ints.pack([0] * ranks), 0, abstract=True)


def figure_of(schedule: Schedule, hidden: int | None = None) -> Figure:
    """The tasks of each rank in order; those of a hidden one are left out."""
    rows = tuple((f"rank {r}", *tasks) for r, tasks in enumerate(schedule.tasks) if r != hidden)
    return Figure(
        schedule.name or "schedule", tables=(Table("tasks, in the order in which each rank runs them", rows),)
    )
