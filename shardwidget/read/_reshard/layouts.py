"""How an array is laid out before and after it moves, and what that takes.

Layers repeat: of thousands of arrays only a few differ, and each of those is read once.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jax.sharding import NamedSharding, PartitionSpec, Sharding

from shardwidget import _jax
from shardwidget._jax import AnyMesh
from shardwidget.document import Mesh as MeshDocument
from shardwidget.document import MovedArray, Placement
from shardwidget.read._cuts import dims_of_spec
from shardwidget.read._entries import spec_text
from shardwidget.read._mesh import read_mesh
from shardwidget.read._placement import placement
from shardwidget.read._reshard.needs import crossed, lacking

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Transition:
    """What moving arrays of one layout to another takes, whichever groups they go to or come from."""

    moved: MovedArray
    """Without path, groups and ``least_bytes``."""
    lacks: tuple[int, ...]
    """Bytes that the devices of each group lack, where the group has the array before."""
    lacks_all: tuple[int, ...]
    """The same where it does not."""

    def to_groups(self, path: str, groups: tuple[int, ...]) -> MovedArray:
        """One array, which these groups keep."""
        return replace(self.moved, path=path, groups=groups, least_bytes=sum(self.lacks[g] for g in groups))

    def from_groups(self, path: str, groups: tuple[int, ...]) -> MovedArray:
        """One array, which these groups have."""
        least = sum(self.lacks_all) - sum(self.lacks_all[g] - self.lacks[g] for g in groups)
        return replace(self.moved, path=path, groups=groups, least_bytes=least)


@functools.lru_cache(maxsize=512)
def transition(
    shape: Shape, dtype: Any, source: NamedSharding, target: NamedSharding, axis: str, back: bool
) -> Transition:
    """What moving from one sharding to another takes.

    Args:
        shape: of the array.
        dtype: of the array.
        source: on the whole mesh. For an array on groups: as each of them lays it out, see ``inside``.
        target: on the whole mesh. For an array that goes to groups: as each of them is to lay it out.
        axis: the axis that divides the mesh.
        back: whether it comes from groups.
    """
    before, after = _lies(shape, dtype, source), _lies(shape, dtype, target)
    item = dtype.itemsize
    lacks = _of_groups(lacking(before.boxes, after.boxes), before.mesh, axis) * item
    lacks_all = _of_groups(lacking(np.zeros_like(before.boxes), after.boxes), before.mesh, axis) * item
    count = len(lacks)
    over = set(crossed(before, after.boxes))
    if back and count > 1:
        over.add(axis)
    # Groups that split an array have equal parts of what each is to hold; one that has it whole provides all of it.
    split = any(axis in dim.axes for dim in before.dims)
    share = 1 if back else count
    moved = MovedArray(
        path="",
        shape=shape,
        dtype=str(dtype),
        source=spec_text(source.spec),
        source_dims=before.dims,
        target=spec_text(target.spec),
        target_dims=after.dims,
        groups=(),
        source_bytes=before.bytes_per_device,
        target_bytes=after.bytes_per_device,
        axes=tuple(a.name for a in before.mesh.axes if a.name in over),
        least_bytes=0,
        between_bytes=after.total_bytes // count // share if (split or back) and count > 1 else 0,
    )
    return Transition(moved, tuple(lacks.tolist()), tuple(lacks_all.tolist()))


def array_put(x: Any, target: Sharding) -> tuple[MovedArray, Placement, Placement]:
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


@functools.lru_cache(maxsize=512)
def sharding_in_groups(shape: Shape, spec: PartitionSpec, mesh: AnyMesh, axis: str) -> NamedSharding:
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
    others = tuple(k for k, a in enumerate(mesh.axes) if a.name != axis)
    return values.reshape(mesh.shape).sum(axis=others)


def _text(sharding: Sharding) -> str:
    return spec_text(sharding.spec) if isinstance(sharding, NamedSharding) else type(sharding).__name__
