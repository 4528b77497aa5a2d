"""A search for a sharding in words: the answer first, then the candidates."""

from __future__ import annotations

from collections.abc import Sequence

from shardwidget._format import SECONDS, byte_count, column, count, duration, times
from shardwidget.document import Candidate, Search
from shardwidget.document.columns import CANDIDATES, Column
from shardwidget.export import listing
from shardwidget.export.words import clip

SCALED = (
    Column("chips", "chips"),
    Column("target", "on"),
    Column("batch", "batch"),
    Column("name", "best estimate"),
    Column("time", "a step"),
    Column("memory", "memory/device"),
)

MOST = 16
"""The most candidates that are listed."""


def headline(search: Search) -> str:
    """The answer: what is better and by how much."""
    best, now = search.best, search.now
    early = {"": "So far ", "interrupted": "Stopped early: ", "time": "Out of time: "}[search.ended]
    so_far = early if len(search.candidates) < search.planned else ""
    if best is None:
        least = min(search.candidates, key=lambda c: c.bytes_per_device)
        over = f", {byte_count(search.shortfall.over)} too much" if search.shortfall else ""
        return f"None of {len(search.candidates)} fits: the least, {least.title}, takes {_memory(search, least)}{over}"
    if now is None or best is now:
        words = f"{best.title}: {duration(best.time_s)} a step, {_memory(search, best)}"
        others = len(search.candidates) > 1
        return so_far + (f"Nothing found is faster than now: {words}" if best is now and others else words)
    if best.basis != now.basis:
        return f"{so_far}{best.title}: {duration(best.time_s)} a step, {_memory(search, best)}"
    ratio = now.time_s / best.time_s if best.time_s else 1.0
    apart = times(max(ratio, 1 / ratio) if ratio else 1)
    faster = "as fast as now" if apart == times(1) else f"{apart} {'faster' if ratio > 1 else 'slower'} than now"
    return f"{so_far}{best.title}: {faster}, {_memory(search, best)}"


def facts(search: Search) -> list[str]:
    """What it is compared with and for which chips, and how figures are known."""
    best, now = search.best, search.now
    # "8 CPU devices" says how many.
    on = search.target if search.target[:1].isdigit() else f"{count(search.chips, 'chip')} of {search.target}"
    where = f"{clip(search.name, 40)} on {on}"
    lines = [f"{where}: {_known(search)}."]
    if best is None:
        lines += _least(search)
    else:
        step = f"{duration(best.time_s)} a step, {best.basis}"
        beside = "" if now is None or now is best else f"; now {duration(now.time_s)}, {now.basis}"
        f = best.figures
        bounds = f"{duration(f.least_s)} if all communication is hidden, {duration(f.most_s)} if none is"
        lines.append(f"{step}{beside}. {bounds[0].upper()}{bounds[1:]}.")
    return lines


def _least(search: Search) -> list[str]:
    """What the least of those that do not fit consists of, and where one fits."""
    least = min(search.candidates, key=lambda c: c.bytes_per_device)
    held = least.figures.arguments
    beside = byte_count(least.bytes_per_device - held)
    lines = [f"Its arguments take {byte_count(held)}, and {beside} are alive beside them."]
    if search.shortfall:
        lines.append(search.shortfall.words)
    if (on := search.fits_on) is not None:
        known = f"{on.name}, {byte_count(on.bytes_per_device)}"
        lines.append(
            f"The smallest slice on which one fits, as estimated: {count(on.chips, 'chip')}, {on.target} ({known})."
        )
    return lines


def _scaling(search: Search) -> list[str]:
    """The best estimate for each number of chips and each size of the batch."""
    rows = search.scaling
    if len(rows) < 2:
        return []
    write = column([r.time_s for r in rows], SECONDS)
    table = [
        {
            "chips": f"{r.chips}",
            "target": r.target,
            "batch": f"{r.batch}",
            "name": r.name or "none fits",
            "time": write(r.time_s) if r.name else "",
            "memory": byte_count(r.bytes_per_device),
        }
        for r in rows
    ]
    return ["Best estimates:", *listing.lines(SCALED, table)]


def after(search: Search) -> list[str]:
    """The rank correlation, what was left out, notes."""
    lines = []
    compiled = [c for c in search.candidates if c.compiled]
    if search.correlation is not None:
        lines.append(
            f"Estimate against compiler, {len(compiled)} candidates: rank correlation of communication "
            f"{search.correlation:.2f}. Both have the same prices: this compares which collectives there are."
        )
    elif compiled:
        lines.append("Estimate against compiler: too few compiled to compare.")
    indivisible, equal = search.left_out
    undivided = f"{indivisible} that {'does' if indivisible == 1 else 'do'} not divide the dimensions"
    if left := [undivided] * (indivisible > 0) + [f"{equal} equal to another"] * (equal > 0):
        lines.append(f"Left out: {', '.join(left)}.")
    return [*lines, *search.notes]


def picture(search: Search) -> str:
    """The answer and the candidates as lines."""
    rows = listing.lines(CANDIDATES, _rows(search))
    made = search.best.code.partition("mesh = ")[2].partition("\n")[0] if search.best else ""
    code = [f"mesh = {made}  # the rest: .best.code"] if made else []
    return "\n".join(
        [headline(search), *facts(search), "", *rows, *_more(search), "", *code, *_scaling(search), *after(search)]
    )


def table(search: Search) -> str:
    """The same as HTML that survives a notebook's sanitiser."""
    before = listing.paragraphs(facts(search))
    return listing.table(
        headline(search), CANDIDATES, _rows(search), [*_more(search), *_scaling(search), *after(search)], before
    )


def _known(search: Search) -> str:
    compiled = sum(c.compiled is not None for c in search.candidates)
    of = f"{count(len(search.candidates), 'candidate')} estimated"
    of += f" of {search.planned}" if len(search.candidates) < search.planned else ""
    of += f", {compiled} of {search.wanted} compiled" if search.wanted else ""
    return of + {"": "", "interrupted": ", then stopped", "time": ", then out of time"}[search.ended]


def _memory(search: Search, c: Candidate) -> str:
    held = byte_count(c.bytes_per_device)
    return held if search.chip is None else f"{held} of {byte_count(search.chip.bytes)}"


def _shown(search: Search) -> list[Candidate]:
    shown = list(search.candidates[:MOST])
    return shown if search.now is None or search.now in shown else [*shown, search.now]


def _more(search: Search) -> list[str]:
    left = len(search.candidates) - len(_shown(search))
    return [f"… {count(left, 'more candidate')}"] if left else []


def _rows(search: Search) -> Sequence[listing.Row]:
    fitting = {True: "yes", False: "no", None: ""}
    return [
        {
            "candidate": ("now: " if c is search.now else "") + c.title,
            "time": c.time_s,
            "compute": c.figures.compute_s,
            "exposed": c.figures.exposed_s,
            "hidden": c.figures.hidden_s,
            "memory": c.bytes_per_device,
            "fits": fitting[c.fits],
            "basis": "did not compile" if c.failure else c.basis,
        }
        for c in _shown(search)
    ]
