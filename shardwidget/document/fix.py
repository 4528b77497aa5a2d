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
    """A type, ``f32[8@x,16]{U:y}``, or a spec, ``P('x', None)``, as JAX prints it; the sharding's own text where no
    spec fits."""
    dims: tuple[Dim, ...] | None = None
    """How each dimension is split; None where the text does not show it (Auto axes)."""
    unreduced: tuple[str, ...] = ()
    reduced: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fix:
    """A change that makes a program run."""

    title: str
    """What it does, in a few words: ``keep rows split over x``."""
    code: str
    """The changed lines, without indentation. Where the change has no place in the source (``line`` is 0): an argument
    or a statement, for the place that the title names."""
    file: str = ""
    """The name of the file without its folders, as in ``Source.file``."""
    line: int = 0
    """The number of the first line that ``code`` replaces; 0 where the source does not show the place."""
    lines: int = 0
    """The number of lines that ``code`` replaces; 0 where it is inserted before ``line``."""
    layout: Layout | None = None
    """The type of the first array that the equation gives with the change; None outside comparisons."""
    communication: str = ""
    """What devices communicate because of the change, in words: ``all-reduce over y``, ``none``. Empty where not
    known."""
    bytes_per_device: int = 0
    """Bytes that a device sends: of a comparison because of the change, of a trace in the whole program with it."""
    value: Literal["", "same", "other", "unknown"] = ""
    """Whether the program then gives what it gives on the whole array, without sharding; empty where the change alters
    no value."""
    effect: str = ""
    """What the program gives instead, in words; empty where ``value`` is not ``other``."""
    row: tuple[str, ...] = ()
    """The first numbers of the first row of what the program gives, to look at; empty where it was not run. Of several
    results, the first that differs."""
    row_size: int = 0
    """How many numbers that row has."""

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
    """The class of the exception."""
    message: str
    """The message of the exception, in JAX's or the user's own words."""
    explanation: str = ""
    """What the message means in terms of mesh axes: which value varies over which axis, and where that began. Empty
    where it is not known."""
    axes: tuple[str, ...] = ()
    """The mesh axes that the explanation is about."""
    fixes: tuple[Fix, ...] = ()
    chosen: int = -1
    """Index of the fix that the rows below continue with; -1 where the program does not continue."""
    kind: FailureKind = "other"
    variable: int = -1
    """Index in ``Trace.variables`` of the value that causes it; -1 where no value does."""
    origin: int = -1
    """Index in ``Trace.steps`` of the step that made that value as it is; -1 where not known."""
    traceback: str = ""
    """The frames of the user's own code, as Python prints them."""
