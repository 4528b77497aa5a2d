"""What happened to the arrays of a name between two looks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shardwidget.document.namespace import Change
from shardwidget.read._namespace.records import ArrayKind, Record


@dataclass(frozen=True)
class NamespaceChange:
    """What changed, and the first array that shows it."""

    change: Change = ""
    moved: int = 0
    """Arrays that it is about."""
    at: int = -1
    """Index of the first of them among those that the name holds now; -1 where there is none."""
    was: int = -1
    """Kind of that array before; -1 where it is the same as now, or there was none."""


def difference(before: Sequence[Record] | None, now: Sequence[Record], kinds: Sequence[ArrayKind]) -> NamespaceChange:
    """Compares the arrays that a name holds, in the order of its tree.

    Args:
        before: those of the last look; None where the name held none.
        now: those of this one.
        kinds: what their indices mean.
    """
    if before is None:
        return NamespaceChange("new", len(now), 0 if now else -1)
    if len(before) == len(now):
        return _one_by_one(before, now, kinds)
    known = set(before)
    other = [i for i, record in enumerate(now) if record not in known]
    return NamespaceChange("changed", abs(len(now) - len(before)), other[0] if other else -1)


def _one_by_one(before: Sequence[Record], now: Sequence[Record], kinds: Sequence[ArrayKind]) -> NamespaceChange:
    others = [i for i, (a, b) in enumerate(zip(before, now, strict=True)) if a is not b]
    if not others:
        return NamespaceChange()
    moved = [i for i in others if before[i].kind != now[i].kind]
    if not moved:
        return NamespaceChange("updated", len(others), others[0])
    change = _changed(moved, before, now, kinds)
    return NamespaceChange(change, len(moved), moved[0], before[moved[0]].kind)


def _changed(
    moved: Sequence[int], before: Sequence[Record], now: Sequence[Record], kinds: Sequence[ArrayKind]
) -> Change:
    if all(now[i].deleted for i in moved):
        return "deleted"
    types = [(kinds[before[i].kind].type, kinds[now[i].kind].type) for i in moved]
    same = all((a.shape, a.dtype, a.state) == (b.shape, b.dtype, b.state) for a, b in types)
    return "resharded" if same else "changed"
