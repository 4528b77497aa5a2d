"""The blocks of all devices in one array, cut and joined by group and rank: what ``apply`` is written with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from shardwidget.collectives.statement import Call


def seats(call: Call) -> tuple[np.ndarray, np.ndarray]:
    """The number of its group, and the rank in it, of each mesh position."""
    placed = sorted((p, g, r) for g, group in enumerate(call.groups) for r, p in enumerate(group))
    return np.array([g for _, g, _ in placed]), np.array([r for _, _, r in placed])


def by_rank(call: Call, blocks: Any) -> Any:
    """``[devices, ...]`` as ``[group, rank, ...]``."""
    return blocks[np.array(call.groups)]


def split(values: Any, axis: int, n: int) -> Any:
    """An axis as two, the first of size n."""
    shape = values.shape
    return values.reshape(*shape[:axis], n, shape[axis] // n, *shape[axis + 1 :])


def merge(values: Any, axis: int) -> Any:
    """Axes ``axis`` and ``axis + 1`` as one."""
    shape = values.shape
    return values.reshape(*shape[:axis], shape[axis] * shape[axis + 1], *shape[axis + 2 :])


def chunks(block: np.ndarray, axis: int, n: int) -> list[np.ndarray]:
    """N equal chunks along an axis; with -1, n ranges of the elements in row-major order."""
    if axis >= 0:
        return np.split(block, n, axis)
    flat = block.ravel()
    return [flat[c * flat.size // n : (c + 1) * flat.size // n] for c in range(n)]
