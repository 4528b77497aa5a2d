"""How arrays move from one mesh to groups of it, chunk by chunk, as a document."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Literal

from shardwidget.document.base import Document
from shardwidget.document.mesh import Mesh
from shardwidget.document.wire import VERSION

__all__ = ["MovedArray", "ReshardPlan"]


@dataclass(frozen=True)
class MovedArray:
    """One array of a plan. Bytes are those on each device."""

    path: str
    """Where it stands in the tree, as ``jax.tree_util.keystr`` prints it."""
    shape: tuple[int, ...]
    dtype: str
    source: str
    """Its PartitionSpec on the whole mesh."""
    target: str
    """Its PartitionSpec inside a group."""
    groups: tuple[int, ...]
    """Groups that keep it."""
    source_bytes: int
    target_bytes: int
    """Bytes on each device of every group while its chunk moves; groups that are not its own free them again."""


@dataclass(frozen=True, repr=False)
class ReshardPlan(Document):
    """SPMD arrays on their way to groups: in which order, which of them together, and what devices hold meanwhile.

    A chunk is one compiled program, which lays its arrays out in every group; groups that are not an array's own then
    free their copy (JaxPP's ``spmd_to_mpmd_reshard``).
    """

    mesh: Mesh
    axis: str
    """The mesh axis that divides the mesh into groups."""
    arrays: tuple[MovedArray, ...] = field(metadata={"wire": "table"})
    """In the order of the tree."""
    order: tuple[int, ...]
    """Arrays in the order in which they move."""
    chunks: tuple[int, ...]
    """How many arrays, in that order, each chunk has."""
    threshold: int
    """Bytes that the weights of a chunk may sum to; an array that weighs more is a chunk of its own."""
    kind: Literal["reshard"] = field(default="reshard", init=False)
    version: int = field(default=VERSION, init=False)

    # Derived, never on the wire.

    @property
    def groups(self) -> int:
        """Number of groups."""
        return next(a.size for a in self.mesh.axes if a.name == self.axis)

    @cached_property
    def chunk_arrays(self) -> tuple[tuple[int, ...], ...]:
        """Of each chunk, the indices of its arrays."""
        ends = accumulate(self.chunks)
        return tuple(self.order[end - count : end] for end, count in zip(ends, self.chunks, strict=True))

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """Of each array what it counts against the threshold: the bytes of a source shard, times the groups."""
        return tuple(a.source_bytes * self.groups for a in self.arrays)

    @property
    def chunk_bytes(self) -> tuple[int, ...]:
        """Of each chunk, the bytes that it makes on each device of every group."""
        return tuple(sum(self.arrays[i].target_bytes for i in chunk) for chunk in self.chunk_arrays)

    @cached_property
    def peak_bytes(self) -> tuple[int, ...]:
        """Of each group, the most that one of its devices holds during the plan.

        It counts what has not moved yet, the arrays of the chunk in both layouts, and what the group keeps already.
        """
        waiting = sum(a.source_bytes for a in self.arrays)
        kept = [0] * self.groups
        peak = [waiting] * self.groups
        for chunk, made in zip(self.chunk_arrays, self.chunk_bytes, strict=True):
            peak = [max(p, waiting + k + made) for p, k in zip(peak, kept, strict=True)]
            for i in chunk:
                waiting -= self.arrays[i].source_bytes
                for group in self.arrays[i].groups:
                    kept[group] += self.arrays[i].target_bytes
        return tuple(peak)

    @property
    def freed_bytes(self) -> int:
        """Bytes on all devices that are made in groups which do not keep them."""
        size = self.mesh.size // self.groups
        return sum(a.target_bytes * size * (self.groups - len(a.groups)) for a in self.arrays)

    @property
    def overweight(self) -> tuple[int, ...]:
        """Arrays that weigh more than they take: they are copied over the groups already."""
        return tuple(i for i, (a, w) in enumerate(zip(self.arrays, self.weights, strict=True)) if w > a.target_bytes)
