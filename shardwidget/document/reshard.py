"""How arrays move between a whole mesh and groups of it, chunk by chunk, as a document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from typing import Literal

from shardwidget.document.base import Document
from shardwidget.document.mesh import Mesh
from shardwidget.document.placement import Dim
from shardwidget.document.wire import VERSION

__all__ = ["Flow", "MovedArray", "PlanCollective", "ReshardPlan"]


@dataclass(frozen=True)
class PlanCollective:
    """A collective of the compiled program that moves one array."""

    kind: str
    """XLA's name for it: ``all-gather``, ``collective-permute``."""
    axes: tuple[str, ...]
    """The mesh axes over whose groups it goes; empty where no set of axes has its groups."""
    bytes_per_device: int
    """The most bytes that any device sends by the ring algorithm (by a permutation: directly)."""
    total_bytes: int
    """Bytes that all devices send together."""


@dataclass(frozen=True)
class MovedArray:
    """One array of a plan."""

    path: str
    """The path in the tree: ``layers/0/up``, or ``x`` where the tree is one array."""
    shape: tuple[int, ...]
    dtype: str
    source: str
    """The PartitionSpec before, on the whole mesh or inside a group; the class of a sharding that has no spec."""
    source_dims: tuple[Dim, ...]
    """How each dimension is split before."""
    target: str
    """The PartitionSpec after, likewise."""
    target_dims: tuple[Dim, ...]
    """How each dimension is split after."""
    groups: tuple[int, ...]
    """The groups that keep it (for ``mpmd_to_spmd``: that have it, and the first of which sends it), in ascending
    order."""
    source_bytes: int
    """Bytes of a shard before the move, on each device that has one."""
    target_bytes: int
    """Bytes of a shard after the move, on each device that has one. By ``spmd_to_mpmd`` every group makes it while its
    chunk moves; groups that do not keep it free it again."""
    axes: tuple[str, ...]
    """The mesh axes over which data must move, in mesh order; empty where every device has what it needs."""
    least_bytes: int
    """Total bytes that the devices which keep it do not have before: no way of moving it sends fewer."""
    between_bytes: int
    """Bytes that each group receives from every other one (by ``mpmd_to_spmd``: from the one that provides it)."""
    collectives: tuple[PlanCollective, ...] | None = None
    """The collectives of a compiled program that moves it alone; None where none was compiled."""

    @property
    def sent_bytes(self) -> int | None:
        """Bytes that the compiled program sends, on all devices; None where none was compiled."""
        return None if self.collectives is None else sum(c.total_bytes for c in self.collectives)


@dataclass(frozen=True)
class Flow:
    """How much one device needs from another."""

    source: int
    """Position in the mesh of the nearest device that has the data."""
    target: int
    """Position in the target's mesh of the device that needs it."""
    bytes: int
    """The bytes that it needs."""


