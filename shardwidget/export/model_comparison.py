"""Trees of arrays side by side, as text and as a plain HTML table: the lines that differ, then how many do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from shardwidget._format import byte_count
from shardwidget.document import ModelComparison
from shardwidget.document.columns import Column
from shardwidget.document.model_comparison import ComparedCell, ComparedLine
from shardwidget.export import listing
from shardwidget.export.words import clip

MOST = 60
"""The most lines that are written; the rest are counted."""


def headline(comparison: ModelComparison) -> str:
    """What differs, in one line."""
    trees = ", ".join(f"{clip(tree.name, 40)} {byte_count(tree.bytes_per_device)}" for tree in comparison.trees)
    return f"{trees} on a device: {_counts(comparison)}"


def _said(comparison: ModelComparison) -> listing.Said:
    """The lines that differ."""
    return listing.Said(*_listed(comparison), after=_after(comparison))


picture, table = listing.writers(headline, _said)


def _listed(comparison: ModelComparison) -> tuple[Sequence[Column], Sequence[listing.Row]]:
    columns = [Column("path", "path")]
    for i, tree in enumerate(comparison.trees):
        columns += [Column(f"type {i}", tree.name), Column(f"here {i}", "on a device", unit="bytes")]
        columns += [Column(f"change {i}", "")] * (i > 0)
    return columns, [_row(comparison, line) for line in _differing(comparison)[:MOST]]


def words(cell: ComparedCell, first: str) -> str:
    """How a cell differs from the first tree's: ``lost model``; empty where it does not.

    Args:
        cell: of another tree than the first.
        first: the first tree's name.
    """
    if cell.status in ("lost an axis", "gained an axis"):
        return f"{cell.status.split()[0]} {', '.join(cell.axes)}"
    if cell.status == "only there":
        return f"only in {first}"
    return "" if cell.status in ("same", "absent") else cell.status


def _counts(comparison: ModelComparison) -> str:
    total = len(comparison.rows)
    count = Counter(cell.status for row in comparison.rows for cell in row.cells[1:])
    said = [f"{n} {status}" for status, n in count.most_common() if status not in ("same", "absent")]
    differing = len(comparison.differing)
    if not differing:
        return f"all {total} paths are the same"
    return f"{differing} of {total} paths differ ({', '.join(said)})"


def _differing(comparison: ModelComparison) -> list[ComparedLine]:
    return [line for line in comparison.lines if comparison.rows[_first(line)].differs]


def _first(line: ComparedLine) -> int:
    return int(line.rows.array()[0])


def _row(comparison: ModelComparison, line: ComparedLine) -> listing.Row:
    times = line.rows.size
    row: dict[str, listing.Cell] = {"path": f"{line.path or 'the whole tree'}{f' ×{times}' if times > 1 else ''}"}
    for i, cell in enumerate(comparison.rows[_first(line)].cells):
        held = cell.bytes_per_device * times if any(a.copies for a in cell.arrays) else None
        row |= {f"type {i}": _types(cell), f"here {i}": held}
        if i:
            row[f"change {i}"] = words(cell, comparison.trees[0].name)
    return row


def _types(cell: ComparedCell) -> str:
    count = Counter(array.type for array in cell.arrays)
    return ", ".join(f"{n} × {kind}" if n > 1 else kind for kind, n in count.items()) or "–"


def _after(comparison: ModelComparison) -> list[str]:
    left = len(_differing(comparison)) - MOST
    return [f"… {left} more lines"] if left > 0 else []
