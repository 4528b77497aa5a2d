"""A function traced on an Explicit mesh, continuing with a fix wherever JAX stops.

What JAX does by itself on such a mesh (``jnp.where`` reshards its condition, ``zeros_like`` keeps a sharding) is
then in the types, below a stop too.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, TypeVar

import jax
from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec, auto_axes

from shardwidget import _jax
from shardwidget._jax import AnyMesh
from shardwidget.read._comparison.aligned import essence
from shardwidget.read._comparison.explicit import Fixing, Stopped
from shardwidget.read._comparison.question import ComparedCall
from shardwidget.read._comparison.run import ExplicitRun
from shardwidget.read._comparison.tree import LineNode, Tree, bodies
from shardwidget.read._jaxpr.sources import frames_of


class Site(NamedTuple):
    """What equations have in common that come from one expression of the user's."""

    primitive: str
    shapes: tuple[Hashable, ...]
    """Shapes and dtypes of the operands."""
    essence: Hashable
    place: tuple[str, int, int] | None
    """File, line and column of the expression; None where there is none."""


class Stop(NamedTuple):
    """A primitive that stops."""

    site: Site
    types: tuple[str, ...]
    """The types of the operands at which it stops."""


@dataclass(frozen=True)
class Traced:
    """How far tracing got, continuing where it stopped."""

    jaxpr: _jax.AnyJaxpr | None
    """The program: the whole, or as far as it is known."""
    error: Exception | None
    """The exception that no fix avoids."""
    stops: Mapping[Stop, Stopped]
    """In the order of the marks on the equations that replace one that stopped."""


def past_stops(call: ComparedCall, mesh: AnyMesh, layouts: Mapping[Stop, PartitionSpec]) -> Traced:
    """Traces a function on its own mesh, leaving to the compiler the equations at which it stops.

    Args:
        call: the function.
        mesh: its mesh, some axes Explicit.
        layouts: how their results are to be laid out, by the keys of ``Traced.stops``; if not named, whole.
    """
    _, jaxpr, error = _continuing(call, mesh, lambda: _Leaving(layouts))
    return Traced(jaxpr, error, {})


def traced(call: ComparedCall, tree: Tree, mesh: AbstractMesh, fixing: Fixing) -> Traced:
    """Traces a function on an Explicit mesh.

    Args:
        call: the function.
        tree: the same, traced on another mesh.
        mesh: all its axes Explicit.
        fixing: how to continue where it stops, by lines of ``tree``.
    """
    fixer, jaxpr, error = _continuing(call, mesh, lambda: _Fixer(tree, mesh, fixing))
    return Traced(jaxpr, error, fixer.stops)


class _Continues(Protocol):
    @property
    def stops(self) -> Mapping[Stop, Any]:
        """Where it was asked, in the order of the marks."""
        ...

    def fix(self, primitive: Any, operands: list[Any], params: dict[str, Any], error: Exception) -> list[Any] | None:
        """The results of a primitive that raised; None where it does not continue."""


F = TypeVar("F", bound=_Continues)


def _continuing(
    call: ComparedCall, mesh: AnyMesh, fixer: Callable[[], F]
) -> tuple[F, _jax.AnyJaxpr | None, Exception | None]:
    """Traces a function, continuing past its stops; again where JAX reused one line's fix for another line."""
    made, jaxpr, error = _once(call, mesh, fixer(), each_apart=False)
    if jaxpr is not None and _strays(jaxpr, [stop.site.place for stop in made.stops]):
        return _once(call, mesh, fixer(), each_apart=True)
    return made, jaxpr, error


def _once(
    call: ComparedCall, mesh: AnyMesh, fixer: F, *, each_apart: bool
) -> tuple[F, _jax.AnyJaxpr | None, Exception | None]:
    with _jax.fixing(fixer.fix, each_apart=each_apart):
        try:
            return fixer, _jax.unfiltered(lambda: call.trace(mesh)), None
        except Exception as raised:
            partial_trace = _jax.partial_trace(raised)
            return fixer, partial_trace.jaxpr if partial_trace else None, raised


def _strays(jaxpr: _jax.AnyJaxpr, places: Sequence[tuple[str, int, int] | None]) -> bool:
    """Whether a fix is on another line than the one that it was made for."""
    return any(
        frames and places[mark.number] != (frames[0].file_name, frames[0].start_line, frames[0].start_column)
        for mark, frames in _marks(jaxpr)
    )


