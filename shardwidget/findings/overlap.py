"""How much of a compiled program waits for collectives, in a sentence."""

from __future__ import annotations

from dataclasses import replace

from shardwidget._format import duration
from shardwidget.document import Overlap


def with_verdict(o: Overlap) -> Overlap:
    """The same with what is said of it first."""
    return replace(o, verdict=_verdict(o))


def _verdict(o: Overlap) -> str:
    if not o.transfers:
        return f"{duration(o.now)} a call; it has no collectives"
    if not o.exposed:
        return f"No collective is waited for; {duration(o.now)} a call"
    by_axes: dict[tuple[str, ...], float] = {}
    for t in o.transfers:
        by_axes[t.axes] = by_axes.get(t.axes, 0.0) + t.exposed
    axes = max(by_axes, key=lambda a: by_axes[a])
    several = axes and sum(seconds > 0 for seconds in by_axes.values()) > 1
    most = f", {duration(by_axes[axes])} of it over {' and '.join(axes)}" if several else ""
    over = f" over {' and '.join(axes)}" if axes and not several else ""
    return f"{duration(o.exposed)} of {duration(o.now)} is waiting for collectives{over}{most}"
