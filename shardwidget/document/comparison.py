"""Explicit types beside concrete shardings, equation by equation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from shardwidget.document.base import Document, provided
from shardwidget.document.comparison_diff import ComparisonDiff
from shardwidget.document.fix import Failure, Fix, Layout
from shardwidget.document.mesh import Mesh
from shardwidget.document.program import Program
from shardwidget.document.step import Listing, Scope, Source
from shardwidget.document.why import Alternative, Cause, Group, Reason, Why
from shardwidget.document.wire import VERSION

__all__ = ["Compared", "Comparison", "Continuation", "Row"]


@dataclass(frozen=True)
class Compared:
    """One value: its explicit type, its type on an Auto mesh, and its concrete sharding."""

    name: str
    """The user's name for it where it is known, otherwise JAX's letter."""
    shape: tuple[int, ...]
    """The global shape; inside a ``shard_map``, that of the block."""
    dtype: str
    bits: int
    explicit: Layout | None
    """The type on an Explicit mesh; None at an error that no fix removes, and below it."""
    auto: str
    """The type on an Auto mesh; empty where tracing on that mesh stopped."""
    concrete: Layout | None
    """The sharding in the compiled program; None where it is not known (see ``Comparison.note``)."""
    agreement: Literal["same", "differs", "silent", ""] = ""
    """Whether the explicit type and the concrete sharding agree; ``silent`` where the type leaves the sharding to the
    compiler, empty where there is nothing to compare."""
    note: str = ""
    """What differs, or why the sharding is not known, in one sentence; empty where there is nothing to say."""


@dataclass(frozen=True)
class Row:
    """One equation, or the arguments or the results of the function, or one array."""

    primitive: str
    """JAX's primitive; ``arguments`` and ``outputs`` for what the function takes and returns; ``array`` for an array by
    itself."""
    values: tuple[Compared, ...]
    """The results."""
    source: Source | None = None
    """The user's source line; a line of an installed package only where there is no other."""
    inputs: tuple[str, ...] = ()
    """The names of the operands; of ``arguments``, those of the function's arguments: ``params``, ``more[0]``."""
    scope: int = -1
    """Index of the innermost scope in ``Comparison.scopes``."""
    decision: Literal["", "reshard", "with_sharding_constraint", "out_sharding", "device_put"] = ""
    """What the user wrote to decide the sharding here; empty where the equation has no such decision."""
    error: Failure | None = None
    """Why the explicit side stops here; None where it does not."""
    collectives: tuple[int, ...] = ()
    """Indices in ``Comparison.program.collectives`` of the collectives that the compiler put before or into this
    equation."""
    remark: str = ""
    """Unexpected replication in words, ``w is gathered whole over model``; empty if there is none."""
    wasted_bytes: int = 0
    """Bytes that this replication costs each device."""
    inspected: bool = False
    """Whether the shardings come from a program compiled with inspections that has other collectives here than the
    program itself, which may never make these values."""
    library: Source | None = None
    """The line of an installed package that ``source`` runs; None where it runs none of one."""
    called_from: Source | None = None
    """For a constraint that a helper puts on its own parameter: the user's line that calls the helper."""

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
    """The explicit side below a fix that ``Comparison.rows`` do not continue with."""

    row: int
    """Index in ``Comparison.rows`` of the row with the error."""
    choice: int
    """Index of the fix in that row's ``fixes``."""
    at: tuple[int, ...]
    """Indices in ``Comparison.rows`` of the rows that differ with the fix."""
    rows: tuple[Row, ...] = field(metadata={"wire": "table"})
    """Those rows as they are with the fix."""
    program: Program | None = None
    """The program compiled with the fix; None where it was not compiled."""
    verdict: str = ""
    """``Comparison.verdict`` with the fix."""


