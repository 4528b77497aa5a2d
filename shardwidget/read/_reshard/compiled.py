"""The collectives by which XLA moves each array of a plan: its program is compiled, and not run."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any

import jax
from jax.sharding import Mesh, NamedSharding, PartitionSpec, Sharding

from shardwidget import _jax
from shardwidget.document import Dim, HloCollective, MovedArray, PlanCollective, ReshardPlan
from shardwidget.read._entries import spec_of
from shardwidget.read._processes.together import compiling
from shardwidget.read._program.programs import program

OTHER_DEVICES = (
    "The devices before and after, or their order, are not the same: no compiled program moves the array, JAX copies "
    "its shards."
)
ABSTRACT = "Nothing is compiled for an abstract mesh."

Progress = Callable[[int, int], None]


def with_collectives(
    plan: ReshardPlan, mesh: Any, dtypes: Sequence[Any], progress: Progress | None = None
) -> ReshardPlan:
    """A plan to or from groups, with the collectives of each array.

    Arrays that are equal but for their paths are compiled once.

    Args:
        plan: to groups, or from them.
        mesh: its mesh.
        dtypes: of each array, as JAX has it: a name alone says too little of a key's.
        progress: called with how many programs were compiled, and how many there are.
    """
    if not isinstance(mesh, Mesh):
        return replace(plan, note=ABSTRACT)
    # On Explicit axes the layout of a slice of the stack would have to be written out; XLA sees no types.
    mesh = Mesh(mesh.devices, mesh.axis_names)
    keys = [_key(plan, array) for array in plan.arrays]
    first: dict[Hashable, tuple[MovedArray, Any]] = {}
    for key, array, dtype in zip(keys, plan.arrays, dtypes, strict=True):
        first.setdefault(key, (array, dtype))
    found: dict[Hashable, tuple[PlanCollective, ...]] = {}
    with compiling(f"{len(first)} programs of a reshard plan", mesh.devices.flat):
        for number, (key, (array, dtype)) in enumerate(first.items()):
            if progress is not None:
                progress(number + 1, len(first))
            found[key] = _compiled(plan, array, dtype, mesh)
    arrays = (replace(a, collectives=found[key]) for a, key in zip(plan.arrays, keys, strict=True))
    return replace(plan, arrays=tuple(arrays))


def of_put(plan: ReshardPlan, x: Any, target: Sharding) -> ReshardPlan:
    """The plan of one ``device_put``, with the collectives of a jitted function that returns its argument."""
    before, after = (_jax.device_assignment(s) for s in (x.sharding, target))
    if before is None or after is None or before != after:
        return replace(plan, note=f"{plan.note} {ABSTRACT if None in (before, after) else OTHER_DEVICES}".strip())
    struct = jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=x.sharding)
    (array,) = plan.arrays
    own: Any = x.sharding.mesh if isinstance(x.sharding, NamedSharding) else None
    with compiling("a device_put", after):
        return replace(plan, arrays=(replace(array, collectives=_read(_same, struct, target, own)),))


def _key(plan: ReshardPlan, array: MovedArray) -> Hashable:
    giver = array.groups[0] if plan.direction == "mpmd_to_spmd" else None
    return array.shape, array.dtype, array.source_dims, array.target_dims, giver


def _compiled(plan: ReshardPlan, array: MovedArray, dtype: Any, mesh: Mesh) -> tuple[PlanCollective, ...]:
    source, target = _spec(array.source_dims), _spec(array.target_dims)
    after = NamedSharding(mesh, target)
    if plan.direction == "spmd_to_mpmd":
        struct = jax.ShapeDtypeStruct(array.shape, dtype, sharding=NamedSharding(mesh, source))
        return _read(_same, struct, after, mesh)
    stacked = NamedSharding(mesh, PartitionSpec(plan.axis, *source))
    struct = jax.ShapeDtypeStruct((plan.groups, *array.shape), dtype, sharding=stacked)
    giver = array.groups[0]
    return _read(lambda stack: stack[giver], struct, after, mesh)


def _spec(dims: tuple[Dim, ...]) -> PartitionSpec:
    return spec_of([dim.axes for dim in dims])


def _same(x: Any) -> Any:
    return x


def _read(f: Callable[[Any], Any], struct: Any, target: Sharding, mesh: Mesh | None) -> tuple[PlanCollective, ...]:
    compiled = _jax.compiled(jax.jit(f, out_shardings=target).lower(struct))
    return tuple(map(_collective, program(compiled, mesh=mesh).collectives))


def _collective(of: HloCollective) -> PlanCollective:
    senders = sum(a != b for a, b in of.pairs) if of.pairs else sum(len(group) for group in of.groups if len(group) > 1)
    return PlanCollective(of.kind, of.axes, of.bytes_per_device, of.bytes_per_device * senders)
