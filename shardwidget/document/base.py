"""What all documents have in common."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any

from shardwidget._text import visible

__all__ = ["Document"]

MOST_LINES = 60
"""Lines of a document's text."""

_find: Callable[[str], Callable[..., Any]]


def provide(find: Callable[[str], Callable[..., Any]]) -> None:
    """Says where functions of other packages are found by name.

    The package itself calls it, once: documents import nothing that is built on documents.
    """
    global _find
    _find = find


def provided(name: str) -> Callable[..., Any]:
    """The function of another package that does what a document is asked for."""
    return _find(name)


class Document:
    """What a reader returns: plain frozen data, which prints as a few lines and displays as a table."""

    def __repr__(self) -> str:
        lines = visible(provided("words_of")(self).picture(self), keep="\n").split("\n")
        if len(lines) > MOST_LINES:
            lines[MOST_LINES - 1 :] = [f"… {len(lines) - MOST_LINES + 1} more lines: to_json() has all"]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return provided("words_of")(self).table(self)

    def to_json(self, path: str | PathLike[str] | None = None, *, values: bool = True) -> str:
        """This document as JSON, which ``shardwidget.load`` reads, with or without JAX.

        ``schema.json`` in the package describes it.

        Args:
            path: where to write; None to get the text.
            values: whether to write the values of arrays that a trace has.

        Returns:
            The path, or the text.
        """
        return provided("dump")(self, path, values)
