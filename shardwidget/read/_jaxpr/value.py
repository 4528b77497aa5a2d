"""Values of a program, and the bodies that they are in, while a document is put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from jax.extend.core import JaxprEqn

from shardwidget import _jax


@dataclass(eq=False)
class Value:
    """A variable of the program."""

    id: int
    aval: Any
    name: str = ""
    """The user's name; empty where it is not known, or not yet."""
    is_named: bool = True
    """Whether the name is the user's; else it is a placeholder, which messages do not mention."""
    is_constant: bool = False
    """Whether it is a number, or 0, 1, 2 …, that depends on no other value: it is made wherever it is used."""
    of: Value | None = None
    """The value that it is in another shape or dtype, or as an index counted from the start; None for itself."""


class Node(Protocol):
    """An equation of a body, with what a reader adds to it."""

    eqn: JaxprEqn


N = TypeVar("N", bound=Node)


@dataclass(eq=False)
class Body(Generic[N]):
    """A jaxpr that is entered, with a node for each equation."""

    jaxpr: _jax.AnyJaxpr
    """Without its constants."""
    consts: Sequence[Any]
    """Its constants, or their numbers."""
    nodes: list[N] = field(default_factory=list)
