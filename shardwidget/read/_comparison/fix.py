"""Fixes of an equation that stops on an Explicit mesh: each is tried before it is offered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax

from shardwidget import _jax
from shardwidget.read._comparison.pasting import first_array
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
    is_product = _jax.name_of(line.eqn) in _jax.CONTRACTIONS and "dimension_numbers" in line.eqn.params
    ways = contractions(line, values, known.written) if is_product else iter(())
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
    is_loop = _jax.control_of(line.eqn) is not None

    def order(fix: Fixed) -> Any:
        sent = fix.price.bytes if fix.price else 0
        return fix.edit is None, is_loop and fix.way.leaves, sent, fix.dims != compiled

    priced = sorted((_priced(way, type_, line, values, known) for way, type_ in tried[: 2 * MOST]), key=order)
    fixes: list[Fixed] = []
    for fix in priced:  # What would come after as many as are offered is not tried.
        if sum(other.edit is not None for other in fixes) < MOST:
            fixes.append(_running(fix, line, known))
    if all(fix.edit is None for fix in fixes) and known.written.is_whole(line):  # Round the expression is a place.
        for dims in dict.fromkeys(fix.dims for fix in fixes):
            ways = left_to_compiler(line, bind, dims, known)
            more = [(way, type_) for way in ways if (type_ := _tried(way, values)) is not None]
            fixes += [_running(_priced(way, type_, line, values, known), line, known) for way, type_ in more]
    # A change that was written, and does not run as it is written, is offered only where there is no other.
    if not is_loop:
        fixes = [fix for fix in fixes if fix.edit is not None or not fix.way.edits] or fixes
    return tuple(sorted(fixes, key=order)[:MOST])


def _priced(way: FixCandidate, type_: Any, line: Line, values: Sequence[Any], known: FixContext) -> Fixed:
    written = known.written
    price = known.prices.of(way.bind, line, values, Turns(written.turns(line), written.constant(line)))
    return Fixed(way, type_, _dims(type_), price, None)


def _running(fix: Fixed, line: Line, known: FixContext) -> Fixed:
    """A fix in the first way of writing it that runs when it is pasted, and gives the same type."""
    gives = None if fix.way.leaves else (_jax.name_of(line.eqn), _jax.type_text(fix.type))
    return replace(fix, edit=next((edit for edit in fix.way.edits if known.pasting.runs(edit, gives)), None))


def _dims(type_: Any) -> Entries:
    return entries(type_.sharding.spec, type_.ndim)


def _tried(way: FixCandidate, values: Sequence[Any]) -> Any:
    """The type of the first result that is an array, else of the first; None where JAX does not accept it either."""
    try:
        return first_array([jax.typeof(result) for result in way.bind(values)])
    except Exception:
        return None
