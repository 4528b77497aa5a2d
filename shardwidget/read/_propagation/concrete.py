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
from jax.sharding import Mesh, NamedSharding

from shardwidget import _jax
from shardwidget.read._propagation.mends import Entries, entries
from shardwidget.read._propagation.tree import Body, Line, Node, Tree

CALLBACKS = {"pure_callback", "io_callback"}
"""Their results lie on one device, of which a spec cannot tell: JAX raises where such a sharding is inspected."""
NOT_INSPECTED = "The compiler does not tell where the values of this program are: {error}"

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
    note: str = ""
    """Why there are no places at all."""


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

    def instrumented(body: Body, inspect: bool) -> Any:
        return _jax.with_equations(body.jaxpr, [eqn for node in body.nodes for eqn in equations(node, inspect)])

    def equations(node: Node, inspect: bool) -> list[Any]:
        eqn = node.eqn
        bodies = [instrumented(body, inspect) for body in node.bodies]
        if bodies:
            eqn = _jax.with_bodies(eqn, bodies)
        if node.line < 0:
            return [eqn]
        eqn = _jax.named(eqn, f"shardwidget{node.line}")
        line = tree.lines[node.line]
        shown = [(k, v) for k, v in enumerate(eqn.outvars) if inspect and not unseen(line, v)]
        return [eqn, *(_jax.inspection(eqn, v, callback(node.line, k, v.aval.ndim)) for k, v in shown)]

    def compile_(inspect: bool) -> jax.stages.Compiled:
        function: Any = jaxpr_as_fun(_jax.closed(instrumented(tree.root, inspect), tree.root.consts))
        function.__name__ = name
        with jax.set_mesh(mesh):
            return jax.jit(function).lower(*arguments).compile()

    try:
        return Concrete(compile_(inspect=True), places)
    except Exception as error:
        without = compile_(inspect=False)
        return Concrete(without, {}, NOT_INSPECTED.format(error=str(error).strip().splitlines()[0]))


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
    if line.eqn.primitive.name in CALLBACKS:
        return "Python gives it, on one device."
    return ""


def put_of(sharding: Any, mesh: Mesh, rank: int) -> Put:
    """A sharding of the compiler's as the axes of a mesh."""
    if isinstance(sharding, NamedSharding) and tuple(sharding.mesh.axis_names) == tuple(mesh.axis_names):
        return Put(entries(sharding.spec, rank), str(sharding.spec))
    spec = _jax.spec_on(sharding, mesh, rank)
    text = _jax.hlo_text(sharding, rank) or str(sharding)
    return Put(None if spec is None else entries(spec, rank), text)
