"""The program whose equations are the rows of a comparison, and how it is traced."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from jax.sharding import AbstractMesh, AxisType

from shardwidget import _jax
from shardwidget._jax import AnyMesh
from shardwidget.read._comparison.explicit import Fixing
from shardwidget.read._comparison.pasting import Pasting
from shardwidget.read._comparison.price import Prices
from shardwidget.read._comparison.question import ComparedCall, abstract, retyped
from shardwidget.read._comparison.run import ExplicitRun
from shardwidget.read._comparison.traced import past_stops, traced
from shardwidget.read._comparison.tree import Tree


@dataclass(frozen=True)
class Base:
    """The program whose equations are the rows."""

    mesh: AnyMesh
    jaxpr: _jax.AnyJaxpr
    leaves_stops: bool = False
    """Whether equations that stop are left to the compiler in it."""
    error: Exception | None = None
    """Why it ends early, if it does."""


def base_of(call: ComparedCall, wanted: Literal["auto", "explicit"] | None) -> Base:
    """The program on its own mesh; or, where that stops, on an Auto one.

    One that no Auto mesh can trace (it uses what only Explicit axes allow, or closes over its mesh) continues past
    its stops.
    """
    kind = {"auto": AxisType.Auto, "explicit": AxisType.Explicit}
    mesh = call.mesh if wanted is None else retyped(call.mesh, kind[wanted])
    first, traced = _attempt(call, mesh)
    if first is None:
        return Base(mesh, traced)
    is_of_spec = _jax.messages.is_of_spec(first)
    is_new = is_of_spec
    if AxisType.Explicit in mesh.axis_types:
        auto = retyped(mesh, AxisType.Auto)
        second, traced = _attempt(call, auto)
        if second is None and not (is_of_spec and _stops_nowhere(call, traced, auto)):
            return Base(auto, traced)
        is_new |= second is None or _without_shardings(first) != _without_shardings(second)
    if is_new and (base := _past_stops(call, mesh)):
        return base
    raise _jax.from_user(first)


def _stops_nowhere(call: ComparedCall, jaxpr: _jax.AnyJaxpr, auto: AnyMesh) -> bool:
    """Whether all equations of an Auto mesh's program have types on an Explicit one: a reshard leaves none there."""
    mesh, tree = abstract(retyped(auto, AxisType.Explicit)), tree_of(call, jaxpr, auto)
    return not ExplicitRun(tree, mesh, _no_choices(call, mesh, tree)).of(call.on(mesh)).stops


def _no_choices(call: ComparedCall, mesh: AbstractMesh, tree: Tree) -> Fixing:
    return Fixing({}, {}, Prices(mesh), Pasting(call, mesh, len(tree.lines)))


def tree_of(call: ComparedCall, jaxpr: _jax.AnyJaxpr, mesh: AnyMesh) -> Tree:
    """The lines of a jaxpr of the function."""
    return Tree(jaxpr, call.function, call.names, mesh.axis_types, call.closed_over)


def _attempt(call: ComparedCall, mesh: AnyMesh) -> tuple[Exception | None, Any]:
    try:
        return None, _jax.unfiltered(lambda: call.trace(mesh))
    except Exception as error:
        if not _jax.messages.is_of_another_mesh(error):
            return error, None
        first = error
    # A region brings a mesh of its own, which another one in force contradicts: jit traces it with none.
    try:
        return None, _jax.unfiltered(lambda: call.trace(mesh, sets_mesh=False))
    except Exception:
        return first, None


def _without_shardings(error: Exception) -> tuple[type, str]:
    """An exception's class and message, with the shardings left out of the types in it."""
    return type(error), _jax.messages.without_shardings(str(error))


def _past_stops(call: ComparedCall, mesh: AnyMesh) -> Base | None:
    """The program on its own mesh, the result of each stop laid out as the chosen fix asks."""
    whole = past_stops(call, mesh, {})
    if whole.jaxpr is None:
        return None
    tree = tree_of(call, whole.jaxpr, mesh)
    stops = traced(call, tree, abstract(mesh), _no_choices(call, abstract(mesh), tree)).stops
    fixes = {key: stop.fixes[stop.chosen] for key, stop in stops.items() if stop.chosen >= 0}
    found = past_stops(call, mesh, {key: fix.type.sharding.spec for key, fix in fixes.items()})
    if found.jaxpr is None:
        return None
    return Base(mesh, found.jaxpr, leaves_stops=True, error=found.error)
