"""A comparison as text and as a plain HTML table: types beside shardings, where they differ, what stops."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Literal

from shardwidget._format import byte_count, count
from shardwidget.document import Compared, Comparison, HloCollective, Row
from shardwidget.document.columns import ARRAYS, VALUES
from shardwidget.export import listing
from shardwidget.export.words import clip, verdict_of
from shardwidget.findings.comparison import ENDS, folded, typed

MOST = 60
"""The most rows of a table; a longer comparison is cut, with a note."""

MOST_LINES, MOST_STOPS = 60, 4
"""Lines of text, and stops that are listed first; what is left out is counted."""

MOST_SHAPES = 4
"""The most arrays of a collective whose types are written."""

OFTEN = 3
"""From so many stops on, only the fixes that are used are listed."""

_COLORS = {"error": "#fdeceb", "warn": "#fff3dc", "plain": "#f5f6f8", "": ""}


@dataclass(frozen=True)
class PictureLine:
    """A line of the picture: a value of a row, what stops a row, or a collective."""

    source: str
    explicit: str
    auto: str
    compiled: str
    verdict: str
    tone: Literal["error", "warn", "plain", ""] = ""


def headline(c: Comparison) -> str:
    """The verdict, in one line."""
    name = c.name or ("f" if c.of == "function" else "arrays")
    return verdict_of(name, c.verdict or facts(c))


def facts(c: Comparison) -> str:
    """What was compared, and how much of it is to be looked at, in one line."""
    axes = " ".join(f"{clip(a.name, 20)}={a.size}" for a in c.mesh.axes)
    compared = any(v.agreement == "same" for row in c.rows for v in row.values)
    verdict = ", ".join(tally(c)) or ("all the same" if compared else "nothing to compare")
    return f"{count(len(c.rows), 'row')} on mesh {axes or c.mesh.size}: {verdict}"


def tally(c: Comparison) -> list[str]:
    """How many errors, differences, collectives and replications there are; those that are zero are left out."""
    inserted = {k for row in c.rows for k in row.collectives if not _collective(c, k).by_user}
    errors = sum(row.error is not None for row in c.rows)
    differing = sum(map(bool, _differing(c)))
    counts = [
        (errors, "type error", "type errors"),
        (differing, "placement differs", "placements differ"),
        (len(inserted), "collective inserted", "collectives inserted"),
        (sum(bool(row.remark) for row in c.rows), "replication", "replications"),
    ]
    return [f"{n} {one if n == 1 else many}" for n, one, many in counts if n]


def _differing(c: Comparison) -> Iterator[bool]:
    """Whether each row has a value whose placement differs; the result of such a row is not counted again."""
    seen: set[tuple[str, ...]] = set()
    for row in c.rows:
        found = [v for v in row.values if v.agreement == "differs"]
        places = [tuple(side.text for side in (v.explicit, v.concrete) if side) for v in found]
        if row.primitive == "outputs":
            yield any(all((name, *place) not in seen for name in row.inputs) for place in places)
        else:
            seen |= {(v.name, *place) for v, place in zip(found, places, strict=True)}
            yield bool(found)


@dataclass(frozen=True)
class _Piece:
    """Lines that are shown together or not at all: of rows that say the same, or of one argument or result."""

    lines: tuple[PictureLine, ...]
    loud: bool
    """Whether it is to be looked at."""
    counted: int
    """How many rows, arguments or results it is."""
    last: bool
    """Whether it is a result, which comes last."""


def picture(c: Comparison) -> str:
    """The rows as lines of text, in columns; where they are too many, what is to be looked at before the others."""
    source, explicit, auto, compiled, verdict = _heads(c)
    first = [headline(c), *([facts(c)] if c.verdict else []), *_first(c)]
    pieces = sorted(_pieces(c), key=lambda piece: piece.last)
    head = PictureLine(source, explicit, auto, compiled, verdict)
    listed = [head, *(line for piece in pieces for line in piece.lines)]
    cells = [(li.source, li.explicit, li.auto, li.compiled) for li in listed if li.tone not in ("error", "plain")]
    widths = [min(most, max(len(row[k]) for row in cells)) for k, most in enumerate((46, 34, 26, 36))]
    below = [c.note] if c.note else []
    body = _within(MOST_LINES - len(first) - 1 - len(below), pieces, widths)
    return "\n".join([*first, *_written(head, widths), *body, *below])


def _pieces(c: Comparison) -> Iterator[_Piece]:
    seen: set[object] = set()
    for rows in folded(c.rows):
        row = rows[-1]
        loud = bool(row.error or row.collectives or row.remark)
        last = row.primitive == "outputs"
        if row.primitive in ENDS and len(row.values) > 1 and not loud:
            for k, v in enumerate(row.values):
                yield _Piece((_value(c, row, v, first=k == 0),), v.agreement == "differs", 1, last)
            continue
        lines = _lines(c, rows)
        stop = row.error and (row.source, row.error.error, row.error.message)
        if stop and stop in seen:  # The same line, called again.
            lines = [lines[0], *(line for line in lines if line.tone == "plain")]
        seen.add(stop)
        odd = loud or any(v.agreement == "differs" for v in row.values)
        yield _Piece(tuple(lines), odd, len(rows), last)


def _within(room: int, pieces: Sequence[_Piece], widths: Sequence[int]) -> list[str]:
    """The lines in the program's order; of those that do not fit, the ones to look at first, and a count."""
    texts = [[text for line in piece.lines for text in _written(line, widths)] for piece in pieces]
    if sum(map(len, texts)) <= room:
        return [line for lines in texts for line in lines]
    alike: dict[tuple[bool, tuple[str, ...]], list[int]] = {}
    for piece, lines in zip(pieces, texts, strict=True):
        alike.setdefault((not piece.loud, tuple(lines)), []).append(piece.counted)
    shown: list[str] = []
    odd = typed_so = 0
    for (quiet, lines), counted in sorted(alike.items(), key=lambda item: item[0][0]):
        if not shown or len(shown) + len(lines) < room:
            times = f"  {len(counted)} times" if len(counted) > 1 else ""
            shown += [f"{lines[0]}{times}", *lines[1 : room - 1]]
        elif quiet:
            typed_so += sum(counted)
        else:
            odd += sum(counted)
    counts = [f"{count(odd, 'more row')} to look at"] * bool(odd)
    counts += [f"{count(typed_so, 'more row')} as typed"] * bool(typed_so)
    return [*shown, f"… {', '.join(counts)}: comparison.rows and comparison.to_json() have all, in the program's order"]


