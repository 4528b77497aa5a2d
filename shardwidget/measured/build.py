"""From events to a ``Run``: waiting, times of collectives, shares, lanes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from shardwidget.document import (
    Clock,
    ComputedLine,
    Ints,
    MeasuredCollective,
    Mesh,
    Operation,
    Run,
    Shares,
    Source,
    Unjoined,
)
from shardwidget.measured.cover import IntervalUnion
from shardwidget.measured.events import Events
from shardwidget.measured.lanes import pack
from shardwidget.measured.waits import Arrivals, arrivals

__all__ = ["Measured", "build"]

NS = 1e-9

REMOTE = "Waiting for devices of other processes is known once the runs are merged: run.merge(*of_the_others)."


@dataclass(frozen=True)
class Measured:
    """What was measured, before anything is computed from it."""

    mesh: Mesh
    name: str
    target: str
    operations: tuple[Operation, ...]
    collectives: tuple[MeasuredCollective, ...]
    """With the program's facts; the measured ones are filled in later."""
    events: Events
    """Times in nanoseconds of one clock."""
    interconnect: str
    peak: float
    note: str
    jax_version: str
    clocks: tuple[Clock, ...] = ()


def build(of: Measured) -> Run:
    """Computes a run from what was measured. There is at least one event."""
    events = of.events.sorted()
    calls = int(events.call.max()) + 1
    begins, ends = np.full(calls, np.iinfo(np.int64).max), np.full(calls, np.iinfo(np.int64).min)
    np.minimum.at(begins, events.call, events.start)
    np.maximum.at(ends, events.call, events.end)
    occurrence = events.occurrence()
    numbers = np.array([o.collective for o in of.operations])
    found = [
        arrivals(events, occurrence, np.flatnonzero(numbers == k).tolist(), c) for k, c in enumerate(of.collectives)
    ]
    waited = np.zeros(events.size, np.int64)
    for arrived in found:
        waited[arrived.at] = arrived.waited
    moved = events.start + waited
    is_collective = numbers[events.operation] >= 0
    # Each call on each device has its own stretch of one axis, so that intervals of different ones never meet.
    shift = (events.position * calls + events.call) * int((ends - begins).max() + 1) - begins[events.call]
    compute = ~is_collective
    computed = IntervalUnion((events.start + shift)[compute], (events.end + shift)[compute])
    collectives = tuple(
        _measured(c, arrived, events, moved, computed, shift, calls)
        for c, arrived in zip(of.collectives, found, strict=True)
    )
    lanes, tick, merged = pack(events, waited, is_collective, begins)
    joined, unjoined = _joined(events, of.operations)
    remote = not all(arrived.complete for arrived in found if len(arrived.at))
    return Run(
        mesh=of.mesh,
        name=of.name,
        target=of.target,
        seconds=tuple(((ends - begins) * NS).tolist()),
        begins=tuple(begins.tolist()),
        tick_s=tick * NS,
        operations=of.operations,
        lanes=lanes,
        collectives=collectives,
        lines=_lines(events, of.operations, shift, float((ends - begins).sum())),
        shares=_shares(events, moved, is_collective, computed, shift, begins, ends),
        joined=joined,
        unjoined=unjoined,
        merged_events=merged,
        interconnect=of.interconnect,
        peak=of.peak,
        clocks=of.clocks,
        note=" ".join(filter(None, [of.note, REMOTE * remote])),
        jax_version=of.jax_version,
    )


def _measured(
    of: MeasuredCollective,
    arrived: Arrivals,
    events: Events,
    moved: np.ndarray,
    computed: IntervalUnion,
    shift: np.ndarray,
    calls: int,
) -> MeasuredCollective:
    """A collective with its times."""
    at = arrived.at
    if not len(at):
        return replace(of, times=0)
    took, waited = (events.end[at] - moved[at]) * NS, arrived.waited * NS
    hidden = computed.within(moved[at] + shift[at], events.end[at] + shift[at]) * NS
    devices = len(np.unique(events.position[at]))
    low, median, high = np.percentile(took, (10, 50, 90))
    held = arrived.last[arrived.waited > 0]
    # An execution in which several devices waited for one counts once.
    rows = np.unique(np.stack([arrived.rows[arrived.waited > 0], held]), axis=1)[1] if len(held) else held
    return replace(
        of,
        times=len(at),
        median_s=float(median),
        low_s=float(low),
        high_s=float(high),
        wait_s=float(np.median(waited)),
        wait_high_s=float(np.percentile(waited, 90)),
        call_s=float(took.sum() / devices / calls),
        call_wait_s=float(waited.sum() / devices / calls),
        hidden=float(hidden.sum() / took.sum()) if took.sum() else 0.0,
        bytes_per_second=of.bytes_per_device / float(median) if median else 0.0,
        last=Ints.pack(np.bincount(rows, minlength=int(events.position.max()) + 1)),
    )


def _shares(
    events: Events,
    moved: np.ndarray,
    is_collective: np.ndarray,
    computed: IntervalUnion,
    shift: np.ndarray,
    begins: np.ndarray,
    ends: np.ndarray,
) -> Shares:
    devices = len(np.unique(events.position))
    whole = float((ends - begins).sum() * devices) or 1.0
    start, moved, end = ((column + shift)[is_collective] for column in (events.start, moved, events.end))
    moving, either = IntervalUnion(moved, end), IntervalUnion(start, end)
    hidden = int(computed.within(moving.start, moving.end).sum())
    communication = moving.length - hidden
    waiting = either.length - int(computed.within(either.start, either.end).sum()) - communication
    return Shares(
        compute=computed.length / whole,
        communication=communication / whole,
        waiting=waiting / whole,
        idle=max(0.0, 1 - (computed.length + communication + waiting) / whole),
        hidden=hidden / moving.length if moving.length else 0.0,
    )


def _lines(
    events: Events, operations: Sequence[Operation], shift: np.ndarray, whole: float
) -> tuple[ComputedLine, ...]:
    """How long devices computed for each line; ``whole``: nanoseconds of all calls."""
    numbers, sources = dict[tuple[str, int], int](), list[Source]()
    line = np.full(len(operations), -1)
    for k, operation in enumerate(operations):
        if (source := operation.source) is not None and operation.collective < 0:
            line[k] = numbers.setdefault((source.file, source.line), len(sources))
            sources += [source] if line[k] == len(sources) else []
    devices, calls, of = len(np.unique(events.position)), int(events.call.max()) + 1, line[events.operation]
    found = []
    for number, source in enumerate(sources):
        own = of == number
        took = IntervalUnion((events.start + shift)[own], (events.end + shift)[own]).length / devices
        found += [ComputedLine(source, took * NS / calls, took / whole)] if took else []
    return tuple(sorted(found, key=lambda each: -each.call_s))


def _joined(events: Events, operations: Sequence[Operation]) -> tuple[float, tuple[Unjoined, ...]]:
    """The share of device time that has a source line, and what has none."""
    count = len(operations)
    took = np.bincount(events.operation, weights=events.end - events.start, minlength=count)
    times = np.bincount(events.operation, minlength=count)
    whole = float(took.sum()) or 1.0
    lost = [k for k, o in enumerate(operations) if o.source is None and times[k]]
    why = {True: "no source line", False: "not in the program"}
    unjoined = tuple(
        Unjoined(operations[k].name, why[operations[k].known], int(times[k]), float(took[k]) / whole)
        for k in sorted(lost, key=lambda k: -took[k])
    )
    return 1 - float(sum(took[k] for k in lost)) / whole, unjoined
