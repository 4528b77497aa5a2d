"""Where the compiled program really puts every value: the program compiled once, with every result inspected.

Each equation also gets a name of its own in the program's name stack, so that a collective of the compiled module says
which equation it was put in for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
from jax.extend.core import jaxpr_as_fun
from jax.sharding import Mesh, NamedSharding

from shardwidget import _jax
from shardwidget.read._propagation.mends import Entries, entries
from shardwidget.read._propagation.tree import Body, Node, Tree

TAG = re.compile(r"(?:^|/)sw(\d+)(?=/|$)")


@dataclass(frozen=True)
class Put:
    """Where a value is."""

    dims: Entries | None
    """The mesh axes of each dimension; None where its sharding is no spec on the mesh."""
    text: str
    """The sharding's own text, used where there is no spec."""


@dataclass(frozen=True)
class Concrete:
    """A compiled program, and where it puts the results of each line."""

    compiled: jax.stages.Compiled
    places: dict[int, dict[int, Put]]
    """By line, by index of the result."""


def compiled(tree: Tree, closed: Any, arguments: Sequence[jax.ShapeDtypeStruct], mesh: Mesh, name: str) -> Concrete:
    """Compiles a program for a mesh, without running it.

    Args:
        tree: the walk of ``closed``.
        closed: the program as a jaxpr.
        arguments: shapes that lie on the mesh.
        mesh: the devices to compile for.
        name: of the function.
    """
    places: dict[int, dict[int, Put]] = {}

    def callback(line: int, k: int, rank: int) -> Callable[[Any], None]:
        return lambda sharding: places.setdefault(line, {}).__setitem__(k, put_of(sharding, mesh, rank))

    def instrumented(body: Body, *, inspect: bool) -> Any:
        eqns = []
        for node in body.nodes:
            eqns += _equations(node, inspect)
        return _jax.with_equations(body.jaxpr, eqns)

    def _equations(node: Node, inspect: bool) -> list[Any]:
        eqn = node.eqn
        inside = inspect and eqn.primitive.name != "shard_map"
        bodies = [instrumented(body, inspect=inside) for body in node.bodies]
        if bodies:
            eqn = _jax.with_bodies(eqn, bodies)
        if node.line < 0:
            return [eqn]
        eqn = _jax.named(eqn, f"sw{node.line}")
        shown = enumerate(eqn.outvars) if inspect else ()
        return [
            eqn,
            *(_jax.inspection(eqn, v, callback(node.line, k, v.aval.ndim)) for k, v in shown if _jax.is_plain(v)),
        ]

    program = _jax.closed(instrumented(tree.root, inspect=True), tree.root.consts)
    function: Any = jaxpr_as_fun(program)
    function.__name__ = name
    with jax.set_mesh(mesh):
        return Concrete(jax.jit(function).lower(*arguments).compile(), places)


def put_of(sharding: Any, mesh: Mesh, rank: int) -> Put:
    """A sharding of the compiler's as the axes of a mesh."""
    if isinstance(sharding, NamedSharding) and tuple(sharding.mesh.axis_names) == tuple(mesh.axis_names):
        return Put(entries(sharding.spec, rank), str(sharding.spec))
    spec = _jax.spec_on(sharding, mesh, rank)
    text = _jax.hlo_text(sharding, rank) or str(sharding)
    return Put(None if spec is None else entries(spec, rank), text)
