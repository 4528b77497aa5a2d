"""A program on an Explicit mesh: the types, where they stop, and how to continue there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from shardwidget._jax import Frame
from shardwidget.document import Fix
from shardwidget.read._comparison.fix import Fixed
from shardwidget.read._comparison.pasting import PastedTrace, Pasting, Place
from shardwidget.read._comparison.price import Prices
from shardwidget.read._comparison.tree import Tree
from shardwidget.read._entries import Entries
from shardwidget.read._jaxpr.sources import raised_at


class Rewritten(NamedTuple):
    """A change of a call that JAX refuses before there is an equation."""

    fix: Fix
    type: Any
    """The type that the call then has."""
    traced: PastedTrace


@dataclass(frozen=True)
class Stopped:
    """Where the explicit side stops."""

    error: Exception
    fixes: tuple[Fixed, ...]
    chosen: int
    operands: tuple[Any, ...]
    """Types of the operands; None of constants."""
    line: int = -1
    """The line that stops, where that is certain."""
    rewritten: tuple[Rewritten, ...] = ()
    """The fixes of a call that JAX refuses before there is an equation, in place of ``fixes``."""

    @property
    def ways(self) -> int:
        """How many fixes there are."""
        return len(self.fixes or self.rewritten)


@dataclass(frozen=True)
class Explicit:
    """A program on an Explicit mesh."""

    types: dict[int, tuple[Any, ...]]
    """By line, the type of each result; None where it is not known."""
    stops: dict[int, Stopped]
    fixed: FixedProgram | None = None
    bound: Any = None
    """The jaxpr that an ``ExplicitRun`` made, each equation in a scope that is named after its line."""
    note: str = ""
    """The note about it."""
    ended: Ended | None = None
    """What JAX raises after the last equation, where nothing on this mesh follows it; None for nothing."""


class Ended(NamedTuple):
    """An exception that ends a trace."""

    error: Exception
    after: PastedTrace | None = None
    """The trace that it ends, with the fixes of calls before it; None for the function as it is."""

    @property
    def place(self) -> Frame | None:
        """The user's expression that it comes from, where that stands before all fixes."""
        at = raised_at(self.error)
        if at is None:
            return None
        place = Place(at.file, at.frame.f_code.co_name, *(at.span or (at.line, -1, at.line, -1)))
        return self.after.before(place) if self.after else place


@dataclass(frozen=True)
class FixedProgram:
    """The whole program as JAX traces it on an Explicit mesh, with the fixes that are chosen."""

    tree: Tree
    lines: Mapping[int, int]
    """Its lines, by those of the program."""


@dataclass(frozen=True)
class Fixing:
    """How to continue where a program stops."""

    choices: Mapping[int, int]
    """Index of the fix to continue with, by line."""
    compiled: Mapping[int, Entries]
    """How the compiler lays out the first result of lines: a fix with the same layout is taken automatically."""
    prices: Prices
    pasting: Pasting
