"""Where an array's shards live, as a document; and the values that a view of it shows."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from shardwidget.document.base import Document
from shardwidget.document.mesh import Mesh
from shardwidget.document.wire import VERSION, Ints

__all__ = ["Block", "Cut", "Dim", "Placement", "Values"]


@dataclass(frozen=True)
class Cut:
    """How one dimension is cut by a sharding's own index map, where mesh axes do not determine it."""

    starts: Ints
    """The first index of each distinct part."""
    stops: Ints
    """One past the last index of each distinct part."""
    part: Ints
    """The index of the part that the device at each mesh position holds."""


@dataclass(frozen=True)
class Dim:
    """One dimension of an array."""

    size: int
    axes: tuple[str, ...] = ()
    """The mesh axes that split it, major to minor."""
    unconstrained: bool = False
    """Whether the spec is ``P.UNCONSTRAINED`` here, so that the compiler chooses."""
    cut: Cut | None = None
    """How an index map cuts it; None where mesh axes determine that."""


@dataclass(frozen=True)
class Block:
    """Values of one device's shard: every ``steps``-th element along each dimension, from its first one on."""

    device_id: int
    shape: tuple[int, ...]
    """The shape of the sample."""
    steps: tuple[int, ...]
    """The sampling step of each dimension; 1 where nothing is left out."""
    format: Literal["f4", "f8", "i4", "u4", "i8", "u8", "b1", "c8", "c16"]
    """The little-endian format of the elements of ``data``: numpy's letter and the number of bytes. Narrow floats come
    as ``f4``."""
    data: bytes
    """The sampled elements, in row-major order."""
    low: float
    """The least finite value that was read (of complex values, the least magnitude); 0 if there is none."""
    high: float
    """The greatest finite value that was read, likewise."""
    low_text: str
    """``low`` as the dtype prints it; empty if there is no finite value."""
    high_text: str
    """``high`` as the dtype prints it; empty if there is no finite value."""
    exact: bool
    """Whether ``low`` to ``infs`` are those of the whole shard, rather than of the sample."""
    nans: int
    """The number of NaNs that were read."""
    infs: int
    """The number of infinities that were read."""


@dataclass(frozen=True)
class Values:
    """The values that a view asked for, or why there are none."""

    blocks: tuple[Block, ...] = ()
    note: str = ""
    """What was left out and why, in one sentence; empty if nothing was."""


