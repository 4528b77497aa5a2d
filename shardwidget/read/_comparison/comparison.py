"""``read.comparison``: what the types of a program say, beside where its values are."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import jax
from jax.sharding import AbstractMesh, AxisType, Mesh

from shardwidget import _jax
from shardwidget._jax import AnyMesh
from shardwidget.document import Comparison, Continuation, Failure, Program, Row
from shardwidget.findings.comparison import verdict
from shardwidget.read._comparison import arrays
from shardwidget.read._comparison.aligned import as_far_as, own_types
from shardwidget.read._comparison.alternatives import Alternatives
from shardwidget.read._comparison.base import Base, base_of, tree_of
from shardwidget.read._comparison.concrete import Concrete, OnOneDeviceError, compiled, on_lines
from shardwidget.read._comparison.ends import arguments_row, outputs_row
from shardwidget.read._comparison.explicit import Ended, Explicit, Rewritten
from shardwidget.read._comparison.price import Prices
from shardwidget.read._comparison.question import ComparedCall, abstract, is_explicit, retyped
from shardwidget.read._comparison.reasons import reasons_of
from shardwidget.read._comparison.rows import row_of
from shardwidget.read._comparison.specs import explained
from shardwidget.read._comparison.tree import Tree
from shardwidget.read._comparison.types import ExplicitTypes
from shardwidget.read._jaxpr.sources import listing_at, own_frame, source_of
from shardwidget.read._mesh import read_mesh
from shardwidget.read._program.executable import meshes_in

ARGUMENTS = -1
"""The row of the arguments, before that of the first equation."""

MOST_CONTINUED = 2_000
"""The most rows that are read and compiled again, in all, to work out other choices in advance."""

NO_DEVICES = (
    "An AbstractMesh has no devices, so where the data would be placed is not known. Use a mesh that has some: "
    "jax.make_mesh({sizes}, {names}), for which jax.config.update('jax_num_cpu_devices', {count}) makes devices of one "
    "CPU; or shardwidget.tpu_mesh('v5e:4x4', ('x', 'y')), for which no TPU is needed."
)

STOPPED = "JAX stops here: the program is shown as far as it got, and was not compiled."

WITH_FIX = "JAX stops at a call. The rows below it, and what was compiled, use the fix that is chosen there."

LEFT = "Only its own mesh can trace this program, and it stops there: it was compiled with the fixes shown at first."

REFUSED = "The compiler refuses the program, so where the data would be placed is not known: {error}"

ON_ONE_DEVICE = (
    "The function uses no argument that is on the mesh, so JAX compiles it for one device. To make its results on the "
    "mesh, set it, jax.set_mesh(mesh), or say where they go, jax.jit(f, out_shardings=...)."
)

NOT_COMPILED = "Shardings and collectives are those of the program without the chosen fixes: {error}"

UNASKED = "How values between arguments and results are sharded is not known: the compiler rejects the query. {error}"


def comparison(
    f: Callable[..., Any] | Any,
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    mesh: AnyMesh | None = None,
    compiled: Literal["auto", "explicit"] | None = None,
    choices: Mapping[int, int] | None = None,
    continuations: bool = False,
) -> Comparison:
    """Reads a function equation by equation: its types on an Explicit mesh, and its values' shardings once compiled.

    Nothing is run. The function is traced on the mesh that it comes with, or, where that stops, on an Auto one; the
    types of the other kind of mesh come from the same equations, applied once more.

    Args:
        f: a function of global arrays, jitted or not; or one array or a pytree of arrays, whose types are compared
            with their shardings.
        *args: the function's arguments, pytrees: arrays, ``jax.ShapeDtypeStruct``, ``(shape, dtype, PartitionSpec)``;
            anything else is passed on as it is.
        kwargs: keyword arguments of the function, as ``args``.
        mesh: the mesh; None takes that of the arguments, or the one in force.
        compiled: which variant is compiled, ``"auto"`` or ``"explicit"``; None for the mesh as it is, where the
            function can be traced on it.
        choices: for each row that stops on an Explicit mesh, the index of the fix to continue with.
        continuations: whether to work out the rows after every other choice, too.

    Returns:
        The comparison, one row for each equation.

    Raises:
        TypeError: ``f`` is neither a function nor arrays, or the mesh is not a mesh.
        ValueError: there is no mesh, or ``compiled`` is not a legal one.
        Exception: what ``f`` itself raises.
    """
    reader = ComparisonReader(f, *args, kwargs=kwargs, mesh=mesh, compiled=compiled)
    return reader.comparison(choices, continuations=continuations)


class ComparisonReader:
    """What ``comparison`` reads, compiled once for any number of choices.

    Takes what ``comparison`` takes, and raises what it raises.
    """

    def __init__(
        self,
        f: Callable[..., Any] | Any,
        *args: Any,
        kwargs: Mapping[str, Any] | None = None,
        mesh: AnyMesh | None = None,
        compiled: Literal["auto", "explicit"] | None = None,
    ) -> None:
        self._arrays: Comparison | None = None
        if callable(f):
            if compiled not in (None, "auto", "explicit"):
                raise ValueError(f"compiled must be 'auto', 'explicit' or None; got {compiled!r}")
            call = ComparedCall(f, args, mesh, kwargs)
            self._reader = _Reader(call, lambda call: base_of(call, compiled))
        elif args or kwargs:
            raise TypeError(
                f"comparison takes a function and its arguments, or arrays; got {type(f).__name__} and more"
            )
        else:
            self._arrays = arrays.compare(f)

    def comparison(self, choices: Mapping[int, int] | None = None, *, continuations: bool = False) -> Comparison:
        """The comparison, continuing with these fixes."""
        return self._arrays or self._reader.comparison(dict(choices or {}), continuations)


class _Reader:
    def __init__(self, call: ComparedCall, based: Callable[[ComparedCall], Base]) -> None:
        self.call, self.base = call, based(call)
        self.alternatives = Alternatives(call, based)
        self.tree = tree_of(call, self.base.jaxpr, self.base.mesh)
        self.concrete, self.note = self._compile()
        places = self.concrete.places if self.concrete else {}
        compiled = {k: dims for k, put in places.items() if 0 in put and (dims := put[0].dims) is not None}
        self.types = ExplicitTypes(call, self.base, self.tree, Prices(call.mesh), compiled)

    def comparison(self, choices: dict[int, int], continuations: bool) -> Comparison:
        shown = self.rows(choices)
        more = self.continuations(shown, choices) if continuations else ()
        types = self.base.mesh.axis_types
        base = "Explicit" if is_explicit(self.base.mesh) else "given" if AxisType.Explicit in types else "Auto"
        if shown.with_choices:
            base = "Explicit"
        found = reasons_of(self.tree, None if shown.with_choices else self.concrete)
        own = [own_frame(line.frames) for line in shown.tree.lines if line.frames]
        listings = (listing_at(f.file_name, f.start_line) for f in own)
        return Comparison(
            of="function",
            mesh=read_mesh(self.call.mesh),
            rows=shown.rows,
            scopes=tuple(shown.tree.scopes),
            continuations=more,
            program=shown.program,
            compiled_from=base if shown.program else "",
            listings=tuple(dict.fromkeys(found for found in listings if found)),
            reasons=tuple(found.reasons),
            groups=found.groups,
            causes=found.causes,
            steps=found.steps,
            name=self.call.function,
            verdict=verdict(shown.rows, shown.program, choices),
            note=shown.note,
            jax_version=jax.__version__,
            compiled_otherwise=self.alternatives if len(found.reasons) else None,
        )

    def rows(self, choices: Mapping[int, int]) -> _Rows:
        """The rows of the document: the arguments first, so line k of the program is row k + 1."""
        explicit = self.types.of({row - 1: choice for row, choice in choices.items()})
        if self.base.error and self.types.rewritten(Ended(self.base.error)):
            return self._continued(Ended(self.base.error), choices, explicit)
        mesh = abstract(retyped(self.call.mesh, AxisType.Explicit))
        concrete, note = self._compile_with(choices, explicit)
        rows = [arguments_row(self.tree, self.call, mesh, concrete)]
        rows += [row_of(line, k, explicit, concrete) for k, line in enumerate(self.tree.lines)]
        if ended := Ended(self.base.error) if self.base.error else explicit.ended:
            rows.append(_end(ended, self.types.rewritten(ended)))
        else:
            rows.append(outputs_row(self.tree, self.call, mesh, explicit, concrete))
        chosen = {k + 1: (stop.ways, stop.chosen) for k, stop in explicit.stops.items()}
        program = concrete.program if concrete else None
        note = " ".join(filter(None, (self.call.lost, note, explicit.note)))
        return _Rows(tuple(rows), program, note, chosen, concrete is not self.concrete, self.tree)

    def _continued(self, ended: Ended | None, choices: Mapping[int, int], explicit: Explicit) -> _Rows:
        """The rows of a program that no mesh traces past a call; those after it are with a fix of the call."""
        mesh = abstract(retyped(self.call.mesh, AxisType.Explicit))
        tree, types, first = self.tree, explicit, 0
        parts: list[tuple[Tree, Explicit, range, Row]] = []
        stops: dict[int, tuple[int, int]] = {}
        while ended and (ways := self.types.rewritten(ended)):
            trees = [self.types.tree_with(way) for way in ways]
            end = max(first, min(as_far_as(tree, other) for other in trees))
            row = 1 + end + len(stops)
            way = choices.get(row, 0)
            stops[row] = len(ways), way
            parts.append((tree, types, range(first, end), _end(ended, ways, way)))
            tree, types, first = trees[way], own_types(trees[way]), end
            traced = ways[way].traced
            ended = Ended(traced.error, traced) if traced.error else None
        concrete, note = None, WITH_FIX
        devices = retyped(self.call.mesh, AxisType.Explicit)
        if ended is None and isinstance(devices, Mesh):
            try:
                concrete = compiled(tree, self.call, devices)
            except Exception as error:
                note = REFUSED.format(error=str(error).split("\n")[0])
        rows = [arguments_row(tree, self.call, mesh, concrete)]
        for before, of, lines, stop in parts:
            rows += [*(row_of(before.lines[k], k, of, concrete) for k in lines), stop]
        rows += [row_of(line, k, types, concrete) for k, line in enumerate(tree.lines) if k >= first]
        rows.append(_end(ended) if ended else outputs_row(tree, self.call, mesh, types, concrete))
        return _Rows(tuple(rows), concrete and concrete.program, note, stops, True, tree)

    def continuations(self, shown: _Rows, choices: Mapping[int, int]) -> tuple[Continuation, ...]:
        ways = ((row, way) for row, (count, chosen) in shown.stops.items() for way in range(count) if way != chosen)
        out = []
        for row, choice in itertools.islice(ways, MOST_CONTINUED // len(shown.rows)):
            others = self.rows({**choices, row: choice})
            at = tuple(k for k, (one, other) in enumerate(zip(shown.rows, others.rows, strict=True)) if one != other)
            said = verdict(others.rows, others.program, {**choices, row: choice})
            out.append(Continuation(row, choice, at, tuple(others.rows[k] for k in at), others.program, said))
        return tuple(out)

    def _compile_with(self, choices: Mapping[int, int], explicit: Explicit) -> tuple[Concrete | None, str]:
        """The program compiled with the chosen fixes; as it is where none is chosen, or where that does not compile."""
        mesh = retyped(self.call.mesh, AxisType.Explicit)
        program = (explicit.fixed or self.types.bound(choices, explicit)) if choices else None
        if program is None or self.concrete is None or not isinstance(mesh, Mesh):
            return self.concrete, self.note
        try:
            return on_lines(compiled(program.tree, self.call, mesh), program.lines), self.note
        except Exception as error:
            return self.concrete, NOT_COMPILED.format(error=str(error).split("\n")[0])

    def _compile(self) -> tuple[Concrete | None, str]:
        """The compiled program, and the note about it."""
        mesh = self.base.mesh
        if self.base.error is not None:
            return None, STOPPED
        if isinstance(mesh, AbstractMesh):
            return None, NO_DEVICES.format(sizes=mesh.axis_sizes, names=mesh.axis_names, count=mesh.size)
        try:
            concrete = compiled(self.tree, self.call, mesh)
        except OnOneDeviceError:
            return None, ON_ONE_DEVICE
        except Exception as error:
            others = (m for m in meshes_in(_jax.open_jaxpr(self.base.jaxpr)[0]) if isinstance(m, Mesh))
            other = next((m for m in others if tuple(m.devices.flat) != tuple(mesh.devices.flat)), None)
            if other is not None and _jax.messages.is_of_other_devices(error):
                raise ValueError(self.call.on_regions(other)) from error
            return None, REFUSED.format(error=str(error).split("\n")[0])
        if concrete.refused:
            return concrete, UNASKED.format(error=concrete.refused)
        return concrete, LEFT if self.base.leaves_stops else ""


@dataclass(frozen=True)
class _Rows:
    """The rows for some choices."""

    rows: tuple[Row, ...]
    program: Program | None
    note: str
    stops: Mapping[int, tuple[int, int]]
    """By row that stops, how many fixes it has, and the one that is taken."""
    with_choices: bool
    """Whether it was compiled with fixes that were chosen."""
    tree: Tree
    """The program, with the scopes of the rows."""


def _end(ended: Ended, ways: Sequence[Rewritten] = (), chosen: int = -1) -> Row:
    """The row at which tracing stopped."""
    error, at = ended.error, ended.place
    axes, explanation = explained(error)
    fixes = tuple(way.fix for way in ways)
    failure = Failure(type(error).__name__, str(error), explanation, axes, fixes, chosen)
    return Row("error", (), source=source_of(at) if at else None, error=failure)
