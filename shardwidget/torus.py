"""Links of a torus: how a group lies along its axes, which of them are rings, which links a permutation loads."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


@dataclass(frozen=True)
class Span:
    """How a group lies along one physical axis."""

    size: int
    """Chips of the group along it."""
    ring: bool
    """Whether links lead from the last to the first: on a line, and on a part of a ring, they do not."""
    stride: int = 1
    """Links from one of its chips to the next."""
    sharing: int = 1
    """Groups that use each of its links, at once."""

    @property
    def share(self) -> float:
        """The part of the axis' bandwidth, both directions together, that brings data to the device with least of it.

        The device at the end of a line receives over one link of the two.
        """
        return (1 if self.ring else 0.5) / self.sharing

    @property
    def hops(self) -> float:
        """Links that the farthest data passes."""
        return self.stride * (self.size / 2 if self.ring else self.size - 1)


class Routes(NamedTuple):
    """What a permutation asks of the links."""

    busiest: int
    """Blocks that pass the link that carries most, in one direction."""
    hops: int
    """Links that the block passes that goes farthest."""


def rings(sizes: Sequence[int], wrap: int, axes: int) -> tuple[bool, ...]:
    """Whether each axis of a box of chips is a ring.

    Args:
        sizes: chips along each axis.
        wrap: a ring has a multiple of so many.
        axes: physical axes of the machine. With three, optical switches close rings of whole cubes alone.
    """
    closed = tuple(size % wrap == 0 for size in sizes)
    return closed if axes < 3 or all(closed) else (False,) * len(closed)


def routes(sources: np.ndarray, targets: np.ndarray, around: Sequence[int]) -> Routes:
    """The links that blocks pass on the shortest ways, along the first axis first.

    Args:
        sources: coordinates, ``[axis, block]``.
        targets: where each goes.
        around: of each axis, the number of chips on its ring; 0 for a line.
    """
    at, hops, busiest = sources.copy(), np.zeros(sources.shape[1], int), 0
    shape = np.maximum(sources.max(axis=1), targets.max(axis=1)) + 1
    shape = np.maximum(shape, around)
    for axis, ring in enumerate(around):
        gap = targets[axis] - at[axis]
        if ring:
            gap = (gap + (ring - 1) // 2) % ring - (ring - 1) // 2  # Half around goes forward.
        hops += np.abs(gap)
        for way in (1, -1):
            load = np.zeros(shape, int)
            here = at.copy()
            for step in range(int(np.max(gap * way, initial=0))):
                moving = gap * way > step
                np.add.at(load, tuple(here[:, moving]), 1)
                here[axis, moving] += way
                if ring:
                    here[axis] %= ring
            busiest = max(busiest, int(load.max(initial=0)))
        at[axis] = targets[axis]
    return Routes(busiest, int(hops.max(initial=0)))


def ranked_routes(pairs: Sequence[tuple[int, int]], spans: Sequence[Span]) -> Routes:
    """The same for ranks that count along spans, the last fastest."""
    sizes = [span.size for span in spans]
    ends = [np.stack(np.unravel_index([pair[end] for pair in pairs], sizes)) for end in (0, 1)]
    found = routes(ends[0], ends[1], [span.size if span.ring else 0 for span in spans])
    stride, sharing = (math.prod(getattr(span, name) for span in spans) for name in ("stride", "sharing"))
    return Routes(found.busiest * sharing, found.hops * stride)
