"""Two traces, a program and its reference: the step at which their values part, and what each device has there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from shardwidget.document.base import Document
from shardwidget.document.mesh import Mesh
from shardwidget.document.step import Source
from shardwidget.document.wire import VERSION

__all__ = ["PartedCells", "PartedSide", "PartedStep", "TraceDiff"]


@dataclass(frozen=True)
class PartedCells:
    """What a device holds of a value in both traces: cells of one row of its block."""

    device: int
    """Its id; -1 for a global array, which all have in common."""
    mine: tuple[str, ...]
    reference: tuple[str, ...]
    """As many as ``mine``, unless the shapes differ."""
    parted: tuple[int, ...]
    """Which of these cells differ, by their place."""
    count: int
    """How many elements of the whole block differ."""
    origins: tuple[int, int] = (-1, -1)
    """The device whose block it is, in both traces, where blocks were only moved; otherwise -1."""
    senders: tuple[int, int] = (-1, -1)
    """The device that sent it, in both traces, where the step is a permutation; -1 where none did, and for others."""
    operands: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    """Cells of the first operand on this device, in both traces; empty where it is not known."""


@dataclass(frozen=True)
class PartedStep:
    """A step of the first trace, and the value that it makes."""

    step: int
    """Index in ``Trace.steps``."""
    other: int
    """Index of the step of the reference that it is compared with; -1 where there is none."""
    primitive: str
    name: str
    """The name of the value."""
    total: int
    """How many elements it has, of all devices."""
    parted: int
    """How many of them differ; all, where the shapes do."""
    compared: bool
    """Whether both traces have values of it."""
    devices: tuple[int, ...] = ()
    """Ids of the devices where it differs; empty for a global array."""
    shapes: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    """The shape of the value's block in both, or of the global array."""
    counterpart: str = ""
    """The name of the value in the reference."""
    operands: tuple[str, str] = ("", "")
    """The names of the first operand in both."""
    at: tuple[int, ...] = ()
    """The index of the first cell in ``cells``."""
    sources: tuple[Source | None, Source | None] = (None, None)
    """The lines that it comes from."""
    cells: tuple[PartedCells, ...] = ()
    """What devices hold, of a step that differs; of the first steps and devices alone."""


@dataclass(frozen=True)
class PartedSide:
    """The code of one of the two functions."""

    name: str
    file: str
    """As in ``Source.file``; empty where the code is not known."""
    first_line: int
    lines: tuple[str, ...]
    other: tuple[int, ...]
    """Numbers of the lines whose text differs from the other function's."""


@dataclass(frozen=True, repr=False)
class TraceDiff(Document):
    """Two traces, step by step."""

    mesh: Mesh
    """The mesh of the first trace."""
    mine: PartedSide
    reference: PartedSide
    steps: tuple[PartedStep, ...]
    """The steps of the first trace that make a value, in their order."""
    first: int
    """Index in ``steps`` of the first that differs; -1 where none does."""
    rtol: float
    atol: float
    verdict: str = ""
    """Where they part, in a sentence."""
    cause: str = ""
    """What they do otherwise there: ``line 8 sends to i − 1, the reference to i + 1``. Empty where it is not known."""
    kind: Literal["trace diff"] = field(default="trace diff", init=False)
    version: int = field(default=VERSION, init=False)
