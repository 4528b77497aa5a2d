"""Which of the user's mesh axes a collective goes over, from the groups of devices alone.

The compiler drops the names of axes, joins them and cuts them, so names are recovered from the groups: those of axes
A are the sets of positions that agree in every coordinate except those of A.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from shardwidget.read._program.groups import Groups


class GroupAxes(NamedTuple):
    """What a collective goes over."""

    axes: tuple[str, ...]
    """In mesh order; empty where none fit."""
    irregular: bool
    """Whether no set of axes has these groups."""
    within: tuple[str, ...]
    """The axes that irregular groups stay within."""


def axes_of_groups(groups: Groups, names: Sequence[str], shape: Sequence[int]) -> GroupAxes:
    """The axes whose groups these are. An axis of size 1 is never among them: nothing is split over it.

    Args:
        groups: mesh positions.
        names: names of the mesh axes; empty for devices in a row.
        shape: their sizes.
    """
    varying = _varying(groups, shape)
    axes = tuple(names[k] for k in varying) if names else ()
    size = math.prod(shape[k] for k in varying)
    everybody = {p for group in groups for p in group}
    if all(len(set(group)) == size for group in groups) and len(everybody) == math.prod(shape):
        return GroupAxes(axes, bool(varying) and not names, ())
    return GroupAxes((), True, axes)


def ranked(pairs: Sequence[tuple[int, int]], shape: Sequence[int]) -> tuple[Groups, tuple[tuple[int, int], ...]]:
    """The groups that a permutation stays within, and its pairs as (source rank, destination rank) in every one.

    If the groups do different things: one group of the devices that take part.
    """
    varying = _varying(pairs, shape)
    others = [k for k in range(len(shape)) if k not in varying]
    n = math.prod(shape[k] for k in varying)
    seats = np.arange(math.prod(shape)).reshape(tuple(shape)).transpose(others + varying).reshape(-1, n)
    place = np.argsort(seats.ravel())
    within: dict[int, set[tuple[int, int]]] = {group: set() for group in range(len(seats))}
    for source, target in pairs:
        within[int(place[source]) // n].add((int(place[source]) % n, int(place[target]) % n))
    if all(found == within[0] for found in within.values()):
        return tuple(map(tuple, seats.tolist())), tuple(sorted(within[0]))
    members = sorted({p for pair in pairs for p in pair})
    rank = {p: k for k, p in enumerate(members)}
    return (tuple(members),), tuple((rank[source], rank[target]) for source, target in pairs)


def _varying(groups: Sequence[Sequence[int]], shape: Sequence[int]) -> list[int]:
    """Axes along which two positions of a group differ."""
    flat = np.array([p for group in groups for p in group], dtype=np.int64)
    first = np.array([group[0] for group in groups for _ in group], dtype=np.int64)
    return [
        k
        for k, (own, other) in enumerate(
            zip(np.unravel_index(flat, shape), np.unravel_index(first, shape), strict=True)
        )
        if np.any(own != other)
    ]
