"""How an array lies before and after it moves, and what that takes: a ``MovedArray`` without its path.

Layers repeat: of thousands of arrays few differ, and each of those is looked at once.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from jax.sharding import AbstractMesh, Mesh, NamedSharding, PartitionSpec, Sharding

from shardwidget import _jax
from shardwidget.document import Mesh as MeshDocument
from shardwidget.document import MovedArray, Placement
from shardwidget.read._cuts import dims_of_spec
from shardwidget.read._entries import spec_text
from shardwidget.read._mesh import read_mesh
from shardwidget.read._placement import placement
from shardwidget.read._reshard.needs import crossed, lacking

AnyMesh = Mesh | AbstractMesh
Shape = tuple[int, ...]


@functools.lru_cache(maxsize=512)
def to_groups(
    shape: Shape, dtype: Any, source: NamedSharding, spec: PartitionSpec, groups: tuple[int, ...], axis: str
) -> MovedArray:
    """What moving an array from a whole mesh to groups takes.

    Raises:
        ValueError: the spec does not fit a group.
    """
    target = inside(shape, spec, source.mesh, axis)
    before, after = _lies(shape, dtype, source), _lies(shape, dtype, target)
    lacked = _of_groups(lacking(before.boxes, after.boxes), before.mesh, axis)
    count = len(lacked)
    split = any(axis in dim.axes for dim in before.dims)
    return MovedArray(
        path="",
        shape=shape,
        dtype=str(dtype),
        source=spec_text(source.spec),
        source_dims=before.dims,
        target=spec_text(target.spec),
        target_dims=after.dims,
        groups=groups,
        source_bytes=before.bytes_per_device,
        target_bytes=after.bytes_per_device,
        axes=crossed(before, after.boxes),
        least_bytes=int(lacked[list(groups)].sum()) * dtype.itemsize,
        between_bytes=after.total_bytes // count // count if split else 0,
    )


@functools.lru_cache(maxsize=512)
def from_groups(
    shape: Shape, dtype: Any, spec: PartitionSpec, target: NamedSharding, groups: tuple[int, ...], axis: str
) -> MovedArray:
    """What moving an array from groups to a whole mesh takes.

    Raises:
        ValueError: a spec does not fit.
    """
    source = inside(shape, spec, target.mesh, axis)
    before, after = _lies(shape, dtype, source), _lies(shape, dtype, target)
    # A group without the array lacks all that it is to hold.
    lacked = _of_groups(lacking(np.zeros_like(before.boxes), after.boxes), before.mesh, axis)
    lacked[list(groups)] = _of_groups(lacking(before.boxes, after.boxes), before.mesh, axis)[list(groups)]
    over = {axis} if len(lacked) > 1 else set()
    over.update(crossed(before, after.boxes))
    return MovedArray(
        path="",
        shape=shape,
        dtype=str(dtype),
        source=spec_text(source.spec),
        source_dims=before.dims,
        target=spec_text(target.spec),
        target_dims=after.dims,
        groups=groups,
        source_bytes=before.bytes_per_device,
        target_bytes=after.bytes_per_device,
        axes=tuple(a.name for a in before.mesh.axes if a.name in over),
        least_bytes=int(lacked.sum()) * dtype.itemsize,
        between_bytes=after.total_bytes // len(lacked),
    )


def between(x: Any, target: Sharding) -> tuple[MovedArray, Placement, Placement]:
    """What moving an array from its sharding to another takes, and both placements."""
    before, after = placement(x), placement((x.shape, x.dtype, target))
    position = {device: p for p, device in enumerate(after.device_ids)}
    known = set(position) == set(before.device_ids)
    # In the order of the mesh before; a device that is not in the other one holds nothing of it.
    wanted = np.zeros_like(after.boxes, shape=(before.mesh.size, len(x.shape), 2))
    held = np.zeros_like(before.boxes, shape=(after.mesh.size, len(x.shape), 2))
    for p, device in enumerate(before.device_ids):
        if device in position:
            wanted[p] = after.boxes[position[device]]
            held[position[device]] = before.boxes[p]
    moved = MovedArray(
        path="x",
        shape=tuple(x.shape),
        dtype=str(x.dtype),
        source=_text(x.sharding),
        source_dims=before.dims,
        target=_text(target),
        target_dims=after.dims,
        groups=(0,),
        source_bytes=before.bytes_per_device,
        target_bytes=after.bytes_per_device,
        axes=crossed(before, wanted) if known else (),
        least_bytes=int(lacking(held, after.boxes).sum()) * x.dtype.itemsize,
        between_bytes=0,
    )
    return moved, before, after


def inside(shape: Shape, spec: PartitionSpec, mesh: AnyMesh, axis: str) -> NamedSharding:
    """The sharding on the whole mesh that lays an array out in every group by this spec.

    Raises:
        ValueError: the spec does not fit a group; in JAX's words.
    """
    try:
        sharding = NamedSharding(mesh, _without(spec, axis))
        sharding.shard_shape(shape)
    except Exception as error:  # JAX has a class of its own for some of these.
        sizes = ", ".join(f"{n}={size}" for n, size in mesh.shape.items() if n != axis)
        raise ValueError(f"{spec} does not fit {shape} in a group of mesh {sizes}. JAX says:\n{error}") from error
    return sharding


def _without(spec: PartitionSpec, axis: str) -> PartitionSpec:
    """A spec without an axis."""
    entries: list[Any] = []
    for entry in _jax.partitions(spec):
        kept = tuple(a for a in entry if a != axis) if isinstance(entry, tuple) else entry if entry != axis else None
        entries.append((kept[0] if len(kept) == 1 else kept or None) if isinstance(kept, tuple) else kept)
    return PartitionSpec(*entries)


def _lies(shape: Shape, dtype: Any, sharding: NamedSharding) -> Placement:
    return Placement(
        read_mesh(sharding.mesh), shape, dims_of_spec(shape, sharding.spec), str(dtype), 8 * dtype.itemsize
    )


def _of_groups(values: np.ndarray, mesh: MeshDocument, axis: str) -> np.ndarray:
    """Sums of a number of each device over those of each group, shape ``[groups]``."""
    at = [a.name for a in mesh.axes].index(axis)
    return (
        np.moveaxis(values.reshape(mesh.shape), at, 0)
        .reshape(mesh.shape[at], math.prod(mesh.shape[:at] + mesh.shape[at + 1 :]))
        .sum(axis=1)
    )


def _text(sharding: Sharding) -> str:
    return spec_text(sharding.spec) if isinstance(sharding, NamedSharding) else type(sharding).__name__
