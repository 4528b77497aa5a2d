"""What an instrumented program wrote: corners for the document, and whole values on request."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax.sharding import NamedSharding

from shardwidget.document import Dim, Ints, Mesh, Window
from shardwidget.read._cuts import dims_of_spec
from shardwidget.read._numbers import element_format
from shardwidget.read._trace_plan import Level, Loop, Region, Site, corner_shape, leads

Slots = Mapping[Loop, int]
"""For each loop that a value is in, the slot of the iteration."""


class Written:
    """The tensors that a plan's run returned.

    Args:
        tensors: of the outermost level.
        meshes: the mesh of each region, as a document.
        corner: most rows and columns of a corner.
    """

    def __init__(self, tensors: Sequence[jax.Array], meshes: Mapping[Region, Mesh], corner: tuple[int, int]) -> None:
        self._tensors = tensors
        self._meshes = meshes
        self._corner = corner
        self._packed: dict[int, np.ndarray] = {}
        self._blocks: dict[tuple[Region, tuple[str, ...]], tuple[Ints, list[np.ndarray]]] = {}

    def corners(self, site: Site, slots: Slots) -> np.ndarray:
        """Corners of a site: one dimension for the devices of each region around it, then the corner's own."""
        assert site.corner is not None
        number = _index(site.level, site.level.formats.index(site.format))
        if number not in self._packed:
            self._packed[number] = np.asarray(self._tensors[number])
        at = tuple(slots[o] if isinstance(o, Loop) else slice(None) for o in _outermost_first(site.level))
        packed = self._packed[number][at]
        corner = packed[..., site.offset : site.offset + math.prod(site.corner)]
        return corner.reshape(*packed.shape[:-1], *site.corner)

    def by_position(self, site: Site, slots: Slots) -> np.ndarray:
        """A scalar of a region, at each position of its mesh; of the program, as it is."""
        corners = self.corners(site, slots)
        region = site.level.region
        return corners if region is None else corners[tuple(self._coordinates(region))]

    def window(self, site: Site, varying: tuple[str, ...], slots: Slots) -> Window:
        """The corner of a block on every device; devices along axes that it does not vary over share one."""
        region = site.level.region
        assert region is not None
        assert site.corner is not None
        block, holders = self._sharing(region, varying)
        data = self.corners(site, slots)[tuple(holders)]
        return Window(site.corner, site.format, data.astype(_little(data.dtype)).tobytes(), block)  # type: ignore

    def fetcher(self, site: Site, slots: Slots) -> Callable[[int], np.ndarray] | None:
        """Reads a block on a device; None where it was not kept."""
        region = site.level.region
        assert region is not None
        whole = site.corner == site.shape
        if not whole and site.tensor < 0:
            return None

        def fetch(device_id: int) -> np.ndarray:
            at = self._position(region, device_id)
            held = [axis[at] for axis in self._coordinates(region)]
            if whole:
                return self.corners(site, slots)[tuple(held)].astype(site.dtype)
            devices = iter(held)
            index = tuple(slots[o] if isinstance(o, Loop) else int(next(devices)) for o in _outermost_first(site.level))
            return read_at(self.tensor(site), index, device_id)

        return fetch

    def tensor(self, site: Site) -> jax.Array:
        """The tensor that holds a value whole."""
        return self._tensors[_index(site.level, len(site.level.formats) + site.tensor)]

    def whole(self, site: Site, slots: Slots) -> jax.Array | None:
        """A global value; None where it was not kept."""
        if site.tensor < 0:
            return None
        index = tuple(slots[owner] for owner in _outermost_first(site.level) if isinstance(owner, Loop))
        return self.tensor(site)[index] if index else self.tensor(site)

    def _position(self, region: Region, device_id: int) -> int:
        return position(self._meshes[region], device_id)

    @functools.cached_property
    def _grids(self) -> dict[Region, list[np.ndarray]]:
        return {}

    def _coordinates(self, region: Region) -> list[np.ndarray]:
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

    def _sharing(self, region: Region, varying: tuple[str, ...]) -> tuple[Ints, list[np.ndarray]]:
        """Which block each position holds, and the coordinates of a holder of each."""
        key = (region, varying)
        if key not in self._blocks:
            mesh = self._meshes[region]
            block, holder = share(mesh, varying)
            self._blocks[key] = Ints.pack(block), [axis[holder] for axis in self._coordinates(region)]
        return self._blocks[key]