@dataclass(frozen=True, repr=False)
class ReshardPlan(Document):
    """The plan for moving arrays to another layout: their order, which move together, and what devices hold meanwhile.

    A chunk is one compiled program. By direction:

    - ``spmd_to_mpmd``: it lays its arrays out in every group; groups that do not keep an array then free their copy
      (JaxPP's ``spmd_to_mpmd_reshard``).
    - ``mpmd_to_spmd``: every group adds a block (zeros where it does not provide the array) to a stack along the MPMD
      axis, of which the program selects the providing group's (JaxPP's ``mpmd_to_spmd_reshard`` on several processes).
    - ``device_put``: one array, from one sharding to another, in one chunk.
    """

    direction: Literal["spmd_to_mpmd", "mpmd_to_spmd", "device_put"]
    """Which way the arrays move: from the whole mesh to groups, from groups to the whole mesh, or one array to another
    sharding."""
    mesh: Mesh
    """The mesh of all devices; for ``device_put`` the mesh before."""
    axis: str
    """The mesh axis that divides the mesh into groups; empty for ``device_put``, which has one group."""
    arrays: tuple[MovedArray, ...] = field(metadata={"wire": "table"})
    """The arrays, in the order of the tree."""
    order: tuple[int, ...]
    """Indices in ``arrays``, in the order in which they move, whatever the threshold."""
    threshold: int
    """The most bytes that the weights of a chunk may add up to. An array that weighs more is a chunk of its own. 0 for
    ``device_put``, which has no threshold."""
    target_mesh: Mesh | None = None
    """The mesh after a ``device_put``, where it is another mesh; otherwise None."""
    flows: tuple[Flow, ...] = field(default=(), metadata={"wire": "table"})
    """How much each device needs from which other, for a ``device_put`` on at most 64 devices; otherwise empty."""
    note: str = ""
    """What is not known and why, in one sentence."""
    jax_version: str = ""
    kind: Literal["reshard"] = field(default="reshard", init=False)
    version: int = field(default=VERSION, init=False)

    # Derived, never on the wire.

    @property
    def groups(self) -> int:
        """Number of groups; 1 for ``device_put``."""
        return next((a.size for a in self.mesh.axes if a.name == self.axis), 1)

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """What each array counts against the threshold: the bytes of a source shard, times the groups."""
        groups = self.groups
        return tuple(a.source_bytes * groups for a in self.arrays)

    @cached_property
    def chunks(self) -> tuple[tuple[int, ...], ...]:
        """The indices of the arrays of each chunk: in order, as many as together weigh no more than the threshold."""
        if self.direction == "device_put":
            return (self.order,)
        counts = _counts([self.weights[i] for i in self.order], self.threshold)
        return tuple(self.order[end - count : end] for end, count in zip(accumulate(counts), counts, strict=True))

    @property
    def made_bytes(self) -> tuple[int, ...]:
        """For each array, the bytes that its chunk adds on a device, the most of all groups.

        That is its block after, and of ``mpmd_to_spmd`` also the zeros of the groups that do not provide it.
        """
        zeros = self.direction == "mpmd_to_spmd" and self.groups > 1
        return tuple(a.target_bytes + a.source_bytes * zeros for a in self.arrays)

    @property
    def chunk_bytes(self) -> tuple[int, ...]:
        """Of each chunk, the sum of ``made_bytes`` over its arrays."""
        made = self.made_bytes
        return tuple(sum(made[i] for i in chunk) for chunk in self.chunks)

    @cached_property
    def held_bytes(self) -> tuple[tuple[int, ...], ...]:
        """For each chunk, what a device of each group holds while the chunk's program runs.

        It counts arrays, not what XLA needs besides them: those that wait, those of the chunk in both layouts (of
        ``mpmd_to_spmd`` zeros too), and those that the group keeps.
        """
        if self.direction == "device_put":
            return ((self._put_bytes,),)
        leaving = self.direction == "spmd_to_mpmd"
        every = range(self.groups)
        waiting, kept = [0] * self.groups, [0] * self.groups
        for array in self.arrays:
            for group in every if leaving else array.groups:
                waiting[group] += array.source_bytes
        held = []
        for chunk in self.chunks:
            moved = [self.arrays[i] for i in chunk]
            made = [sum(a.target_bytes for a in moved)] * self.groups
            if not leaving:
                made = [m + sum(a.source_bytes for a in moved if a.groups[0] != g) for g, m in enumerate(made)]
            held.append(tuple(map(sum, zip(waiting, kept, made, strict=True))))
            for array in moved:
                # The copies in groups that do not provide an array stay until the user releases it.
                for group in every if leaving else array.groups[:1]:
                    waiting[group] -= array.source_bytes
                for group in array.groups if leaving else every:
                    kept[group] += array.target_bytes
        return tuple(held)

    @property
    def _put_bytes(self) -> int:
        """What a device holds while one array moves: both layouts, where it has both."""
        array = self.arrays[0]
        before = set(self.mesh.device_ids.array().tolist())
        after = before if self.target_mesh is None else set(self.target_mesh.device_ids.array().tolist())
        both = bool(before & after)
        return array.source_bytes + array.target_bytes if both else max(array.source_bytes, array.target_bytes)

    @property
    def peak_bytes(self) -> tuple[int, ...]:
        """For each group, the most bytes that one of its devices holds during the plan."""
        return tuple(map(max, zip(*self.held_bytes, strict=True))) if self.arrays else (0,) * self.groups

    @property
    def freed_bytes(self) -> int:
        """Bytes on all devices that are made only to be freed: blocks of groups that do not keep them, and zeros."""
        if self.direction == "device_put":
            return 0
        size = self.mesh.size // self.groups
        if self.direction == "mpmd_to_spmd":
            return sum(a.source_bytes * size * (self.groups - 1) for a in self.arrays)
        return sum(a.target_bytes * size * (self.groups - len(a.groups)) for a in self.arrays)

    @property
    def overweight(self) -> tuple[int, ...]:
        """Arrays that weigh more than they add on a device, so that a chunk takes fewer of them than would fit."""
        if self.direction == "device_put":
            return ()
        return tuple(i for i, (w, made) in enumerate(zip(self.weights, self.made_bytes, strict=True)) if w > made)

    def with_threshold(self, threshold: int) -> ReshardPlan:
        """The plan of the same arrays, in the same order, for another threshold.

        Args:
            threshold: the most bytes that the weights of a chunk may add up to.

        Raises:
            ValueError: it is not a whole number above 0, or the plan is one ``device_put``, which has no chunks.
        """
        if self.direction == "device_put":
            raise ValueError("device_put moves its one array in one chunk: it has no threshold")
        if not isinstance(threshold, int) or isinstance(threshold, bool) or threshold <= 0:
            raise ValueError(f"threshold must be a number of bytes, 1 or more; got {threshold!r}")
        return replace(self, threshold=threshold)


def _counts(weights: Sequence[int], threshold: int) -> list[int]:
    """How many of the weights, one after another, each chunk has."""
    counts: list[int] = []
    sum_of_chunk = 0
    for weight in weights:
        if not counts or sum_of_chunk + weight > threshold:
            counts.append(0)
            sum_of_chunk = 0
        counts[-1] += 1
        sum_of_chunk += weight
    return counts
