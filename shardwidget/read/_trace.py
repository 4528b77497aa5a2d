"""``read.shard_map``: a program of ``shard_map`` regions, executed step by step."""

from __future__ import annotations

import collections
import math
from collections.abc import Callable
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AbstractMesh

from shardwidget import _jax
from shardwidget.document import Mesh, Trace
from shardwidget.read._mesh import read_mesh
from shardwidget.read._trace_build import Builder
from shardwidget.read._trace_collective import Collectives
from shardwidget.read._trace_host import HostEngine
from shardwidget.read._trace_plan import Plan, Planner, Region
from shardwidget.read._trace_run import MeshEngine, Recorder
from shardwidget.read._trace_steps import Place, Writer
from shardwidget.read._trace_values import Written

CORNERS = ((8, 8), (4, 8), (4, 4), (2, 4), (2, 2), (1, 1))
"""Corners that a value is shown by, the first that fits ``WINDOWS``."""
WINDOWS = 2**22
"""Most bytes of all corners together."""


def shard_map(f: Callable[..., Any], *args: Any, devices: Literal["host"] | None = None, keep: int = 2**24) -> Trace:
    """Runs a function that calls ``jax.shard_map`` and writes down every step.

    Args:
        f: a ``shard_map`` function, or any function that calls one or several: jitted, ``jax.grad`` or ``jax.vmap`` of
            one, a closure.
        *args: its arguments. A ``jax.ShapeDtypeStruct`` stands for an array of the numbers 0, 1, 2 …
        devices: ``"host"`` simulates the mesh on one device. So it is done, too, where a mesh is abstract.
        keep: most bytes of values kept whole, all devices together; of the others the corner that is shown is kept.

    Returns:
        The trace; ``.outputs`` is what ``f(*args)`` returns.
    """
    filled = jax.tree.map(_filled, args)
    leaves, tree = jax.tree.flatten(filled)
    # A function of its own, or JAX gives back what it traced before, whatever f has closed over since.
    closed, shape = jax.make_jaxpr(lambda *args: f(*args), return_shape=True)(*filled)
    plan = _plan(closed, keep)
    host = devices == "host" or any(isinstance(r.mesh, AbstractMesh) for r in plan.regions if r.parent is None)
    run = _compiled(plan, leaves, host)
    outs, tensors = run(plan.consts, leaves)
    meshes = _meshes(plan)
    written = Written(tensors, meshes, CORNERS[0])
    collectives_ = Collectives(meshes)
    writer = Writer(written, meshes, collectives_)
    place = Place(None, {}, -1, getattr(f, "__name__", ""))
    names = _jax.argument_names(plan.root.jaxpr)
    values = [writer.value(v.aval, place, array=x) for v, x in zip(plan.root.jaxpr.invars, leaves, strict=True)]
    consts = [writer.value(jax.typeof(c), place, array=c) for c in plan.consts]
    results = writer.block(plan.root, values, consts, place)
    for result, array in zip(results, outs, strict=True):
        if hasattr(result, "array"):
            result.array = array
    mesh = next(iter(meshes.values()))
    builder = Builder(writer, written, mesh, CORNERS[0])
    variables = builder.variables()
    del names
    return Trace(
        mesh=mesh,
        steps=builder.steps(variables),
        variables=variables,
        regions=builder.region_documents(),
        scopes=tuple(writer.scopes),
        listings=builder.listings(),
        plans=tuple(collectives_.plans),
        name=getattr(f, "__name__", ""),
        engine="host" if host else "mesh",
        jax_version=jax.__version__,
        outputs=jax.tree.unflatten(jax.tree.structure(shape), outs),
    )


def _filled(x: Any) -> Any:
    if isinstance(x, jax.ShapeDtypeStruct):
        return jnp.arange(math.prod(x.shape)).reshape(x.shape).astype(x.dtype)
    return x


def _plan(closed: Any, keep: int) -> Plan:
    return Planner(CORNERS[0]).plan(closed)


def _meshes(plan: Plan) -> dict[Region, Mesh]:
    found: dict[Region, Mesh] = {}
    for region in plan.regions:
        found[region] = read_mesh(region.mesh) if region.parent is None else found[region.parent]
    return found


_PROGRAMS: collections.OrderedDict[Any, Any] = collections.OrderedDict()


def _compiled(plan: Plan, leaves: list[Any], host: bool) -> Any:
    return jax.jit(Recorder(plan, HostEngine() if host else MeshEngine()))