def equal_along(written: Written, mesh: Mesh, site: Site, slots: Slots, axes: Sequence[str]) -> bool:
    """Whether the corners of a block are equal on all devices along some axes."""
    values = written.by_position(site, slots)
    others, first = share(mesh, [axis.name for axis in mesh.axes if axis.name not in axes])
    groups = np.searchsorted(np.unique(others), others)
    return bool(np.array_equal(values, values[first[groups]], equal_nan=values.dtype.kind in "fc"))


def share(mesh: Mesh, varying: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """The block at each position when they vary over some axes, and the first position that holds each."""
    along = np.indices(mesh.shape).reshape(len(mesh.shape), -1)
    index = np.zeros(mesh.size, np.int64)
    for axis, coordinate in zip(mesh.axes, along, strict=False):
        if axis.name in varying:
            index = index * axis.size + coordinate
    return index, np.unique(index, return_index=True)[1]


def position(mesh: Mesh, device_id: int) -> int:
    """Where a device stands in a mesh.

    Raises:
        KeyError: it is not in it.
    """
    ids = mesh.device_ids.array()
    found = np.flatnonzero(ids == device_id)
    if not found.size:
        raise KeyError(f"the mesh has no device {device_id}; its devices are {ids[:8].tolist()}{' …' * (ids.size > 8)}")
    return int(found[0])


def read_at(array: jax.Array, index: tuple[int, ...], device_id: int) -> np.ndarray:
    """One entry of an array's leading dimensions, from the device that is asked for where it holds that entry."""
    for shard in array.addressable_shards:
        if shard.device.id != device_id:
            continue
        starts = [part.indices(size)[:2] for part, size in zip(shard.index, array.shape, strict=True)]
        inside = all(a <= i < b for i, (a, b) in zip(index, starts, strict=False))
        if inside and shard.data.shape[len(index) :] == array.shape[len(index) :]:
            local = tuple(i - a for i, (a, _) in zip(index, starts, strict=False))
            return np.asarray(shard.data)[local]
    return np.asarray(array[index])


def global_layout(array: Any, mesh: Mesh) -> tuple[Dim, ...]:
    """How a global array lies on a mesh; uncut where its sharding is of another kind or mesh."""
    sharding = getattr(array, "sharding", None)
    names = tuple(axis.name for axis in mesh.axes)
    if isinstance(sharding, NamedSharding) and tuple(map(str, sharding.mesh.axis_names)) == names:
        return dims_of_spec(array.shape, sharding.spec)
    return tuple(Dim(size) for size in np.shape(array))


def global_block(array: Any, dims: Sequence[Dim], mesh: Mesh, at: int) -> np.ndarray:
    """The block of a global array at a mesh position."""
    coordinates = dict(zip((a.name for a in mesh.axes), np.unravel_index(at, mesh.shape), strict=False))
    sizes = {axis.name: axis.size for axis in mesh.axes}
    index = []
    for dim in dims:
        part = 0
        for axis in dim.axes:
            part = part * sizes[axis] + int(coordinates[axis])
        step = dim.size // math.prod(sizes[axis] for axis in dim.axes)
        index.append(slice(part * step, (part + 1) * step))
    if isinstance(array, jax.Array) and len(array.devices()) > 1:
        device_id = int(mesh.device_ids.array()[at])
        shape = tuple(part.stop - part.start for part in index)
        for shard in array.addressable_shards:
            if shard.device.id == device_id and shard.data.shape == shape:
                return np.asarray(shard.data)
    return np.asarray(array)[tuple(index)]


def global_window(array: Any, dims: Sequence[Dim], mesh: Mesh, most: tuple[int, int]) -> Window:
    """The leading corner of the block on every device."""
    block, holders = share(mesh, [axis for dim in dims for axis in dim.axes])
    corners = []
    for at in holders:
        values = global_block(array, dims, mesh, int(at))
        corners.append(values[tuple(slice(0, size) for size in corner_shape(values.shape, most))])
    kind = element_format(corners[0].dtype)
    data = b"".join(corner.astype("?" if kind == "b1" else f"<{kind}").tobytes() for corner in corners)
    return Window(corners[0].shape, kind, data, Ints.pack(block))


def _little(dtype: np.dtype) -> np.dtype:
    return dtype.newbyteorder("<")


def _outermost_first(level: Level) -> list[Region | Loop]:
    return list(leads(level))[::-1]


def _index(level: Level, number: int) -> int:
    """Index among the outermost tensors of what a level returns as its ``number``-th."""
    while level.parent is not None:
        number += level.base
        level = level.parent
        number += len(level.formats)
    return number
