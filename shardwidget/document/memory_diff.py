"""Memory of a compiled program before a change and after it: what is alive at the peak, matched by the user's lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from shardwidget.document.base import Document
from shardwidget.document.step import Source
from shardwidget.document.wire import VERSION

__all__ = ["MemoryChange", "MemoryDiff", "MemorySide"]


@dataclass(frozen=True)
class MemorySide:
    """The totals of one of the programs."""

    name: str
    target: str
    """What it is compiled for, in words: ``TPU v5e 2×4``."""
    peak_bytes: int
    """The most bytes that are alive at once on a device."""
    allocated_bytes: int
    """Bytes that the compiler allocates on a device."""


@dataclass(frozen=True)
class MemoryChange:
    """What a value, or all values of one name on one line, take up at the peak of each program."""

    name: str
    """The path of an argument, or the variable that the line assigns; otherwise the instruction's name."""
    kind: str
    """What kind of buffer it is, as in ``Buffer.kind``: after the change, or before it where it is gone."""
    backward: bool
    """Whether it is made in the backward pass."""
    source: Source | None
    """The user's line that makes it, after the change where it is still there; None where that is not known."""
    types: tuple[str, str]
    """Its type on one device before and after: ``f32[8,4]``; empty where it is not alive at that peak."""
    before: int
    """Its bytes at the peak before the change; 0 where it is not alive there."""
    after: int
    """Its bytes at the peak after the change; 0 where it is not alive there."""

    @property
    def status(self) -> Literal["added", "gone", "grew", "shrank"]:
        """How it differs."""
        if not self.before:
            return "added"
        if not self.after:
            return "gone"
        return "grew" if self.after > self.before else "shrank"


@dataclass(frozen=True, repr=False)
class MemoryDiff(Document):
    """What a change does to the memory of a program, on one device.

    Each peak is a moment of its own, so what is gone at the second may be alive at another step of that program.
    Buffers are matched by name and by the text of the line that makes them: a line may have moved.
    """

    before: MemorySide
    after: MemorySide
    changes: tuple[MemoryChange, ...]
    """What differs, the largest difference first."""
    same_bytes: int = 0
    """Bytes at the peak of both that are equal."""
    jax_version: str = ""
    kind: Literal["memory diff"] = field(default="memory diff", init=False)
    version: int = field(default=VERSION, init=False)

    @property
    def difference(self) -> int:
        """Bytes by which the second peak is higher; less than 0 where it is lower."""
        return self.after.peak_bytes - self.before.peak_bytes