def _marks(jaxpr: _jax.AnyJaxpr) -> Iterator[tuple[_jax.Mark, list[_jax.Frame]]]:
    """Marks in a jaxpr, and the user's frames of their equations."""
    for eqn in _jax.open_jaxpr(jaxpr)[0].eqns:
        control, mark = _jax.control_of(eqn), _jax.mark_of(eqn)
        inside = [found for body in (control.bodies if control else ()) for found in _marks(body)]
        if mark or inside:
            # What a library's function was traced to has no frames, so that it can be reused: its call has.
            here = frames_of(eqn)
            yield from ((one, frames or here) for one, frames in inside)
            yield from [(mark, here)] if mark and not control else []


class _Leaving:
    """Lets the compiler lay out the results of what stops.

    Args:
        layouts: how, where it is known.
    """

    def __init__(self, layouts: Mapping[Stop, PartitionSpec]) -> None:
        self.stops: dict[Stop, None] = {}
        self._layouts = layouts
        self._busy = False

    def fix(self, primitive: Any, operands: list[Any], params: dict[str, Any], error: Exception) -> list[Any] | None:
        """The results of a primitive that raised; None in a region, where nothing is laid out, or for no legal spec."""
        in_region = any(_jax.manual_types(jax.typeof(x))[0] for x in operands)
        forbidden = _jax.messages.forbidden(error) is not None
        if self._busy or _jax.messages.is_of_spec(error) or in_region or forbidden:
            return None
        key = _stop(primitive, operands, params)
        self.stops.setdefault(key)

        def bind(*values: Any) -> list[Any]:
            here = jax.sharding.get_abstract_mesh()
            if _jax.name_of(primitive) == "sharding_constraint":
                return [jax.lax.with_sharding_constraint(values[0], NamedSharding(here, params["sharding"].spec))]
            return _jax.bind_here(primitive, _jax.on_mesh(params, here), *values)

        going_on: Any = auto_axes(bind, out_sharding=self._layouts.get(key, PartitionSpec()))
        self._busy = True
        try:
            with _jax.marked(_jax.Mark(list(self.stops).index(key), "")):
                return going_on(*operands)
        except Exception as again:
            # What is left to the compiler may be forbidden.
            if _jax.messages.forbidden(again) is None:
                raise
            return None
        finally:
            self._busy = False


class _Fixer:
    def __init__(self, tree: Tree, mesh: AbstractMesh, fixing: Fixing) -> None:
        self.stops: dict[Stop, Stopped] = {}
        self._mesh = mesh
        self._tree = tree
        self._busy = False
        nodes: dict[Site, list[LineNode]] = {}
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
        in_region = any(_jax.manual_types(jax.typeof(x))[0] for x in operands)
        # A sharding that is asked for and forbidden is none that a fix could name.
        if self._busy or in_region or _jax.messages.forbidden(error) is not None:
            return None
        key = _stop(primitive, operands, params)
        if key not in self.stops:
            node = self._nodes.get(key.site)
            if node is None:
                return None
            self.stops[key] = self._stopped(node, operands, error)
        stopped = self.stops[key]
        if stopped.chosen < 0:
            return None
        with _jax.marked(_jax.Mark(list(self.stops).index(key), _jax.name_of(primitive))):
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

    def _site_of(self, node: LineNode) -> Site:
        eqn, frames = node.eqn, self._tree.lines[node.line].frames
        place = [(f.file_name, f.start_line, f.start_column) for f in frames[:1]]
        return _site(eqn.primitive, [v.aval for v in eqn.invars], eqn.params, place[0] if place else None)


def _stop(primitive: Any, operands: Sequence[Any], params: Mapping[str, Any]) -> Stop:
    """A primitive that stops now."""
    types = [jax.typeof(x) for x in operands]
    return Stop(_site(primitive, types, params, _jax.current_location()), tuple(map(_jax.type_text, types)))


def _site(primitive: Any, avals: Sequence[Any], params: Mapping[str, Any], place: tuple[str, int, int] | None) -> Site:
    shapes = tuple((getattr(a, "shape", ()), str(getattr(a, "dtype", ""))) for a in avals)
    return Site(_jax.name_of(primitive), shapes, essence(_jax.name_of(primitive), params), place)
