"""How much communication is exposed, in words: the answer first, then what waits, and what computes."""

from __future__ import annotations

import math

from shardwidget._format import byte_count, duration, times
from shardwidget.document import LineTransfers, MeasuredCall, MeasuredLine, Overlap
from shardwidget.document.columns import TRANSFERS, Column
from shardwidget.export import listing
from shardwidget.export.words import clip

MOST = 10
"""The most lines whose collectives are listed."""

LINES = (
    Column("source", "costliest lines"),
    Column("flops", "GFLOP"),
    Column("bytes", "memory", unit="bytes"),
    Column("intensity", "FLOP/byte"),
    Column("bound", "bound by"),
    Column("time", "takes", unit="seconds"),
)


def headline(o: Overlap) -> str:
    """The answer: how much of a call waits for collectives."""
    name = clip(o.name or "the program", 40)
    return f"{name}: {o.verdict}, estimated{f' on {o.target}' if o.target else ''}"


def picture(o: Overlap) -> str:
    """The answer, three times, the exposed collectives, the costliest lines."""
    return "\n".join(
        [
            headline(o),
            *listing.lines(listing.NAMED, _times(o)),
            *listing.lines(TRANSFERS, _transfers(o)),
            *listing.lines(LINES, _lines(o)),
            *_rest(o),
        ]
    )


def table(o: Overlap) -> str:
    """The same as an HTML table."""
    times = [f"{row['name']}: {row['words']}" for row in _times(o)]
    lines = listing.lines(LINES, _lines(o))
    return listing.table(headline(o), TRANSFERS, _transfers(o), [*times, *lines, *_rest(o)])


def _times(o: Overlap) -> list[dict[str, str]]:
    def faster(seconds: float) -> str:
        return f", {times(o.now / seconds)} faster" if seconds and o.now > seconds * 1.005 else ""

    return [
        {
            "name": "now, as scheduled",
            "words": f"{duration(o.now)}: computes {duration(o.compute)}, waits {duration(o.exposed)}",
        },
        *([{"name": "measured", "words": _measured(o.measured)}] if o.measured else []),
        {"name": "if everything overlapped", "words": f"{duration(o.overlapped)}{faster(o.overlapped)}"},
        {"name": "without communication", "words": f"{duration(o.compute)}{faster(o.compute)}"},
    ]


def _measured(m: MeasuredCall) -> str:
    return f"{duration(m.seconds)}: computes {duration(m.compute)}, waits {duration(m.exposed)}"


def _transfers(o: Overlap) -> list[listing.Row]:
    return [_transfer(line, o.measured_line(line)) for line in o.by_line()[:MOST]]


def _transfer(t: LineTransfers, m: MeasuredLine | None) -> listing.Row:
    times = [one.times for one in t.transfers]
    runs = None if None in times else sum(n for n in times if n is not None)
    line = f"line {t.source.line}: {t.source.text}" if t.source else "not known"
    between = ", ".join(t.between[:3]) + (f" and {len(t.between) - 3} more" if len(t.between) > 3 else "")
    started = any(one.asynchronous for one in t.transfers)
    return {
        "op": (t.ring or t.kind) + ("" if runs == 1 else " in a loop" if runs is None else f" ×{runs}"),
        "axes": ", ".join(t.axes) or "irregular",
        "source": clip(line, 44) + (", backward" if t.backward else ""),
        "between": clip(between, 60) or ("nothing" if started else "nothing: XLA runs it at once"),
        "whole": t.seconds,
        "exposed": t.exposed,
        **({"measured": m.seconds, "measured_exposed": m.exposed} if m else {}),
    }


def _lines(o: Overlap) -> list[listing.Row]:
    return [
        {
            "source": clip(f"line {w.source.line}: {w.source.text}" if w.source else "not known", 44),
            "flops": f"{w.flops / 1e9:.4g}",
            "bytes": w.bytes,
            # Nothing of memory: all of it is in the chip's own, or comes over links.
            "intensity": f"{float(f'{w.intensity:.3g}'):,.12g}" if math.isfinite(w.intensity) else "",
            "bound": w.bound,
            "time": w.seconds,
        }
        for w in o.lines
    ]


def _rest(o: Overlap) -> list[str]:
    left = o.by_line()[MOST:]
    more = f"{len(left)} more lines, {duration(sum(t.exposed for t in left))} exposed." if left else ""
    memory, links = o.ridges
    bound = (
        f"If everything overlapped, it would be bound by {o.bound}: {o.flops / 1e9:.4g} GFLOP, "
        f"{byte_count(round(o.bytes))} of memory, {duration(o.links)} on the busiest axis. "
        f"{o.chip} does {memory:.0f} FLOP for each byte of memory, {links:.0f} for each byte of a link."
    )
    formula = o.formula[:1].upper() + o.formula[1:] + "."
    return [*filter(None, (more, _others(o.measured), bound if o.bound else "", formula, o.note))]


def _others(m: MeasuredCall | None) -> str:
    if m is None:
        return ""
    return f"Measured on {m.on}: {duration(m.waiting)} a call waits for other devices, {duration(m.idle)} has no event."
