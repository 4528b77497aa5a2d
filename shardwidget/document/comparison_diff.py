"""Two comparisons of types with shardings: which values are elsewhere, which errors came or went, what is sent."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from shardwidget.document.base import Document
from shardwidget.document.mesh import Mesh
from shardwidget.document.step import Source
from shardwidget.document.wire import VERSION

__all__ = ["ComparisonChange", "ComparisonDiff", "ComparisonSide"]


@dataclass(frozen=True)
class ComparisonSide:
    """One operation in one of the programs."""

    source: Source | None
    """The user's line; None where it is not known."""
    explicit: str
    """Types of its results on an Explicit mesh; empty where it stops there."""
    compiled: str
    """Where the compiled program puts them, written as types; empty where that is not known."""
    error: str
    """Why it stops on an Explicit mesh, in a sentence; empty where it does not."""
    collectives: tuple[str, ...]
    """What the compiler adds before or into it: ``all-gather over model``."""


@dataclass(frozen=True)
class ComparisonChange:
    """An operation that differs, or that one of the programs has alone."""

    primitive: str
    """JAX's primitive; ``arguments`` and ``outputs`` for what the function takes and returns."""
    name: str
    """The names of its results."""
    times: int
    """How many operations, one after another in the program, differ in the same way on one line."""
    before: ComparisonSide | None
    """None where it was added."""
    after: ComparisonSide | None
    """None where it is gone."""

    @property
    def change(self) -> Literal["added", "gone", "changed"]:
        """Whether it is new, gone or another."""
        return "added" if self.before is None else "gone" if self.after is None else "changed"

    @property
    def what(self) -> tuple[Literal["error", "collectives", "sharding", "type"], ...]:
        """What differs, what matters most first; empty where it was added or is gone."""
        if self.before is None or self.after is None:
            return ()
        pairs: tuple[tuple[Literal["error", "collectives", "sharding", "type"], object, object], ...] = (
            ("error", self.before.error, self.after.error),
            ("collectives", self.before.collectives, self.after.collectives),
            ("sharding", self.before.compiled, self.after.compiled),
            ("type", self.before.explicit, self.after.explicit),
        )
        return tuple(name for name, old, new in pairs if old != new)


@dataclass(frozen=True, repr=False)
class ComparisonDiff(Document):
    """What differs between two comparisons. Operations are matched by primitive and by the text of their line."""

    mesh: Mesh
    """The mesh of the comparison after."""
    names: tuple[str, str]
    """What is compared, before and after."""
    changes: tuple[ComparisonChange, ...] = field(metadata={"wire": "table"})
    """What differs: errors, then collectives, then the rest, each in the order of the program."""
    same: int = 0
    """How many operations are the same in both."""
    verdict: str = ""
    """What differs, in a sentence."""
    kind: Literal["comparison diff"] = field(default="comparison diff", init=False)
    version: int = field(default=VERSION, init=False)
