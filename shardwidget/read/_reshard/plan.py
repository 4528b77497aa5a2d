"""``read.reshard_plan``: what moving arrays between a mesh and groups of it would do, before anything moves."""

from __future__ import annotations

import functools
import operator
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, overload

import jax
from jax.sharding import AbstractMesh, Mesh, NamedSharding, PartitionSpec, Sharding

from shardwidget import _jax
from shardwidget._jax import AnyMesh
from shardwidget.document import MovedArray, ReshardPlan
from shardwidget.read import _errors
from shardwidget.read._mesh import read_mesh
from shardwidget.read._mpmd import groups_of
from shardwidget.read._placement import as_typed
from shardwidget.read._reshard.compiled import of_put, with_collectives
from shardwidget.read._reshard.layouts import array_put, sharding_in_groups, transition
from shardwidget.read._reshard.needs import flows

MOST_FLOWS = 64
"""The most devices for which a ``device_put`` lists how much each needs from which other."""

FORMS = """A plan is read in one of three ways:
  read.reshard_plan(arrays, targets, mesh, "stage", threshold=2**30)   targets (groups, PartitionSpec): to groups
  read.reshard_plan(arrays, targets, mesh, "stage", threshold=2**30)   targets NamedSharding: from groups to the mesh
  read.reshard_plan(x, sharding)                                       what jax.device_put(x, sharding) moves"""

NO_THRESHOLD = (
    "these devices do not report how much memory is free, so the threshold has no default: give threshold=, the bytes "
    "that the arrays of one chunk may weigh"
)


