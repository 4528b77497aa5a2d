"""Memory before a change and after it, as text and as a plain HTML table: the verdict, then what differs."""

from __future__ import annotations

from shardwidget._format import byte_count, count
from shardwidget.document import MemoryDiff
from shardwidget.document.columns import MEMORY_DIFFERENCES
from shardwidget.export import listing
from shardwidget.export.words import clip

MOST = 50
"""The most lines that are written; the rest are counted."""


def headline(diff: MemoryDiff) -> str:
    """What the change does, in one line."""
    before, after = diff.before, diff.after
    change = diff.difference
    more = f"{byte_count(abs(change))} {'more' if change > 0 else 'less'}" if change else "the same"
    names = [clip(side.name or "program", 40) for side in (before, after)]
    name = names[0] if names[0] == names[1] else f"{names[0]} → {names[1]}"
    target = "" if before.target == after.target else f" ({clip(before.target, 40)} → {clip(after.target, 40)})"
    peaks = f"{byte_count(before.peak_bytes)} → {byte_count(after.peak_bytes)} alive at the peak on a device"
    return f"{name}{target}: {peaks}, {more}"


def _said(diff: MemoryDiff) -> listing.Said:
    """The lines that differ, under the totals."""
    return listing.Said(MEMORY_DIFFERENCES, _rows(diff), _totals(diff), _after(diff))


picture, table = listing.writers(headline, _said)


def _totals(diff: MemoryDiff) -> list[str]:
    out = []
    if diff.before.allocated_bytes != diff.after.allocated_bytes:
        allocated = [byte_count(side.allocated_bytes) for side in (diff.before, diff.after)]
        out.append(f"Allocated by the compiler: {allocated[0]} → {allocated[1]}.")
    if not diff.changes:
        return [*out, "The same lines have the same bytes at both peaks."]
    return [*out, f"{byte_count(diff.same_bytes)} are the same at both peaks; {count(len(diff.changes), 'line')} not:"]


def _rows(diff: MemoryDiff) -> list[listing.Row]:
    return [
        {
            "change": change.status,
            "name": f"{clip(change.name, 32)}{', backward' if change.backward else ''} ({change.kind})",
            "type": " → ".join(dict.fromkeys(kind for kind in change.types if kind)),
            "source": f"{change.source.line}: {clip(change.source.text, 48)}" if change.source else "",
            "before": change.before,
            "after": change.after,
        }
        for change in diff.changes[:MOST]
    ]


def _after(diff: MemoryDiff) -> list[str]:
    left = len(diff.changes) - MOST
    return [f"… {count(left, 'more line')}; diff.changes has all of them"] if left > 0 else []
