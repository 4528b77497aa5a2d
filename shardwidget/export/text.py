"""A placement as a picture in Unicode: what ``repr`` of a view prints."""

from __future__ import annotations

from itertools import islice

from shardwidget.document import Placement
from shardwidget.export.grid import Grid, grid
from shardwidget.export.words import facts, headline

MAX_ROWS = 16
MAX_COLUMNS = 8
MAX_FACETS = 4
MAX_DEVICES = 8
"""Device ids written in one tile."""


def picture(placement: Placement, row_dim: int | None = None, column_dim: int | None = None) -> str:
    """The tiles of an array (or a mesh alone) as boxes, each with the ids of the devices that hold it.

    ``=`` joins devices with the same data, ``+`` joins devices whose partial sums are still to be added; their edges
    are dashed. What is too much to draw is counted.

    Args:
        placement: what to draw.
        row_dim: the dimension that runs down; None chooses.
        column_dim: the dimension that runs across; None chooses.
    """
    g = grid(placement, row_dim, column_dim)
    lines = [headline(placement), *facts(placement)]
    for facet in islice(g.each_facet(), MAX_FACETS):
        lines += ["", *([g.facet_label(facet)] if facet else []), *_boxes(g, facet)]
    left_out = [
        f"{most} of {count} {what}"
        for what, count, most in (
            ("rows", g.count(g.rows), MAX_ROWS),
            ("columns", g.count(g.columns), MAX_COLUMNS),
            ("facets", g.facet_count, MAX_FACETS),
        )
        if count > most
    ]
    if left_out:
        lines += ["", f"Shown: {', '.join(left_out)}."]
    return "\n".join(lines)


def _boxes(g: Grid, facet: dict[int, int]) -> list[str]:
    rows = range(min(g.count(g.rows), MAX_ROWS))
    columns = range(min(g.count(g.columns), MAX_COLUMNS))
    heads = ["" if g.columns is None else g.label(g.columns, c) for c in columns]
    sides = ["" if g.rows is None else g.label(g.rows, r) for r in rows]
    cells = [[g.devices(g.tile(facet, r, c), MAX_DEVICES) for c in columns] for r in rows]
    widths = [max(len(heads[c]), *(len(row[c]) for row in cells)) + 2 for c in columns]
    margin = max(map(len, sides))
    corner = g.corner
    indent = " " * max(margin, len(corner))

    flat, tall = ("╌", "╎") if g.placement.unreduced else ("─", "│")

    def rule(left: str, middle: str, right: str) -> str:
        return f"{indent} {left}{middle.join(flat * w for w in widths)}{right}"

    lines = [f"{corner:<{len(indent)}}  " + " ".join(h.center(w) for h, w in zip(heads, widths, strict=True))]
    lines = [line.rstrip() for line in lines if line.strip()]
    lines.append(rule("┌", "┬", "┐"))
    for i, (side, row) in enumerate(zip(sides, cells, strict=True)):
        if i:
            lines.append(rule("├", "┼", "┤"))
        lines.append(
            f"{side:<{len(indent)}} {tall}{tall.join(t.center(w) for t, w in zip(row, widths, strict=True))}{tall}"
        )
    return [*lines, rule("└", "┴", "┘")]
