"""Compiled programs as text and as plain HTML tables: their collectives, or their totals side by side."""

from __future__ import annotations

from collections.abc import Sequence

from shardwidget._format import byte_count, count, duration
from shardwidget.document import HloCollective, Nest, Program, Programs, Source
from shardwidget.document.columns import COLLECTIVES, PROGRAMS, Column
from shardwidget.export import listing
from shardwidget.export.words import clip

MOST = 60
"""The most collectives that are listed; a longer program is cut, with a note."""

CONVENTION = (
    "Sent: bytes that leave a device when it reaches every other directly, as on a switch (NCCL's bus bandwidth). "
    "Estimates follow the links of the interconnect: on a torus, blocks are passed on."
)

MOST_LINES = 8
"""The most source lines whose totals are listed."""


def headline(shown: Program | Programs) -> str:
    """What was compiled, and the totals of its collectives, in one line."""
    if isinstance(shown, Programs):
        return f"{count(len(shown.programs), 'program')}: {', '.join(clip(p.name, 40) for p in shown.programs)}"
    axes = " ".join(f"{clip(a.name, 20)}={a.size}" for a in shown.mesh.axes)
    if any(not c.shapes for c in shown.collectives):  # Only groups: nothing states what is sent.
        found = (f"{c.kind} over {_over(c)} ({c.groups_meaning})" for c in shown.collectives)
        return f"mesh {' '.join(f'{a.name}={a.size}' for a in shown.mesh.axes)}: {'; '.join(found)}"
    parts = [count(len(shown.collectives), "collective") if shown.instructions else "collectives not known"]
    if shown.collectives:
        parts.append(f"{_at_least(shown)}{byte_count(_sent_bytes(shown))} sent per device")
        parts.append(f"{_at_least(shown)}{duration(_seconds(shown))} per call on {_interconnect(shown)} (estimate)")
    if looks := sum(bool(c.remark) for c in shown.collectives):
        parts.append(f"{looks} to look at")
    where = f"compiled for {shown.target}" if shown.target else "compiled"
    mesh = f", mesh {axes}" if axes else ""
    return f"{clip(shown.name or 'program', 40)}  {where}{mesh}: {', '.join(parts)}"


def picture(shown: Program | Programs) -> str:
    """The collectives as lines of text, in the module's order; of several programs their totals."""
    return "\n".join([headline(shown), *listing.lines(*_listed(shown)), *_after(shown)])


def table(shown: Program | Programs) -> str:
    """As HTML tables that survive a notebook's sanitiser: inline style, no script, no svg. Each program has its own."""
    own = map(table, shown.programs) if isinstance(shown, Programs) else ()
    return "".join([listing.table(headline(shown), *_listed(shown), _after(shown)), *own])


def _listed(shown: Program | Programs) -> tuple[Sequence[Column], Sequence[listing.Row]]:
    if isinstance(shown, Programs):
        return PROGRAMS, [_totals(p) for p in shown.programs]
    return COLLECTIVES, [_row(shown, c) for c in shown.collectives[:MOST]]


def _row(p: Program, c: HloCollective) -> listing.Row:
    runs = "×?" if c.times is None else f"×{c.times}"
    where = " ".join([runs, *map(nest_text, p.trail(c)), *[f"{c.calls} calls"] * (c.calls > 1)])
    said = [c.module] * bool(c.module) + ["backward"] * c.backward
    if c.shapes:
        said.append("yours" if c.by_user else "added by the compiler")
    said += [f"moves {c.operand}"] * (bool(c.operand) and not c.remark) + [c.remark] * bool(c.remark)
    line = _line(c.source) or c.op or "not known"
    if said:
        line += f"  ({'; '.join(said)})"
    sent = c.bytes_per_device if c.shapes else "not known"
    return {"op": c.kind, "axes": _over(c), "sent": sent, "runs": where, "source": line, "time": p.seconds(c)}


def nest_text(nest: Nest) -> str:
    """What collectives are in, in words: ``scan ×12``, ``branch 1``, ``call f``."""
    if nest.kind in ("branch", "call"):
        return f"{nest.kind} {nest.name}"
    name = f"{nest.name} condition" if nest.kind == "condition" else nest.name
    return name if nest.times is None else f"{name} ×{nest.times}"


def _over(c: HloCollective) -> str:
    if c.irregular:
        return f"irregular, within {', '.join(c.within)}" if c.within else "irregular"
    return ", ".join(c.axes) or "each device alone"


def _line(source: Source | None) -> str:
    return f"{source.line}: {source.text}" if source else ""


def _totals(p: Program) -> listing.Row:
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
        kinds = sorted({_interconnect(p) for p in shown.programs})
        notes = [f"{clip(p.name, 40)}: {p.note}" for p in shown.programs if p.note]
        return [f"Estimates are for {', '.join(kinds)} (scaling-book roofline).", *notes]
    lines = []
    if (left := len(shown.collectives) - MOST) > 0:
        lines.append(f"… {count(left, 'more collective')}")
    lines += _by_line(shown)
    if any(c.bytes_per_device for c in shown.collectives):
        lines.append(CONVENTION)
    if m := shown.memory:
        sizes = (("arguments", m.arguments), ("outputs", m.outputs), ("temporaries", m.temporaries))
        lines.append(f"Memory per device: {', '.join(f'{byte_count(size)} {name}' for name, size in sizes)}.")
    if t := shown.timing:
        lines.append(f"Measured: median {duration(t.seconds)} ({duration(t.low)}–{duration(t.high)}, n={t.runs}).")
    if shown.unread:
        lines.append(f"Not read: {count(len(shown.unread), 'instruction')}; {'; '.join(shown.unread[:3])}")
    return [*lines, *([shown.note] if shown.note else [])]


def _by_line(p: Program) -> list[str]:
    """Totals of each source line, where several collectives share one; the longest first."""
    totals = p.by_line()
    if len(totals) in (0, len(p.collectives)):
        return []
    words = [
        f"{_line(t.source) or 'no line'} = {'≥ ' * t.at_least}{byte_count(t.bytes_per_device)}, {duration(t.seconds)}"
        for t in totals[:MOST_LINES]
    ]
    left = [f"{len(totals) - MOST_LINES} more lines"] * (len(totals) > MOST_LINES)
    return ["By line, per call (loops multiplied):", *(f"  {word}" for word in [*words, *left])]


def _sent_bytes(p: Program) -> int:
    return sum(total.bytes_per_device for total in p.by_line())


def _seconds(p: Program) -> float:
    return sum(map(p.seconds, p.collectives))


def _at_least(p: Program) -> str:
    """Loops of unknown length count once: then totals are lower bounds."""
    return "≥ " if any(c.times is None for c in p.collectives) else ""


def _interconnect(p: Program) -> str:
    return p.interconnects[p.interconnect] if p.interconnects else "no interconnect"
