"""Measured runs in words: what the time of a call went into, and that of each collective."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shardwidget._format import count, duration, percent, percents, rate
from shardwidget.document import MeasuredCollective, Run, Runs, Source
from shardwidget.document.columns import COMPUTED_LINES, MEASURED, RUNS, Column
from shardwidget.document.run import ComputedLine
from shardwidget.export import listing
from shardwidget.export.words import clip, verdict_of

MOST = 30
"""The most collectives, or lines, that are listed."""

APART = 1.1
"""From so many times the median on, the mean seconds of a call are said, too."""

MUCH = 0.05
"""The share of waiting from which on it is what is said first."""


def headline(shown: Run | Runs) -> str:
    """Where most of the waiting is, or what the time of a call went into, in one line."""
    if isinstance(shown, Runs):
        return f"{count(len(shown.runs), 'run')}: {', '.join(clip(r.name, 40) for r in shown.runs)}"
    return verdict_of(shown.name or "program", _waits(shown) or _costliest(shown) or _spent(shown))


def facts(shown: Run) -> str:
    """What was measured, and what its time went into, in one line."""
    return f"Measured on {shown.target}, {count(len(shown.seconds), 'call')}: {_spent(shown)}"


def _spent(shown: Run) -> str:
    s = shown.shares
    spent = f"{percent(s.compute)} compute"
    if shown.collectives:
        spent += f", {percent(s.communication)} in collectives, {percent(s.waiting)} waiting"
    return f"{_took(shown)}, {spent}"


def _took(shown: Run) -> str:
    """Seconds of a call: the median, or the mean, which shares are of, where a few calls took much longer."""
    mean = float(np.mean(shown.seconds))
    if mean <= APART * shown.median_s:
        return f"{duration(shown.median_s)} per call"
    return f"{duration(mean)} per call (median {duration(shown.median_s)})"


def _line_of(shown: Run, source: Source) -> str:
    """A line in a sentence, with its file where there are several: ``line 97 of layers.py``."""
    return f"line {source.line} of {clip(source.file, 40)}" if _files(shown) > 1 else f"line {source.line}"


def _place(shown: Run, source: Source) -> str:
    """A line in a table, with its file where there are several: ``layers.py:97``."""
    return f"{clip(source.file, 40)}:{source.line}" if _files(shown) > 1 else str(source.line)


def _code(shown: Run, source: Source) -> str:
    return f"{_place(shown, source)}: {source.text}"


def _files(shown: Run) -> int:
    return len({each.source.file for each in (*shown.lines, *shown.collectives) if each.source})


def _said(shown: Run | Runs) -> listing.Said:
    """The collectives, most time first; of several runs their totals."""
    what = [] if isinstance(shown, Runs) else [facts(shown)]
    return listing.Said(*_listed(shown), what, _after(shown))


picture, table = listing.writers(headline, _said)


def _listed(shown: Run | Runs) -> tuple[Sequence[Column], Sequence[listing.Row]]:
    if isinstance(shown, Runs):
        first = shown.runs[0].median_s
        return RUNS, [_totals(run, first if k else 0) for k, run in enumerate(shown.runs)]
    if not shown.collectives:
        return COMPUTED_LINES, [_line(shown, each) for each in shown.lines[:MOST]]
    ordered = sorted(shown.collectives, key=lambda c: -(c.call_s + c.call_wait_s))
    return MEASURED, [_row(shown, c) for c in ordered[:MOST]]


def _line(shown: Run, of: ComputedLine) -> listing.Row:
    return {"source": _code(shown, of.source), "time": of.call_s, "share": of.share}


def _waits(shown: Run) -> str:
    """Where most of the waiting is; empty where there is none."""
    most = max(shown.collectives, key=lambda c: c.call_wait_s, default=None)
    if most is None or most.call_wait_s <= 0 or shown.shares.waiting < MUCH:
        return ""
    line = f", in {_line_of(shown, most.source)}" if most.source else ""
    return f"{percent(shown.shares.waiting)} of the time is waiting for others: most in {_named(most)}{line}"


def _costliest(shown: Run) -> str:
    """What a call spends the most time on; empty where no line and no collective was measured."""
    most = shown.costliest
    if most is None:
        return ""
    share = most.call_s / float(np.mean(shown.seconds))
    line = _line_of(shown, most.source) if most.source else ""
    if not isinstance(most, ComputedLine):
        line = f"{_named(most)}{f' in {line}' if line else ''}"
    took = _took(shown)
    if shown.shares.idle > share:
        return f"{percent(shown.shares.idle)} of {took} has no event on a device; {line} takes {percent(share)}"
    return f"{line} takes {percent(share)} of {took}"


def _named(c: MeasuredCollective) -> str:
    over = f"over {', '.join(clip(a, 20) for a in c.axes)}" if c.axes else "in irregular groups"
    return f"{clip(c.kind, 40)} {over}"


def _row(shown: Run, c: MeasuredCollective) -> listing.Row:
    axes = ", ".join(c.axes) or (f"irregular, within {', '.join(c.within)}" if c.within else "irregular")
    line = _code(shown, c.source) if c.source else "not known"
    ran = {"time": c.median_s, "spread": f"{duration(c.low_s)}–{duration(c.high_s)}", "wait": c.wait_s}
    return {
        "op": c.kind,
        "axes": axes,
        "sent": c.bytes_per_device,
        **({**ran, "rate": c.bytes_per_second} if c.times else {"time": "did not run"}),
        "estimate": c.estimate_s,
        "source": line + "  (backward)" * c.backward,
    }


def _totals(run: Run, first: float) -> listing.Row:
    s = run.shares
    return {
        "name": clip(run.name, 40),
        "call": run.median_s,
        "ratio": f"×{run.median_s / first:.3g}" if first else "",
        "compute": s.compute,
        "collectives": s.communication,
        "waiting": s.waiting,
        "idle": s.idle,
    }


def _after(shown: Run | Runs) -> list[str]:
    if isinstance(shown, Runs):
        return [f"{clip(r.name, 40)}: {r.note}" for r in shown.runs if r.note]
    s, lines = shown.shares, []
    if (left := len(shown.collectives) - MOST) > 0:
        lines.append(f"… {count(left, 'more collective')}")
    if shown.collectives and shown.lines:
        lines.append(f"Computes, by line: {_computes(shown)}.")
    elif (left := len(shown.lines) - MOST) > 0:
        lines.append(f"… {count(left, 'more line')}")
    hidden = f"; {percent(s.hidden)} of the communication is hidden behind compute" if shown.collectives else ""
    lines.append(f"Of a device's time {percent(s.idle)} has no event{hidden}.")
    if late := _latest(shown):
        lines.append(late)
    if shown.interconnect and shown.collectives:
        lines.append(f"Estimates: bytes over {shown.interconnect}, {rate(shown.peak)}.")
    if shown.unjoined:
        named = ", ".join(f"{u.name} ({u.why})" for u in shown.unjoined[:3])
        more = f" and {len(shown.unjoined) - 3} more" if len(shown.unjoined) > 3 else ""
        lines.append(f"{percent(shown.joined)} of the device time has a source line. Without one: {named}{more}.")
    for clock in shown.clocks:
        if clock.collectives:
            lines.append(
                f"The clock of process {clock.process} was moved by {duration(abs(clock.offset_s))}; "
                f"times may still be {duration(clock.skew_s)} apart."
            )
    if shown.merged_events:
        lines.append(f"{shown.merged_events} short events are merged with their neighbours.")
    return [*lines, *([shown.note] if shown.note else [])]


def _computes(shown: Run) -> str:
    """The lines that devices computed for the longest, with their shares of a call."""
    first = shown.lines[:3]
    write = percents([each.share for each in first])
    more = f" and {len(shown.lines) - 3} more" if len(shown.lines) > 3 else ""
    return f"{', '.join(f'{_place(shown, each.source)} ({write(each.share)})' for each in first)}{more}"


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
