"""A tree of arrays in words: its bytes, its largest leaves, and what to look at."""

from __future__ import annotations

from html import escape

from shardwidget.document import Model
from shardwidget.export.words import byte_count, clip

MOST = 30
"""Leaves that are listed: those with the most bytes on a device."""


def headline(model: Model) -> str:
    """Arrays and bytes in one line."""
    name = f"{clip(model.name, 40)}: " if model.name else ""
    arrays = "1 array" if model.arrays == 1 else f"{model.arrays} arrays"
    return f"{name}{arrays}, {byte_count(model.bytes)}, {byte_count(model.bytes_per_device)} on the fullest device"


def picture(model: Model) -> str:
    """The largest leaves, one a line, and what to look at."""
    rows = _rows(model)
    widths = [max((len(row[k]) for row in rows), default=0) for k in range(3)]
    lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, (*widths, 0), strict=True)).rstrip() for row in rows]
    return "\n".join([headline(model), *lines, *_rest(model)])


def table(model: Model) -> str:
    """The same as an HTML table that survives a notebook's sanitiser."""
    cell = 'style="padding:2px 10px;text-align:left;font-family:monospace"'
    heads = "".join(f"<th {cell}>{name}</th>" for name in ("leaf", "type", "bytes on a device", "to look at"))
    body = "".join("<tr>" + "".join(f"<td {cell}>{escape(c)}</td>" for c in row) + "</tr>" for row in _rows(model))
    after = "".join(f"<p>{escape(line)}</p>" for line in _rest(model))
    return f"<p><b>{escape(headline(model))}</b></p><table><tr>{heads}</tr>{body}</table>{after}"


def _rows(model: Model) -> list[tuple[str, str, str, str]]:
    largest = sorted(model.leaves, key=lambda leaf: -leaf.bytes_per_device)[:MOST]
    return [
        (
            clip(leaf.path, 60),
            clip(leaf.type, 40),
            byte_count(leaf.bytes_per_device),
            clip("; ".join(flag.reason for flag in leaf.flags), 80),
        )
        for leaf in largest
    ]


def _rest(model: Model) -> list[str]:
    left = len(model.leaves) - MOST
    return [f"… {left} more leaves"] if left > 0 else []
