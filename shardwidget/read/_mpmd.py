"""Arrays that live on some of several groups of devices: JaxPP's, and plain arrays on parts of one mesh."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from shardwidget import _jax
from shardwidget.document import Hold, MpmdPlacement
from shardwidget.read._cuts import dims_of_spec
from shardwidget.read._entries import spec_text
from shardwidget.read._mesh import read_mesh

FORMS = """groups=(mesh, axis) takes the jax.sharding.Mesh of all groups, and the name of the axis that divides it:
  read.placement(x, groups=(mesh, "stage"))              an array on one group's devices, or on those of several
  read.placement([x0, x2], groups=(mesh, "stage"))       arrays on groups of their own, read as one"""


def is_mpmd(x: Any) -> bool:
    """Whether this behaves like JaxPP's ``MpmdArray``."""
    return _jax.mpmd_fields(x) is not None


def mpmd_placement(x: Any, groups: tuple[Mesh, str] | None, name: str) -> MpmdPlacement:
    """Reads an array on groups.

    Args:
        x: what behaves like an ``MpmdArray``; with ``groups`` a ``jax.Array`` or a ``ShapeDtypeStruct`` with a sharding
            on the devices of one or several groups, or a list of them: one array.
        groups: the mesh of all groups and the axis that divides it; None for an ``MpmdArray``, which has its own.
        name: what to call it.

    Raises:
        TypeError: ``x`` or ``groups`` is not one of these.
        ValueError: an array is not on whole groups, or the arrays of a list are not copies of one.
    """
    fields = _jax.mpmd_fields(x)
    if fields is not None:
        mesh, axis = fields.mesh, fields.axis
        holds: dict[int, Hold] = {group: _hold(fields.arrays.get(group), mesh, axis, group) for group in fields.groups}
        shape, dtype, spec = tuple(x.shape), x.dtype, x.spec
        memory = _memory_of(x)
    else:
        mesh, axis = checked_groups(groups)
        arrays: list[Any] = list(x) if isinstance(x, list | tuple) and not _is_triple(x) else [x]
        by_group = _by_group(arrays, mesh, axis)
        first: Any = arrays[0]
        shape, dtype, spec = tuple(first.shape), first.dtype, _spec_of(first)
        holds = {group: _hold(array, mesh, axis, group) for group, array in by_group.items()}
        memory = first.sharding.memory_kind or ""
    kinds: Any = tuple(holds.get(group, "none") for group in range(mesh.shape[axis]))
    struct = in_group(shape, dtype, spec, mesh, axis)
    return MpmdPlacement(
        mesh=read_mesh(mesh),
        axis=axis,
        shape=shape,
        dims=dims_of_spec(shape, spec),
        holds=kinds,
        dtype=str(dtype),
        bits=8 * dtype.itemsize,
        name=name,
        type=_jax.type_text(jax.typeof(struct)),
        spec=spec_text(spec),
        source=_source(x),
        memory_kind=memory,
        jax_version=jax.__version__,
    )


def _source(x: Any) -> str:
    """What was given, in few words."""
    if isinstance(x, list | tuple) and not _is_triple(x):
        return "jax.Array" if len(x) == 1 else f"{len(x)} arrays"
    return "jax.Array" if isinstance(x, jax.Array) else type(x).__name__


def _memory_of(x: Any) -> str:
    """The memory kind of an ``MpmdArray``; one without groups has no sharding to ask."""
    try:
        return x.sharding.memory_kind or ""
    except Exception:  # JaxPP makes the sharding of a union of groups on request, and cannot for no groups.
        return ""


def checked_groups(groups: Any) -> tuple[Mesh, str]:
    """The mesh of all groups and its MPMD axis.

    Raises:
        TypeError: it is not a pair of a concrete mesh and a name.
        ValueError: the mesh has no such axis.
    """
    if not (isinstance(groups, tuple) and len(groups) == 2 and isinstance(groups[0], Mesh)):
        raise TypeError(f"groups must be a pair (mesh, axis); got {groups!r}.\n{FORMS}")
    mesh, axis = groups
    if axis not in mesh.axis_names:
        raise ValueError(f"the mesh has no axis {axis!r} to divide it into groups; it has {', '.join(mesh.axis_names)}")
    return mesh, axis


def group_devices(mesh: Mesh, axis: str, group: int) -> np.ndarray:
    """The devices of a group, in the shape of the mesh with the MPMD axis of size 1."""
    return mesh.devices.take([group], mesh.axis_names.index(axis))


