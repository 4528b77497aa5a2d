"""Tables in words: columns that are declared once, as lines of text and as HTML for a notebook."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from shardwidget import _format
from shardwidget.document.columns import Column
from shardwidget.export.words import clip

Cell = str | float | tuple[str, float, str] | None
"""Words, or a number in the unit of its column, maybe with words before and after it: ``("≥ ", 4096, "")``."""
Row = Mapping[str, Cell]
"""The cells of a row by the keys of their columns; what is absent is empty."""

CELL = "padding:2px 10px;text-align:left;vertical-align:top;font-family:monospace;color:#1b1f24"
"""Style of a table's cell."""

_FORMATS: Mapping[str, Callable[[Sequence[float]], Callable[[float], str]]] = {
    "bytes": lambda values: _format.column(values, _format.BYTES),
    "seconds": lambda values: _format.column(values, _format.SECONDS),
    "rate": lambda values: _format.column(values, _format.RATES),
    "share": _format.percents,
}


NAMED = (Column("name", ""), Column("words", ""))
"""The columns of a table that has no heads: a name, and what is said of it."""


@dataclass(frozen=True)
class Said:
    """A table and what is said around it: stated once, written as text and as HTML."""

    columns: Sequence[Column]
    rows: Sequence[Row]
    before: Sequence[str] = ()
    after: Sequence[str] = ()
    most: int = 64
    """Characters of a cell of text; HTML has at least 160."""


def writers(
    headline: Callable[[Any], str], said: Callable[[Any], Said]
) -> tuple[Callable[[Any], str], Callable[[Any], str]]:
    """The functions that write a kind of document as text and as HTML."""

    def picture(shown: Any) -> str:
        words = said(shown)
        body = lines(words.columns, words.rows, words.most)
        return "\n".join([headline(shown), *words.before, *body, *words.after])

    def html(shown: Any) -> str:
        words = said(shown)
        before, most = paragraphs(words.before), max(160, words.most)
        return table(headline(shown), words.columns, words.rows, words.after, before, most)

    return picture, html


def lines(columns: Sequence[Column], rows: Sequence[Row], most: int = 64) -> list[str]:
    """A table as lines of text, in columns of at most ``most`` characters; nothing without rows."""
    cells = _written(columns, rows)
    widths = [min(most, max(map(len, column))) for column in zip(*cells, strict=True)]
    return [
        "  ".join(clip(cell, width).ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]


def table(
    title: str,
    columns: Sequence[Column],
    rows: Sequence[Row],
    after: Iterable[str] = (),
    before: str = "",
    most: int = 160,
) -> str:
    """A table as HTML that survives a notebook's sanitiser: inline style, no script, no svg.

    Args:
        title: the line above it.
        columns: its columns; those in which nothing stands are left out.
        rows: the cells of each row.
        after: lines below it.
        before: HTML between the title and the table.
        most: characters of a cell.
    """
    written = _written(columns, rows)
    heads = written.pop(0) if written and any(column.head for column in columns) else []
    body = "".join(
        "<tr>" + "".join(f'<td style="{CELL}">{escape(clip(c, most))}</td>' for c in row) + "</tr>" for row in written
    )
    return framed(title, heads, body, after, before)


def framed(title: str, heads: Iterable[str], body: str, after: Iterable[str] = (), before: str = "") -> str:
    """``table`` around lines that are HTML already."""
    head = "".join(f'<th style="{CELL};font-weight:600">{escape(clip(name, 80))}</th>' for name in heads)
    head = f"<tr>{head}</tr>" if head else ""
    below = paragraphs(clip(line, 400) for line in after)
    return (
        f'<div style="overflow-x:auto"><p style="margin:4px 0"><b>{escape(title)}</b></p>{before}'
        f'<table style="border-collapse:collapse;background:#fff">{head}{body}</table>{below}</div>'
    )


def paragraphs(lines: Iterable[str]) -> str:
    """Lines as HTML, whole."""
    return "".join(f'<p style="margin:4px 0">{escape(line)}</p>' for line in lines)


def _written(columns: Sequence[Column], rows: Sequence[Row]) -> list[list[str]]:
    """Heads and rows as text; numbers of a column in one unit."""
    shown = [column for column in columns if any(row.get(column.key) not in (None, "") for row in rows)]
    if not shown:
        return []
    writers = [_writer(column, [row.get(column.key) for row in rows]) for column in shown]
    body = [[write(row.get(column.key)) for column, write in zip(shown, writers, strict=True)] for row in rows]
    heads = [column.head for column in shown]
    return [heads, *body] if any(heads) else body


def _writer(column: Column, cells: Sequence[Cell]) -> Callable[[Cell], str]:
    numbers = [cell[1] if isinstance(cell, tuple) else cell for cell in cells if not isinstance(cell, str | None)]
    number = _FORMATS[column.unit](numbers) if column.unit in _FORMATS else str

    def write(cell: Cell) -> str:
        if cell is None or isinstance(cell, str):
            return cell or ""
        return f"{cell[0]}{number(cell[1])}{cell[2]}" if isinstance(cell, tuple) else number(cell)

    return write
