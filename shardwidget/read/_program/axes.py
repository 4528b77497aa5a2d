"""Whose groups these are: positions that take part together, as axes of the user's mesh."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence

import numpy as np

from shardwidget.document import Mesh
from shardwidget.read._program.groups import Groups


def axes_of(groups: Groups, mesh: Mesh) -> tuple[str, ...] | None:
    """The mesh axes whose groups these are, in mesh order; None where they are those of no set of axes.

    Axes of size 1 are not named: nothing tells whether they are among them.
    """
    size = len(groups[0])
    if any(len(group) != size for group in groups) or len(groups) * size != mesh.size:
        return None
    label = np.empty(mesh.size, np.int64)
    for group in groups:
        label[list(group)] = min(group)
    named = [(k, axis.size) for k, axis in enumerate(mesh.axes) if axis.size > 1]
    for count in range(len(named) + 1):
        for chosen in itertools.combinations(named, count):
            if math.prod(n for _, n in chosen) == size:
                axes = tuple(k for k, _ in chosen)
                if np.array_equal(label, _first(mesh.shape, axes)):
                    return tuple(mesh.axes[k].name for k in axes)
    return None


def axes_between(pairs: Sequence[tuple[int, int]], mesh: Mesh) -> tuple[str, ...]:
    """The mesh axes along which the two ends of any pair differ, in mesh order."""
    if not mesh.axes or not pairs:
        return ()
    ends = np.stack(np.unravel_index(np.array(pairs), mesh.shape))
    differ = (ends[:, :, 0] != ends[:, :, 1]).any(axis=1)
    return tuple(axis.name for axis, moved in zip(mesh.axes, differ, strict=True) if moved)


@functools.lru_cache(maxsize=256)
def _first(shape: tuple[int, ...], axes: tuple[int, ...]) -> np.ndarray:
    """The least position of the group that each position is in."""
    grid = np.arange(math.prod(shape)).reshape(shape)
    for axis in axes:
        grid = np.broadcast_to(grid.take([0], axis), shape)
    return grid.ravel()
