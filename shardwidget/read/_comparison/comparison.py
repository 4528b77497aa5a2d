"""``read.comparison``: what the types of a program say, beside where its values are."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import jax
from jax.sharding import AbstractMesh, AxisType, Mesh

from shardwidget import _jax
from shardwidget._jax import AnyMesh, Frame
from shardwidget.document import Comparison, Continuation, Failure, Program, Row
from shardwidget.findings.comparison import verdict
from shardwidget.read._comparison import arrays
from shardwidget.read._comparison.aligned import aligned, as_far_as, own_types, tagged
from shardwidget.read._comparison.alternatives import Alternatives
from shardwidget.read._comparison.base import Base, base_of, tree_of
from shardwidget.read._comparison.concrete import Concrete, OnOneDeviceError, compiled, on_lines
from shardwidget.read._comparison.ends import arguments_row, outputs_row
from shardwidget.read._comparison.explicit import Ended, Explicit, FixedProgram, Fixing, Rewritten, Stopped
from shardwidget.read._comparison.pasting import Pasting
from shardwidget.read._comparison.price import Prices
from shardwidget.read._comparison.question import ComparedCall, abstract, is_explicit, retyped
from shardwidget.read._comparison.reasons import reasons_of
from shardwidget.read._comparison.refused import RefusedCall
from shardwidget.read._comparison.rows import row_of
from shardwidget.read._comparison.run import ExplicitRun, closes_over_another
from shardwidget.read._comparison.traced import traced
from shardwidget.read._comparison.tree import Tree
from shardwidget.read._comparison.written import WrittenSource
from shardwidget.read._entries import Entries
from shardwidget.read._jaxpr.sources import listing_at, own_frame, source_of
from shardwidget.read._jaxpr.syntax import span_of
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

RAISES = (
    "On an Explicit mesh {function} itself raises {kind}: {words} "
    "The types are those that its equations have there, one by one."
)

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
        self.prices = Prices(call.mesh)
        self.pasting = Pasting(call, retyped(call.mesh, AxisType.Explicit), len(self.tree.lines))
        self.concrete, self.note = self._compile()
        self.rewritten: dict[tuple[Any, ...], tuple[Rewritten, ...]] = {}
        """By the first line of a call that JAX refuses, and the fixes of those before it."""

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
            reasons=found.reasons,
            groups=found.groups,
            causes=found.causes,
            steps=found.steps,
            name=self.call.function,
            verdict=verdict(shown.rows, shown.program, choices),
            note=shown.note,
            jax_version=jax.__version__,
            compiled_otherwise=self.alternatives if found.reasons else None,
        )

    def rows(self, choices: Mapping[int, int]) -> _Rows:
        """The rows of the document: the arguments first, so line k of the program is row k + 1."""
        explicit = self._explicit({row - 1: choice for row, choice in choices.items()})
        if self.base.error and self._rewritten(Ended(self.base.error)):
            return self._continued(Ended(self.base.error), choices, explicit)
        mesh = abstract(retyped(self.call.mesh, AxisType.Explicit))
        concrete, note = self._compile_with(choices, explicit)
        rows = [arguments_row(self.tree, self.call, mesh, concrete)]
        rows += [row_of(line, k, explicit, concrete) for k, line in enumerate(self.tree.lines)]
        if ended := Ended(self.base.error) if self.base.error else explicit.ended:
            rows.append(_end(ended, self._rewritten(ended)))
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
        while ended and (ways := self._rewritten(ended)):
            trees = [self._tree_with(way) for way in ways]
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
        program = (explicit.fixed or self._bound(choices, explicit)) if choices else None
        if program is None or self.concrete is None or not isinstance(mesh, Mesh):
            return self.concrete, self.note
        try:
            return on_lines(compiled(program.tree, self.call, mesh), program.lines), self.note
        except Exception as error:
            return self.concrete, NOT_COMPILED.format(error=str(error).split("\n")[0])

    def _explicit(self, choices: Mapping[int, int]) -> Explicit:
        if is_explicit(self.base.mesh) and not self.base.leaves_stops:
            return own_types(self.tree)
        mesh = abstract(retyped(self.call.mesh, AxisType.Explicit))
        fixing = Fixing(choices, {} if self.base.leaves_stops else self._compiled(), self.prices, self.pasting)
        if closes_over_another(self.tree, mesh) and not self.base.error:
            return ExplicitRun(self.tree, mesh, fixing).of(self.call.on(mesh))
        there = traced(self.call, self.tree, mesh, fixing)
        errors = [e for e in (there.error, *(stop.error for stop in there.stops.values())) if e is not None]
        if any(map(_jax.messages.is_of_another_mesh, errors)) and not self.base.error:
            return ExplicitRun(self.tree, mesh, fixing).of(self.call.on(mesh))
        found = Explicit({}, {})
        if there.jaxpr is not None:
            theirs = tree_of(self.call, there.jaxpr, mesh)
            found = aligned(self.tree, theirs, tuple(there.stops.values()))
        if there.error is not None:
            found = replace(found, fixed=None)
        if there.error is None or self.base.error is not None:
            return found
        run = ExplicitRun(self.tree, mesh, fixing, found).of(self.call.on(mesh))
        new = run.stops.keys() - found.stops.keys()
        # Where a collective is forbidden, an equation by itself may stop for want of the sharding that asks for it.
        if new and _jax.messages.forbidden(there.error) is None:
            return self._in_jax_words(there.error, min(new), run)
        # On its own mesh, JAX raises exactly this; on another, the function may be meant only for Auto axes.
        refused = is_explicit(self.call.mesh) or _jax.messages.is_sharding_type_error(there.error)
        if refused:
            return self._ended(Ended(there.error), found, run, choices)
        words = str(there.error).split("\n")[0]
        note = RAISES.format(function=self.call.function, kind=type(there.error).__name__, words=words)
        return replace(run, note=note)

    def _ended(
        self, ended: Ended, found: Explicit, run: Explicit, choices: Mapping[int, int], start: int = 0
    ) -> Explicit:
        """The types up to what JAX refuses, where no row stops: it stops within a primitive, or before there is one.

        They go on with a fix of the call, where it has one.

        Args:
            ended: the trace's end.
            found: what is known of the trace.
            run: what is known of the equations, one by one.
            choices: the fixes to go on with, by line.
            start: the first line that may be the one.
        """
        left = [k for k in range(start, len(self.tree.lines)) if k not in found.types]
        if not left:  # What JAX refuses leaves no equation on an Auto mesh.
            return replace(run, ended=ended)
        call = self._lines_at(ended.place, left) or left[:1]
        first = call[0]
        unknown = (None,) * len(self.tree.lines[first].inputs)
        ways = self._rewritten(ended, first)
        stop = Stopped(ended.error, (), min(choices.get(first, 0), len(ways) - 1), unknown, rewritten=ways)
        types = {k: type_ for k, type_ in run.types.items() if k < first}
        stops = {k: s for k, s in run.stops.items() if k < first} | {first: stop}
        if not ways:
            return Explicit(types, stops)
        after = self._after(ways[stop.chosen], call, choices)
        return replace(after, types=after.types | types, stops=after.stops | stops)

    def _after(self, change: Rewritten, call: Sequence[int], choices: Mapping[int, int]) -> Explicit:
        """The types after a call that JAX refuses, with a fix of it.

        Args:
            change: the fix.
            call: the lines of the call.
            choices: the fixes to go on with, by line.
        """
        traced = change.traced
        found = aligned(self.tree, self._tree_with(change))
        shape = [k for k in call if self.tree.lines[k].outputs[0].aval.shape == change.type.shape]
        found = replace(found, types=found.types | dict.fromkeys(shape[-1:], (change.type,)))
        if traced.error is None:
            return found
        found = replace(found, fixed=None)
        return self._ended(Ended(traced.error, traced), found, found, choices, start=call[-1] + 1)

    def _tree_with(self, change: Rewritten) -> Tree:
        """The program with a change, its equations where they were before it."""
        mesh, traced = abstract(retyped(self.call.mesh, AxisType.Explicit)), change.traced
        with traced.readable():
            tree = tree_of(self.call, traced.jaxpr, mesh)
        for line in tree.lines:
            line.frames = [traced.before(frame) for frame in line.frames]
        return tree

    def _lines_at(self, place: Frame | None, lines: Sequence[int]) -> list[int]:
        """Those of some lines that come from an expression of the user's; else those from its line of the source."""
        if place is None:
            return []
        file, span = place.file_name, span_of(place)
        spans = {k: [span_of(f) for f in self.tree.lines[k].frames if f.file_name == file] for k in lines}
        here = [k for k, found in spans.items() if span in found]
        return here or [k for k, found in spans.items() if span[0] in (first for first, *_ in found)]

    def _rewritten(self, ended: Ended, line: int = -1) -> tuple[Rewritten, ...]:
        """Changes of a call that JAX refuses before there is an equation; tried once for any number of choices.

        Args:
            ended: what it raises.
            line: the first that the call has on an Auto mesh; -1 where there is none.
        """
        key = line, ended.after.edits if ended.after else ()
        if key not in self.rewritten:
            dims = self._compiled().get(WrittenSource(self.tree).last(line)) if line >= 0 else None
            self.rewritten[key] = RefusedCall(ended, self.pasting, self.prices, dims).fixes()
        return self.rewritten[key]

    def _in_jax_words(self, error: Exception, line: int, run: Explicit) -> Explicit:
        """The same, with the message of its first stop as JAX words it for the function itself.

        It names the branches of a condition, and refuses an index before there is an equation. Any other equation that
        stops has JAX's words already, and what JAX raises may be of a later one.
        """
        stop, stopped = run.stops[line], self.tree.lines[line]
        at = _jax.raise_location(error)
        here = at is not None and at[:2] in [(f.file_name, f.start_line) for f in stopped.frames]
        same = _jax.control_of(stopped.eqn) is not None and type(stop.error) is type(error)
        if not (same or (here and _jax.messages.is_of_spec(error))):
            return run
        return replace(run, stops=run.stops | {line: replace(stop, error=error)})

    def _bound(self, choices: Mapping[int, int], explicit: Explicit) -> FixedProgram | None:
        """The program with the fixes, equation by equation, where JAX itself does not trace it to its end."""
        mesh = abstract(retyped(self.call.mesh, AxisType.Explicit))
        given = {row - 1: choice for row, choice in choices.items()}
        fixing = Fixing(given, self._compiled(), self.prices, self.pasting)
        run = ExplicitRun(self.tree, mesh, fixing).of(self.call.on(mesh))
        chosen = [{k: stop.chosen for k, stop in of.stops.items()} for of in (run, explicit)]
        if run.bound is None or chosen[0] != chosen[1]:
            return None
        tree = tree_of(self.call, run.bound, mesh)
        return FixedProgram(tree, tagged(self.tree, tree))

    def _compiled(self) -> dict[int, Entries]:
        """How the compiler lays out the first result of lines."""
        places = self.concrete.places if self.concrete else {}
        return {line: dims for line, put in places.items() if 0 in put and (dims := put[0].dims) is not None}

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
    failure = Failure(type(error).__name__, str(error), fixes=tuple(way.fix for way in ways), chosen=chosen)
    return Row("error", (), source=source_of(at) if at else None, error=failure)
