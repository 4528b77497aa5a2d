"""Changes of a program that help, as text and as a plain HTML table."""

from __future__ import annotations

import re

from shardwidget._format import byte_count, count, duration, percent
from shardwidget.document import Remedies, Remedy
from shardwidget.document.columns import REMEDIES
from shardwidget.export import listing
from shardwidget.export.words import clip

MOST = 20
"""The most changes that are listed."""

LEAST = 0.005
"""The least share of work that is shown; of what falls, a tenth of it."""

UNFINISHED = "Interrupted: more could be tried."

_HELPER = re.compile(r"\s*\w+ = lambda\b")
"""A line that defines what the change itself calls."""


def headline(found: Remedies) -> str:
    """The best change and what it comes to, in one line."""
    said, tried = f"{clip(found.name, 40)}: ", count(found.tried, "compiled change")
    if not found:
        what = "lowers the peak" if found.lowers == "peak" else "communicates less"
        return f"{said}none of {tried} {what}" if found.tried else f"{said}nothing was tried"
    best = found[0]
    if all(r.lowers == "communication" and r.after >= r.before and r.seconds_after >= r.seconds_before for r in found):
        said += "nothing that was compiled communicates less; "
    if found.lowers == "peak":
        figures = f"peak {byte_count(best.before)} → {byte_count(best.after)}"
    else:
        figures = f"{_changed(byte_count(best.before), byte_count(best.after))} sent by a device, "
        figures += f"{_changed(duration(best.seconds_before), duration(best.seconds_after))} a call by the estimate"
        # What sends as much as before is offered for its memory.
        if best.memory < 0 and best.after >= best.before:
            figures = f"{_signed(best.memory)} of memory, {figures}"
        taken = [f"{byte_count(best.memory)} more memory"] if best.memory > 0 else []
        taken += [f"{percent(best.work)} more work"] if best.work >= LEAST else []
        figures += f", for {' and '.join(taken)}" if taken else ""
    others = f"; {len(found)} of {tried} help" if len(found) > 1 else ""
    return f"{said}{clip(best.what, 80)}: {figures}{others}"


def picture(found: Remedies) -> str:
    """The changes as text: a table, and the code of the best in full."""
    rows = listing.lines(REMEDIES, _rows(found)) if len(found) > 1 else []
    return "\n".join([headline(found), *_best(found), *rows, *_after(found)])


def table(found: Remedies) -> str:
    """The same as an HTML table that survives a notebook's sanitiser."""
    return listing.table(headline(found), REMEDIES, _rows(found), _after(found))


def _rows(found: Remedies) -> list[listing.Row]:
    return list(map(_row, _first(found)[:MOST]))


def _first(found: Remedies) -> list[Remedy]:
    """Those that are the best at their place, or for a line."""
    return [remedy for remedy in found if not remedy.other]


def _row(remedy: Remedy) -> listing.Row:
    share = (remedy.before - remedy.after) / remedy.before if remedy.before else 0.0
    # Of several lines the first that changes something; of an edited file it is told where.
    lines = remedy.code.split("\n")
    shown = next((line for line in lines if not _HELPER.match(line)), lines[0]).strip()
    code = f"{shown}{' …' if len(lines) > 1 else ''}"
    less = ("−", share, "") if share >= LEAST / 10 else None
    row: dict[str, listing.Cell] = {"less": less, "what": remedy.what, "code": code}
    if remedy.lowers == "peak":
        return {"peak": remedy.after, **row}
    memory = _signed(remedy.memory) if remedy.memory else ""
    work = ("−" if remedy.work < 0 else "+", abs(remedy.work), "") if abs(remedy.work) >= LEAST else None
    row |= {"memory": memory, "work": work, "helps": ", ".join(remedy.helps)}
    return {"sent": remedy.after, "estimate": remedy.seconds_after, **row}


def _changed(before: str, after: str) -> str:
    return f"still {after}" if before == after else f"{before} → {after}"


def _signed(size: int) -> str:
    return f"{'−' if size < 0 else '+'}{byte_count(abs(size))}"


def _best(found: Remedies) -> list[str]:
    """The code of the best change, and where it goes."""
    if not found:
        return []
    fix = found[0].fix
    place = [f"{fix.file}, line {fix.line}:"] if fix and fix.line else []
    return [*place, *(f"    {line}" for line in found[0].code.split("\n"))]


def _after(found: Remedies) -> list[str]:
    left = len(found) - len(_rows(found))
    more = [f"… {count(left, 'more change')}: .found has all"] if left > 0 else []
    return [*more, *([] if found.complete else [UNFINISHED])]
