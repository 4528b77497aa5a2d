"""Values outside of regions: how a global array is sharded over the mesh that is drawn, and its blocks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import jax
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

from shardwidget import _jax
from shardwidget.document import Dim, Ints, Mesh, Window
from shardwidget.read._cuts import dims_of_spec
from shardwidget.read._mesh import read_mesh
from shardwidget.read._numbers import element_format
from shardwidget.read._trace.nodes import corner_shape
from shardwidget.read._trace.positions import _ids, position, seats, share
from shardwidget.read._trace.written import little


def global_layout(array: jax.Array, mesh: Mesh) -> tuple[Dim, ...] | None:
    """How a global array is sharded over a mesh; uncut if it is on one device; None if it is cut for another mesh."""
    sharding = getattr(array, "sharding", None)
    if isinstance(sharding, NamedSharding):
        order = seats(read_mesh(sharding.mesh), mesh)
        if order is not None and np.all(np.diff(order) == 1):
            return dims_of_spec(array.shape, sharding.spec)
    if sharding is None or sharding.is_fully_replicated:
        return tuple(Dim(size) for size in np.shape(array))
    return None


def global_block(array: jax.Array | np.ndarray, dims: Sequence[Dim], mesh: Mesh, at: int) -> np.ndarray:
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
        device_id = int(_ids(mesh)[at])
        shape = tuple(part.stop - part.start for part in index)
        for shard in array.addressable_shards:
            if shard.device.id == device_id and shard.data.shape == shape:
                return np.asarray(shard.data)
    return np.asarray(array)[tuple(index)]


def whole(array: jax.Array, mesh: Mesh, device_id: int) -> np.ndarray:
    """A whole global array, for a device of a mesh; one whose parts are still to be combined, combined.

    Raises:
        KeyError: the mesh has no such device.
    """
    position(mesh, device_id)
    sharding = getattr(array, "sharding", None)
    if isinstance(sharding, NamedSharding) and sharding.spec.unreduced:
        spec = PartitionSpec(*_jax.partitions(sharding.spec))
        array = jax.reshard(array, NamedSharding(sharding.mesh, spec))
    return np.asarray(array)


def global_window(
    array: jax.Array, dims: Sequence[Dim], mesh: Mesh, most: tuple[int, int], unreduced: Sequence[str] = ()
) -> Window:
    """The leading corner of the block on every device; it differs along unreduced axes too."""
    block, holders = share(mesh, [*(axis for dim in dims for axis in dim.axes), *unreduced])
    corners = []
    for at in holders:
        values = global_block(array, dims, mesh, int(at))
        corners.append(values[tuple(slice(0, size) for size in corner_shape(values.shape, most))])
    kind = element_format(corners[0].dtype)
    return Window(corners[0].shape, kind, b"".join(little(corner, kind) for corner in corners), Ints.pack(block))
