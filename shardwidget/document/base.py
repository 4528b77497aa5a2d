"""What all documents have in common."""

from __future__ import annotations

from shardwidget import _registry

__all__ = ["Document"]

MOST_LINES = 40
"""Lines of a document's text."""


class Document:
    """What a reader returns: plain frozen data, which prints as a few lines and displays as a table."""

    def __repr__(self) -> str:
        lines = _registry.words(self).picture(self).splitlines()
        if len(lines) > MOST_LINES:
            lines[MOST_LINES - 1 :] = [f"… {len(lines) - MOST_LINES + 1} more lines"]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return _registry.words(self).table(self)
