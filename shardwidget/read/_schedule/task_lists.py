"""Lists of task objects, as JaxPP's schedules make them, read by their attributes: JaxPP is not imported."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from shardwidget.document import Durations, Schedule
from shardwidget.pipeline.lists import of_units
from shardwidget.pipeline.tasks import Task, Unit

KINDS = {"FWD": "F", "BWD": "B", "BWD_I": "I", "BWD_W": "W"}
"""Names of JaxPP's ``TaskType``."""


def schedule(ranks: Iterable[Iterable[Any]], name: str) -> Schedule:
    """The schedule of task objects: ``stage_id``, ``mubatch_idx``, ``fwd_or_bwd``, ``latency``; tuples of them; None.

    Raises:
        TypeError: something is not a task.
        ValueError: the schedule is impossible, or a latency is.
    """
    latencies: dict[tuple[str, int], float] = {}
    units = [
        [unit for k, entry in enumerate(entries) if entry is not None for unit in _units(entry, r, k, latencies)]
        for r, entries in enumerate(ranks)
    ]
    made = of_units(units, name)
    return replace(made, durations=_durations(latencies, made.stages))


def _units(entry: Any, rank: int, index: int, latencies: dict[tuple[str, int], float]) -> list[Unit]:
    parts = entry if isinstance(entry, tuple) else (entry,)
    tasks = []
    for part in parts:
        try:
            task = Task(operator.index(part.stage_id), KINDS[part.fwd_or_bwd.name], operator.index(part.mubatch_idx))
            latency = float(getattr(part, "latency", None) or 1)
        except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
            raise TypeError(
                f"rank {rank}, task {index}: {repr(part)[:80]} is not a task; one has whole numbers stage_id and "
                f"mubatch_idx, a number latency or none, and fwd_or_bwd, one of {', '.join(KINDS)}"
            ) from None
        if not 0 <= latency < math.inf:
            raise ValueError(f"rank {rank}, task {index}: the latency must be a time, 0 or more; got {latency}")
        tasks.append(task)
        latencies.setdefault((task.kind, task.stage), latency)
    return split(tuple(tasks))


def split(tasks: Unit) -> list[Unit]:
    """Nothing waits for the weight halves that end a fused task, so they become tasks of their own."""
    last = len(tasks)
    while last > 1 and tasks[last - 1].kind == "W":
        last -= 1
    return [tasks[:last], *((task,) for task in tasks[last:])]


def _durations(latencies: dict[tuple[str, int], float], stages: int) -> Durations:
    """For each stage and kind the latency of its first task; a whole backward task is two halves."""

    def of(kind: str) -> tuple[float, ...]:
        each = [
            latencies.get((kind, s), latencies.get(("B", s), 2.0) / 2 if kind != "F" else 1.0) for s in range(stages)
        ]
        return (each[0],) if len(set(each)) == 1 else tuple(each)

    return Durations(of("F"), of("I"), of("W"))
