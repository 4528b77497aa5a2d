"""Where each value is written when an instrumented program runs.

The instrumented program returns *tensors* besides the user's results. A *level* is what runs as one piece: the whole
program, the body of a ``shard_map``, the body of a loop. Its tensors gain a leading dimension where the level ends: the
devices of a region, the iterations of a loop that are shown. What is sent to the
front end, small values and the corners of large ones, is packed in one tensor per element format; a large value that is
kept whole has a tensor of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from shardwidget._jax import AnyMesh

if TYPE_CHECKING:
    from shardwidget.read._trace.nodes import LoopNode, RegionNode


@dataclass(frozen=True)
class TensorType:
    """Shape, dtype and (of a global value under an Explicit mesh) sharding of a tensor."""

    shape: tuple[int, ...]
    dtype: np.dtype
    spec: tuple[Any, ...] = ()
    """How Explicit axes cut its dimensions."""
    mesh: AnyMesh | None = None
    """The mesh of these axes; None if there are none."""
    depth: int = 0
    """Leading dimensions that inner levels added."""

    def stacked(self, size: int, axes: tuple[str, ...] = (), mesh: AnyMesh | None = None) -> TensorType:
        """With one more leading dimension, cut by axes of a mesh."""
        return TensorType(
            (size, *self.shape), self.dtype, (axes or None, *self.spec), mesh or self.mesh, self.depth + 1
        )


@dataclass(eq=False)
class Site:
    """Where a value is written."""

    level: Level
    shape: tuple[int, ...]
    """The shape of the value; a PRNG key has the words of its data as a last dimension."""
    dtype: np.dtype
    corner: tuple[int, ...]
    """Shape of the corner that is sent."""
    format: str = ""
    """Element format of the packed corner; empty where it is not packed, but read from the value."""
    offset: int = 0
    """Index of its first packed element."""
    tensor: int = -1
    """Index among the level's tensors of the whole value; -1 where that is not kept, or the corner is whole."""

    @property
    def written(self) -> bool:
        """Whether any part of the value is written."""
        return self.tensor >= 0 or bool(self.format)


@dataclass(eq=False)
class Level:
    """What runs as one piece."""

    parent: Level | None
    owner: RegionNode | LoopNode | None
    """The region or loop whose body it is; None for the program."""
    region: RegionNode | None
    """The innermost region that it is in."""
    pieces: list[tuple[str, int]] = field(default_factory=list)
    """Format and number of elements of the corners, in the order in which they are written."""
    tensors: list[TensorType] = field(default_factory=list)
    base: int = 0
    """Index among the parent's tensors of its first: the packed corners by format, then its tensors."""
    _packed: dict[str, int] = field(default_factory=dict)
    """Elements packed in each format."""

    @property
    def formats(self) -> list[str]:
        """Formats of the packed corners, in order."""
        return sorted(self._packed)

    def pack(self, kind: str, size: int) -> int:
        """Packs one more corner; returns the index of its first element."""
        offset = self._packed.get(kind, 0)
        self._packed[kind] = offset + size
        self.pieces.append((kind, size))
        return offset

    def types(self) -> list[TensorType]:
        """What the level returns: its packed corners, then its tensors."""
        return [TensorType((self._packed[k],), np.dtype("?" if k == "b1" else k)) for k in self.formats] + self.tensors


def corner_shape(shape: tuple[int, ...], most: tuple[int, int]) -> tuple[int, ...]:
    """The leading corner of a value: ``most`` of the last two dimensions, and about as many elements in other ranks.

    A value that has no more elements than that is its own corner: one row of 16 chunks is told apart as 4×4 are.
    """
    limit = math.prod(most)
    if math.prod(shape) <= limit:
        return shape
    if len(shape) < 2:
        return tuple(min(size, limit) for size in shape)
    corner = [min(shape[-2], most[0]), min(shape[-1], most[1])]
    for size in reversed(shape[:-2]):
        corner.insert(0, min(size, max(1, limit // max(1, math.prod(corner)))))
    return tuple(corner)


def leads(level: Level) -> Iterator[RegionNode | LoopNode]:
    """The leading dimensions of a level's tensors in the program's results, innermost first."""
    while level.owner is not None:
        yield level.owner
        assert level.parent is not None
        level = level.parent