def in_group(shape: tuple[int, ...], dtype: Any, spec: PartitionSpec, mesh: Mesh, axis: str) -> jax.ShapeDtypeStruct:
    """The shape on one group's mesh.

    Raises:
        ValueError: the spec does not fit a group; in JAX's words.
    """
    one = Mesh(group_devices(mesh, axis, 0), mesh.axis_names, axis_types=mesh.axis_types)
    try:
        sharding = NamedSharding(one, spec)
        sharding.shard_shape(shape)
    except Exception as error:  # JAX has a class of its own for some of these.
        inside = ", ".join(f"{n}={size}" for n, size in mesh.shape.items() if n != axis)
        raise ValueError(f"{spec} does not fit {shape} in a group of mesh {inside}. JAX says:\n{error}") from error
    return jax.ShapeDtypeStruct(shape, dtype, sharding=sharding)


def _hold(array: Any, mesh: Mesh, axis: str, group: int) -> Hold:
    """What a group has of its array."""
    here = jax.process_index()
    addressed = any(d.process_index == here for d in group_devices(mesh, axis, group).flat)
    if array is None:
        return "dropped" if addressed else "remote"
    if isinstance(array, jax.ShapeDtypeStruct):
        return "abstract"
    try:
        deleted = array.is_deleted()
    except Exception:  # An array from another library may fail in any way; its neighbours are still shown.
        deleted = True
    return "deleted" if deleted else "live" if addressed else "remote"


def _is_triple(x: Any) -> bool:
    return len(x) == 3 and isinstance(x[2], jax.sharding.Sharding)


def _by_group(arrays: Sequence[Any], mesh: Mesh, axis: str) -> dict[int, Any]:
    """Which array each group holds."""
    if not arrays:
        raise ValueError(f"an empty list has no array to show.\n{FORMS}")
    found: dict[int, Any] = {}
    for at, array in enumerate(arrays):
        if not isinstance(array, jax.Array | jax.ShapeDtypeStruct) or array.sharding is None:
            raise TypeError(f"item {at} is a {type(array).__name__}, not a jax.Array on a group's devices.\n{FORMS}")
        first = arrays[0]
        if (array.shape, array.dtype, _spec_of(array)) != (first.shape, first.dtype, _spec_of(first)):
            one, other = (f"{a.dtype}{list(a.shape)} {_spec_of(a)}" for a in (first, array))
            raise ValueError(
                f"a list of arrays is one array only if they are alike; item 0 is {one}, item {at} {other}"
            )
        for group in groups_of(array.sharding, mesh, axis):
            if group in found:
                raise ValueError(f"item {at} is on group {group}, and so is another item; each group has one array")
            found[group] = array
    return found


def _spec_of(array: Any) -> PartitionSpec:
    return array.sharding.spec if isinstance(array.sharding, NamedSharding) else PartitionSpec()


def groups_of(sharding: Any, mesh: Mesh, axis: str) -> tuple[int, ...]:
    """The groups whose devices a sharding has, each whole and in the mesh's order.

    Raises:
        ValueError: it is on parts of groups, on devices of no group, or is split over the groups.
    """
    at = mesh.axis_names.index(axis)
    own: Any = sharding.mesh.devices if isinstance(sharding, NamedSharding) else np.array(list(sharding.device_set))
    names = sharding.mesh.axis_names if isinstance(sharding, NamedSharding) else ()
    stacked = own if axis not in names else np.moveaxis(own, names.index(axis), 0)
    parts = stacked.reshape(own.shape[names.index(axis)] if axis in names else 1, -1)
    if len(parts) > 1 and any(axis in dim.axes for dim in dims_of_spec((0,) * len(sharding.spec), sharding.spec)):
        raise ValueError(f"{sharding.spec} splits the array over {axis!r}: its groups hold parts, not copies of it")
    known: Mapping[tuple, int] = {
        tuple(d.id for d in mesh.devices.take([group], at).flat): group for group in range(mesh.shape[axis])
    }
    found = [known.get(tuple(d.id for d in part)) for part in parts]
    if None in found:
        held = sorted(d.id for d in own.flat)
        raise ValueError(
            f"the array is on devices {held}, which are not those of whole groups of {axis!r}, in their order; the "
            f"groups are {[list(ids) for ids in known]}"
        )
    return tuple(group for group in found if group is not None)