@dataclass(frozen=True, repr=False)
class Comparison(Document):
    """What the types say, beside where the compiled program puts the data."""

    of: Literal["function", "arrays"]
    """What is compared: the equations of a function, or arrays by themselves."""
    mesh: Mesh
    rows: tuple[Row, ...] = field(metadata={"wire": "table"})
    scopes: tuple[Scope, ...] = ()
    continuations: tuple[Continuation, ...] = ()
    program: Program | None = None
    """The compiled program; None where nothing was compiled."""
    compiled_from: Literal["", "Auto", "Explicit", "given"] = ""
    """The axis types of the mesh that was compiled for; ``given`` for the user's own mixed types. Empty where nothing
    was compiled."""
    listings: tuple[Listing, ...] = ()
    reasons: tuple[Reason, ...] = field(default=(), metadata={"wire": "table"})
    """Why dimensions of values are split, as far as it is known."""
    groups: tuple[Group, ...] = ()
    """Values that were given the same axis for the same."""
    causes: tuple[Cause, ...] = ()
    """The splits that collectives follow from."""
    steps: int = 0
    """How many steps the compiler's propagation of shardings had; 0 where it is not known."""
    name: str = ""
    verdict: str = ""
    """Where it stops, or what differs, or what the compiler adds, in a sentence."""
    note: str = ""
    """What is not known, why, and how to get it, in one or two sentences."""
    jax_version: str = ""
    compiled_otherwise: Callable[..., tuple[tuple[Alternative, ...], bool]] | None = field(
        default=None, repr=False, compare=False, metadata={"wire": False}
    )
    """Compiles it as it would be otherwise, in the Python that read it; files and saved pages leave it out."""
    kind: Literal["comparison"] = field(default="comparison", init=False)
    version: int = field(default=VERSION, init=False)

    def __getstate__(self) -> dict[str, Any]:
        """What is sent to another process: not what compiles."""
        return self.__dict__ | {"compiled_otherwise": None}

    def diff(self, after: Comparison) -> ComparisonDiff:
        """What another comparison has otherwise: this one is before, that one after.

        Operations are matched by primitive and by the text of their line, so that lines may have moved.
        """
        return provided("comparison_diff")(self, after)

    def why(
        self,
        row: int,
        dim: int,
        axis: str | None = None,
        *,
        value: int = 0,
        instead: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> Why:
        """Why a dimension of a value is split over a mesh axis, as the compiler's own propagation records it.

        Where another value asked for the axis and lost, or a constraint decides, ``instead`` compiles the program as it
        would be: had the other won, and without the constraint. Each takes as long as a compile or two; interrupted
        (``KeyboardInterrupt``), the answer has what was compiled until then.

        Args:
            row: index in ``rows``.
            dim: the dimension.
            axis: the mesh axis; None for the first that splits it.
            value: index in the row's ``values``.
            instead: whether to compile what would be otherwise.
            progress: called with how many were compiled, and how many there are.

        Raises:
            IndexError: there is no such row, value or dimension.
            ValueError: ``instead``, and the comparison comes from a file, a saved page or a closed widget.
        """
        return provided("why")(self, row, dim, axis, value, instead=instead, progress=progress)

    def why_collective(self, collective: int) -> tuple[Why, ...]:
        """Why a collective is there: one answer for each operand that is split over its axes.

        Args:
            collective: index in ``program.collectives``.

        Raises:
            IndexError: there is no such collective.
        """
        return provided("why_collective")(self, collective)


@dataclass(frozen=True)
class Explained:
    """What ``why`` needs of a comparison. Of a long program few rows and reasons are asked for: no others are made."""

    program: Program
    rows: Sequence[Row]
    owned: frozenset[int]
    """Indices of the collectives of which the row is known."""
    reasons: Sequence[Reason]
    groups: Sequence[Group]
    causes: Sequence[Cause]
    steps: int

    def why_collective(self, collective: int) -> tuple[Why, ...]:
        """As ``Comparison.why_collective``."""
        return provided("why_collective")(self, collective)
