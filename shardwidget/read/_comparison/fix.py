"""Fixes of an equation that stops on an Explicit mesh: each is tried before it is offered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax

from shardwidget import _jax
from shardwidget.read._comparison.price import Price, Turns
from shardwidget.read._comparison.tree import Line
from shardwidget.read._comparison.ways import (
    Bind,
    FixCandidate,
    FixContext,
    contractions,
    in_batches,
    left_to_compiler,
    resharded_operands,
)
from shardwidget.read._entries import Entries, entries
from shardwidget.read._jaxpr.rewrite import Edit

MOST = 5
"""The most fixes offered for one equation."""


@dataclass(frozen=True)
class Fixed:
    """A fix that JAX accepts."""

    way: FixCandidate
    type: Any
    """The type of the first result that is an array."""
    dims: Entries
    price: Price | None
    """What the compiled equation sends; None where that is not known."""
    edit: Edit | None
    """The change to the user's source, which was traced; None where there is none that runs."""

    @property
    def bind(self) -> Bind:
        """The equation's results with this fix."""
        return self.way.bind


def fixes_of(
    line: Line,
    values: Sequence[Any],
    bind: Bind,
    wanted: Sequence[tuple[int, Entries]],
    compiled: Entries | None,
    known: FixContext,
) -> tuple[Fixed, ...]:
    """The fixes of an equation that raised, those that send least first.

    Args:
        line: the equation.
        values: its operands: tracers on the Explicit mesh.
        bind: applies it to operands.
        wanted: layouts that it asks operands to have, by their index.
        compiled: how the compiler lays out the first result; None where that is not known.
        known: names, source and prices.
    """
    ways = contractions(line, values, known.written) if _jax.name_of(line.eqn) == "dot_general" else iter(())
    found: dict[Any, tuple[FixCandidate, Any]] = {}
    for way in (*ways, *resharded_operands(line, values, bind, wanted, known.written)):
        if (type_ := _tried(way, values)) is not None:
            found.setdefault((type_.sharding.spec, way.gathers, way.title.partition(" ")[0]), (way, type_))
    if compiled is not None and all(_dims(type_) != compiled for _, type_ in found.values()):
        for way in left_to_compiler(line, bind, compiled, known):
            if (type_ := _tried(way, values)) is not None:
                found[way.title] = way, type_
    for way in in_batches(line, values, known.written):
        if (type_ := _tried(way, values)) is not None:
            found[way.title] = way, type_
    tried = sorted(found.values(), key=lambda one: (one[0].gathers, _dims(one[1]) != compiled))
    fixes = [_fixed(way, type_, line, values, known) for way, type_ in tried[: 2 * MOST]]
    if all(fix.edit is None for fix in fixes) and known.written.is_whole(line):  # Round the expression is a place.
        for dims in dict.fromkeys(fix.dims for fix in fixes):
            ways = left_to_compiler(line, bind, dims, known)
            more = [(way, type_) for way in ways if (type_ := _tried(way, values)) is not None]
            fixes += [_fixed(way, type_, line, values, known) for way, type_ in more]
    # A change that was written, and does not run as it is written, is offered only where there is no other.
    is_loop = _jax.control_of(line.eqn) is not None
    if not is_loop:
        fixes = [fix for fix in fixes if fix.edit is not None or not fix.way.edits] or fixes
    fixes.sort(
        key=lambda fix: (
            fix.edit is None,
            is_loop and fix.way.leaves,
            fix.price.bytes if fix.price else 0,
            fix.dims != compiled,
        )
    )
    return tuple(fixes[:MOST])


def _fixed(way: FixCandidate, type_: Any, line: Line, values: Sequence[Any], known: FixContext) -> Fixed:
    written = known.written
    price = known.prices.of(way.bind, line, values, Turns(written.turns(line), written.constant(line)))
    return Fixed(way, type_, _dims(type_), price, _running(way, line, type_, known))


def _running(way: FixCandidate, line: Line, type_: Any, known: FixContext) -> Edit | None:
    """The first way of writing a fix that runs when it is pasted, and gives the same type."""
    gives = None if way.leaves else (_jax.name_of(line.eqn), _jax.type_text(type_))
    return next((edit for edit in way.edits if known.pasting.runs(edit, gives)), None)


def _dims(type_: Any) -> Entries:
    return entries(type_.sharding.spec, type_.ndim)


def _tried(way: FixCandidate, values: Sequence[Any]) -> Any:
    """The type of the first result that is an array, else of the first; None where JAX does not accept it either."""
    try:
        types = [jax.typeof(result) for result in way.bind(values)]
    except Exception:
        return None
    return next((type_ for type_ in types if type_.ndim), types[0])
