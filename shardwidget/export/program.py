"""Compiled programs as text and as plain HTML tables: their collectives, or their totals side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shardwidget._format import byte_count, count, duration
from shardwidget.document import Nest, Program, Programs, Source
from shardwidget.document.columns import COLLECTIVES, PROGRAMS, TOTALS, Column
from shardwidget.export import listing
from shardwidget.export.words import clip, verdict_of
from shardwidget.findings.program import (
    NO_COLLECTIVES,
    ONE_DEVICE,
    Phase,
    Place,
    open_ended,
    over,
    places,
    runs,
    seconds,
    sent,
)

COLUMNS = (*COLLECTIVES[:-1], Column("notes", "what it is"), COLLECTIVES[-1])
"""Those of the card, and what its row says when it is opened."""

MOST_CODE = 52
"""The most characters of a line of code."""

MOST_LINES = 60
"""Lines of text; what is left out is counted."""

LEAST, MOST_FINDINGS, MOST_TOTALS = 5, 6, 12
"""The fewest rows that are listed, and the most findings and totals."""

CONVENTION = (
    "Sent: bytes that leave a device when it reaches every other directly, as on a switch (NCCL's bus bandwidth). "
    "Estimates follow the links of the interconnect: on a torus, blocks are passed on."
)

PHASES: Mapping[Phase, str] = {
    "forward": "forward",
    "recomputed": "recomputed in the backward pass",
    "backward": "backward",
    "other": "outside of both",
    "": "",
}


def headline(shown: Program | Programs) -> str:
    """The verdict, in one line."""
    if isinstance(shown, Programs):
        return f"{count(len(shown.programs), 'program')}: {', '.join(clip(p.name, 40) for p in shown.programs)}"
    return verdict_of(shown.name or "program", shown.verdict) if shown.verdict else facts(shown)


def facts(shown: Program) -> str:
    """What was compiled, and the totals of its collectives, in one line."""
    axes = " ".join(f"{clip(a.name, 20)}={a.size}" for a in shown.mesh.axes)
    if any(not c.shapes for c in shown.collectives):  # Only groups: nothing states what is sent.
        found = (f"{c.kind} over {over(c)} ({c.groups_meaning})" for c in shown.collectives)
        return f"mesh {' '.join(f'{a.name}={a.size}' for a in shown.mesh.axes)}: {'; '.join(found)}"
    parts = [count(len(shown.collectives), "collective") if shown.instructions else "collectives not known"]
    if shown.collectives:
        parts.append(f"{_at_least(shown)}{byte_count(_sent_bytes(shown))} sent per device")
        parts.append(f"{_at_least(shown)}{duration(_seconds(shown))} per call (estimate on {_interconnect(shown)})")
    where = f"Compiled for {clip(shown.target, 80)}" if shown.target else "Compiled"
    mesh = f", mesh {axes}" if axes else ""
    return f"{where}{mesh}: {', '.join(parts)}"


def picture(shown: Program | Programs) -> str:
    """What dominates and what deserves a look, totals by mesh axis, and lines by cost; of several programs, totals."""
    if isinstance(shown, Programs):
        return "\n".join([headline(shown), *listing.lines(PROGRAMS, _side_by_side(shown)), *_after(shown)])
    first = [headline(shown), *_first(shown), *_totals(shown)]
    last = _after(shown)
    room = max(LEAST, MOST_LINES - len(first) - len(last) - 2)
    return "\n".join([*first, *_by_cost(shown, room), *last])


def table(shown: Program | Programs) -> str:
    """As HTML tables that survive a notebook's sanitiser: inline style, no script, no svg. Each program has its own."""
    if isinstance(shown, Programs):
        together = listing.table(headline(shown), PROGRAMS, _side_by_side(shown), _after(shown))
        return "".join([together, *map(table, shown.programs)])
    found = places(shown)
    left = [f"… {count(len(found) - MOST_LINES, 'more row')}"] * (len(found) > MOST_LINES)
    rows = [_row(shown, place) for place in found[:MOST_LINES]]
    return listing.table(headline(shown), COLUMNS, rows, [*left, *_after(shown)], listing.paragraphs(_first(shown)))


def _first(p: Program) -> list[str]:
    """What it is, and what to look at first: where, why, and what may avoid it."""
    lines = [facts(p)] if p.verdict else []
    for number, finding in enumerate(p.findings[:MOST_FINDINGS], 1):
        lines.append(f"{number}. {clip(finding.said, 200)}")
        lines += [f"   {clip(finding.advice, 200)}"] * bool(finding.advice)
    left = len(p.findings) - MOST_FINDINGS
    return [*lines, *[f"   {left} more to look at: program.findings"] * (left > 0)]


def _totals(p: Program) -> list[str]:
    """By mesh axes and part of a training step, where that is more than the lines say."""
    found: dict[tuple[str, str], list[int]] = {}
    for place in places(p):
        found.setdefault((place.over, PHASES[place.phase]), []).extend(place.members)
    if len(found) in (0, 1, len(places(p))):
        return []
    ordered = sorted(found.items(), key=lambda item: (-seconds(p, item[1]), -sent(p, item[1])))
    rows: list[listing.Row] = [
        {"axes": axes, "phase": of, **_numbers(p, members)} for (axes, of), members in ordered[:MOST_TOTALS]
    ]
    left = len(ordered) - MOST_TOTALS
    return [*listing.lines(TOTALS, rows), *[f"… {count(left, 'more total')}"] * (left > 0)]