def _written(line: PictureLine, widths: Sequence[int]) -> list[str]:
    """A line as text: cells in columns, or words across all of them."""
    if line.tone in ("error", "plain"):
        return textwrap.wrap(clip(line.source, 1000), 116, initial_indent="    ", subsequent_indent="    ")
    row = zip((line.source, line.explicit, line.auto, line.compiled), widths, strict=True)
    shown = "  ".join(_clipped(cell, width).ljust(width) for cell, width in row if width)
    return [f"{shown}  {clip(line.verdict, 100)}".rstrip()]


def _clipped(cell: str, width: int) -> str:
    """A cell; of a line of source and its operation, the line gives way."""
    line, gap, operation = cell.rpartition("  ")
    if len(cell) > width and gap and len(operation) < width // 2:
        return f"{clip(line, width - len(operation) - 2)}  {operation}"
    return clip(cell, width)


def _first(c: Comparison) -> list[str]:
    """What to look at first: each line that stops, with the fix that the rows below continue with."""
    stops: dict[tuple[str, str], int] = {}
    for row in c.rows:
        if row.error:
            way = _one_line(row.fixes[max(row.error.chosen, 0)].code) if row.fixes else "no change of it alone"
            key = f"{clip(_source(row), 120)}: {row.error.error}", f"   fixed by: {clip(way, 160)}"
            stops[key] = stops.get(key, 0) + 1
    lines = []
    for number, ((stop, way), times) in enumerate(list(stops.items())[:MOST_STOPS], 1):
        lines += [f"{number}. {stop}{f', {times} times' if times > 1 else ''}", way]
    left = len(stops) - MOST_STOPS
    return [*lines, *[f"   {left} more in comparison.rows"] * (left > 0)]


def _one_line(code: str) -> str:
    """Statements as one line of Python."""
    return "; ".join(line.strip() for line in code.splitlines())


def table(c: Comparison) -> str:
    """The rows as an HTML table that survives a notebook's sanitiser: inline style, no script, no svg."""
    body = "".join(_row(line) for rows in folded(_listed(c)) for line in _lines(c, rows))
    return listing.framed(headline(c), _heads(c), body, _rest(c))


def _listed(c: Comparison) -> tuple[Row, ...]:
    """The rows that are listed: the first, and where the function's results are."""
    return c.rows[:MOST] + tuple(row for row in c.rows[MOST:] if row.primitive == "outputs")


def _row(line: PictureLine) -> str:
    ground = f";background:{_COLORS[line.tone]}" if line.tone else ""
    if line.tone in ("error", "plain"):
        return f'<tr><td colspan="5" style="{listing.CELL}{ground}">{escape(clip(line.source, 600))}</td></tr>'
    cells = (line.source, line.explicit, line.auto, line.compiled, line.verdict)
    return (
        "<tr>"
        + "".join(f'<td style="{listing.CELL}{ground}">{escape(clip(cell, 200))}</td>' for cell in cells)
        + "</tr>"
    )


