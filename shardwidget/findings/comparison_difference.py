"""Two comparisons, operation by operation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from shardwidget._format import count
from shardwidget.document import Comparison, ComparisonChange, ComparisonDiff, ComparisonSide, Row
from shardwidget.findings.comparison import ENDS, typed
from shardwidget.findings.program import over

MOST = 120
"""Characters of an error's message that are kept."""

_NOTHING: Mapping[str, Any] = {"error": None, "collectives": ()}

_Key = tuple[str, str, int]
"""The primitive, the text of the line (of an argument, a result or an array: its name), and how many of the same came
before."""


def comparison_diff(before: Comparison, after: Comparison) -> ComparisonDiff:
    """What differs between two comparisons; operations are matched by primitive and by the text of their line."""
    old, new = _keyed(before), _keyed(after)
    changes, same = list[ComparisonChange](), 0
    for key in _order(list(old), list(new)):
        one, other = old.get(key), new.get(key)
        sides = (one and _side(before, one), other and _side(after, other))
        if sides[0] and sides[1] and _shown(sides[0]) == _shown(sides[1]):
            same += 1
            continue
        row = other or one
        assert row is not None
        names = ", ".join(v.name for v in row.values)
        changes.append(ComparisonChange(row.primitive, names, 1, sides[0] or None, sides[1] or None))
    folded = _folded(changes)
    folded.sort(key=_weight)
    return ComparisonDiff(after.mesh, (before.name, after.name), tuple(folded), same, _verdict(folded, same))


def _keyed(comparison: Comparison) -> dict[_Key, Row]:
    seen: dict[tuple[str, str], int] = {}
    found: dict[_Key, Row] = {}
    for row in comparison.rows:
        # Arguments and results are compared one by one; what belongs to all of them stays with the first.
        several = row.primitive in ENDS and len(row.values) > 1
        alone = [replace(row, values=(v,), **({} if k == 0 else _NOTHING)) for k, v in enumerate(row.values)]
        for one in alone if several else [row]:
            named = row.primitive in (*ENDS, "array")
            text = one.values[0].name if named and one.values else row.source.text if row.source else ""
            number = seen[row.primitive, text] = seen.get((row.primitive, text), -1) + 1
            found[row.primitive, text, number] = one
    return found


def _order(old: list[_Key], new: list[_Key]) -> list[_Key]:
    """Those of the program after, with each that is gone where it stood."""
    known, order = set(new), list(new)
    at = 0
    for key in old:
        if key in known:
            at = order.index(key) + 1
        else:
            order.insert(at, key)
            at += 1
    return order


def _side(comparison: Comparison, row: Row) -> ComparisonSide:
    ops = [comparison.program.collectives[k] for k in row.collectives] if comparison.program else []
    added = sorted(f"{c.kind} over {over(c)}" for c in ops if not c.by_user)
    return ComparisonSide(
        row.source,
        row.explicit,
        ", ".join(typed(v, v.concrete) for v in row.values if v.concrete),
        _error(row),
        tuple(added),
    )


def _error(row: Row) -> str:
    """The class of the exception, and the first sentence of its message."""
    if row.error is None:
        return ""
    first = row.error.message.strip().partition("\n")[0].partition(". ")[0].rstrip(".:")
    return f"{row.error.error}: {first[:MOST]}" if first else row.error.error


def _shown(side: ComparisonSide) -> tuple[object, ...]:
    return side.explicit, side.compiled, side.error, side.collectives


def _folded(changes: Sequence[ComparisonChange]) -> list[ComparisonChange]:
    """Equal changes of a line, one after another, as one."""

    def key(change: ComparisonChange) -> object:
        sides = (change.before, change.after)
        return change.primitive, [s and (s.source and s.source.line, *_shown(s)) for s in sides]

    found = list[ComparisonChange]()
    for _, group in groupby(changes, key):
        first, *rest = group
        names = ", ".join(dict.fromkeys(name for c in (first, *rest) if (name := c.name)))
        found.append(ComparisonChange(first.primitive, names, 1 + len(rest), first.before, first.after))
    return found


def _weight(change: ComparisonChange) -> int:
    sides = [side for side in (change.before, change.after) if side]
    if len({side.error for side in sides}) > 1 or (len(sides) == 1 and sides[0].error):
        return 0
    if len({side.collectives for side in sides}) > 1 or (len(sides) == 1 and sides[0].collectives):
        return 1
    return 2


def _verdict(changes: Sequence[ComparisonChange], same: int) -> str:
    if not changes:
        return f"no difference; {count(same, 'operation')}"
    came = [c for c in changes if c.after and c.after.error and not (c.before and c.before.error)]
    went = [c for c in changes if c.before and c.before.error and not (c.after and c.after.error)]
    said = []
    if came:
        said.append(f"{_where(came[0])} stops on an Explicit mesh now")
    if went:
        said.append(f"{_where(went[0], old=True)} stops no longer")
    more = sum((len(c.after.collectives) if c.after else 0) * c.times for c in changes)
    less = sum((len(c.before.collectives) if c.before else 0) * c.times for c in changes)
    if more != less:
        said.append(f"the compiler adds {count(abs(more - less), 'collective')} {'more' if more > less else 'less'}")
    moved = [c for c in changes if c.before and c.after and "sharding" in c.what]
    if moved:
        number = sum(c.times for c in moved)
        said.append(f"{count(number, 'operation')} {'is' if number == 1 else 'are'} sharded otherwise")
    if not said:
        number = sum(c.times for c in changes)
        said.append(f"{count(number, 'operation')} {'differs' if number == 1 else 'differ'}")
    if not (came or went):
        said.append(f"first in {_where(changes[0], old=changes[0].after is None)}")
        said[-2:] = [", ".join(said[-2:])]
    return "; ".join(said)


def _where(change: ComparisonChange, *, old: bool = False) -> str:
    side = (change.before if old else change.after) or change.before or change.after
    return f"line {side.source.line}" if side and side.source else f"the {change.primitive}"
