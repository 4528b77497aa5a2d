"""Changes that make a program run, in the source that it stands in."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from shardwidget.document.placement import Dim

__all__ = ["Fix", "Layout"]


@dataclass(frozen=True)
class Layout:
    """How a value lies on the mesh, as a type or a sharding says it."""

    text: str
    """In JAX's spelling: a type, ``f32[8@x,16]{U:y}``; or a spec, ``P('x', None)``. The sharding's own text where no
    spec fits."""
    dims: tuple[Dim, ...] | None = None
    """How each dimension is cut; None where the text does not say (Auto axes)."""
    unreduced: tuple[str, ...] = ()
    reduced: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fix:
    """A change that makes a program run."""

    title: str
    """In a few words: ``keep rows split over x``."""
    code: str
    """The lines with the change, without indentation. Where the source does not show the place (``line`` is 0), an
    argument or a statement whose place the title tells."""
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
