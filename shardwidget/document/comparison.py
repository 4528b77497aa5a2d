"""Explicit types beside concrete shardings, equation by equation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from shardwidget.document.base import Document
from shardwidget.document.fix import Failure, Fix, Layout
from shardwidget.document.mesh import Mesh
from shardwidget.document.program import Program
from shardwidget.document.step import Listing, Scope, Source
from shardwidget.document.wire import VERSION

__all__ = ["Compared", "Comparison", "Continuation", "Row"]


@dataclass(frozen=True)
class Compared:
    """One value, three ways."""

    name: str
    """The user's name where it is known, else JAX's letter."""
    shape: tuple[int, ...]
    """Global; of the block inside a ``shard_map``."""
    dtype: str
    bits: int
    explicit: Layout | None
    """Its type on an Explicit mesh; None at an error that nothing fixes, and below it."""
    auto: str
    """Its type on an Auto mesh; empty where that side stopped."""
    concrete: Layout | None
    """Its sharding in the compiled program; None where that is not known (see ``Comparison.note``)."""
    agreement: Literal["same", "differs", "silent", ""] = ""
    """The explicit type against the concrete sharding; silent where the type leaves it to the compiler; empty where
    there is nothing to compare."""
    note: str = ""
    """What differs, or why the place is not known, in one sentence; empty where there is nothing to say."""


@dataclass(frozen=True)
class Row:
    """One equation, or the arguments or the results of the function, or one array."""

    primitive: str
    """JAX's primitive; ``arguments`` and ``outputs`` for what the function takes and returns; ``array`` for an array by
    itself."""
    values: tuple[Compared, ...]
    """Its results."""
    source: Source | None = None
    """The user's line; one of an installed package only where there is no other."""
    inputs: tuple[str, ...] = ()
    """Names of the operands."""
    scope: int = -1
    """Index of the innermost scope in ``Comparison.scopes``."""
    decision: Literal["", "reshard", "with_sharding_constraint", "out_sharding", "device_put"] = ""
    """The user's own decision about sharding that the equation carries."""
    error: Failure | None = None
    collectives: tuple[int, ...] = ()
    """Indices in ``Comparison.program.collectives`` of those that the compiler put before or into this equation."""
    remark: str = ""
    """Unexpected replication, in words: ``w is gathered whole over model``; empty if there is none."""
    wasted_bytes: int = 0
    """Bytes on each device that the remark is about."""
    inspected: bool = False
    """Whether its shardings are of the program with inspections, which has other collectives here than the program
    itself: the compiler may never make these values there."""
    library: Source | None = None
    """The line of an installed package that ``source`` runs; None where it runs none."""

    @property
    def fixes(self) -> tuple[Fix, ...]:
        """Changes that make it run where it stops."""
        return self.error.fixes if self.error else ()

    @property
    def explicit(self) -> str:
        """Types of the results on an Explicit mesh; empty where the explicit side stopped."""
        return ", ".join(v.explicit.text for v in self.values if v.explicit)

    @property
    def auto(self) -> str:
        """Types of the results on an Auto mesh."""
        return ", ".join(v.auto for v in self.values if v.auto)

    @property
    def concrete(self) -> str:
        """Shardings of the results in the compiled program; empty where not known."""
        return ", ".join(v.concrete.text for v in self.values if v.concrete)


@dataclass(frozen=True)
class Continuation:
    """The explicit side below a fix other than the one that ``rows`` show."""

    row: int
    choice: int
    """Index in that row's ``fixes``."""
    at: tuple[int, ...]
    """Indices of the rows that differ with it."""
    rows: tuple[Row, ...] = field(metadata={"wire": "table"})
    """Those rows."""
    program: Program | None = None
    """The program compiled with the fix."""


@dataclass(frozen=True, repr=False)
class Comparison(Document):
    """What the types say, beside where the data is."""

    of: Literal["function", "arrays"]
    mesh: Mesh
    rows: tuple[Row, ...] = field(metadata={"wire": "table"})
    scopes: tuple[Scope, ...] = ()
    continuations: tuple[Continuation, ...] = ()
    program: Program | None = None
    """The compiled program; None where nothing was compiled."""
    compiled_from: Literal["", "Auto", "Explicit", "given"] = ""
    """Which variant of the mesh was compiled; ``given`` for the user's own mixed one."""
    listings: tuple[Listing, ...] = ()
    name: str = ""
    note: str = ""
    """What is not known, why, and how to get it, in one or two sentences."""
    jax_version: str = ""
    kind: Literal["comparison"] = field(default="comparison", init=False)
    version: int = field(default=VERSION, init=False)