@dataclass(frozen=True, repr=False)
class Placement(Document):
    """Where an array's shards live on a mesh. Made without touching the array's data.

    A *tile* is a distinct piece of the global array; a *shard* is a copy of a tile on one device. With unreduced
    axes each device along them holds a *partial sum* of its tile, which is not a copy.
    """

    mesh: Mesh
    shape: tuple[int, ...] | None
    """The global shape; None for a mesh that is shown alone."""
    dims: tuple[Dim, ...] = ()
    dtype: str = ""
    """The long name of the dtype, for example ``bfloat16`` or ``key<fry>``."""
    bits: int = 0
    """Bits of one element in memory."""
    name: str = ""
    """What the user calls the array; empty where that is not known."""
    type: str = ""
    """``jax.typeof`` with short dtypes, for example ``f32[8@x,16]{U:y}``."""
    sharding: str = ""
    """The class of the sharding, for example ``NamedSharding``."""
    spec: str | None = None
    """The PartitionSpec as JAX prints it; None where the sharding has none."""
    agreement: Literal["same", "silent", "partly", "differs", ""] = ""
    """Whether the type's spec agrees with the sharding's: ``same``; ``silent``, without Explicit axes; ``partly``,
    where it is silent on the Auto axes of a mixed mesh; ``differs``; empty where there is nothing to compare."""
    unreduced: tuple[str, ...] = ()
    """The mesh axes along which each device holds a part that is still to be combined with the others."""
    unreduced_kind: str = "sum"
    """The operation that must combine the parts along unreduced axes: ``sum``, ``max`` or ``min``."""
    reduced: tuple[str, ...] = ()
    """The mesh axes that the sharding states as reduced: gradients are unreduced along them."""
    memory_kind: str = ""
    logical_device_ids: Ints | None = None
    """The sharding's own permutation of the mesh's devices, already applied to ``mesh``."""
    hlo: str = ""
    """The HLO sharding as text; empty where JAX has none, as for unreduced axes in some versions."""
    shardy: str = ""
    """The Shardy (sdy) sharding as text; empty where JAX has none."""
    state: Literal["live", "deleted", "abstract"] = "live"
    """Whether the array has its data, was deleted, or is a shape that has no data yet."""
    values: Values | None = None
    """The values that travel with the document, as in a saved page; None where none do."""
    jax_version: str = ""
    kind: Literal["placement"] = field(default="placement", init=False)
    version: int = field(default=VERSION, init=False)

    # Derived, never on the wire.

    @property
    def device_ids(self) -> tuple[int, ...]:
        """Device ids in the order of ``mesh.devices.flat``."""
        return tuple(self._ids)

    @cached_property
    def _ids(self) -> list[int]:
        return self.mesh.device_ids.array().tolist()

    @cached_property
    def _position(self) -> dict[int, int]:
        return {device: position for position, device in enumerate(self._ids)}

    @cached_property
    def _parts(self) -> np.ndarray:
        """Part index of every dimension at every mesh position, shape ``[devices, rank]``."""
        mesh = self.mesh
        digits = dict(
            zip((a.name for a in mesh.axes), np.unravel_index(np.arange(mesh.size), mesh.shape), strict=False)
        )
        sizes = {a.name: a.size for a in mesh.axes}
        parts = np.zeros((mesh.size, len(self.dims)), np.int64)
        for d, dim in enumerate(self.dims):
            if dim.cut is not None:
                parts[:, d] = dim.cut.part.array()
            for axis in dim.axes:
                parts[:, d] = parts[:, d] * sizes[axis] + digits[axis]
        return parts

    @cached_property
    def grid(self) -> tuple[int, ...]:
        """Number of parts along each dimension, shape ``[rank]``."""
        sizes = {a.name: a.size for a in self.mesh.axes}
        return tuple(
            dim.cut.starts.size if dim.cut is not None else math.prod(sizes[a] for a in dim.axes) for dim in self.dims
        )

    def bounds(self, dim: int, part: int) -> tuple[int, int]:
        """First index and one past the last of a part of a dimension."""
        d = self.dims[dim]
        if d.cut is not None:
            return int(d.cut.starts.array()[part]), int(d.cut.stops.array()[part])
        block = d.size // self.grid[dim]
        return part * block, (part + 1) * block

    @cached_property
    def boxes(self) -> np.ndarray:
        """First index and one past the last of what each mesh position holds, shape ``[devices, rank, 2]``."""
        boxes = np.zeros((self.mesh.size, len(self.dims), 2), np.int64)
        for d, (dim, parts) in enumerate(zip(self.dims, self._parts.T, strict=True)):
            if dim.cut is not None:
                boxes[:, d] = np.stack([dim.cut.starts.array()[parts], dim.cut.stops.array()[parts]], axis=1)
            else:
                block = dim.size // self.grid[d]
                boxes[:, d] = np.stack([parts * block, (parts + 1) * block], axis=1)
        return boxes

    def tile(self, device_id: int) -> tuple[int, ...]:
        """Part index along each dimension of the tile that a device holds.

        Raises:
            KeyError: the mesh has no such device.
        """
        if device_id not in self._position:
            raise KeyError(f"no device {device_id} in this mesh; its {self.mesh.size} devices are {_some(self._ids)}")
        return tuple(self._parts[self._position[device_id]].tolist())

    def slices(self, device_id: int) -> tuple[slice, ...]:
        """The global slice that a device holds, one ``slice(start, stop)`` with both ends for each dimension.

        Raises:
            KeyError: the mesh has no such device.
        """
        return tuple(slice(*self.bounds(d, part)) for d, part in enumerate(self.tile(device_id)))

    @cached_property
    def tiles(self) -> int:
        """Number of distinct tiles."""
        if all(d.cut is None for d in self.dims):
            return math.prod(self.grid)
        return len(np.unique(self._parts, axis=0))

    @property
    def partials(self) -> int:
        """Devices whose partial sums add up to one tile: 1 unless there are unreduced axes."""
        return math.prod(a.size for a in self.mesh.axes if a.name in self.unreduced)

    @cached_property
    def copies(self) -> int:
        """Devices that hold each tile (each partial sum of it): tiles × partials × copies = devices.

        Where an index map of the sharding's own gives some tiles more holders than others, the largest count.
        """
        if all(d.cut is None for d in self.dims):
            return self.mesh.size // (self.tiles * self.partials)
        return int(np.unique(self._parts, axis=0, return_counts=True)[1].max(initial=1))

    @property
    def replicated_axes(self) -> tuple[str, ...]:
        """Mesh axes of size 2 and more along which devices hold the same data."""
        used = {a for dim in self.dims for a in dim.axes} | set(self.unreduced)
        return tuple(a.name for a in self.mesh.axes if a.name not in used and a.size > 1)

    @cached_property
    def shard_shape(self) -> tuple[int, ...]:
        """Shape of the largest shard."""
        return tuple(
            int((d.cut.stops.array() - d.cut.starts.array()).max(initial=0)) if d.cut else d.size // n
            for d, n in zip(self.dims, self.grid, strict=True)
        )

    @property
    def nbytes(self) -> int:
        """Bytes of the global array, held once."""
        return 0 if self.shape is None else _bytes(math.prod(self.shape), self.bits)

    @property
    def bytes_per_device(self) -> int:
        """Bytes of the largest shard."""
        return 0 if self.shape is None else _bytes(math.prod(self.shard_shape), self.bits)

    @property
    def shard_bytes(self) -> np.ndarray:
        """Bytes of the shard at each mesh position, shape ``[devices]``."""
        if all(d.cut is None for d in self.dims):
            return np.full(self.mesh.size, self.bytes_per_device, np.int64)
        elements = np.ones(self.mesh.size, np.int64)
        for parts, d, n in zip(self._parts.T, self.dims, self.grid, strict=True):
            sizes = d.cut.stops.array() - d.cut.starts.array() if d.cut else np.full(n, d.size // n)
            elements *= sizes[parts]
        return -(-elements * self.bits // 8)

    @property
    def total_bytes(self) -> int:
        """Bytes of all shards on all devices."""
        return 0 if self.shape is None else int(self.shard_bytes.sum())

    @property
    def wasted_bytes(self) -> int:
        """Bytes spent on replicas: what is held beyond one copy of each tile (each partial sum)."""
        if self.shape is None:
            return 0
        if all(d.cut is None for d in self.dims):
            return self.bytes_per_device * (self.mesh.size - self.tiles * self.partials)
        return self.total_bytes - sum(
            _bytes(math.prod(stop - start for start, stop in map(self.bounds, range(len(tile)), tile)), self.bits)
            for tile in np.unique(self._parts, axis=0).tolist()
        )


def _bytes(elements: int, bits: int) -> int:
    return -(-elements * bits // 8)


def _some(values: list[int], most: int = 12) -> str:
    return ", ".join(map(str, values[:most])) + (" …" if len(values) > most else "")
