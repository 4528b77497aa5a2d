"""Runs of several processes as one, their clocks aligned on the collectives that they took part in together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from shardwidget.document import Clock, Run
from shardwidget.measured.build import REMOTE, Measured, build
from shardwidget.measured.events import Events
from shardwidget.measured.lanes import unpack
from shardwidget.measured.waits import members

__all__ = ["merge"]

_NEVER = np.iinfo(np.int64).min
"""In a table of times: the device has no such event."""


def merge(runs: Sequence[Run]) -> Run:
    """``Run.merge``: the result has the clock of the first run."""
    first = runs[0]
    _check(runs)
    operations = list(first.operations)
    number = {o.name: k for k, o in enumerate(operations)}
    parts, clocks = [], []
    for run in runs:
        events, _ = unpack(run)
        for o in run.operations:
            if o.name not in number:
                number[o.name] = len(operations)
                operations.append(o)
        numbers = np.array([number[o.name] for o in run.operations])
        parts.append(replace(events, operation=numbers[events.operation]))
    for k, run in enumerate(runs[1:], start=1):
        clock = _clock(first, parts[0], parts[k], [o.collective for o in operations], run)
        clocks.append(clock)
        offset = round(clock.offset_s * 1e9)
        parts[k] = replace(parts[k], start=parts[k].start - offset, end=parts[k].end - offset)
    columns = zip(*((e.position, e.call, e.operation, e.start, e.end) for e in parts), strict=True)
    unaligned = [c.process for c in clocks if not c.collectives]
    note = first.note.replace(REMOTE, "").strip()
    if unaligned:
        named = ", ".join(map(str, unaligned))
        note = f"{note} No collective joins process {named} to the first, so their clocks are as they are.".strip()
    return build(
        Measured(
            mesh=first.mesh,
            name=first.name,
            target=first.target,
            operations=tuple(operations),
            collectives=first.collectives,
            events=Events(*map(np.concatenate, columns)),
            interconnect=first.interconnect,
            peak=first.peak,
            note=note,
            jax_version=first.jax_version,
            clocks=tuple(clocks),
        )
    )


def _check(runs: Sequence[Run]) -> None:
    first = runs[0]
    seen: dict[int, int] = {}
    ids = first.mesh.device_ids.array()
    for k, run in enumerate(runs):
        if (run.name, len(run.seconds), run.mesh.shape) != (first.name, len(first.seconds), first.mesh.shape) or [
            c.name for c in run.collectives
        ] != [c.name for c in first.collectives]:
            raise ValueError(
                f"runs to merge must be of one program and have as many calls: the first is {_words(first)}, "
                f"number {k} is {_words(run)}. Measure the same call in every process."
            )
        for lane in run.lanes:
            if lane.position in seen:
                raise ValueError(
                    f"device {ids[lane.position]} is in runs {seen[lane.position]} and {k}: give one run per process."
                )
            seen[lane.position] = k


def _words(run: Run) -> str:
    return f"{run.name} with {len(run.seconds)} calls and {len(run.collectives)} collectives on {run.mesh.size} devices"


def _clock(first: Run, theirs: Events, mine: Events, collective: list[int], run: Run) -> Clock:
    """The offset that makes collectives end together in both processes: the median over all of them."""
    process = int(run.mesh.process.array()[run.lanes[0].position])
    apart = []
    numbers = np.array(collective)
    both = theirs.sorted(), mine.sorted()
    occurrences = tuple(events.occurrence() for events in both)
    most = max(int(occurrence.max(initial=0)) for occurrence in occurrences) + 1
    for k, of in enumerate(first.collectives):
        ends = []
        for events, occurrence in zip(both, occurrences, strict=True):
            at = np.flatnonzero(numbers[events.operation] == k)
            table = np.full((len(first.seconds) * most, first.mesh.size), _NEVER)
            table[events.call[at] * most + occurrence[at], events.position[at]] = events.end[at]
            ends.append(table)
        for group in {tuple(sorted({int(p) for p in row if p >= 0})) for row in members(of, first.mesh.size)}:
            a, b = (table[:, list(group)].max(axis=1) for table in ends)
            apart.append((b - a)[(a > _NEVER) & (b > _NEVER)])
    found = np.concatenate(apart) if apart else np.zeros(0, np.int64)
    if not len(found):
        return Clock(process, 0.0, 0.0, 0)
    offset = float(np.median(found))
    return Clock(process, offset / 1e9, float(np.percentile(np.abs(found - offset), 90)) / 1e9, len(found))
