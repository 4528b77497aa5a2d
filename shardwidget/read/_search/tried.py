"""A candidate that is tried, of a plan or the user's own: its mesh, the specs of the leaves, what splits the batch."""

from __future__ import annotations

from dataclasses import dataclass

from jax.sharding import NamedSharding, PartitionSpec

from shardwidget.read._search.machine import Machine
from shardwidget.read._search.plans import Plan, leaf_specs, name_of
from shardwidget.read._search.roles import Roles
from shardwidget.read._search.step import Step


@dataclass(frozen=True)
class Tried:
    """A candidate, and how to lower it."""

    sizes: tuple[tuple[str, int], ...]
    specs: tuple[PartitionSpec, ...]
    plan: Plan | None
    """None for the user's own sharding."""
    name: str
    batch_axes: frozenset[str]


def of_plan(plan: Plan, step: Step, roles: Roles) -> Tried:
    """The candidate of a plan."""
    hidden = frozenset({"data", "fsdp"})
    return Tried(plan.sizes, tuple(leaf_specs(plan, step, roles)), plan, plan.name, hidden)


def now_of(step: Step, roles: Roles, machine: Machine) -> Tried | None:
    """The user's own sharding; None where there is none for so many devices."""
    if step.mesh is None or step.mesh.size != machine.size:
        return None
    shape = dict(step.mesh.shape)
    specs = tuple(s.spec if isinstance(s, NamedSharding) else PartitionSpec() for s in step.shardings)
    of_batch = {
        axis
        for v, spec in zip(step.inputs, specs, strict=True)
        for group, entry in zip(step.dims.of(v), spec, strict=False)
        if group in roles.batch
        for axis in ((entry,) if isinstance(entry, str) else entry or ())
    }
    return Tried(tuple(shape.items()), specs, None, name_of(shape, specs, step, roles), frozenset(of_batch))