def _heads(c: Comparison) -> list[str]:
    from_mesh = f" from {c.compiled_from}" if c.compiled_from in ("Auto", "Explicit") else ""
    columns = ARRAYS if c.of == "arrays" else VALUES
    return [column.head + from_mesh * (column.head == "compiled") for column in columns]


def _lines(c: Comparison, rows: Sequence[Row]) -> list[PictureLine]:
    """The lines of rows that say the same: the last one's, with how many they are."""
    row = rows[-1]
    lines = [_value(c, row, v, first=k == 0) for k, v in enumerate(row.values)] or [
        PictureLine(_source(row), "", "", "", "")
    ]
    if len(rows) > 1:
        lines[0] = replace(lines[0], source=f"{_source(row)}  {len(rows)} ops")
    if row.error:
        stop = row.error
        lines += [PictureLine(stop.explanation, "", "", "", "", "error")] if stop.explanation else []
        often = sum(other.error is not None for other in c.rows) >= OFTEN
        listed = [stop.chosen] if often and stop.chosen >= 0 else range(len(row.fixes))
        for k, fix in ((k, row.fixes[k]) for k in listed):
            used = "used below: " if k == stop.chosen else "or: " if k or stop.chosen >= 0 else "fix: "
            cost = (
                f"{fix.communication}, {byte_count(fix.bytes_per_device)} per device"
                if fix.communication
                else "cost not known"
            )
            lines.append(
                PictureLine(f"{used}{_one_line(fix.code)}  gives {fix.type}  ({cost})", "", "", "", "", "error")
            )
        if left := len(row.fixes) - len(listed):
            lines.append(PictureLine(count(left, "other fix", "other fixes"), "", "", "", "", "error"))
        lines.append(PictureLine(f"JAX: {' '.join(stop.message.split())}", "", "", "", "", "error"))
    lines += [PictureLine(_words(_collective(c, k)), "", "", "", "", "plain") for k in row.collectives]
    return lines


def _value(c: Comparison, row: Row, v: Compared, *, first: bool) -> PictureLine:
    name = f"{clip(v.name, 40)}  " if v.name and len(row.values) > 1 and c.of == "function" else ""
    source = (v.name if c.of == "arrays" else _source(row)) if first or c.of == "arrays" else ""
    explicit = row.error.error if row.error else f"{name}{v.explicit.text}" if v.explicit else ""
    verdicts = {"same": f"same. {v.note}" if v.note else "same", "differs": f"DIFFERS. {v.note}"}
    verdict = verdicts.get(v.agreement, "the type is silent" if v.agreement else v.note)
    if row.remark and first:
        verdict = f"{row.remark}, {byte_count(row.wasted_bytes)} per device. {verdict}".strip()
    tone = "warn" if v.agreement == "differs" or (row.remark and first) else ""
    concrete = f"{_notation(c, v)}{' (inspected)' * row.inspected}" if v.concrete else ""
    return PictureLine(source, explicit, v.auto, concrete, verdict.strip(), tone)


def _notation(c: Comparison, v: Compared) -> str:
    """Where a value is, in the notation of its type; of arrays, their sharding as it is."""
    if v.concrete is None:
        return ""
    return typed(v, v.concrete) if c.of == "function" else v.concrete.text


def _source(row: Row) -> str:
    decided = f" ({row.decision})" if row.decision and row.decision != row.primitive else ""
    return f"{row.source.line}: {row.source.text}  {row.primitive}{decided}" if row.source else row.primitive + decided


def _words(op: HloCollective) -> str:
    over = f"over {', '.join(op.axes)}" if op.axes else "over irregular groups"
    times = "" if op.times == 1 else f" ×{op.times}" if op.times else " in a loop"
    whose = "written in the program" if op.by_user else "inserted by the compiler"
    shapes = ", ".join(op.shapes[:MOST_SHAPES])
    if len(op.shapes) > MOST_SHAPES:
        shapes += f" and {len(op.shapes) - MOST_SHAPES} more"
    sent = f"{shapes}, {byte_count(op.bytes_per_device)} per device"
    return f"{op.kind} {over}{times}: {sent}, {whose}"


def _collective(c: Comparison, index: int) -> HloCollective:
    assert c.program is not None, "rows name collectives of a program"
    return c.program.collectives[index]


def _rest(c: Comparison) -> list[str]:
    left = len(c.rows) - len(_listed(c))
    return ([f"… {count(left, 'more row')}"] if left > 0 else []) + ([c.note] if c.note else [])
