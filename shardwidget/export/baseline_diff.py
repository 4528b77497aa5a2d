"""What differs from a baseline, as text and as a plain HTML table: the most bytes first."""

from __future__ import annotations

from shardwidget._format import byte_count, count
from shardwidget.document import BaselineDiff, BaselineRow
from shardwidget.document.columns import BASELINE
from shardwidget.export import listing
from shardwidget.export.words import clip

MOST = 30
"""The most differences that are listed."""


def headline(diff: BaselineDiff) -> str:
    """How much differs, and what differs most, in one line."""
    name = clip(diff.name, 120)
    if not diff.rows:
        return f"{name}: no difference in {count(diff.same, 'row')}"
    first = diff.rows[0]
    return f"{name}: {count(len(diff.rows), 'difference')}, first {clip(first.of, 120)}: {_words(first)}"


def _said(diff: BaselineDiff) -> listing.Said:
    """The differences."""
    return listing.Said(BASELINE, _rows(diff), after=_after(diff), most=110)


picture, table = listing.writers(headline, _said)


def _words(row: BaselineRow) -> str:
    before, now = _side(row.bytes_before, row.count_before), _side(row.bytes_now, row.count_now)
    return {"new": f"new, {now}", "gone": f"gone, {before} before"}.get(row.change, f"{before} before, {now} now")


def _side(size: int, times: int) -> str:
    return f"{byte_count(size)} ×{times}"


def _rows(diff: BaselineDiff) -> list[listing.Row]:
    return [
        {
            "change": row.change,
            "of": row.of,
            "before": "" if row.change == "new" else _side(row.bytes_before, row.count_before),
            "now": "" if row.change == "gone" else _side(row.bytes_now, row.count_now),
        }
        for row in diff.rows[:MOST]
    ]


def _after(diff: BaselineDiff) -> list[str]:
    left = len(diff.rows) - MOST
    more = [f"… {count(left, 'more difference')}: .rows has all"] if left > 0 else []
    counted = f"Bytes on a device × {diff.counted}. {count(diff.same, 'row')} as before."
    return [*more, *([counted] if diff.rows else [])]
