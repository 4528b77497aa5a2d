"""Two compiled programs: which collectives were added, are gone or changed, by line and mesh axes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from shardwidget.document.base import Document
from shardwidget.document.mesh import Mesh
from shardwidget.document.step import Source
from shardwidget.document.wire import VERSION

__all__ = ["DiffLine", "DiffProgram", "DiffRow", "DiffSide", "ProgramDiff"]


@dataclass(frozen=True)
class DiffLine:
    """A line of the functions that collectives come from, before and after."""

    file: str
    """As in ``Source.file``: of the program after where the line is in both."""
    before: int
    """Its number before; 0 where it was added."""
    after: int
    """Its number after; 0 where it is gone."""
    text: str
    """Its text, indented as in the file."""


@dataclass(frozen=True)
class DiffProgram:
    """One of two programs."""

    name: str
    target: str
    """What it is compiled for, as in ``Program.target``."""
    memory: int
    """Bytes on each device: arguments, outputs and temporaries; -1 where the compiler does not report them."""


@dataclass(frozen=True)
class DiffSide:
    """Equal collectives of one program that lines of one text cause."""

    source: Source | None
    """The first of these lines; None where it is not known."""
    collectives: tuple[int, ...]
    """Their indices in ``Program.collectives``."""
    runs: int
    """How often they run in a call; an unknown number of times counts as one."""
    bytes_per_device: int
    """Bytes that a device sends in a call."""
    seconds: float
    """Estimated seconds in a call, on ``ProgramDiff.interconnect``; 0 where there is none."""
    at_least: bool
    """Whether one is in a loop whose trip count is not known."""
    by_user: bool = False
    """Whether the program asks for them itself; otherwise the compiler added them."""
    arithmetic: str = ""
    """How the bytes that a device sends in one run are computed, for the largest of them."""
    remark: str = ""
    """Why they deserve a look; empty if they do not."""
    advice: str = ""
    """What may avoid them; empty without a remark."""


@dataclass(frozen=True)
class DiffRow:
    """One operation over the same mesh axes, caused by lines of the same text, in one phase: before and after."""

    change: Literal["added", "gone", "changed", "same"]
    """``changed``: it runs or sends more or less than before."""
    op: str
    """XLA's name for it: ``all-gather``."""
    axes: tuple[str, ...]
    """The mesh axes of its groups; empty for irregular ones."""
    over: str
    """The same in words."""
    phase: str
    """``forward``, ``recomputed``, ``backward`` or ``other``; empty where the program has no backward pass."""
    before: DiffSide | None
    """None where it was added."""
    after: DiffSide | None
    """None where it is gone."""

    @property
    def seconds(self) -> float:
        """By how much longer it takes in a call; less than 0 for a shorter time."""
        return (self.after.seconds if self.after else 0) - (self.before.seconds if self.before else 0)

    @property
    def bytes_per_device(self) -> int:
        """How many more bytes a device sends in a call; less than 0 for fewer."""
        return (self.after.bytes_per_device if self.after else 0) - (self.before.bytes_per_device if self.before else 0)

    @property
    def runs(self) -> int:
        """How many more times it runs in a call; less than 0 for fewer."""
        return (self.after.runs if self.after else 0) - (self.before.runs if self.before else 0)


@dataclass(frozen=True, repr=False)
class ProgramDiff(Document):
    """What differs between two programs. Lines are matched by their text, so that they may have moved."""

    mesh: Mesh
    """The mesh of the program after."""
    before: DiffProgram
    after: DiffProgram
    rows: tuple[DiffRow, ...]
    """What differs, the greatest difference of time and then of bytes first; then what does not."""
    interconnect: str = ""
    """What times are estimated for; empty where the programs have no interconnect in common."""
    verdict: str = ""
    """What differs most, in a sentence."""
    also: str = ""
    """What it comes to in all, in a sentence."""
    of: Literal["before and after", "lowered and compiled"] = "before and after"
    """What is compared: two compiled programs; or what one program asks for itself, as JAX lowers it, with what the
    compiler makes of that."""
    lines: tuple[DiffLine, ...] = field(default=(), metadata={"wire": "table"})
    """The code that collectives come from, in the order of its lines: what is before, after or in both."""
    why: str = ""
    """What the program after was compiled for, ``had line 7 won, with h = …``; empty where that is not known."""
    kind: Literal["program diff"] = field(default="program diff", init=False)
    version: int = field(default=VERSION, init=False)

    @property
    def differing(self) -> tuple[DiffRow, ...]:
        """The rows that are not the same."""
        return tuple(row for row in self.rows if row.change != "same")
