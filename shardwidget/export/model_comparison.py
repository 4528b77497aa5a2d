"""Trees of arrays side by side, as text and as a plain HTML table: the lines that differ, then how many do not."""

from __future__ import annotations

from collections import Counter

from shardwidget.document import ModelComparison
from shardwidget.document.model_comparison import ComparedCell, ComparedLine
from shardwidget.export import listing
from shardwidget.export.words import byte_count, clip

MOST = 60
"""The most lines that are written; the rest are counted."""


def headline(comparison: ModelComparison) -> str:
    """What differs, in one line."""
    trees = ", ".join(f"{clip(tree.name, 40)} {byte_count(tree.bytes_per_device)}" for tree in comparison.trees)
    return f"{trees} on a device: {_counts(comparison)}"


def picture(comparison: ModelComparison) -> str:
    """The lines that differ as text."""
    rows = [_heads(comparison), *(_row(comparison, line) for line in _differing(comparison))]
    cut = rows[: MOST + 1] if len(rows) > 1 else []
    return "\n".join([headline(comparison), *listing.columns(cut), *_after(comparison, len(rows) - 1)])


def table(comparison: ModelComparison) -> str:
    """The same as an HTML table that survives a notebook's sanitiser: inline style, no script, no svg."""
    lines = _differing(comparison)
    rows = (_row(comparison, line) for line in lines[:MOST])
    return listing.table(headline(comparison), _heads(comparison), rows, _after(comparison, len(lines)))


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


def _heads(comparison: ModelComparison) -> tuple[str, ...]:
    first, *others = (clip(tree.name, 80) for tree in comparison.trees)
    columns = [head for name in others for head in (name, "on a device", "")]
    return ("path", first, "on a device", *columns)


def _row(comparison: ModelComparison, line: ComparedLine) -> tuple[str, ...]:
    times = line.rows.size
    out = [f"{line.path or 'the whole tree'}{f' ×{times}' if times > 1 else ''}"]
    for i, cell in enumerate(comparison.rows[_first(line)].cells):
        held = byte_count(cell.bytes_per_device * times) if any(a.copies for a in cell.arrays) else ""
        out += [_types(cell), held]
        if i:
            out.append(words(cell, comparison.trees[0].name))
    return tuple(out)


def _types(cell: ComparedCell) -> str:
    count = Counter(array.type for array in cell.arrays)
    return ", ".join(f"{n} × {kind}" if n > 1 else kind for kind, n in count.items()) or "–"


def _after(comparison: ModelComparison, lines: int) -> list[str]:
    return [f"… {lines - MOST} more lines"] if lines > MOST else []
