"""What differs from a baseline: the small text that a repository keeps of a program, a tree of arrays or a memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from shardwidget.document.base import Document
from shardwidget.document.wire import VERSION

__all__ = ["BaselineDiff", "BaselineRow"]


@dataclass(frozen=True)
class BaselineRow:
    """A row that is not as the baseline has it."""

    change: Literal["new", "gone", "changed"]
    """What became of it."""
    of: str
    """What it is of: a collective, its mesh axes and the text of its line; a leaf and its type; a kind of buffer."""
    bytes_before: int
    """The bytes that the baseline has; 0 where it has none."""
    bytes_now: int
    """The bytes that there are; 0 where it is gone."""
    count_before: int
    """The runs, copies or buffers that the baseline has."""
    count_now: int
    """The runs, copies or buffers that there are."""


@dataclass(frozen=True, repr=False)
class BaselineDiff(Document):
    """What differs from a baseline."""

    name: str
    """The file of the baseline."""
    counted: Literal["runs", "copies", "buffers"]
    """What the counts are of."""
    rows: tuple[BaselineRow, ...]
    """What differs, the most bytes first."""
    same: int = 0
    """The number of rows that do not differ."""
    kind: Literal["baseline diff"] = field(default="baseline diff", init=False)
    version: int = field(default=VERSION, init=False)