def _by_cost(p: Program, room: int) -> list[str]:
    """Equal collectives of a line, the dearest first; what is left out is counted."""
    found = places(p)
    shown, left = found[:room], found[room:]
    lines = listing.lines(COLUMNS, [_row(p, place) for place in shown])
    if left:
        members = [k for place in left for k in place.members]
        more = (
            f"… {count(len(members), 'more collective')} in {count(len(left), 'row')}, {duration(seconds(p, members))}"
        )
        lines.append(f"{more}: program.collectives, program.by_line() and program.to_json() have all.")
    return lines


def _numbers(p: Program, members: Sequence[int]) -> listing.Row:
    least = "≥ " if open_ended(p, members) else ""
    known = all(p.collectives[k].shapes for k in members)
    return {
        "runs": f"×{'?' if open_ended(p, members) and len(members) == 1 else f'{least}{runs(p, members)}'}",
        "sent": (least, sent(p, members), "") if known else "not known",
        "time": (least, seconds(p, members), "") if known else "not known",
    }


def _row(p: Program, place: Place) -> listing.Row:
    c = p.collectives[place.members[0]]
    row = dict(_numbers(p, place.members))
    row["runs"] = " ".join([str(row["runs"]), *map(nest_text, p.trail(c)), *[f"{c.calls} calls"] * (c.calls > 1)])
    said = [c.module] * bool(c.module) + [PHASES[place.phase]] * bool(place.phase)
    if c.shapes:
        said.append("yours" if c.by_user else "added by the compiler")
    said += [f"moves {c.operand}"] * (bool(c.operand) and not c.remark) + [c.remark] * bool(c.remark)
    said += [f"{len(place.members)} collectives"] * (len(place.members) > 1)
    line = clip(_line(c.source) or c.op or "not known", MOST_CODE)
    return {"op": c.kind, "axes": place.over, "source": line, "notes": "; ".join(said), **row}


def nest_text(nest: Nest) -> str:
    """What collectives are in, in words: ``scan ×12``, ``branch 1``, ``call f``."""
    if nest.kind in ("branch", "call"):
        return f"{nest.kind} {nest.name}"
    name = f"{nest.name} condition" if nest.kind == "condition" else nest.name
    return name if nest.times is None else f"{name} ×{nest.times}"


def _line(source: Source | None) -> str:
    return f"{source.line}: {source.text}" if source else ""


def _side_by_side(shown: Programs) -> list[listing.Row]:
    return [_of_program(p) for p in shown.programs]


def _of_program(p: Program) -> listing.Row:
    t, m, least = p.timing, p.memory, _at_least(p)
    known = {
        "found": str(len(p.collectives)),
        "sent": (least, _sent_bytes(p), ""),
        "estimate": (least, _seconds(p), ""),
    }
    return {
        "name": clip(p.name, 40),
        **(known if p.instructions else dict.fromkeys(known, "?")),
        "measured": t and ("", t.seconds, f" ({duration(t.low)}–{duration(t.high)}, n={t.runs})"),
        "memory": m and m.arguments + m.outputs + m.temporaries - m.aliased,
    }


def _after(shown: Program | Programs) -> list[str]:
    if isinstance(shown, Programs):
        kinds = sorted({p.interconnects[p.interconnect] for p in shown.programs if p.interconnects})
        notes = [f"{clip(p.name, 40)}: {p.note}" for p in shown.programs if p.note]
        return [f"Estimates are for {', '.join(kinds)} (scaling-book roofline).", *notes]
    lines = []
    if any(c.bytes_per_device for c in shown.collectives):
        lines.append(CONVENTION)
    if m := shown.memory:
        sizes = (("arguments", m.arguments), ("outputs", m.outputs), ("temporaries", m.temporaries))
        lines.append(f"Memory per device: {', '.join(f'{byte_count(size)} {name}' for name, size in sizes)}.")
    if t := shown.timing:
        lines.append(f"Measured: median {duration(t.seconds)} ({duration(t.low)}–{duration(t.high)}, n={t.runs}).")
    if shown.unread:
        lines.append(f"Not read: {count(len(shown.unread), 'instruction')}; {'; '.join(shown.unread[:3])}")
    return [*lines, *([note] if (note := _note(shown)) else [])]


def _note(p: Program) -> str:
    """The note, without what the verdict says."""
    said = p.verdict in (NO_COLLECTIVES, ONE_DEVICE)
    return p.note.partition("the program has no collectives.")[2].strip() if said else p.note


def _sent_bytes(p: Program) -> int:
    return sum(total.bytes_per_device for total in p.by_line())


def _seconds(p: Program) -> float:
    return sum(map(p.seconds, p.collectives))


def _at_least(p: Program) -> str:
    """Loops of unknown length count once: then totals are lower bounds."""
    return "≥ " if any(c.times is None for c in p.collectives) else ""


def _interconnect(p: Program) -> str:
    if not p.interconnects:
        return "no interconnect"
    name = p.interconnects[p.interconnect]
    return f"{name} links, as CPUs have none" if p.mesh.platform == "cpu" else name
