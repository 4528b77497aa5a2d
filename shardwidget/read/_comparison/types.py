"""The types of a program on an Explicit mesh, however far JAX gets with it there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from jax.sharding import AxisType

from shardwidget import _jax
from shardwidget._jax import Frame
from shardwidget.read._comparison.aligned import aligned, own_types, tagged
from shardwidget.read._comparison.base import Base, tree_of
from shardwidget.read._comparison.explicit import Ended, Explicit, FixedProgram, Fixing, Rewritten, Stopped
from shardwidget.read._comparison.pasting import Pasting
from shardwidget.read._comparison.price import Prices
from shardwidget.read._comparison.question import ComparedCall, abstract, is_explicit, retyped
from shardwidget.read._comparison.refused import RefusedCall
from shardwidget.read._comparison.run import ExplicitRun, closes_over_another
from shardwidget.read._comparison.traced import traced
from shardwidget.read._comparison.tree import Tree
from shardwidget.read._comparison.written import WrittenSource
from shardwidget.read._entries import Entries
from shardwidget.read._jaxpr.syntax import span_of

RAISES = (
    "On an Explicit mesh {function} itself raises {kind}: {words} "
    "The types are those that its equations have there, one by one."
)


class ExplicitTypes:
    """Traces a program on an Explicit mesh, with the fixes of where it stops.

    Args:
        call: the function and its arguments.
        base: the program whose equations are the rows.
        tree: its lines.
        prices: counts what fixes send.
        compiled: how the compiler lays out the first result of lines.
    """

    def __init__(
        self, call: ComparedCall, base: Base, tree: Tree, prices: Prices, compiled: Mapping[int, Entries]
    ) -> None:
        self._call, self._base, self._tree = call, base, tree
        self._prices, self._compiled = prices, compiled
        self._pasting = Pasting(call, retyped(call.mesh, AxisType.Explicit), len(tree.lines))
        self._changes: dict[tuple[Any, ...], tuple[Rewritten, ...]] = {}
        """By the first line of a call that JAX refuses, and the fixes of those before it."""

    def of(self, choices: Mapping[int, int]) -> Explicit:
        """The types, and where they stop.

        Args:
            choices: index of the fix to go on with, by line.
        """
        if is_explicit(self._base.mesh) and not self._base.leaves_stops:
            return own_types(self._tree)
        mesh = abstract(retyped(self._call.mesh, AxisType.Explicit))
        fixing = Fixing(choices, {} if self._base.leaves_stops else self._compiled, self._prices, self._pasting)
        if closes_over_another(self._tree, mesh) and not self._base.error:
            return ExplicitRun(self._tree, mesh, fixing).of(self._call.on(mesh))
        there = traced(self._call, self._tree, mesh, fixing)
        errors = [e for e in (there.error, *(stop.error for stop in there.stops.values())) if e is not None]
        if any(map(_jax.messages.is_of_another_mesh, errors)) and not self._base.error:
            return ExplicitRun(self._tree, mesh, fixing).of(self._call.on(mesh))
        found = Explicit({}, {})
        if there.jaxpr is not None:
            theirs = tree_of(self._call, there.jaxpr, mesh)
            found = aligned(self._tree, theirs, tuple(there.stops.values()))
        if there.error is not None:
            found = replace(found, fixed=None)
        if there.error is None or self._base.error is not None:
            return found
        run = ExplicitRun(self._tree, mesh, fixing, found).of(self._call.on(mesh))
        new = run.stops.keys() - found.stops.keys()
        # Where a collective is forbidden, an equation by itself may stop for want of the sharding that asks for it.
        if new and _jax.messages.forbidden(there.error) is None:
            return self._in_jax_words(there.error, min(new), run)
        # On its own mesh, JAX raises exactly this; on another, the function may be meant only for Auto axes.
        refused = is_explicit(self._call.mesh) or _jax.messages.is_sharding_type_error(there.error)
        if refused:
            return self._ended(Ended(there.error), found, run, choices)
        words = str(there.error).split("\n")[0]
        note = RAISES.format(function=self._call.function, kind=type(there.error).__name__, words=words)
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
        left = [k for k in range(start, len(self._tree.lines)) if k not in found.types]
        if not left:  # What JAX refuses leaves no equation on an Auto mesh.
            return replace(run, ended=ended)
        call = self._lines_at(ended.place, left) or left[:1]
        first = call[0]
        unknown = (None,) * len(self._tree.lines[first].inputs)
        ways = self.rewritten(ended, first)
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
        found = aligned(self._tree, self.tree_with(change))
        shape = [k for k in call if self._tree.lines[k].outputs[0].aval.shape == change.type.shape]
        found = replace(found, types=found.types | dict.fromkeys(shape[-1:], (change.type,)))
        if traced.error is None:
            return found
        found = replace(found, fixed=None)
        return self._ended(Ended(traced.error, traced), found, found, choices, start=call[-1] + 1)

    def tree_with(self, change: Rewritten) -> Tree:
        """The program with a change, its equations where they were before it."""
        mesh, traced = abstract(retyped(self._call.mesh, AxisType.Explicit)), change.traced
        with traced.readable():
            tree = tree_of(self._call, traced.jaxpr, mesh)
        for line in tree.lines:
            line.frames = [traced.before(frame) for frame in line.frames]
        return tree

    def _lines_at(self, place: Frame | None, lines: Sequence[int]) -> list[int]:
        """Those of some lines that come from an expression of the user's; else those from its line of the source."""
        if place is None:
            return []
        file, span = place.file_name, span_of(place)
        spans = {k: [span_of(f) for f in self._tree.lines[k].frames if f.file_name == file] for k in lines}
        here = [k for k, found in spans.items() if span in found]
        return here or [k for k, found in spans.items() if span[0] in (first for first, *_ in found)]

    def rewritten(self, ended: Ended, line: int = -1) -> tuple[Rewritten, ...]:
        """Changes of a call that JAX refuses before there is an equation; tried once for any number of choices.

        Args:
            ended: what it raises.
            line: the first that the call has on an Auto mesh; -1 where there is none.
        """
        key = line, ended.after.edits if ended.after else ()
        if key not in self._changes:
            dims = self._compiled.get(WrittenSource(self._tree).last(line)) if line >= 0 else None
            self._changes[key] = RefusedCall(ended, self._pasting, self._prices, dims).fixes()
        return self._changes[key]

    def _in_jax_words(self, error: Exception, line: int, run: Explicit) -> Explicit:
        """The same, with the message of its first stop as JAX words it for the function itself.

        It names the branches of a condition, and refuses an index before there is an equation. Any other equation that
        stops has JAX's words already, and what JAX raises may be of a later one.
        """
        stop, stopped = run.stops[line], self._tree.lines[line]
        at = _jax.raise_location(error)
        here = at is not None and at[:2] in [(f.file_name, f.start_line) for f in stopped.frames]
        same = _jax.control_of(stopped.eqn) is not None and type(stop.error) is type(error)
        if not (same or (here and _jax.messages.is_of_spec(error))):
            return run
        return replace(run, stops=run.stops | {line: replace(stop, error=error)})

    def bound(self, choices: Mapping[int, int], explicit: Explicit) -> FixedProgram | None:
        """The program with the fixes, equation by equation, where JAX itself does not trace it to its end."""
        mesh = abstract(retyped(self._call.mesh, AxisType.Explicit))
        given = {row - 1: choice for row, choice in choices.items()}
        fixing = Fixing(given, self._compiled, self._prices, self._pasting)
        run = ExplicitRun(self._tree, mesh, fixing).of(self._call.on(mesh))
        chosen = [{k: stop.chosen for k, stop in of.stops.items()} for of in (run, explicit)]
        if run.bound is None or chosen[0] != chosen[1]:
            return None
        tree = tree_of(self._call, run.bound, mesh)
        return FixedProgram(tree, tagged(self._tree, tree))
