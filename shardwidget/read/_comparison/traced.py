"""A function traced on an Explicit mesh, continuing with a fix wherever JAX stops.

What JAX does by itself on such a mesh (``jnp.where`` reshards its condition, ``zeros_like`` keeps a sharding) is
then in the types, below a stop too.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax
from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec, auto_axes

from shardwidget import _jax
from shardwidget._jax import AnyMesh
from shardwidget.read._comparison.aligned import essence
from shardwidget.read._comparison.explicit import Fixing, Stopped
from shardwidget.read._comparison.question import ComparedCall
from shardwidget.read._comparison.run import ExplicitRun
from shardwidget.read._comparison.tree import LineNode, Tree, bodies


@dataclass(frozen=True)
class Traced:
    """How far tracing got, continuing where it stopped."""

    jaxpr: _jax.AnyJaxpr | None
    """The program: the whole, or as far as it is known."""
    error: Exception | None
    """The exception that no fix avoids."""
    stops: Mapping[Hashable, Stopped]
    """In the order of the marks on the equations that replace one that stopped."""


def left(asked: ComparedCall, mesh: AnyMesh, layouts: Mapping[Hashable, PartitionSpec]) -> Traced:
    """Traces a function on its own mesh, leaving to the compiler the equations at which it stops.

    Args:
        asked: the function.
        mesh: its mesh, some axes Explicit.
        layouts: how their results are to be laid out, by the keys of ``Traced.stops``; if not named, whole.
    """
    marks: list[Hashable] = []

    def fix(primitive: Any, operands: list[Any], params: dict[str, Any], error: Exception) -> list[Any] | None:
        if any(_jax.manual_types(jax.typeof(x))[0] for x in operands):
            return None
        key = _stop(primitive, operands, params)
        if key not in marks:
            marks.append(key)

        def bind(*values: Any) -> list[Any]:
            here = jax.sharding.get_abstract_mesh()
            if primitive.name == "sharding_constraint":
                return [jax.lax.with_sharding_constraint(values[0], NamedSharding(here, params["sharding"].spec))]
            return _jax.bind_here(primitive, _jax.on_mesh(params, here), *values)

        going_on: Any = auto_axes(bind, out_sharding=layouts.get(key, PartitionSpec()))
        with _jax.marked(_jax.Mark(marks.index(key), "")):
            return going_on(*operands)

    return _continuing(asked, mesh, fix, {})


def traced(asked: ComparedCall, tree: Tree, mesh: AbstractMesh, fixing: Fixing) -> Traced:
    """Traces a function on an Explicit mesh.

    Args:
        asked: the function.
        tree: the same, traced on another mesh.
        mesh: all its axes Explicit.
        fixing: how to continue where it stops, by lines of ``tree``.
    """
    fixer = _Fixer(tree, mesh, fixing)
    return _continuing(asked, mesh, fixer.fix, fixer.stops)


def _continuing(asked: ComparedCall, mesh: AnyMesh, fix: _jax.Fixer, stops: Mapping[Hashable, Stopped]) -> Traced:
    with _jax.fixing(fix):
        try:
            return Traced(_jax.unfiltered(lambda: asked.trace(mesh)), None, stops)
        except Exception as raised:
            partial_trace = _jax.partial_trace(raised)
            return Traced(partial_trace.jaxpr if partial_trace else None, raised, stops)


class _Fixer:
    def __init__(self, tree: Tree, mesh: AbstractMesh, fixing: Fixing) -> None:
        self.stops: dict[Hashable, Stopped] = {}
        self._mesh = mesh
        self._tree = tree
        self._busy = False
        nodes: dict[Hashable, list[LineNode]] = {}
        for body in bodies(tree.root):
            for node in body.nodes:
                if node.line >= 0:
                    nodes.setdefault(self._site_of(node), []).append(node)
        # Like equations of one line of the user's are changed together, as the line is.
        self._nodes = {site: found[0] for site, found in nodes.items()}
        first = {node.line: found[0].line for found in nodes.values() for node in found}
        choices = {first[k]: choice for k, choice in fixing.choices.items() if k in first}
        self._run = ExplicitRun(tree, mesh, replace(fixing, choices=choices))

    def fix(self, primitive: Any, operands: list[Any], params: dict[str, Any], error: Exception) -> list[Any] | None:
        """The results of a primitive that raised, with the chosen fix; None where there is none."""
        if self._busy or any(_jax.manual_types(jax.typeof(x))[0] for x in operands):
            return None
        key = _stop(primitive, operands, params)
        if key not in self.stops:
            node = self._nodes.get(key[0])
            if node is None:
                return None
            self.stops[key] = self._stopped(node, operands, error)
        stopped = self.stops[key]
        if stopped.chosen < 0:
            return None
        with _jax.marked(_jax.Mark(list(self.stops).index(key), primitive.name)):
            return stopped.fixes[stopped.chosen].bind(operands)

    def _stopped(self, node: LineNode, operands: list[Any], error: Exception) -> Stopped:
        found: list[Stopped] = []
        types = [jax.typeof(x) for x in operands]
        self._busy = True
        try:
            jax.make_jaxpr(lambda: found.append(self._run.stopped(node, [*map(_jax.of_type, types)], error)))()
        finally:
            self._busy = False
        return found[0]

    def _site_of(self, node: LineNode) -> Hashable:
        eqn, frames = node.eqn, self._tree.lines[node.line].frames
        place = [(f.file_name, f.start_line, f.start_column) for f in frames[:1]]
        return _site(eqn.primitive, [v.aval for v in eqn.invars], eqn.params, place[0] if place else None)


def _stop(primitive: Any, operands: Sequence[Any], params: Mapping[str, Any]) -> tuple[Hashable, tuple[str, ...]]:
    """A primitive that stops now: its site, and the types at which it does."""
    types = [jax.typeof(x) for x in operands]
    return _site(primitive, types, params, _jax.current_location()), tuple(map(_jax.type_text, types))


def _site(primitive: Any, avals: Sequence[Any], params: Mapping[str, Any], where: Hashable) -> Hashable:
    """What equations have in common that come from one expression of the user's."""
    shapes = tuple((getattr(a, "shape", ()), str(getattr(a, "dtype", ""))) for a in avals)
    return primitive.name, shapes, essence(primitive.name, params), where
