"""Two searches as text and as a plain HTML table: what became of the best, then each candidate that differs."""

from __future__ import annotations

from shardwidget._format import BYTES, byte_count, column, count, duration, times
from shardwidget.document import CandidateChange, CandidateSide, SearchDiff
from shardwidget.document.columns import SEARCH_DIFFERENCES
from shardwidget.export import listing
from shardwidget.export.words import clip

MOST = 50
"""The most candidates that are written; the rest are counted."""


def headline(diff: SearchDiff) -> str:
    """What became of the best, in one line."""
    before, after = diff.before, diff.after
    names = [clip(side.name or "step", 40) for side in (before, after)]
    name = " → ".join(dict.fromkeys(names))
    places = dict.fromkeys(f"{count(side.chips, 'chip')} of {side.target}" for side in (before, after))
    return f"{name} on {' → '.join(places)}: {diff.verdict}"


def _said(diff: SearchDiff) -> listing.Said:
    """The candidates that differ, under the totals."""
    return listing.Said(SEARCH_DIFFERENCES, _rows(diff), _totals(diff), _after(diff))


picture, table = listing.writers(headline, _said)


def _totals(diff: SearchDiff) -> list[str]:
    before, after = diff.before, diff.after
    sides = [f"{s.best}, {duration(s.time_s)}, {byte_count(s.bytes_per_device)}, {s.basis}" for s in (before, after)]
    least = "" if after.any_fits else "Least memory"
    lines = [f"{least or 'Best'} before: {sides[0]}; after: {sides[1]}."]
    if diff.also:
        differ = count(len(diff.changes), "candidate differs", "candidates differ")
        lines.append(f"{differ}: {diff.also}." if diff.changes else f"{diff.also}.")
    if diff.same:
        lines.append(f"{count(diff.same, 'candidate is', 'candidates are')} the same in both.")
    return lines


def _rows(diff: SearchDiff) -> list[listing.Row]:
    shown = diff.changes[:MOST]
    sizes = column([of.bytes_per_device for change in shown for of in change.figures if of], BYTES)
    rows: list[listing.Row] = []
    for change in shown:
        before, after = change.figures
        ratio = before.time_s / after.time_s if before and after and after.time_s else None
        rows.append(
            {
                "change": change.change,
                "name": change.name,
                "before": before.time_s if before else "none",
                "after": after.time_s if after else "none",
                "ratio": "" if ratio is None else times(ratio),
                "memory": " → ".join(dict.fromkeys(sizes(of.bytes_per_device) for of in (before, after) if of)),
                "fits": " → ".join(dict.fromkeys(_FITS[side.fits] for side in (change.before, change.after) if side)),
                "basis": _basis(change),
            }
        )
    return rows


_FITS = {True: "yes", False: "no", None: "may"}


def _basis(change: CandidateChange) -> str:
    """What is compared; and which side alone was compiled, and gave what."""
    sides: list[tuple[CandidateSide | None, str]] = [(change.before, "before"), (change.after, "after")]
    alone = [
        f"; compiled {which}: {duration(side.compiled.time_s)}"
        for side, which in sides
        if side and side.compiled and change.basis == "estimated"
    ]
    return change.basis + "".join(alone)


def _after(diff: SearchDiff) -> list[str]:
    left = len(diff.changes) - MOST
    return [f"… {count(left, 'more candidate')}; diff.changes has all of them"] if left > 0 else []
