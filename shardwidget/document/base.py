"""What all documents have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["Document"]

MOST_LINES = 40
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
        lines = provided("words_of")(self).picture(self).splitlines()
        if len(lines) > MOST_LINES:
            lines[MOST_LINES - 1 :] = [f"… {len(lines) - MOST_LINES + 1} more lines"]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return provided("words_of")(self).table(self)
