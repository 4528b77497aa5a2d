"""Two comparisons as text and as a plain HTML table: what differs, before and after."""

from __future__ import annotations

from shardwidget._format import count
from shardwidget.document import ComparisonChange, ComparisonDiff, ComparisonSide
from shardwidget.document.columns import COMPARISON_DIFFERENCES
from shardwidget.export import listing
from shardwidget.export.words import clip

MOST = 50
"""The most changes that are written; the rest are counted."""


def headline(diff: ComparisonDiff) -> str:
    """What differs, in one line."""
    names = dict.fromkeys(clip(name or "function", 40) for name in diff.names)
    return f"{' → '.join(names)}: {clip(diff.verdict, 200)}"


def _said(diff: ComparisonDiff) -> listing.Said:
    """What differs, then how much is the same."""
    return listing.Said(COMPARISON_DIFFERENCES, _rows(diff), after=_after(diff))


picture, table = listing.writers(headline, _said)


def named(change: ComparisonChange) -> str:
    """The operation with the names of its results: ``y = dot_general``; ``argument w``."""
    name = clip(change.name, 24)
    if change.primitive in ("arguments", "outputs"):
        return f"{change.primitive.removesuffix('s')} {name}"
    return name if change.primitive == "array" or not name else f"{name} = {change.primitive}"


def _rows(diff: ComparisonDiff) -> list[listing.Row]:
    return [row for change in diff.changes[:MOST] for row in _lines(change)]


def _lines(change: ComparisonChange) -> list[listing.Row]:
    """A line for each thing that differs; of an operation that one of them has alone, where it is."""
    side = change.after or change.before
    source = side.source if side else None
    was = change.before.source if change.before and change.after else None
    moved = f" (was {was.line})" if was and source and was.line != source.line else ""
    times = f" ×{change.times}" if change.times > 1 else ""
    head = {
        "change": change.change,
        "name": f"{named(change)}{times}",
        "source": f"{source.line}{moved}: {clip(source.text, 44)}" if source else "",
    }
    things = change.what or ("sharding",)
    blank = dict.fromkeys(head, "")
    return [
        (head if k == 0 else blank) | {"of": of, "before": _value(change.before, of), "after": _value(change.after, of)}
        for k, of in enumerate(things)
    ]


def _value(side: ComparisonSide | None, of: str) -> str:
    if side is None:
        return "none"
    if of == "collectives":
        return clip(", ".join(side.collectives), 60) or "none"
    if of == "error":
        return clip(side.error, 60) or "none"
    return clip(side.compiled or side.explicit if of == "sharding" else side.explicit, 60) or "not known"


def _after(diff: ComparisonDiff) -> list[str]:
    left = len(diff.changes) - MOST
    lines = [f"… {count(left, 'more difference')}: diff.changes and diff.to_json() have all"] if left > 0 else []
    return [*lines, count(diff.same, "unchanged operation")]
