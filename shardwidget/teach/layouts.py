"""Placements according to JAX: of a spec, of every spec of a mesh, and whether two are the same."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AbstractMesh, AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P
from jax.typing import DTypeLike

from shardwidget import _jax, document, read
from shardwidget._jax import AnyMesh
from shardwidget.read._entries import spec_text

MOST = 4096
"""The most layouts that are searched."""


def place(shape: tuple[int, ...], dtype: DTypeLike, mesh: AnyMesh, spec: P, name: str = "") -> document.Placement:
    """Where an array of this shape and spec is placed.

    Raises:
        Exception: JAX refuses the spec, in its own words and class.
    """
    sharding = NamedSharding(mesh, spec)
    sharding.shard_shape(shape)
    return read.placement((shape, dtype, sharding), name=name)


def specs(rank: int, mesh: AnyMesh) -> Iterator[P]:
    """Every way of giving each mesh axis to one dimension or to none, axes of one dimension in the mesh's order."""
    names = [str(n) for n in mesh.axis_names]
    choices = itertools.product(range(rank + 1), repeat=len(names))
    for chosen in itertools.islice(choices, MOST):
        entries = [tuple(n for n, c in zip(names, chosen, strict=True) if c == d) for d in range(rank)]
        yield P(*(e[0] if len(e) == 1 else e or None for e in entries))


def find(
    shape: tuple[int, ...], dtype: DTypeLike, mesh: AnyMesh, wanted: Callable[[document.Placement], bool]
) -> document.Placement | None:
    """The first layout of an array on a mesh that is as wanted; None if no spec gives one."""
    for spec in specs(len(shape), mesh):
        try:
            placement = place(shape, dtype, mesh, spec)
        except ValueError:
            continue
        if wanted(placement):
            return placement
    return None


def same(a: document.Placement, b: document.Placement) -> bool:
    """Whether every device holds the same slice of both, in the same state."""
    if a.shape != b.shape or set(a.unreduced) != set(b.unreduced) or set(a.reduced) != set(b.reduced):
        return False
    if a.unreduced_kind != b.unreduced_kind:
        return False
    return a.device_ids == b.device_ids and all(a.slices(d) == b.slices(d) for d in a.device_ids)


def spec_of(placement: document.Placement) -> str:
    """The spec of a placement in one spelling, whatever JAX's version prints; its sharding's class where none fits."""
    if placement.spec is None:
        return placement.sharding
    entries = [P.UNCONSTRAINED if d.unconstrained else d.axes or None for d in placement.dims]
    plain = (e[0] if isinstance(e, tuple) and len(e) == 1 else e for e in entries)
    states: dict[str, Any] = {"unreduced": frozenset(placement.unreduced), "reduced": frozenset(placement.reduced)}
    return spec_text(P(*plain, **states, **_jax.of_kind(placement.unreduced_kind)))


def with_types(mesh: AnyMesh, axis_type: AxisType) -> Any:
    """The same mesh, all of whose axes have one type."""
    types = (axis_type,) * len(mesh.axis_names)
    if isinstance(mesh, AbstractMesh):
        return AbstractMesh(mesh.axis_sizes, mesh.axis_names, axis_types=types)
    return Mesh(mesh.devices, mesh.axis_names, axis_types=types)


def mesh_of(*trees: Any) -> Any:
    """The mesh that the first array of some trees is on; None if none is on one."""
    for leaf in jax.tree.leaves(trees):
        sharding = getattr(leaf, "sharding", None)
        if isinstance(sharding, NamedSharding):
            return sharding.mesh
    return None


def mesh_document(mesh: AnyMesh) -> document.Mesh:
    """A mesh as a document; the first device where there is none."""
    return read.placement(np_scalar() if mesh is None else mesh).mesh


def put_like(values: Any, x: jax.Array) -> jax.Array:
    """Values in the place of an array: on the same devices or, like it, on no particular one."""
    if getattr(x, "committed", True):
        return jax.device_put(values, x.sharding, may_alias=False)
    return jnp.array(values, copy=True)


def np_scalar() -> jax.Array:
    """An array on the first device."""
    return jax.device_put(np.float32(0), jax.devices()[0])


_MOST_LEAVES = 12


def figure_of_tree(model: document.Model) -> document.Figure:
    """The paths and types of a tree's arrays, as many as can be looked over."""
    types = [f"{leaf.name}: {leaf.type}" for leaf in model.leaves[:_MOST_LEAVES]]
    more = len(model.leaves) - len(types)
    return document.Figure("", types=(*types, *([f"and {more} more"] if more > 0 else [])))
