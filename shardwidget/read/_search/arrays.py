"""The arrays of a step, split as a candidate says."""

from __future__ import annotations

import ast

import jax
from jax.sharding import AbstractMesh, AxisType, NamedSharding, PartitionSpec

from shardwidget.document import Candidate, Search


def arrays_of(search: Search, candidate: Candidate) -> dict[str, jax.ShapeDtypeStruct]:
    """Shapes of the step's arrays by their paths, with a candidate's shardings on a mesh without devices."""
    sizes = {axis.name: axis.size for axis in candidate.axes} or {"data": 1}
    mesh = AbstractMesh(tuple(sizes.values()), tuple(sizes), (AxisType.Auto,) * len(sizes))
    shardings = {k: NamedSharding(mesh, _spec(search.specs[k])) for k in set(candidate.specs)}
    return {
        leaf.path: jax.ShapeDtypeStruct(leaf.shape, _dtype(leaf.dtype), sharding=shardings[k])
        for leaf, k in zip(search.leaves, candidate.specs, strict=True)
    }


def _spec(text: str) -> PartitionSpec:
    """``P('fsdp', None, ('data', 'seq'))``, as ``spec_text`` writes it."""
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call)
    return PartitionSpec(*map(ast.literal_eval, call.args))


def _dtype(name: str) -> object:
    return jax.dtypes.prng_key if name.startswith("key<") else name
