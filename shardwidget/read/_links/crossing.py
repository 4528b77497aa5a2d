"""Hops on the links of a box of chips."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from shardwidget.document import Crossing, Ints


class Box(NamedTuple):
    """The chips that devices are on."""

    chips: tuple[int, ...]
    """Their number along each physical axis."""
    wraps: tuple[bool, ...]
    at: np.ndarray
    """``[axis, position]``: where the device at a position of the mesh is."""
    process: np.ndarray
    """By position."""

    @property
    def links(self) -> np.ndarray:
        """``[axis, *chips]``: whether there is a link from a chip to the next along an axis."""
        found = np.zeros((len(self.chips), *self.chips), bool)
        for axis, (size, wraps) in enumerate(zip(self.chips, self.wraps, strict=True)):
            along = found[axis].swapaxes(0, axis)
            along[: size if wraps and size > 2 else size - 1] = True
        return found


def crossing(name: str, axes: Sequence[str], groups: np.ndarray, pairs: np.ndarray, box: Box, sent: int) -> Crossing:
    """Counts the hops of some pairs of devices on links.

    Args:
        name: as of ``Crossing``.
        axes: as of ``Crossing``.
        groups: mesh positions, ``[group, rank]``, padded with -1.
        pairs: mesh positions, ``[hop, 2]``.
        box: the chips.
        sent: bytes that a hop carries.
    """
    load = np.zeros((len(box.chips), *box.chips), int)
    at, hops, around = box.at[:, pairs[:, 0]].copy(), np.zeros(len(pairs), int), set[int]()
    goal = box.at[:, pairs[:, 1]]
    for axis, (size, wraps) in enumerate(zip(box.chips, box.wraps, strict=True)):
        gap = goal[axis] - at[axis]
        if wraps and size > 2:
            gap = (gap + (size - 1) // 2) % size - (size - 1) // 2  # Half around goes forward.
        hops += np.abs(gap)
        for way in (1, -1):
            here = at.copy()
            for step in range(int(np.max(gap * way, initial=0))):
                moving = gap * way > step
                link = here[:, moving].copy()
                if way < 0:  # The link to a chip from the one before it.
                    link[axis] = (link[axis] - 1) % size
                if wraps and bool((link[axis] == size - 1).any()):
                    around.add(axis)
                np.add.at(load[axis], tuple(link), 1)
                here[axis, moving] = (here[axis, moving] + way) % size
        at[axis] = goal[axis]
    hosts = max(len(set(box.process[group[group >= 0]].tolist())) for group in groups)
    return Crossing(
        name=name,
        axes=tuple(axes),
        size=int((groups[0] >= 0).sum()),
        links_a_hop=float(hops.mean()) if len(hops) else 0.0,
        most_links=int(hops.max(initial=0)),
        busiest=int(load.max(initial=0)),
        wraparound=tuple(sorted(around)),
        within_chips=float((hops == 0).mean()) if len(hops) else 0.0,
        hosts=hosts,
        load=Ints.pack(load.ravel()),
        bytes=sent,
    )


def rings(groups: np.ndarray) -> np.ndarray:
    """From each device of a group to the next, and from the last to the first; a pair has one hop."""
    found = []
    for group in groups:
        ranks = group[group >= 0]
        if len(ranks) > 1:
            following = np.roll(ranks, -1)
            found.append(np.stack([ranks, following], axis=1)[: 1 if len(ranks) == 2 else None])
    return np.concatenate(found) if found else np.zeros((0, 2), int)


def every_pair(groups: np.ndarray) -> np.ndarray:
    """From each device of a group to each other one."""
    found = [np.array([(a, b) for a in g[g >= 0] for b in g[g >= 0] if a != b]).reshape(-1, 2) for g in groups]
    return np.concatenate(found).astype(int)
