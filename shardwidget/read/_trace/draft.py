"""Steps and values while a trace is put together: sentences need names, which are found last."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jax.sharding import PartitionSpec

from shardwidget._jax import Frame
from shardwidget.document import Collective, Source
from shardwidget.document.step import Begins
from shardwidget.read._jaxpr.value import Value
from shardwidget.read._trace.nodes import RegionNode, Site
from shardwidget.read._trace.written import Slots


@dataclass(eq=False)
class TracedValue(Value):
    """A value of a step, which is written somewhere when the program runs."""

    region: RegionNode | None = None
    site: Site | None = None
    slots: Slots = field(default_factory=dict)
    active: np.ndarray | None = None
    """At each mesh position whether the value is made there; None for all."""
    array: Any = None
    """A global value that is available: an argument, a result."""
    spec: PartitionSpec | None = None
    """How a global value is sharded, where its array does not show it."""
    origin: RegionNode | None = None
    """The region whose result it is, and for whose mesh the spec is."""
    alias: TracedValue | None = None
    """A value with the same name: the operand of an implicit ``pvary``."""
    moved: BlockOrigins | None = None
    """Whose blocks its blocks are; None where they are its own."""


@dataclass(frozen=True, eq=False)
class BlockOrigins:
    """Where the blocks of a value come from, if they were only moved, cut, joined and reshaped."""

    root: TracedValue
    """The value whose blocks they were."""
    pieces: np.ndarray
    """For each position in the region's mesh and each piece of its block, the position that the piece was at; -1 where
    nothing was sent, -2 where it is not known."""
    axis: int = -1
    """The dimension along which pieces of equal size are joined; -1 where a block is a single piece."""
    fixed: bool = True
    """Whether every run of the same equations moves them so: no value that the program computes chose the pieces."""

    @property
    def count(self) -> int:
        """Pieces of a block."""
        return self.pieces.shape[1]


@dataclass(eq=False)
class Draft:
    """A step that is not finished."""

    primitive: str
    inputs: list[TracedValue]
    outputs: list[TracedValue]
    eqn: Any = None
    region: RegionNode | None = None
    scope: int = -1
    source: Source | None = None
    literals: tuple[str, ...] = ()
    collective: Collective | None = None
    implicit: bool = False
    active: np.ndarray | None = None
    printed: str = ""
    begins: Begins = "statement"
    """The largest piece of the user's source that begins with it."""
    expression: str = ""
    """That piece's text: the expression that it belongs to."""
    frame: Frame | None = None
    """The frame of that expression."""
    library: bool = False
    """Whether a library's function makes it, for an expression of the user's."""
    kind: str = "equation"
    """What the sentence is about: ``equation``, ``in_specs``, ``out_specs``, ``iteration``, ``loop end``, ``cond``,
    ``cond end``, ``error``."""
    about: dict[str, Any] = field(default_factory=dict)
    """What the sentence needs besides."""
