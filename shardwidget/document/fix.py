"""Why a program stops, and changes to its source that make it run."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Literal

from shardwidget.document.placement import Dim

__all__ = ["Failure", "FailureKind", "Fix", "Layout"]

FailureKind = Literal[
    "out_specs",
    "scan_carry",
    "branches",
    "traced_value",
    "shape",
    "indivisible",
    "sharding_type",
    "in_specs",
    "axis_name",
    "user",
    "other",
]


@dataclass(frozen=True)
class Layout:
    """How a value is sharded over the mesh, as a type or a sharding states it."""

    text: str
    """In JAX's spelling: a type, ``f32[8@x,16]{U:y}``; or a spec, ``P('x', None)``. The sharding's own text where no
    spec fits."""
    dims: tuple[Dim, ...] | None = None
    """How each dimension is cut; None where the text does not show it (Auto axes)."""
    unreduced: tuple[str, ...] = ()
    reduced: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fix:
    """A change that makes a program run."""

    title: str
    """In a few words: ``keep rows split over x``."""
    code: str
    """The lines with the change, without indentation. Where the source does not show the place (``line`` is 0), an
    argument or a statement whose place the title names."""
    file: str = ""
    """File name without its folders, as ``Source.file``."""
    line: int = 0
    """The first line that ``code`` replaces."""
    lines: int = 0
    """How many lines it replaces; 0 where it goes before ``line``."""
    layout: Layout | None = None
    """The type of the equation's first result with the change; None where the program is not compared."""
    communication: str = ""
    """What the change makes the devices do, in words: ``all-reduce over y``; ``none``. Empty where not known."""
    bytes_per_device: int = 0
    """Bytes that a device sends for it."""

    @property
    def type(self) -> str:
        """The type of the result with the change; empty where the program is not compared."""
        return self.layout.text if self.layout else ""

    def applied(self, text: str) -> str:
        """The text of the file with the change.

        Raises:
            ValueError: the change has no place in the file.
        """
        if not self.line:
            raise ValueError(f"this change has no place in the source: {self.code}")
        lines = text.split("\n")
        old = lines[self.line - 1]
        new = textwrap.indent(self.code, old[: len(old) - len(old.lstrip())]).split("\n")
        return "\n".join([*lines[: self.line - 1], *new, *lines[self.line - 1 + self.lines :]])


@dataclass(frozen=True)
class Failure:
    """Why a program stops, at the value that causes it."""

    error: str
    """Class of the exception."""
    message: str
    """JAX's own words, or the user's exception."""
    explanation: str = ""
    """What it means, in terms of mesh axes: which value varies over which one, and where that came from."""
    axes: tuple[str, ...] = ()
    """The mesh axes in question."""
    fixes: tuple[Fix, ...] = ()
    chosen: int = -1
    """Index of the fix with which the program continues below; -1 where it does not."""
    kind: FailureKind = "other"
    variable: int = -1
    """The value of the trace that causes it; -1 where none does."""
    origin: int = -1
    """Index of the step of the trace where the value became so; -1 where not known."""
    traceback: str = ""
    """The user's frames, as Python prints them."""