@overload
def reshard_plan(arrays: Any, targets: Sharding, *, compiled: bool = False) -> ReshardPlan: ...
@overload
def reshard_plan(
    arrays: Any,
    targets: Any,
    mesh: AnyMesh,
    axis: str,
    *,
    threshold: int | None = None,
    compiled: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> ReshardPlan: ...
def reshard_plan(
    arrays: Any,
    targets: Any,
    mesh: AnyMesh | None = None,
    axis: str = "",
    *,
    threshold: int | None = None,
    compiled: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> ReshardPlan:
    """Plans how arrays move to another layout. Nothing is moved, and no data is read.

    From a whole mesh to groups of it (MPMD), as JaxPP's ``spmd_to_mpmd_reshard`` does it: arrays go round-robin over
    the first of their groups, the largest first; they are put into chunks one after another while the weights of a
    chunk stay within the threshold. A chunk is one program, which lays its arrays out in every group.

    From groups to the whole mesh, as ``mpmd_to_spmd_reshard`` does it where there are several processes: the largest
    first, the same chunks; an array on several groups comes from the first of them.

    From one sharding to another, as ``jax.device_put`` does it: one array, one chunk.

    Args:
        arrays: a pytree of ``jax.Array`` or ``jax.ShapeDtypeStruct`` with a ``NamedSharding`` on the mesh; or of
            arrays on groups of it, plain ones or what behaves like JaxPP's ``MpmdArray``. Without a mesh: one array.
        targets: to groups: for each array the groups and the spec inside a group, as ``(groups, spec)`` or an object
            with ``mesh_ids`` and ``spec``, such as JaxPP's ``MpmdSharding``; no groups mean group 0, and the MPMD axis
            is left out of the spec. From groups: for each array a ``NamedSharding`` on the mesh. Without a mesh: a
            sharding.
        mesh: the mesh of all groups.
        axis: the axis that divides it.
        threshold: bytes that the weights of a chunk may add up to; a weight is the bytes of a source shard, times the
            number of groups. None takes a third of what is free on the fullest device of this process, as JaxPP does;
            CPU devices do not report what is free.
        compiled: whether to compile the programs, without running them, to find which collectives move each array, over
            which axes and with how many bytes. Arrays that differ only in their paths are compiled once: some 20 ms
            each on CPU devices, up to seconds on others.
        progress: called with how many programs were compiled, and how many there are.

    Raises:
        TypeError: an array or a target is of another form; the message names its path.
        ValueError: the trees differ, a group does not exist, a spec does not fit, the array is on other devices, or the
            threshold is not above 0.
    """
    if mesh is None:
        return _put_plan(arrays, targets, axis, threshold, compiled)
    _check(mesh, axis)
    leaves, tree = jax.tree_util.tree_flatten_with_path(arrays, is_leaf=_is_on_groups)
    wanted, other = jax.tree.flatten(targets, is_leaf=_is_target)
    if tree != other:
        raise ValueError(f"targets must have the structure of arrays: that is {tree}; targets have {other}")
    back = any(isinstance(target, Sharding) for target in wanted)
    moved_of = _moved_back if back else _moved
    moved = tuple(
        moved_of(jax.tree_util.keystr(path, simple=True, separator="/") or "x", x, target, mesh, axis)
        for (path, x), target in zip(leaves, wanted, strict=True)
    )
    plan = ReshardPlan(
        "mpmd_to_spmd" if back else "spmd_to_mpmd",
        read_mesh(mesh),
        axis,
        moved,
        _largest_first(moved) if back else _round_robin(moved),
        0,
        jax_version=jax.__version__,
    )
    plan = plan.with_threshold(_free(mesh) if threshold is None else threshold)
    return with_collectives(plan, mesh, [x.dtype for _, x in leaves], progress) if compiled else plan


def _put_plan(x: Any, target: Any, axis: str, threshold: int | None, compiled: bool) -> ReshardPlan:
    """What ``jax.device_put(x, target)`` moves."""
    if axis or threshold is not None or not isinstance(target, Sharding):
        raise TypeError(
            f"without a mesh the second argument must be a jax.sharding.Sharding; got {type(target).__name__}"
            f"{f' and axis={axis!r}' * bool(axis)}{f' and threshold={threshold!r}' * (threshold is not None)}.\n{FORMS}"
        )
    x = as_typed(x)
    if x.sharding is None:
        raise ValueError(_errors.NO_SHARDING.format(what=x, shape=x.shape, dtype=str(x.dtype)))
    _settled(x.sharding, "x is")
    _settled(target, "the target is")
    moved, before, after = array_put(x, target)
    many = max(before.mesh.size, after.mesh.size) > MOST_FLOWS
    plan = ReshardPlan(
        "device_put",
        before.mesh,
        "",
        (moved,),
        (0,),
        0,
        None if after.mesh == before.mesh else after.mesh,
        () if many else flows(before, after, x.dtype.itemsize),
        f"Which device needs what from which other is not listed for more than {MOST_FLOWS} devices." if many else "",
        jax.__version__,
    )
    return of_put(plan, x, target) if compiled else plan


def _check(mesh: Any, axis: Any) -> None:
    """Refuses what is not a mesh, and an axis that it does not have."""
    if not isinstance(mesh, Mesh | AbstractMesh):
        raise TypeError(f"mesh must be the jax.sharding.Mesh of all groups; got {type(mesh).__name__}.\n{FORMS}")
    if axis not in mesh.axis_names:
        raise ValueError(f"the mesh has no axis {axis!r} to divide it into groups; it has {', '.join(mesh.axis_names)}")


def _is_target(x: Any) -> bool:
    return (
        hasattr(x, "mesh_ids")
        or isinstance(x, Sharding)
        or (isinstance(x, tuple) and len(x) == 2 and isinstance(x[1], PartitionSpec))
    )


def _is_on_groups(x: Any) -> bool:
    return _jax.mpmd_fields(x) is not None


def _moved(path: str, x: Any, target: Any, mesh: AnyMesh, axis: str) -> MovedArray:
    """An array that goes to groups."""
    if _is_on_groups(x):
        raise TypeError(f"{path} is on groups already; to bring it to the mesh, its target must be a NamedSharding")
    if not isinstance(getattr(x, "sharding", None), NamedSharding):
        raise TypeError(f"{path} is a {type(x).__name__} without a NamedSharding on the mesh; it has no source")
    _on(mesh, x.sharding, f"{path} is")
    if not _is_target(target) or isinstance(target, Sharding):
        raise TypeError(f"the target of {path} must be (groups, PartitionSpec); got {target!r}")
    groups, spec = (target.mesh_ids, target.spec) if hasattr(target, "mesh_ids") else target
    try:
        ids = tuple(sorted({operator.index(g) for g in groups})) or (0,)
    except TypeError:
        raise TypeError(
            f"the target of {path} names its groups by their numbers, as {{0, 2}}; got {groups!r}"
        ) from None
    last = mesh.shape[axis] - 1
    if any(not 0 <= g <= last for g in ids):
        raise ValueError(f"the target of {path} names groups {list(ids)}; {axis!r} has groups 0 to {last}")
    shape = tuple(x.shape)
    try:
        return transition(
            shape, x.dtype, x.sharding, sharding_in_groups(shape, spec, mesh, axis), axis, False
        ).to_groups(path, ids)
    except ValueError as error:
        raise ValueError(f"the target of {path}: {error}") from error


def _moved_back(path: str, x: Any, target: Any, mesh: AnyMesh, axis: str) -> MovedArray:
    """An array that comes from groups."""
    if not isinstance(target, NamedSharding):
        raise TypeError(f"the target of {path} must be a NamedSharding on the mesh; got {target!r}")
    _on(mesh, target, f"the target of {path} is")
    fields = _jax.mpmd_fields(x)
    try:
        if fields is not None:
            _on(mesh, NamedSharding(fields.mesh, PartitionSpec()), "it is")
            spec, groups = x.spec, fields.groups
        elif isinstance(getattr(x, "sharding", None), NamedSharding) and isinstance(mesh, Mesh):
            spec, groups = x.sharding.spec, _groups_of(x.sharding, mesh, axis)
        else:
            raise TypeError(
                f"it is a {type(x).__name__}; an array on groups has a NamedSharding on their devices, and the mesh is "
                "a jax.sharding.Mesh"
            )
        if not groups:
            raise ValueError("it is on no group, so there is nothing to move")
        shape = tuple(x.shape)
        return transition(shape, x.dtype, sharding_in_groups(shape, spec, mesh, axis), target, axis, True).from_groups(
            path, groups
        )
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{path}: {error}") from error


# Layers repeat, and a sharding never changes.
_groups_of = functools.lru_cache(maxsize=512)(groups_of)


def _on(mesh: AnyMesh, sharding: NamedSharding, what: str) -> None:
    """Refuses a sharding on another mesh, and one with partial sums.

    Raises:
        ValueError: its mesh has other axes, or other devices; or it is unreduced.
    """
    _settled(sharding, what)
    own = sharding.mesh
    if own is mesh or own == mesh:
        return
    devices = (
        isinstance(own, Mesh)
        and isinstance(mesh, Mesh)
        and not (own.devices.shape == mesh.devices.shape and (own.devices == mesh.devices).all())
    )
    if own.axis_names != mesh.axis_names or own.axis_sizes != mesh.axis_sizes or devices:
        listed = ", ".join(f"{n}={size}" for n, size in own.shape.items())
        whole = ", ".join(f"{n}={size}" for n, size in mesh.shape.items())
        raise ValueError(f"{what} on a mesh {listed}, which is not the mesh of the plan, {whole}, with its devices")


def _settled(sharding: Sharding, what: str) -> None:
    """Refuses a sharding with partial sums.

    Raises:
        ValueError: it is unreduced, or reduced.
    """
    spec = sharding.spec if isinstance(sharding, NamedSharding) else PartitionSpec()
    for state in ("unreduced", "reduced"):
        if axes := getattr(spec, state):
            raise ValueError(f"{what} {state} over {', '.join(sorted(axes))}; a plan moves blocks, not partial sums")


def _round_robin(moved: Sequence[MovedArray]) -> tuple[int, ...]:
    """Round-robin over the first group of each, the largest source shard first."""
    of_group: dict[int, list[int]] = defaultdict(list)
    for i, array in enumerate(moved):
        of_group[array.groups[0]].append(i)
    # JaxPP sorts in ascending order and takes from the end: of equal ones the last goes first.
    queues = [sorted(all_of, key=lambda i: moved[i].source_bytes) for all_of in of_group.values()]
    order: list[int] = []
    while any(queues):
        order += [queue.pop() for queue in queues if queue]
    return tuple(order)


def _largest_first(moved: Sequence[MovedArray]) -> tuple[int, ...]:
    """The largest source shard first; of equal ones the first."""
    return tuple(sorted(range(len(moved)), key=lambda i: -moved[i].source_bytes))


def _free(mesh: AnyMesh) -> int:
    """A third of what is free on the fullest device of this process."""
    free = []
    for device in mesh.local_devices if isinstance(mesh, Mesh) else ():
        stats = device.memory_stats() or {}
        if not {"bytes_limit", "peak_bytes_in_use"} <= stats.keys():
            raise ValueError(NO_THRESHOLD)
        free.append(stats["bytes_limit"] - stats["peak_bytes_in_use"])
    if not free:
        raise ValueError(NO_THRESHOLD)
    return min(free) // 3
