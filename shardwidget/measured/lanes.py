"""Events as the lanes of a document, and back."""

from __future__ import annotations

import numpy as np

from shardwidget.document import Event, Ints, Lane, Run
from shardwidget.measured.events import Events

__all__ = ["MOST_EVENTS", "events", "pack", "unpack"]

MOST_EVENTS = 200_000
"""The most events of a document, ten bytes each. If there are more, short neighbours are joined."""


def pack(
    of: Events, waited: np.ndarray, is_collective: np.ndarray, begins: np.ndarray
) -> tuple[tuple[Lane, ...], int, int]:
    """Lanes, the nanoseconds of a tick, and how many events were joined with others.

    Args:
        of: events, sorted.
        waited: nanoseconds that each waited.
        is_collective: whether each is a collective.
        begins: nanoseconds of each call's beginning.
    """
    size = of.size
    of, waited, is_collective = _thinned(of, waited, is_collective)
    start, duration = of.start - begins[of.call], of.end - of.start
    tick = 1
    while max(int(start.max()), int(duration.max())) // tick >= 2**31:
        tick *= 10
    lanes = []
    for position in np.unique(of.position):
        mine = of.position == position
        lanes.append(
            Lane(
                position=int(position),
                counts=Ints.pack(np.bincount(of.call[mine], minlength=len(begins))),
                operation=Ints.pack(of.operation[mine]),
                start=Ints.pack(start[mine] // tick),
                duration=Ints.pack(duration[mine] // tick),
                waited=Ints.pack(waited[mine & is_collective] // tick),
            )
        )
    return tuple(lanes), tick, size - of.size


def _thinned(of: Events, waited: np.ndarray, is_collective: np.ndarray) -> tuple[Events, np.ndarray, np.ndarray]:
    """At most ``MOST_EVENTS``, as far as compute goes: neighbours that are short, and near, become one.

    The joined event is named after the longest.
    """
    short = 1000
    while of.size > MOST_EVENTS and short < 10**10:
        brief = ~is_collective & (of.end - of.start < short)
        joins = np.r_[False, brief[1:] & brief[:-1]]
        joins[1:] &= (of.position[1:] == of.position[:-1]) & (of.call[1:] == of.call[:-1])
        joins[1:] &= of.start[1:] - of.end[:-1] < short
        part = np.cumsum(~joins) - 1
        first = np.flatnonzero(~joins)
        longest = np.lexsort((of.end - of.start, part))[np.r_[first[1:], of.size] - 1]
        of = Events(
            of.position[first],
            of.call[first],
            of.operation[longest],
            of.start[first],
            np.maximum.reduceat(of.end, first),
        )
        waited, is_collective = waited[first], is_collective[first]
        short *= 2
    return of, waited, is_collective


def unpack(run: Run) -> tuple[Events, np.ndarray]:
    """The events of a run, sorted, on the clock of its process; and the nanoseconds that each waited."""
    tick = round(run.tick_s * 1e9)
    collective = np.array([o.collective for o in run.operations])
    columns: list[list[np.ndarray]] = [[], [], [], [], []]
    waits = []
    begins = np.array(run.begins, np.int64)
    for lane in run.lanes:
        operation, start, duration = (c.array() for c in (lane.operation, lane.start, lane.duration))
        call = np.repeat(np.arange(len(begins)), lane.counts.array())
        begin = begins[call] + start * tick
        own = (np.full(len(operation), lane.position), call, operation, begin, begin + duration * tick)
        for column, values in zip(columns, own, strict=True):
            column.append(values)
        waited = np.zeros(len(operation), np.int64)
        waited[collective[operation] >= 0] = lane.waited.array() * tick
        waits.append(waited)
    return Events(*map(np.concatenate, columns)), np.concatenate(waits)


def events(run: Run, device: int) -> tuple[Event, ...]:
    """``Run.events``."""
    ids = run.mesh.device_ids.array()
    measured = [lane.position for lane in run.lanes]
    if device not in ids[measured]:
        raise ValueError(f"device {device} was not measured; devices {', '.join(map(str, ids[measured]))} were")
    position = next(p for p in measured if ids[p] == device)
    found, waited = unpack(run)
    mine = found.position == position
    found, waited = found[mine], waited[mine]
    occurrence = found.occurrence()
    out = []
    for k, (call, number, start, end) in enumerate(
        zip(found.call, found.operation, found.start, found.end, strict=True)
    ):
        o, begin = run.operations[number], run.begins[call]
        out.append(
            Event(
                name=o.name,
                kind="compute" if o.collective < 0 else "collective",
                call=int(call),
                start_s=float(start - begin) / 1e9,
                end_s=float(end - begin) / 1e9,
                waited_s=float(waited[k]) / 1e9,
                iteration=iteration(int(occurrence[k]), o.trips),
                source=o.source,
            )
        )
    return tuple(out)


def iteration(occurrence: int, trips: tuple[int, ...]) -> tuple[int, ...]:
    """The iterations of the loops around an operation when it runs for the k-th time, outermost first."""
    out: list[int] = []
    for trip in reversed(trips[1:]):
        out.append(occurrence % max(trip, 1))
        occurrence //= max(trip, 1)
    return (*[occurrence][: len(trips)], *reversed(out))
