"""``read.reshard_plan``: what moving arrays to groups of a mesh would do, before anything moves."""

from __future__ import annotations

import functools
import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import jax
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from shardwidget import _jax
from shardwidget.document import MovedArray, ReshardPlan
from shardwidget.read._mesh import read_mesh
from shardwidget.read._mpmd import checked_groups, in_group

NO_THRESHOLD = (
    "these devices do not say how much memory is free, so the threshold has no default: give threshold=, the bytes "
    "that the arrays of one chunk may weigh"
)


def reshard_plan(arrays: Any, targets: Any, mesh: Mesh, axis: str, *, threshold: int | None = None) -> ReshardPlan:
    """Plans how arrays on a whole mesh move to groups of it, as JaxPP's ``spmd_to_mpmd_reshard`` does it.

    Arrays go round-robin over the first of their groups, the largest first; they are put into chunks one after another
    while the weights of a chunk stay within the threshold. Nothing is moved, and no data is read.

    Args:
        arrays: a pytree of ``jax.Array`` or ``jax.ShapeDtypeStruct`` with a ``NamedSharding``.
        targets: of each array the groups and the spec inside a group, as ``(groups, spec)`` or an object with
            ``mesh_ids`` and ``spec``, such as JaxPP's ``MpmdSharding``. No groups mean group 0. The MPMD axis is left
            out of the spec.
        mesh: the mesh of all groups.
        axis: the axis that divides it.
        threshold: bytes that the weights of a chunk may sum to; a weight is the bytes of a source shard, times the
            number of groups. None takes a third of what is free on the fullest device.

    Raises:
        TypeError: an array or a target is of another form; the message names its path.
        ValueError: the trees differ, a group is not there, a spec does not fit, or the threshold is not above 0.
    """
    mesh, axis = checked_groups((mesh, axis))
    leaves, tree = jax.tree_util.tree_flatten_with_path(arrays)
    wanted, other = jax.tree.flatten(targets, is_leaf=_is_target)
    if tree != other:
        raise ValueError(f"targets must have the structure of arrays: that is {tree}; targets have {other}")
    moved = tuple(
        _moved(jax.tree_util.keystr(path) or "x", x, target, mesh, axis)
        for (path, x), target in zip(leaves, wanted, strict=True)
    )
    limit = _free(mesh) if threshold is None else threshold
    if not isinstance(limit, int) or isinstance(limit, bool) or limit <= 0:
        raise ValueError(f"threshold must be a number of bytes, 1 or more; got {limit!r}")
    order = _order(moved)
    weights = [moved[i].source_bytes * mesh.shape[axis] for i in order]
    return ReshardPlan(read_mesh(mesh), axis, moved, order, _chunks(weights, limit), limit)


def _is_target(x: Any) -> bool:
    return hasattr(x, "mesh_ids") or (isinstance(x, tuple) and len(x) == 2 and isinstance(x[1], PartitionSpec))


def _moved(path: str, x: Any, target: Any, mesh: Mesh, axis: str) -> MovedArray:
    if not isinstance(getattr(x, "sharding", None), NamedSharding):
        raise TypeError(f"{path} is a {type(x).__name__} without a NamedSharding on the mesh; it moves from nowhere")
    if not _is_target(target):
        raise TypeError(f"the target of {path} must be (groups, PartitionSpec); got {target!r}")
    groups, spec = (target.mesh_ids, target.spec) if hasattr(target, "mesh_ids") else target
    ids = tuple(sorted({int(g) for g in groups})) or (0,)
    last = mesh.shape[axis] - 1
    if any(not 0 <= g <= last for g in ids):
        raise ValueError(f"the target of {path} names groups {list(ids)}; {axis!r} has groups 0 to {last}")
    try:
        inside, bytes_inside, bytes_before = _layout(tuple(x.shape), x.dtype, x.sharding, spec, mesh, axis)
    except ValueError as error:
        raise ValueError(f"the target of {path}: {error}") from error
    return MovedArray(
        path=path,
        shape=tuple(x.shape),
        dtype=str(x.dtype),
        source=repr(x.sharding.spec),
        target=repr(inside),
        groups=ids,
        source_bytes=bytes_before,
        target_bytes=bytes_inside,
    )


# Layers repeat: of thousands of arrays few differ.
@functools.lru_cache(maxsize=512)
def _layout(
    shape: tuple[int, ...], dtype: Any, source: NamedSharding, spec: PartitionSpec, mesh: Mesh, axis: str
) -> tuple[PartitionSpec, int, int]:
    """The spec inside a group, and the bytes on a device there and before.

    Raises:
        ValueError: the spec does not fit a group.
    """
    inside = _without(spec, axis)
    made: Any = in_group(shape, dtype, inside, mesh, axis).sharding
    there, before = (math.prod(s.shard_shape(shape)) * dtype.itemsize for s in (made, source))
    return inside, there, before


def _without(spec: PartitionSpec, axis: str) -> PartitionSpec:
    """A spec without an axis."""
    entries: list[Any] = []
    for entry in _jax.partitions(spec):
        kept = tuple(a for a in entry if a != axis) if isinstance(entry, tuple) else entry if entry != axis else None
        entries.append((kept[0] if len(kept) == 1 else kept or None) if isinstance(kept, tuple) else kept)
    return PartitionSpec(*entries)


def _order(moved: Sequence[MovedArray]) -> tuple[int, ...]:
    """Round-robin over the first group of each, the largest source shard first."""
    of_group: dict[int, list[int]] = defaultdict(list)
    for i, array in enumerate(moved):
        of_group[array.groups[0]].append(i)
    # JaxPP sorts upwards and takes from the end: of equal ones the last goes first.
    queues = [sorted(all_of, key=lambda i: moved[i].source_bytes) for all_of in of_group.values()]
    order: list[int] = []
    while any(queues):
        order += [queue.pop() for queue in queues if queue]
    return tuple(order)


def _chunks(weights: Sequence[int], threshold: int) -> tuple[int, ...]:
    """How many of the weights, one after another, each chunk has."""
    counts: list[int] = []
    sum_of_chunk = 0
    for weight in weights:
        if not counts or sum_of_chunk + weight > threshold:
            counts.append(0)
            sum_of_chunk = 0
        counts[-1] += 1
        sum_of_chunk += weight
    return tuple(counts)


def _free(mesh: Mesh) -> int:
    """A third of what is free on the fullest device of this process."""
    free = []
    for device in mesh.local_devices:
        stats = device.memory_stats() or {}
        if not {"bytes_limit", "peak_bytes_in_use"} <= stats.keys():
            raise ValueError(NO_THRESHOLD)
        free.append(stats["bytes_limit"] - stats["peak_bytes_in_use"])
    return min(free) // 3
