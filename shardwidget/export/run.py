"""Measured runs in words: what a call's time went into, and each collective's."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from shardwidget.document import MeasuredCollective, Run, Runs
from shardwidget.export.words import byte_count, clip

MOST = 30
"""Collectives that are listed."""

_CELL = "padding:2px 10px;text-align:left;vertical-align:top;font-family:monospace;color:#1b1f24"
_HEADS = (
    "op",
    "over mesh axes",
    "sent/device",
    "time (median)",
    "10–90 %",
    "wait",
    "estimate",
    "achieved",
    "caused by",
)
_SIDE = ("run", "a call (median)", "compute", "collectives", "waiting", "nothing")


def headline(shown: Run | Runs) -> str:
    """What was measured, and what its time went into, in one line."""
    if isinstance(shown, Runs):
        return f"{_count(len(shown.runs), 'run')}: {', '.join(clip(r.name, 40) for r in shown.runs)}"
    s = shown.shares
    what = f"{clip(shown.name or 'program', 40)}  measured on {shown.target}, {_count(len(shown.seconds), 'call')}"
    spent = f"{_percent(s.compute)} compute, {_percent(s.communication)} in collectives, {_percent(s.waiting)} waiting"
    return f"{what}: {_time(shown.median_s)} a call, {spent}"


def picture(shown: Run | Runs) -> str:
    """The collectives as lines of text, most time first; of several runs their totals."""
    return "\n".join([headline(shown), *_columns(_rows(shown)), *_after(shown)])


def table(shown: Run | Runs) -> str:
    """The same as an HTML table that survives a notebook's sanitiser: inline style, no script, no svg."""
    heads, *rows = _rows(shown) or [()]
    head = "".join(f'<th style="{_CELL};font-weight:600">{escape(name)}</th>' for name in heads)
    body = "".join(
        "<tr>" + "".join(f'<td style="{_CELL}">{escape(clip(cell, 160))}</td>' for cell in row) + "</tr>"
        for row in rows
    )
    after = "".join(f'<p style="margin:4px 0">{escape(clip(line, 400))}</p>' for line in _after(shown))
    return (
        f'<div style="overflow-x:auto"><p style="margin:4px 0"><b>{escape(headline(shown))}</b></p>'
        f'<table style="border-collapse:collapse;background:#fff"><tr>{head}</tr>{body}</table>{after}</div>'
    )


def _rows(shown: Run | Runs) -> list[Sequence[str]]:
    if isinstance(shown, Runs):
        return [_SIDE, *map(_totals, shown.runs)]
    ordered = sorted(shown.collectives, key=lambda c: -(c.call_s + c.call_wait_s))
    return [_HEADS, *map(_row, ordered[:MOST])] if ordered else []


def _row(c: MeasuredCollective) -> Sequence[str]:
    axes = ", ".join(c.axes) or (f"irregular, within {', '.join(c.within)}" if c.within else "irregular")
    line = f"{c.source.line}: {c.source.text}" if c.source else "not known"
    line += "  (backward)" * c.backward
    if not c.times:
        return c.kind, axes, byte_count(c.bytes_per_device), "did not run", "", "", _time(c.estimate_s), "", line
    spread = f"{_time(c.low_s)}–{_time(c.high_s)}"
    rate = f"{c.bytes_per_second / 1e9:.3g} GB/s"
    times = _time(c.median_s), spread, _time(c.wait_s), _time(c.estimate_s), rate
    return c.kind, axes, byte_count(c.bytes_per_device), *times, line


def _totals(run: Run) -> Sequence[str]:
    s = run.shares
    parts = map(_percent, (s.compute, s.communication, s.waiting, s.idle))
    return clip(run.name, 40), _time(run.median_s), *parts


def _after(shown: Run | Runs) -> list[str]:
    if isinstance(shown, Runs):
        return [f"{clip(r.name, 40)}: {r.note}" for r in shown.runs if r.note]
    s, lines = shown.shares, []
    if (left := len(shown.collectives) - MOST) > 0:
        lines.append(f"… {_count(left, 'more collective')}")
    lines.append(
        f"Of a device's time {_percent(s.idle)} has no event; {_percent(s.hidden)} of the communication is hidden "
        "behind compute."
    )
    if late := _latest(shown):
        lines.append(late)
    if shown.interconnect:
        lines.append(f"Estimates: bytes over {shown.interconnect}, {shown.peak / 1e9:.3g} GB/s.")
    if shown.unjoined:
        named = ", ".join(f"{u.name} ({u.why})" for u in shown.unjoined[:3])
        more = f" and {len(shown.unjoined) - 3} more" if len(shown.unjoined) > 3 else ""
        lines.append(f"{_percent(shown.joined)} of the device time has a source line. Without one: {named}{more}.")
    for clock in shown.clocks:
        if clock.collectives:
            lines.append(
                f"The clock of process {clock.process} was moved by {_time(abs(clock.offset_s))}; "
                f"times may still be {_time(clock.skew_s)} apart."
            )
    if shown.merged_events:
        lines.append(f"{shown.merged_events} short events are drawn with their neighbours.")
    return [*lines, *([shown.note] if shown.note else [])]


def _latest(run: Run) -> str:
    """The device that others wait for most often."""
    counts = np.zeros(run.mesh.size, np.int64)
    for c in run.collectives:
        last = c.last.array()
        counts[: len(last)] += last
    if not counts.sum():
        return ""
    worst = int(counts.argmax())
    device = run.mesh.device_ids.array()[worst]
    return f"Device {device} is waited for most often: last in {counts[worst]} of {counts.sum()} arrivals."


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    if not rows:
        return []
    widths = [min(64, max(map(len, column))) for column in zip(*rows, strict=True)]
    return [
        "  ".join(clip(cell, width).ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _percent(share: float) -> str:
    # Near 0 and near 1 it is the rest that counts.
    return f"{100 * share:.1f} %" if 0 < share < 0.0995 or 0.99 < share < 1 else f"{100 * share:.0f} %"


def _time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns" if seconds else "0 s"


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
