"""What an instrumented program wrote: corners for the document, and whole values on request."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils

from shardwidget.document import Ints, Mesh, Window
from shardwidget.read._numbers import element_format
from shardwidget.read._processes.together import processes_of, say
from shardwidget.read._trace.nodes import Level, LoopNode, RegionNode, Site, leads
from shardwidget.read._trace.positions import position, share

Slots = Mapping[LoopNode, int]
"""For each loop that a value is in, the slot of the iteration."""


class WrittenTensors:
    """The tensors that a plan's run returned.

    Args:
        tensors: of the outermost level.
        meshes: the mesh of each region, as a document.
    """

    def __init__(self, tensors: Sequence[jax.Array], meshes: Mapping[RegionNode, Mesh]) -> None:
        self._tensors: Sequence[jax.Array | np.ndarray] = tensors
        self._meshes = meshes
        self._readers: dict[int, Callable[[tuple[int, ...], int], np.ndarray]] = {}
        self._wholes: dict[int, np.ndarray] = {}
        """Tensors that are packed or on one device, by identity."""
        self._grids: dict[RegionNode, list[np.ndarray]] = {}
        self._sharing: dict[tuple[RegionNode, tuple[str, ...]], tuple[Ints, np.ndarray]] = {}

    def to_host(self) -> int:
        """Copies all tensors to the host, in place of those on devices; the bytes of the copies."""
        self._tensors = [np.array(tensor) for tensor in self._tensors]
        self._readers.clear()
        self._wholes.clear()
        return sum(tensor.nbytes for tensor in self._tensors)

    def window(self, site: Site, varying: tuple[str, ...], slots: Slots) -> Window:
        """The corner of a block on every device; devices along axes that it does not vary over share one."""
        region = site.level.region
        assert region is not None
        if (region, varying) not in self._sharing:
            block, holders = share(self._meshes[region], varying)
            self._sharing[region, varying] = Ints.pack(block), holders
        block, holders = self._sharing[region, varying]
        kind = element_format(site.dtype)
        return Window(site.corner, kind, little(self.corners(site, slots, holders), kind), block)

    def corners(self, site: Site, slots: Slots, at: np.ndarray) -> np.ndarray:
        """The corners of the blocks at some mesh positions, one after the other."""
        tensor = len(site.level.formats) + site.tensor if not site.format else site.level.formats.index(site.format)
        held = self._tensors[_index(site.level, tensor)]
        if isinstance(held, jax.Array) and len(held.devices()) > 1 and not site.format:
            corner = tuple(slice(0, size) for size in site.corner)
            return np.stack([block[corner] for block in self._blocks(site, slots, at)])
        # What is packed is small, and fetched at once: one look-up, however many devices there are.
        if id(held) not in self._wholes:
            self._wholes[id(held)] = np.asarray(held)
        found = self._wholes[id(held)][self._lead(site, slots, at)]
        if site.format:
            return found[:, site.offset : site.offset + math.prod(site.corner)].reshape(len(found), *site.corner)
        return found[(slice(None), *(slice(0, size) for size in site.corner))]

    def corner(self, site: Site, slots: Slots, at: int) -> np.ndarray:
        """The corner of a block at a mesh position."""
        return self.corners(site, slots, np.array([at]))[0]

    def block(self, site: Site, slots: Slots, at: int) -> np.ndarray:
        """A block at a mesh position."""
        return next(self._blocks(site, slots, np.array([at])))

    def _blocks(self, site: Site, slots: Slots, at: np.ndarray) -> Iterator[np.ndarray]:
        """The blocks at some mesh positions, each from the device there, where it holds it."""
        assert site.level.region is not None
        number = _index(site.level, len(site.level.formats) + site.tensor)
        if number not in self._readers:
            self._readers[number] = reader(self._tensors[number])
        index = [np.broadcast_to(along, at.shape).tolist() for along in self._lead(site, slots, at)]
        return map(
            self._readers[number],
            zip(*index, strict=True),
            self._meshes[site.level.region].device_ids.array()[at].tolist(),
        )

    def by_position(self, site: Site, slots: Slots) -> np.ndarray:
        """A scalar of a region, at each position of its mesh; one of the program, as it is."""
        region = site.level.region
        if region is None:
            return np.asarray(self.whole(site, slots))
        return self.corners(site, slots, np.arange(self._meshes[region].size))

    def fetcher(self, site: Site, slots: Slots) -> Callable[[int], np.ndarray] | None:
        """Reads a block on a device; None where it was not kept."""
        region = site.level.region
        assert region is not None
        if site.tensor >= 0:
            return lambda device_id: self.block(site, slots, position(self._meshes[region], device_id))
        if site.corner == site.shape:
            return lambda device_id: self.corner(site, slots, position(self._meshes[region], device_id)).astype(
                site.dtype
            )
        return None

    def whole(self, site: Site, slots: Slots) -> Any:
        """A global value; None where it was not kept."""
        if site.tensor < 0:
            return None
        tensor = self._tensors[_index(site.level, len(site.level.formats) + site.tensor)]
        index = tuple(slots[owner] for owner in _outermost_first(site.level) if isinstance(owner, LoopNode))
        return tensor[index] if index else tensor

    def _lead(self, site: Site, slots: Slots, at: Any) -> tuple[Any, ...]:
        """Index along the leading dimensions, of the block at a mesh position, or at several."""
        region = site.level.region
        devices = iter(self._coordinates(region)) if region is not None else iter(())
        return tuple(slots[o] if isinstance(o, LoopNode) else next(devices)[at] for o in _outermost_first(site.level))

    def _coordinates(self, region: RegionNode) -> list[np.ndarray]:
        """At each mesh position the index along the device dimension of each region, outermost first."""
        if region not in self._grids:
            mesh = self._meshes[region]
            along = dict(
                zip((a.name for a in mesh.axes), np.indices(mesh.shape).reshape(len(mesh.shape), -1), strict=True)
            )
            found, around = [], region
            while around is not None:
                index = np.zeros(mesh.size, np.int64)
                for axis in around.axes:
                    index = index * around.mesh.shape[axis] + along[axis]
                found.insert(0, index)
                around = around.parent
            self._grids[region] = found
        return self._grids[region]


def everywhere(tensors: Sequence[Any]) -> list[Any]:
    """Tensors with the parts that other processes hold. All processes call it together, as they ran the program."""
    remote = [k for k, tensor in enumerate(tensors) if not tensor.is_fully_addressable]
    found = list(tensors)
    if remote:
        size, first = sum(tensors[k].nbytes for k in remote), tensors[remote[0]]
        say(f"sends the values of all to every process, {size:,} bytes.", processes_of(first.sharding.device_set))
    for k in remote:
        found[k] = jnp.asarray(multihost_utils.process_allgather(tensors[k], tiled=True))
    return found


def equal_along(written: WrittenTensors, mesh: Mesh, site: Site, slots: Slots, axes: Sequence[str]) -> bool:
    """Whether the corners of a block are equal on all devices along some axes."""
    values = written.corners(site, slots, np.arange(mesh.size))
    others, first = share(mesh, [axis.name for axis in mesh.axes if axis.name not in axes])
    groups = np.searchsorted(np.unique(others), others)
    return bool(np.array_equal(values, values[first[groups]], equal_nan=values.dtype.kind in "fc"))


def reader(tensor: jax.Array | np.ndarray) -> Callable[[tuple[int, ...], int], np.ndarray]:
    """Reads entries of a tensor's leading dimensions, each from a device that holds it; shards are read once."""
    if not isinstance(tensor, jax.Array) or len(tensor.devices()) == 1:
        whole = np.asarray(tensor)
        return lambda index, device_id: whole[index]
    shards = {shard.device.id: shard for shard in tensor.addressable_shards}
    held: dict[int, tuple[tuple[int, ...], np.ndarray]] = {}

    def read(index: tuple[int, ...], device_id: int) -> np.ndarray:
        if device_id in shards and device_id not in held:
            shard = shards[device_id]
            starts = tuple(part.start or 0 for part in shard.index)
            held[device_id] = starts, np.asarray(shard.data)
        if device_id in held:
            starts, data = held[device_id]
            local = tuple(map(operator.sub, index, starts))
            if (
                min(local, default=0) >= 0
                and all(map(operator.lt, local, data.shape))
                and data.shape[len(index) :] == tensor.shape[len(index) :]
            ):
                return data[local]
        return np.asarray(tensor)[index]  # Under Explicit axes JAX would ask how to cut the result of indexing.

    return read


def little(values: np.ndarray, kind: str) -> bytes:
    """Elements in a format, little-endian."""
    return values.astype("?" if kind == "b1" else f"<{kind}").tobytes()


def _outermost_first(level: Level) -> list[RegionNode | LoopNode]:
    return list(leads(level))[::-1]


def _index(level: Level, number: int) -> int:
    """Index among the outermost tensors of what a level returns as its ``number``-th."""
    while level.parent is not None:
        number += level.base
        level = level.parent
        number += len(level.formats)
    return number
