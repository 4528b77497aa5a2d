"""Two searches for a sharding, candidate by candidate."""

from __future__ import annotations

import math
from collections.abc import Sequence

from shardwidget._format import byte_count, duration, times
from shardwidget.document import (
    Candidate,
    CandidateChange,
    CandidateFigures,
    CandidateSide,
    Figures,
    Search,
    SearchDiff,
    SearchSide,
)

NEAR = 1e-6
"""Seconds that are as near to one another as a part of them are the same."""

_NOW = "now: "


def search_diff(before: Search, after: Search) -> SearchDiff:
    """What differs between two searches. Candidates are matched by name, the user's own with the user's own."""
    old, new = _named(before), _named(after)
    changes, same = list[CandidateChange](), 0
    for key in dict.fromkeys([*new, *old]):
        one, other = old.get(key), new.get(key)
        # What a search that was stopped does not have is not gone, but not known.
        if (one is None and _unfinished(before)) or (other is None and _unfinished(after)):
            continue
        change = CandidateChange(_name(key, one, other), one and _side(one), other and _side(other))
        if change.before and change.after and not _differs(change):
            same += 1
        else:
            changes.append(change)
    changes.sort(key=_weight)
    sides = (_of(before), _of(after))
    return SearchDiff(*sides, tuple(changes), same, _verdict(*sides, changes), _also(before, after, changes))


def _named(search: Search) -> dict[str, Candidate]:
    """Candidates by title; the user's own by what it is."""
    now = search.now
    return {_NOW if c is now else c.title: c for c in search.candidates}


def _name(key: str, before: Candidate | None, after: Candidate | None) -> str:
    if key != _NOW:
        return key
    return _NOW + " → ".join(dict.fromkeys(c.title for c in (before, after) if c))


def _unfinished(search: Search) -> bool:
    return len(search.candidates) < search.planned


def _side(c: Candidate) -> CandidateSide:
    return CandidateSide(_figures(c.estimated), c.compiled and _figures(c.compiled), c.fits)


def _figures(of: Figures) -> CandidateFigures:
    return CandidateFigures(of.time_s, of.bytes_per_device, of.sends())


def _differs(change: CandidateChange) -> bool:
    before, after = change.figures
    assert before
    assert after
    assert change.before
    assert change.after
    known = [(side.fits, side.compiled is None) for side in (change.before, change.after)]
    sizes = [(of.bytes_per_device, of.sent) for of in (before, after)]
    return known[0] != known[1] or sizes[0] != sizes[1] or bool(faster(change))


def faster(change: CandidateChange) -> int:
    """1 for a candidate that is faster after, -1 for one that is slower, 0 for the same time or one side alone."""
    before, after = change.figures
    if not before or not after or math.isclose(before.time_s, after.time_s, rel_tol=NEAR):
        return 0
    return 1 if after.time_s < before.time_s else -1


def _weight(change: CandidateChange) -> tuple[int, float]:
    return ("changed", "added", "gone").index(change.change), -abs(change.difference_s)


def _of(search: Search) -> SearchSide:
    best = search.best
    shown = best or min(search.candidates, key=lambda c: c.bytes_per_device)
    return SearchSide(
        search.name,
        search.target,
        search.chips,
        len(search.candidates),
        f"{_NOW}{shown.title}" if shown is search.now else shown.title,
        best is not None,
        shown.time_s,
        shown.bytes_per_device,
        shown.basis,
    )


def _verdict(before: SearchSide, after: SearchSide, changes: Sequence[CandidateChange]) -> str:
    """What became of the best."""
    if before.any_fits != after.any_fits:
        takes = f"{after.best}, {duration(after.time_s)} a step"
        least = f"the least, {after.best}, takes {byte_count(after.bytes_per_device)}"
        return f"one fits now: {takes}" if after.any_fits else f"none fits now: {least}"
    if not after.any_fits:
        sizes = " → ".join(byte_count(side.bytes_per_device) for side in (before, after))
        return f"none fits before or after; the least takes {sizes}"
    kept = before.best == after.best
    if before.basis != after.basis:
        was, now = (f"{s.best} {duration(s.time_s)}, {s.basis}" for s in (before, after))
        return f"the best was {was}, and is {now}"
    which = f"the best is still {after.best}" if kept else f"the best is now {after.best}"
    if math.isclose(before.time_s, after.time_s, rel_tol=NEAR):
        return f"{which}, with the same time" if kept else f"{which}, as fast as {before.best} was"
    long, short = max(before.time_s, after.time_s), min(before.time_s, after.time_s)
    ratio = f"{times(long / short)} " if short else ""
    than = "than before" if kept else f"than {before.best} was"
    return f"{which}: {ratio}{'faster' if after.time_s < before.time_s else 'slower'} {than}"


def _also(before: Search, after: Search, changes: Sequence[CandidateChange]) -> str:
    """What else differs, counted."""
    both = [(c.before, c.after) for c in changes if c.before and c.after]
    parts = {
        "faster": sum(faster(c) > 0 for c in changes),
        "slower": sum(faster(c) < 0 for c in changes),
        "new": sum(c.change == "added" for c in changes),
        "gone": sum(c.change == "gone" for c in changes),
        "that may fit now": sum(b.fits is False and a.fits is not False for b, a in both),
        "that no longer fit": sum(b.fits is not False and a.fits is False for b, a in both),
        "compiled in only one of them": sum((a.compiled is None) != (b.compiled is None) for a, b in both),
    }
    words = ", ".join(f"{n} {word}" for word, n in parts.items() if n)
    said = [words] if words else []
    for search, which in ((before, "before"), (after, "after")):
        if _unfinished(search):
            known = f"{len(search.candidates)} of {search.planned}"
            said.append(f"The search {which} was stopped with {known} candidates: those it does not have are left out")
    if before.objective != after.objective:
        said.append(f"What is best is by {before.objective} before, by {after.objective} after")
    return ". ".join(said)
