"""What a comparison of types with shardings comes to, and which rows of it say the same."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import groupby

from shardwidget._format import count
from shardwidget.document import Compared, Failure, Layout, Program, Row

ENDS = ("arguments", "outputs")
"""Rows that are no operation."""

LONGEST = 90
"""Characters of a message in the first sentence; its row has all of it."""


def verdict(rows: Sequence[Row], program: Program | None, choices: Mapping[int, int] | None = None) -> str:
    """Where it stops, or what differs, or what the compiler adds, in one sentence.

    Args:
        rows: those of the comparison.
        program: the compiled program; None where nothing was compiled.
        choices: by row, the index of the fix that was chosen there.
    """
    chosen = [f"With fix {way + 1} in {_where(rows[row])}: " for row, way in sorted((choices or {}).items())[:1]]
    stops = [row for k, row in enumerate(rows) if row.error and k not in (choices or {})]
    differing = _differing(rows)
    added = [row for row in rows if any(_added(program, k) for k in row.collectives)]
    same = any(v.agreement == "same" for row in rows for v in row.values)
    if stops and stops[0].error:
        lines = len({(row.source, row.primitive if row.source is None else "") for row in stops})
        where, error = _where(stops[0]), _said(stops[0].error)
        said = f"{where} stops on an Explicit mesh: {error}"
        if lines > 1:
            said = f"{lines} lines stop on an Explicit mesh, {where} first: {error}"
        if differing:
            said += f"; {count(len(differing), 'row')} differ" + "s" * (len(differing) == 1)
    elif differing:
        of = "placement differs from its type" if len(differing) == 1 else "placements differ from their types"
        said = f"{len(differing)} {of}, first in {_where(differing[0])}"
    elif not same:
        said = "The types leave the shardings to the compiler"
    else:
        number = sum(row.primitive not in (*ENDS, "array", "error") for row in rows)
        arrays = sum(row.primitive == "array" for row in rows)
        of = "The operation is" if number == 1 else f"All {count(number, 'operation')} are"
        said = f"All {count(arrays, 'array')} are where their types say" if arrays else f"{of} compiled as typed"
    if added and not stops:
        number = len({k for row in added for k in row.collectives if _added(program, k)})
        said += f"; the compiler adds {count(number, 'collective')}, first in {_where(added[0])}"
    return "".join([*chosen, said[0].lower() + said[1:] if chosen else said[0].upper() + said[1:]])


def _said(stop: Failure) -> str:
    """A refusal: its class, where that tells what is wrong; else what is said of it, or how its message begins."""
    words = stop.explanation or _beginning(stop.message)
    return stop.error if stop.error.startswith("Sharding") or not words else words.rstrip(".:")


def _beginning(message: str) -> str:
    """The first sentence of a message, or as many words of it as a headline has room for."""
    sentence = re.split(r"(?<=[^.])\. (?=[A-Z`])", message.strip().partition("\n")[0])[0]
    if len(sentence) <= LONGEST:
        return sentence
    whole, _, part = sentence[:LONGEST].rpartition(" ")
    return f"{(whole or part).rstrip(' ,;:.')}…"


def _differing(rows: Sequence[Row]) -> list[Row]:
    """Rows with a value that is elsewhere than its type says; a result of such a row does not count again."""
    found, seen = [], set()
    for row in rows:
        odd = [v for v in row.values if v.agreement == "differs"]
        again = row.primitive == "outputs" and all(any((name, *_places(v)) in seen for name in row.inputs) for v in odd)
        if odd and not again:
            found.append(row)
        seen |= {(v.name, *_places(v)) for v in odd}
    return found


def _places(value: Compared) -> tuple[str | None, str | None]:
    return value.explicit and value.explicit.text, value.concrete and value.concrete.text


def folded(rows: Sequence[Row]) -> list[tuple[Row, ...]]:
    """Rows one after another that one line makes, with equal shardings and nothing to look at, as one group."""
    return [tuple(of) for _, of in groupby(rows, key=_key)]


def _key(row: Row) -> object:
    loud = row.error or row.collectives or row.remark or row.primitive in (*ENDS, "array") or row.decision
    if loud or row.source is None or len(row.values) != 1 or row.values[0].agreement == "differs":
        return id(row)
    (value,) = row.values
    return row.source, row.scope, _split(value.explicit), _split(value.concrete), value.agreement, row.inspected


def _split(layout: Layout | None) -> object:
    """By which axes a value is split, in the order of its dims."""
    if layout is None or layout.dims is None:
        return layout and layout.text
    return tuple(dim.axes for dim in layout.dims if dim.axes), layout.unreduced, layout.reduced


def typed(value: Compared, layout: Layout) -> str:
    """Where a value is, written as a type: ``f32[16@data,32]``; the sharding's own text where no type says it."""
    prefix, bracket, _ = (value.auto or (value.explicit.text if value.explicit else "")).partition("[")
    plain = layout.dims is not None and not (layout.unreduced or layout.reduced)
    if not bracket or not plain or any(d.unconstrained or d.cut for d in layout.dims or ()):
        return layout.text
    sizes = [f"{size}{_axes(dim.axes)}" for size, dim in zip(value.shape, layout.dims or (), strict=True)]
    return f"{prefix}[{','.join(sizes)}]"


def _axes(axes: Sequence[str]) -> str:
    return f"@({','.join(axes)})" if len(axes) > 1 else f"@{axes[0]}" if axes else ""


def _added(program: Program | None, collective: int) -> bool:
    return program is not None and not program.collectives[collective].by_user


def _where(row: Row) -> str:
    return f"line {row.source.line}" if row.source else f"the {row.primitive}"
