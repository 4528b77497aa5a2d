"""What every list in words is made of: columns of text, tables for a notebook, numbers with their nouns and units."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from shardwidget.export.words import clip

CELL = "padding:2px 10px;text-align:left;vertical-align:top;font-family:monospace;color:#1b1f24"
"""Style of a table's cell."""


def columns(rows: Sequence[Sequence[str]], most: int | Sequence[int] = 64) -> list[str]:
    """Rows as lines of text, in columns; rows without cells, and columns without text, are left out.

    Args:
        rows: cells as text, as many in each.
        most: characters of a column, of each or of all.
    """
    filled = list(zip(*filter(None, rows), strict=True))
    limits = [most] * len(filled) if isinstance(most, int) else most
    widths = [min(limit, max(map(len, column))) for column, limit in zip(filled, limits, strict=False)]
    return [
        "  ".join(clip(cell, width).ljust(width) for cell, width in zip(row, widths, strict=True) if width).rstrip()
        for row in rows
        if row
    ]


def table(
    title: str,
    heads: Iterable[str],
    rows: Iterable[Sequence[str]],
    after: Iterable[str] = (),
    before: str = "",
    most: int = 160,
) -> str:
    """Rows as an HTML table that survives a notebook's sanitiser: inline style, no script, no svg.

    Args:
        title: the line above it.
        heads: of its columns; empty for a table without.
        rows: cells as text.
        after: lines below it.
        before: HTML between the title and the table.
        most: characters of a cell.
    """
    lines = (
        "<tr>" + "".join(f'<td style="{CELL}">{escape(clip(c, most))}</td>' for c in row) + "</tr>" for row in rows
    )
    return framed(title, heads, "".join(lines), after, before)


def framed(title: str, heads: Iterable[str], body: str, after: Iterable[str] = (), before: str = "") -> str:
    """``table`` around lines that are HTML already."""
    head = "".join(f'<th style="{CELL};font-weight:600">{escape(name)}</th>' for name in heads)
    head = f"<tr>{head}</tr>" if head else ""
    below = paragraphs(clip(line, 400) for line in after)
    return (
        f'<div style="overflow-x:auto"><p style="margin:4px 0"><b>{escape(title)}</b></p>{before}'
        f'<table style="border-collapse:collapse;background:#fff">{head}{body}</table>{below}</div>'
    )


def paragraphs(lines: Iterable[str]) -> str:
    """Lines as HTML, whole."""
    return "".join(f'<p style="margin:4px 0">{escape(line)}</p>' for line in lines)


def count(n: int, noun: str) -> str:
    """``1 array``, ``2 arrays``."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def duration(seconds: float) -> str:
    """A time with its unit, three significant digits: ``186 µs``."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns" if seconds else "0 s"
