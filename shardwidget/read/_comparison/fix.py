"""Fixes of an equation that stops on an Explicit mesh: each is tried before it is offered."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Any

import jax

from shardwidget.read._comparison.tree import Line
from shardwidget.read._comparison.ways import (
    Bind,
    CompilerLayout,
    Way,
    contractions,
    left_to_compiler,
    resharded_operands,
)
from shardwidget.read._entries import Entries, entries

MOST = 5
"""Fixes offered for one equation."""


@dataclass(frozen=True)
class Fixed:
    """A way on that JAX takes."""

    title: str
    code: str
    communication: str
    bytes: int
    bind: Bind
    """The equation's results, by this way."""
    type: Any
    """Of the first result."""
    dims: Entries


def fixes_of(
    line: Line,
    values: Sequence[Any],
    bind: Bind,
    wanted: Sequence[tuple[int, Entries]],
    compiled: CompilerLayout | None,
    known: Set[str],
) -> tuple[Fixed, ...]:
    """The ways on from an equation that raised, those first that move the least.

    Args:
        line: the equation.
        values: its operands: tracers on the Explicit mesh.
        bind: applies it to operands.
        wanted: layouts that it asks operands to have, by their index.
        compiled: what the compiler does; None where that is not known.
        known: the user's names of arrays.
    """
    ways = contractions(line, values) if line.eqn.primitive.name == "dot_general" else iter(())
    found: dict[Any, Fixed] = {}
    for way in (*ways, *resharded_operands(line, values, bind, wanted)):
        if (fixed := _tried(way, values)) is not None:
            found.setdefault((fixed.type.sharding.spec, way.communication.split(" ")[0]), fixed)
    first = [m for m in found.values() if "all-gather" not in m.communication]
    ordered = first + [m for m in found.values() if m not in first]
    if compiled is not None and all(m.dims != compiled.dims for m in ordered):
        ordered = [m for way in left_to_compiler(line, bind, compiled, known) if (m := _tried(way, values))] + ordered
    return tuple(ordered[:MOST])


def _tried(way: Way, values: Sequence[Any]) -> Fixed | None:
    try:
        type_ = jax.typeof(way.bind(values)[0])
    except Exception:
        return None  # JAX does not take it either.
    dims = entries(type_.sharding.spec, type_.ndim)
    return Fixed(way.title, way.code, way.communication, way.bytes, way.bind, type_, dims)
