"""Where the compiled program really puts every value: the program compiled once, with every result inspected.

Each equation also gets a name of its own in the program's name stack, so that a collective of the compiled module says
which equation it was put in for: ``jit(f)/jvp(shardwidget7)/dot_general``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
from jax.extend.core import jaxpr_as_fun
from jax.sharding import Mesh

from shardwidget import _jax
from shardwidget.read._comparison.tree import Line, LineBody, LineNode, Tree
from shardwidget.read._entries import Entries, entries

TAG = re.compile(r"(?:/|^|(?<=\())shardwidget(\d+)(?=[/)]|$)")


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


def compiled(tree: Tree, arguments: Sequence[jax.ShapeDtypeStruct], mesh: Mesh, name: str) -> Concrete:
    """Compiles a program for a mesh, without running it.

    Args:
        tree: the program.
        arguments: shapes that lie on the mesh.
        mesh: the devices to compile for.
        name: of the function.

    Raises:
        Exception: the program does not compile.
    """
    places: dict[int, dict[int, Put]] = {}

    def callback(line: int, k: int, rank: int) -> Callable[[Any], None]:
        return lambda sharding: places.setdefault(line, {}).__setitem__(k, put_of(sharding, mesh, rank))

    def instrumented(body: LineBody) -> Any:
        return _jax.with_equations(body.jaxpr, [eqn for node in body.nodes for eqn in equations(node)])

    def equations(node: LineNode) -> list[Any]:
        eqn = node.eqn
        bodies = [instrumented(body) for body in node.bodies]
        if bodies:
            eqn = _jax.with_bodies(eqn, bodies)
        if node.line < 0:
            return [_jax.named(eqn, f"shardwidget{node.of}")] if node.of >= 0 else [eqn]
        eqn = _jax.named(eqn, f"shardwidget{node.line}")
        line = tree.lines[node.line]
        shown = [(k, v) for k, v in enumerate(eqn.outvars) if not unseen(line, v)]
        if mesh.size == 1:  # Nothing is partitioned.
            places[node.line] = {k: Put(((),) * v.aval.ndim, "{replicated}") for k, v in shown}
            return [eqn]
        return [eqn, *(_jax.inspection(eqn, v, callback(node.line, k, v.aval.ndim)) for k, v in shown)]

    function: Any = jaxpr_as_fun(_jax.closed(instrumented(tree.root), tree.root.consts))
    function.__name__ = name
    with jax.set_mesh(mesh):
        return Concrete(jax.jit(function).lower(*arguments).compile(), places)


def unseen(line: Line, v: Any) -> str:
    """Why the compiler is not asked where a result of an equation is; empty where it is."""
    aval = v.aval
    if line.local:
        return "Each device has a block of its own."
    if _jax.is_dropped(v):
        return "Nothing uses it."
    if not hasattr(aval, "shape"):
        return "It is no array."
    if jax.dtypes.issubdtype(aval.dtype, jax.dtypes.extended):
        return "The compiler is not asked where PRNG keys are."
    if not aval.size or aval.dtype == jax.dtypes.float0:
        return "It has no bytes."
    return ""


def put_of(sharding: Any, mesh: Mesh, rank: int) -> Put:
    """The compiler's sharding of a value as the axes of a mesh."""
    spec = _jax.spec_on(sharding, mesh)
    return Put(None if spec is None else entries(spec, rank), str(sharding))
