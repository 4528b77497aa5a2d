"""Fixes of an equation that stops on an Explicit mesh: each is tried before it is offered."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Any

import jax

from shardwidget.read._comparison.price import Price, Prices
from shardwidget.read._comparison.tree import Line
from shardwidget.read._comparison.ways import Bind, FixCandidate, contractions, left_to_compiler, resharded_operands
from shardwidget.read._comparison.written import WrittenSource
from shardwidget.read._entries import Entries, entries

MOST = 5
"""The most fixes offered for one equation."""


@dataclass(frozen=True)
class Fixed:
    """A fix that JAX accepts."""

    way: FixCandidate
    type: Any
    """The type of the first result."""
    dims: Entries
    price: Price | None
    """What the compiled equation sends; None where that is not known."""

    @property
    def bind(self) -> Bind:
        """The equation's results with this fix."""
        return self.way.bind


@dataclass(frozen=True)
class FixContext:
    """What fixes are made from, besides the equation."""

    names: Set[str]
    """The user's names of arrays."""
    written: WrittenSource
    prices: Prices


def fixes_of(
    line: Line,
    values: Sequence[Any],
    bind: Bind,
    wanted: Sequence[tuple[int, Entries]],
    compiled: Entries | None,
    known: FixContext,
) -> tuple[Fixed, ...]:
    """The fixes of an equation that raised, starting with those that gather nothing.

    Args:
        line: the equation.
        values: its operands: tracers on the Explicit mesh.
        bind: applies it to operands.
        wanted: layouts that it asks operands to have, by their index.
        compiled: how the compiler lays out the first result; None where that is not known.
        known: names, source and prices.
    """
    ways = contractions(line, values, known.written) if line.eqn.primitive.name == "dot_general" else iter(())
    found: dict[Any, tuple[FixCandidate, Any]] = {}
    for way in (*ways, *resharded_operands(line, values, bind, wanted, known.written)):
        if (type_ := _tried(way, values)) is not None:
            found.setdefault((type_.sharding.spec, way.gathers, way.title.partition(" ")[0]), (way, type_))
    ordered = sorted(found.values(), key=lambda found: found[0].gathers)
    if compiled is not None and all(_dims(type_) != compiled for _, type_ in ordered):
        for way in left_to_compiler(line, bind, compiled, known.names, known.written):
            if (type_ := _tried(way, values)) is not None:
                ordered.insert(0, (way, type_))
    return tuple(
        Fixed(way, type_, _dims(type_), known.prices.of(way.bind, line, values)) for way, type_ in ordered[:MOST]
    )


def _dims(type_: Any) -> Entries:
    return entries(type_.sharding.spec, type_.ndim)


def _tried(way: FixCandidate, values: Sequence[Any]) -> Any:
    """The type of the first result; None where JAX does not accept it either."""
    try:
        return jax.typeof(way.bind(values)[0])
    except Exception:
        return None
