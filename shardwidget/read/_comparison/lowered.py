"""The program as it is compiled: with a name on every equation, and an inspection after it where that is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
from jax.extend.core import jaxpr_as_fun
from jax.sharding import Mesh, NamedSharding, Sharding

from shardwidget import _jax
from shardwidget.read._comparison.question import ComparedCall
from shardwidget.read._comparison.tree import TAG, Line, LineBody, LineNode, Tree
from shardwidget.read._entries import Entries, entries


@dataclass(frozen=True)
class ValuePlacement:
    """Where a value is."""

    dims: Entries | None
    """The mesh axes of each dimension; None where its sharding is not a spec on the mesh."""
    text: str
    """The sharding's own text, used where there is no spec."""
    unreduced: tuple[str, ...] = ()
    """Mesh axes over which parts of a sum are still to be added."""


@dataclass(frozen=True)
class Boundary:
    """What a jitted function states about its own arguments and results."""

    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    donated: tuple[int, ...]
    """Indices of the donated arguments."""

    @property
    def options(self) -> dict[str, Any]:
        """As ``jax.jit`` takes it."""
        return {"in_shardings": self.inputs, "out_shardings": list(self.outputs), "donate_argnums": self.donated}


def lowered(
    tree: Tree,
    call: ComparedCall,
    mesh: Mesh,
    places: dict[int, dict[int, ValuePlacement]] | None = None,
    **options: Any,
) -> jax.stages.Lowered:
    """The program with a name on every equation, lowered; where ``places`` are wanted, with inspections.

    Args:
        tree: the program.
        call: the function and its arguments.
        mesh: the devices to compile for.
        places: where the inspections leave what they are told, once it is compiled.
        **options: of ``jax.jit``.
    """
    boundary = _boundary(tree, call, mesh)
    function: Any = jaxpr_as_fun(numbered(tree, mesh, places))
    function.__name__ = call.function
    with call.setting(mesh), _jax.own_context():
        return jax.jit(function, **(boundary.options if boundary else {}), **options).lower(*call.called_on(mesh))


def numbered(tree: Tree, mesh: Mesh, places: dict[int, dict[int, ValuePlacement]] | None = None) -> Any:
    """The jaxpr with a name on every equation; where ``places`` are wanted, with inspections: as of ``lowered``."""
    return _jax.closed(_instrumented(tree, mesh, places), tree.root.consts)


def _boundary(tree: Tree, call: ComparedCall, mesh: Mesh) -> Boundary | None:
    """Shardings and donations that the function was jitted with."""
    control = tree.root.nodes[0].control if call.is_jitted and len(tree.root.nodes) == 1 else None
    if not isinstance(control, _jax.FunctionCall) or not control.in_shardings:
        return None
    jaxpr, operands = tree.root.jaxpr, tree.root.nodes[0].eqn.invars
    said = {id(v): k for k, v in enumerate(operands)}
    if any(id(v) not in said for v in jaxpr.invars):
        return None
    at = [said[id(v)] for v in jaxpr.invars]
    # A result that is an argument does not come from the call.
    made = dict(zip(map(id, tree.root.nodes[0].eqn.outvars), control.out_shardings, strict=True))
    return Boundary(
        tuple(_jax.moved_to(control.in_shardings[k], mesh) for k in at),
        tuple(_jax.moved_to(made[id(v)], mesh) if id(v) in made else None for v in jaxpr.outvars),
        tuple(i for i, k in enumerate(at) if control.donated[k]),
    )


def _instrumented(tree: Tree, mesh: Mesh, places: dict[int, dict[int, ValuePlacement]] | None) -> Any:
    """The program with a name on every equation and, where ``places`` are wanted, an inspection after it."""

    def callback(line: int, k: int, rank: int) -> Callable[[Any], None]:
        assert places is not None
        here = places.setdefault(line, {})
        return lambda sharding: here.__setitem__(k, value_placement(sharding, mesh, rank))

    def instrumented(body: LineBody) -> Any:
        return _jax.with_equations(body.jaxpr, [eqn for node in body.nodes for eqn in equations(node)])

    def equations(node: LineNode) -> list[Any]:
        eqn = node.eqn
        bodies = [instrumented(body) for body in node.bodies]
        if bodies:
            eqn = _jax.with_bodies(eqn, bodies)
        if node.line < 0:
            return [_jax.named(eqn, f"{TAG}{node.of}")] if node.of >= 0 else [eqn]
        eqn = _jax.named(eqn, f"{TAG}{node.line}")
        shown = [] if places is None else inspected_results(tree.lines[node.line])
        return [eqn, *(_jax.inspection(eqn, v, callback(node.line, k, v.aval.ndim)) for k, v in shown)]

    return instrumented(tree.root)


def inspected_results(line: Line) -> list[tuple[int, Any]]:
    """The results of a line that the compiler is asked about, with their indices."""
    return [(k, v) for k, v in enumerate(line.eqn.outvars) if not unseen(line, v)]


def unseen(line: Line, v: Any) -> str:
    """Why the compiler is not asked where a result of an equation is; empty where it is."""
    aval = v.aval
    if line.local:
        return "Each device has a block of its own."
    if _jax.is_dropped(v):
        return "Nothing uses it."
    if not hasattr(aval, "dtype") or _jax.is_ref(aval):
        return "It is not an array."
    if jax.dtypes.issubdtype(aval.dtype, jax.dtypes.extended):
        return "The compiler is not asked where PRNG keys are placed."
    if not aval.size or aval.dtype == jax.dtypes.float0:
        return "It has no bytes."
    return ""


def value_placement(sharding: Sharding, mesh: Mesh, rank: int) -> ValuePlacement:
    """The compiler's sharding of a value as the axes of a mesh."""
    spec = _jax.spec_on(sharding, mesh)
    return ValuePlacement(None if spec is None else entries(spec, rank), str(sharding))


def boundary_placement(sharding: Sharding, mesh: Mesh, rank: int) -> ValuePlacement:
    """The sharding of an argument or of a result."""
    if isinstance(sharding, NamedSharding) and set(sharding.mesh.axis_names) <= set(mesh.axis_names):
        spec = sharding.spec
        unreduced = tuple(a for a in mesh.axis_names if a in spec.unreduced)
        return ValuePlacement(entries(spec, rank), str(spec), unreduced)
    return (
        ValuePlacement(((),) * rank, str(sharding))
        if sharding.is_fully_replicated
        else value_placement(sharding, mesh, rank)
    )
