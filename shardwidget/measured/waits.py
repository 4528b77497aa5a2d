"""Who waited for whom: a collective begins to move data when its last member has arrived."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shardwidget.document import MeasuredCollective
from shardwidget.measured.events import Events

__all__ = ["Arrivals", "arrivals", "members"]

ABSENT = np.iinfo(np.int64).min
"""In a table of times: the device has no such event."""


class Arrivals(NamedTuple):
    """The arrivals at one collective, event by event."""

    at: np.ndarray
    """Indices of its events."""
    waited: np.ndarray
    """Of each: nanoseconds from its own arrival to that of the last member, at most its duration."""
    last: np.ndarray
    """Of each: mesh position of the last member to arrive."""
    complete: bool
    """Whether every member of every group was measured."""
    rows: np.ndarray
    """Of each: which execution it belongs to, counted over calls and iterations."""


def arrivals(events: Events, occurrence: np.ndarray, operations: list[int], of: MeasuredCollective) -> Arrivals:
    """Finds the last arrival of each execution of a collective.

    Args:
        events: all of them, sorted.
        occurrence: ``events.occurrence()``.
        operations: indices of the operations that are this collective.
        of: the collective.
    """
    at = np.flatnonzero(np.isin(events.operation, operations))
    position, start = events.position[at], events.start[at]
    most = int(occurrence[at].max(initial=0)) + 1
    rows = events.call[at] * most + occurrence[at]
    seats = members(of, int(position.max(initial=0)) + 1)
    times = np.full((int(rows.max(initial=0)) + 1, len(seats)), ABSENT)
    times[rows, position] = start
    # For each device the members that it waits for, padded with -1. Memory: executions · devices · members.
    latest = np.full(times.shape, ABSENT)
    last = np.tile(np.arange(len(seats)), (len(times), 1))
    missing = np.zeros(times.shape, bool)
    for column in seats.T:
        there = column >= 0
        theirs = np.where(there, times[:, column], ABSENT)
        missing |= there & (theirs == ABSENT)
        later = theirs > latest
        latest = np.where(later, theirs, latest)
        last = np.where(later, column, last)
    waited = np.clip(latest[rows, position] - start, 0, events.end[at] - start)
    complete = not missing[rows, position].any()
    return Arrivals(at, waited, last[rows, position], complete, rows)


def members(of: MeasuredCollective, least: int) -> np.ndarray:
    """Mesh positions that each device waits for, itself first; ``[devices, members]``, padded with -1.

    For a permutation: the device that it receives from.

    Args:
        of: the collective.
        least: the least number of rows.
    """
    groups = of.positions.array().reshape(-1, max(of.group_size, 1))
    count = max(least, int(groups.max(initial=0)) + 1)
    own = np.arange(count)[:, None]
    if of.pairs:
        out = np.full((count, 1), -1)
        for source, destination in of.pairs:
            out[destination] = source
        return np.concatenate([own, out], axis=1)
    out = np.full((count, groups.shape[1]), -1)
    for group in groups:
        out[group[group >= 0]] = group
    return np.concatenate([own, out], axis=1)
