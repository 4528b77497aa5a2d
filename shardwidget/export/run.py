"""Measured runs in words: what the time of a call went into, and that of each collective."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shardwidget.document import MeasuredCollective, Run, Runs
from shardwidget.export import listing
from shardwidget.export.listing import count, duration
from shardwidget.export.words import byte_count, clip

MOST = 30
"""The most collectives that are listed."""

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
        return f"{count(len(shown.runs), 'run')}: {', '.join(clip(r.name, 40) for r in shown.runs)}"
    s = shown.shares
    what = f"{clip(shown.name or 'program', 40)}  measured on {shown.target}, {count(len(shown.seconds), 'call')}"
    spent = f"{_percent(s.compute)} compute, {_percent(s.communication)} in collectives, {_percent(s.waiting)} waiting"
    return f"{what}: {duration(shown.median_s)} per call, {spent}"


def picture(shown: Run | Runs) -> str:
    """The collectives as lines of text, most time first; of several runs their totals."""
    return "\n".join([headline(shown), *listing.columns(_rows(shown)), *_after(shown)])


def table(shown: Run | Runs) -> str:
    """The same as an HTML table that survives a notebook's sanitiser: inline style, no script, no svg."""
    heads, *rows = _rows(shown) or [()]
    return listing.table(headline(shown), heads, rows, _after(shown))


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
        return (
            c.kind,
            axes,
            byte_count(c.bytes_per_device),
            "did not run",
            "",
            "",
            duration(c.estimate_s),
            "",
            line,
        )
    spread = f"{duration(c.low_s)}–{duration(c.high_s)}"
    rate = f"{c.bytes_per_second / 1e9:.3g} GB/s"
    times = duration(c.median_s), spread, duration(c.wait_s), duration(c.estimate_s), rate
    return c.kind, axes, byte_count(c.bytes_per_device), *times, line


def _totals(run: Run) -> Sequence[str]:
    s = run.shares
    parts = map(_percent, (s.compute, s.communication, s.waiting, s.idle))
    return clip(run.name, 40), duration(run.median_s), *parts


def _after(shown: Run | Runs) -> list[str]:
    if isinstance(shown, Runs):
        return [f"{clip(r.name, 40)}: {r.note}" for r in shown.runs if r.note]
    s, lines = shown.shares, []
    if (left := len(shown.collectives) - MOST) > 0:
        lines.append(f"… {count(left, 'more collective')}")
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
                f"The clock of process {clock.process} was moved by {duration(abs(clock.offset_s))}; "
                f"times may still be {duration(clock.skew_s)} apart."
            )
    if shown.merged_events:
        lines.append(f"{shown.merged_events} short events are merged with their neighbours.")
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


def _percent(share: float) -> str:
    # Near 0 and near 1 the decimals count.
    return f"{100 * share:.1f} %" if 0 < share < 0.0995 or 0.99 < share < 1 else f"{100 * share:.0f} %"
