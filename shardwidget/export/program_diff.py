"""Two compiled programs as text and as a plain HTML table: what differs, the dearest first."""

from __future__ import annotations

from dataclasses import replace

from shardwidget._format import byte_count, count, duration
from shardwidget.document import DiffRow, DiffSide, ProgramDiff
from shardwidget.document.columns import DIFFERENCES, Column
from shardwidget.export import listing
from shardwidget.export.words import clip
from shardwidget.findings.difference import sign

MOST = 48
"""The most rows that are listed; the rest are counted."""


def headline(diff: ProgramDiff) -> str:
    """What differs most, in one line."""
    names = dict.fromkeys(clip(p.name or "program", 40) for p in (diff.before, diff.after))
    return f"{' → '.join(names)}: {clip(diff.verdict, 200)}"


def totals(diff: ProgramDiff) -> str:
    """What it comes to, before and after, in one line."""
    before, after = diff.before, diff.after
    runs, size, time = (
        [sum(getattr(side, of) for row in diff.rows if (side := getattr(row, which))) for which in ("before", "after")]
        for of in ("runs", "bytes_per_device", "seconds")
    )
    parts = [
        f"Collectives run {_ways(*(count(n, 'time') for n in runs))} a call",
        f"{_ways(*map(byte_count, size))} sent per device",
    ]
    if diff.interconnect:
        parts.append(f"{_ways(*map(duration, time))} per call (estimate on {diff.interconnect})")
    if before.memory >= 0 <= after.memory:
        parts.append(f"{_ways(byte_count(before.memory), byte_count(after.memory))} of memory on each device")
    return ", ".join(parts)


def _said(diff: ProgramDiff) -> listing.Said:
    """What differs most, then every difference, then how much is the same."""
    rows = [_row(diff, row) for row in diff.differing[:MOST]]
    return listing.Said(_columns(diff), rows, [*_also(diff), totals(diff)], _after(diff))


picture, table = listing.writers(headline, _said)


def _columns(diff: ProgramDiff) -> list[Column]:
    before, after = diff.of.split(" and ")
    return [replace(c, head={"before": before, "after": after}.get(c.key, c.head)) for c in DIFFERENCES]


def line_text(row: DiffRow) -> str:
    """The line that causes it, with its number before where that was another."""
    side = row.after or row.before
    source = side.source if side else None
    if source is None:
        return "line not known"
    was = row.before.source if row.before and row.after else None
    moved = f" (was {was.line})" if was and was.line != source.line else ""
    before = " before" if row.after is None else ""
    return f"{source.line}{moved}{before}: {source.text}"


def _row(diff: ProgramDiff, row: DiffRow) -> listing.Row:
    timed = bool(diff.interconnect and row.seconds)
    change = row.seconds if timed else row.bytes_per_device
    write = duration if timed else byte_count
    return {
        "change": row.change,
        "op": row.op,
        "axes": row.over,
        "source": line_text(row) + (f"  ({row.phase})" if row.phase else ""),
        "before": _side(diff, row.before),
        "after": _side(diff, row.after),
        "difference": f"{sign(change)}{write(abs(change))}" if change else "0",
    }


def _side(diff: ProgramDiff, side: DiffSide | None) -> str:
    if side is None:
        return "none"
    least = "≥ " * side.at_least
    size = duration(side.seconds) if diff.interconnect else byte_count(side.bytes_per_device)
    return f"{least}{size} ×{side.runs}"


def _also(diff: ProgramDiff) -> list[str]:
    also = [f"{diff.also}."] if diff.also and diff.of == "lowered and compiled" else []
    return [*([f"Why: {diff.why}."] if diff.why else []), *also]


def _after(diff: ProgramDiff) -> list[str]:
    left = len(diff.differing) - MOST
    same = [row.after for row in diff.rows if row.change == "same" and row.after]
    lines = [f"… {count(left, 'more difference')}: diff.rows and diff.to_json() have all"] if left > 0 else []
    if same:
        total = sum(side.seconds for side in same)
        lines.append(f"{count(len(same), 'unchanged place')}" + (f", {duration(total)}" if diff.interconnect else ""))
    return lines


def _ways(before: str, after: str) -> str:
    return before if before == after else f"{before} → {after}"
