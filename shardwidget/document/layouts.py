"""How the blocks of a value on a mesh make the whole that one device has: slices of it, parts of a sum, multiples."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shardwidget.document.difference import close
from shardwidget.document.mesh import Mesh

__all__: list[str] = []

Dims = tuple[tuple[int, ...], ...]
"""The mesh axes that cut each dimension, as indices."""


@dataclass(frozen=True)
class Layout:
    """How the blocks of a value make the whole."""

    dims: Dims
    parts: tuple[int, ...] = ()
    """The axes along which parts of a sum are still to be added."""
    times: float = 1
    """What the blocks make, of the whole: as many times it as there are parts, if each is a mean."""


class Layouts:
    """The ways in which a mesh may hold a value.

    Args:
        mesh: the mesh.
        rtol: tolerance relative to the greatest element.
        atol: absolute tolerance.
    """

    def __init__(self, mesh: Mesh, rtol: float, atol: float) -> None:
        self.names = [axis.name for axis in mesh.axes]
        self.sizes = [axis.size for axis in mesh.axes]
        self._rtol, self._atol = rtol, atol

    def of(self, blocks: Sequence[np.ndarray], whole: np.ndarray, *, in_region: bool) -> Layout | None:
        """What explains the blocks: whole values and slices before parts of a sum, and multiples last."""
        cuts = list(self.cuts(blocks[0].shape, whole.shape)) if in_region or blocks[0].shape == whole.shape else []
        for dims in cuts:
            if self.are(blocks, whole, dims):
                return Layout(dims)
        if whole.dtype.kind not in "fc":
            return None
        parted = [(dims, parts) for dims in cuts for parts in self._free(dims)] if in_region else []
        for dims, parts in parted:
            for times in (1, self.count(parts)):
                if self._adds_up(blocks, times * whole, dims, parts):
                    return Layout(dims, parts, times)
        for times in self._multiples():
            if (dims := next((d for d in cuts if self.are(blocks, times * whole, d)), None)) is not None:
                return Layout(dims, (), times)
            if held := next((h for h in parted if self._adds_up(blocks, times * whole, *h)), None):
                return Layout(*held, times)
        return None

    def count(self, axes: Sequence[int]) -> int:
        """The number of devices along some axes."""
        return math.prod(self.sizes[a] for a in axes)

    def cuts(self, block: Sequence[int], whole: Sequence[int]) -> Iterator[Dims]:
        """The ways in which mesh axes may cut an array into blocks of this shape."""
        if len(block) != len(whole) or any(b == 0 or n % b for b, n in zip(block, whole, strict=True)):
            return
        axes = [a for a, size in enumerate(self.sizes) if size > 1]
        orders = [o for n in range(len(axes) + 1) for o in itertools.permutations(axes, n)]
        choices = [[o for o in orders if self.count(o) == n // b] for b, n in zip(block, whole, strict=True)]
        for dims in itertools.product(*choices):
            used = [axis for each in dims for axis in each]
            if len(used) == len(set(used)):
                yield dims

    def slice(self, whole: np.ndarray, dims: Dims, position: int) -> np.ndarray:
        """What a device should hold."""
        at = self._coordinates(position)
        slices = []
        for size, axes in zip(whole.shape, dims, strict=True):
            part, parts = 0, 1
            for axis in axes:
                part, parts = part * self.sizes[axis] + at[axis], parts * self.sizes[axis]
            slices.append(slice(part * size // parts, (part + 1) * size // parts))
        return whole[tuple(slices)]

    def are(self, blocks: Sequence[np.ndarray], whole: np.ndarray, dims: Dims) -> bool:
        """Whether each block is the slice of its device."""
        return all(self.close(b, self.slice(whole, dims, p), whole) for p, b in enumerate(blocks))

    def close(self, a: np.ndarray, b: np.ndarray, whole: np.ndarray) -> bool:
        """Whether a block is a part of the whole, but for rounding."""
        return close(a, b, self._rtol, self._atol, of=whole)

    def _free(self, dims: Dims) -> Iterator[tuple[int, ...]]:
        """The axes that cut no dimension, alone and together."""
        used = {axis for axes in dims for axis in axes}
        free = [a for a, size in enumerate(self.sizes) if a not in used and size > 1]
        for n in range(1, len(free) + 1):
            yield from itertools.combinations(free, n)

    def _multiples(self) -> list[float]:
        """The devices of one axis and of several, and the same parts of 1."""
        sets = (c for n in range(1, len(self.sizes) + 1) for c in itertools.combinations(range(len(self.sizes)), n))
        counts = sorted({self.count(axes) for axes in sets} - {1})
        return [*counts, *(1 / n for n in counts)]

    def _coordinates(self, position: int) -> tuple[int, ...]:
        return tuple(int(c) for c in np.unravel_index(position, self.sizes))

    def _adds_up(self, blocks: Sequence[np.ndarray], whole: np.ndarray, dims: Dims, parts: Sequence[int]) -> bool:
        sums: dict[tuple[int, ...], np.ndarray] = {}
        for p, block in enumerate(blocks):
            rest = tuple(0 if a in parts else c for a, c in enumerate(self._coordinates(p)))
            sums[rest] = sums.get(rest, 0) + block
        return all(
            self.close(total, self.slice(whole, dims, int(np.ravel_multi_index(rest, self.sizes))), whole)
            for rest, total in sums.items()
        )
