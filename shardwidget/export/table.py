"""A placement as a plain HTML table: what is shown where no script runs (an untrusted notebook, GitHub, nbviewer).

Only elements and inline styles that JupyterLab's sanitiser keeps: no ``<style>``, ``<svg>``, ``<script>`` or aria.
"""

from __future__ import annotations

import itertools
from html import escape

from shardwidget.document import Placement
from shardwidget.export.color import tile_color
from shardwidget.export.grid import Grid, grid
from shardwidget.export.words import facts, headline

MAX_ROWS = 64
"""The most rows of tiles, over all facets."""
MAX_COLUMNS = 16
MAX_DEVICES = 8
"""The most device ids written in one tile."""

_CELL = "padding:4px 10px;text-align:center;font-family:monospace;"
_TILE = _CELL + "color:#14181d;border:1px {edge} #57606c;background:{color}"
_HEAD = _CELL + "font-weight:600"


def table(placement: Placement, row_dim: int | None = None, column_dim: int | None = None) -> str:
    """The tiles of an array (or a mesh alone) as HTML, each with the ids of the devices that hold it.

    Everything that the user named is escaped. Of many tiles, the first 64 rows and 16 columns are shown, and the rest
    are counted.

    Args:
        placement: what to draw.
        row_dim: the dimension that runs down; None chooses.
        column_dim: the dimension that runs across; None chooses.
    """
    g = grid(placement, row_dim, column_dim)
    rows = ((facet, row) for facet in g.each_facet() for row in range(g.count(g.rows)))
    body = [_column_heads(g)]
    for facet, group in itertools.groupby(itertools.islice(rows, MAX_ROWS), key=lambda at: at[0]):
        if facet:
            body.append(_facet_row(g, facet))
        body += [_row(g, facet, row) for _, row in group]
    more = _left_out(g)
    return (
        '<div style="overflow-x:auto">'
        f'<p style="margin:4px 0;font-family:monospace;font-weight:600">{escape(headline(placement))}</p>'
        + "".join(f'<p style="margin:4px 0">{escape(line)}</p>' for line in facts(placement))
        + f'<table style="border-collapse:collapse;margin:8px 0">{"".join(body)}</table>'
        + (f'<p style="margin:4px 0">{escape(more)}</p>' if more else "")
        + "</div>"
    )


def _column_heads(g: Grid) -> str:
    labels = [""] if g.columns is None else [g.label(g.columns, c) for c in _columns(g)]
    heads = "".join(f'<th style="{_HEAD}">{escape(label)}</th>' for label in [g.corner, *labels])
    return f"<tr>{heads}</tr>"


def _facet_row(g: Grid, facet: dict[int, int]) -> str:
    title = escape(g.facet_label(facet))
    return f'<tr><th colspan="{len(_columns(g)) + 1}" style="{_HEAD};text-align:left">{title}</th></tr>'


def _row(g: Grid, facet: dict[int, int], row: int) -> str:
    side = "" if g.rows is None else g.label(g.rows, row)
    cells = [f'<th style="{_HEAD}">{escape(side)}</th>']
    for column in _columns(g):
        tile = g.tile(facet, row, column)
        edge = "dashed" if g.placement.unreduced else "solid"
        style = _TILE.format(edge=edge, color=tile_color(tile, g.placement.grid))
        cells.append(f'<td style="{style}">{escape(g.devices(tile, MAX_DEVICES))}</td>')
    return f"<tr>{''.join(cells)}</tr>"


def _columns(g: Grid) -> range:
    return range(min(g.count(g.columns), MAX_COLUMNS))


def _left_out(g: Grid) -> str:
    rows, columns = g.count(g.rows) * g.facet_count, g.count(g.columns)
    left_out = []
    if rows > MAX_ROWS:
        left_out.append(f"{rows - MAX_ROWS} more rows")
    if columns > MAX_COLUMNS:
        left_out.append(f"{columns - MAX_COLUMNS} more columns")
    return f"Not shown: {' and '.join(left_out)}." if left_out else ""
