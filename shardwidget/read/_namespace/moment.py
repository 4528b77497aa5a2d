"""What names hold at a moment, in numbers: what the next look compares with. It keeps no array."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, compress, count, islice
from operator import attrgetter, is_not
from typing import Any, NamedTuple

import numpy as np

from shardwidget import _jax
from shardwidget.read._namespace.frame import DeviceFrame, order
from shardwidget.read._namespace.loose import loose_records
from shardwidget.read._namespace.records import Record, Records
from shardwidget.read._namespace.walk import Walker

_RECORDS = attrgetter("records")


@dataclass(frozen=True)
class HeldArrays:
    """What a name holds; of what no name holds, the name is empty. The same object as long as nothing in it changes."""

    name: str
    records: tuple[Record, ...]
    """All of its arrays, in the order of its tree."""
    own: tuple[Record, ...]
    """The arrays that are not counted for an earlier name."""
    single: bool
    """Whether it is an array, and not a tree of one."""
    shared_with: str
    """The first earlier name that also holds some of its arrays."""
    counts: Counter[int]
    """How many of its own arrays are of each kind."""
    here: int
    """Bytes of these on the device that holds the most of them."""


class _Part(NamedTuple):
    """What a name holds, before it is known what of that is counted for it."""

    name: str
    single: bool
    records: tuple[Record, ...]


@dataclass(frozen=True)
class Moment:
    """What exists at a look."""

    held: Mapping[str, HeldArrays]
    owner: Mapping[Record, str]
    """The name that each array is counted for."""
    live: frozenset[Record]
    counts: Counter[int]
    """How many of the live arrays are of each kind."""
    frame: DeviceFrame
    changed: tuple[HeldArrays, ...] = ()
    """The names of ``held`` that were not there at the look before, or held something else."""
    new: frozenset[Record] = frozenset()
    """Live arrays that were not there at the look before."""
    gone: frozenset[Record] = frozenset()
    """Arrays that were alive then, and are no longer."""
    aliased: Mapping[Record, Record] = field(default_factory=dict)
    """Arrays whose memory another one has too, and that one, for which it counts."""


class Reader:
    """Reads moments, one after another: what has not changed costs next to nothing."""

    def __init__(self, live: Callable[[], Sequence[Any]]) -> None:
        self.records = Records()
        self._live = live
        self._walker = Walker()

    def read(self, names: Mapping[str, Any], before: Moment | None) -> Moment:
        """What names hold now; ``before`` itself where nothing changed."""
        last = before.held if before else {}
        found: list[HeldArrays | _Part] = []
        kinds, arrays_of, records_of = self._walker.kinds, self._walker.arrays, self.records.of
        for name, value in names.items():
            held = last.get(name)
            # Most names of a session still hold the array that they held.
            if held is not None and held.single:
                record = held.records[0]
                if record.ref() is value and (record.deleted or not value.is_deleted()):
                    found.append(held)
                    continue
            elif kinds.get(type(value)) == "plain":
                continue
            arrays = arrays_of(value)
            if arrays:
                of = tuple(records_of(arrays))
                single = arrays[0] is _jax.held_array(value)
                found.append(_same(held, single, of) or _Part(name, single, of))
        records = list(chain.from_iterable(map(_RECORDS, found)))
        free = loose_records(self._live(), records, self.records)
        if free:
            of = tuple(sorted(free, key=lambda record: record.kind))
            found.append(_same(last.get(""), False, of) or _Part("", False, of))
        self.records.forget(len(records) + len(free))
        return self._moment(found, before)

    def _moment(self, found: Sequence[HeldArrays | _Part], before: Moment | None) -> Moment:
        last = tuple(before.held.values()) if before else ()
        kept = next(compress(count(), map(is_not, found, last)), min(len(found), len(last)))
        if before and kept == len(found) == len(last):
            return before
        # What stands before the first change is as it was, unless its memory is that of something later.
        aliased = self.records.aliased(chain.from_iterable(map(_RECORDS, found)))
        ties = aliased or (before and before.aliased)
        kept = 0 if ties else kept
        stay = frozenset() if ties else _undisturbed(found[kept:])
        holders = {r: part.name for part in reversed(found) for r in part.records} if aliased else {}
        owner = dict(before.owner) if before else {}
        removed = [r for held in last[kept:] if held.name not in stay for r in held.own]
        for record in removed:
            del owner[record]
        parts: list[tuple[_Part | HeldArrays, tuple[Record, ...], str]] = []
        added: list[Record] = []
        for part in found[kept:]:
            if isinstance(part, HeldArrays) and part.name in stay:
                parts.append((part, part.own, ""))
                continue
            own = tuple([r for r in dict.fromkeys(part.records) if r not in owner and r not in aliased])
            shared = next((owner[r] for r in part.records if r in owner), "") if len(own) < len(part.records) else ""
            shared = shared or next((n for r in part.records if r in aliased if (n := holders[aliased[r]])), "")
            if not part.name and not own:  # Its memory counts for names.
                continue
            owner.update(dict.fromkeys(own, part.name))
            added += own
            parts.append((part, own, shared))
        alive = frozenset([r for r in added if not r.deleted])
        gone = frozenset([r for r in removed if not r.deleted]) - alive
        new = alive - before.live if before else frozenset()
        live = (before.live - gone) | new if before else alive
        counts = _counted(live, new, gone, before)
        frame = self._frame(counts, before)
        then = before.held if before and frame is before.frame else {}
        if then:
            now = dict(islice(then.items(), kept))
        else:
            now = {h.name: self._summed(h, h.own, h.shared_with, frame) for h in last[:kept]}
        for part, own, shared in parts:
            held = then.get(part.name)
            if held is None or held is not part or (held.own, held.shared_with) != (own, shared):
                held = self._summed(part, own, shared, frame)
            now[part.name] = held
        changed = tuple([h for h in islice(now.values(), kept if then else 0, None) if then.get(h.name) is not h])
        return Moment(now, owner, live, counts, frame, changed, new, gone, aliased)

    def _summed(self, part: _Part | HeldArrays, own: tuple[Record, ...], shared: str, frame: DeviceFrame) -> HeldArrays:
        counts = Counter([r.kind for r in own])
        here = int(frame.total(counts, self.records.kinds).max(initial=0))
        return HeldArrays(part.name, part.records, own, part.single, shared, counts, here)

    def _frame(self, counts: Counter[int], before: Moment | None) -> DeviceFrame:
        meshes = self.records.leaves.meshes
        wanted = order(self.records.kinds, counts, meshes)
        return before.frame if before and before.frame.order == wanted else DeviceFrame.of(meshes, wanted)

    def moved(self, before: Moment | None, now: Moment) -> tuple[np.ndarray, np.ndarray]:
        """Bytes on each device of arrays that are new, and of those that are no longer there."""
        kinds = self.records.kinds
        new, old = (now.new, now.gone) if now is not before else ((), ())
        # What is gone may have been on devices that now hold nothing.
        there = [r.kind for r in old if kinds[r.kind].placement and kinds[r.kind].type.mesh in now.frame.places]
        return now.frame.total(Counter([r.kind for r in new]), kinds), now.frame.total(Counter(there), kinds)


def _undisturbed(parts: Sequence[HeldArrays | _Part]) -> frozenset[str]:
    """Names to which the same arrays belong as before: all that they hold, and none that a name in between holds.

    Args:
        parts: what names hold, from the first that changed.
    """
    alone = [part for part in parts if isinstance(part, HeldArrays) and not part.shared_with]
    names = {part.name for part in alone}
    others = {r for part in parts if part.name not in names for r in part.records}
    return frozenset([part.name for part in alone if others.isdisjoint(part.records)])


def _same(held: HeldArrays | None, single: bool, records: tuple[Record, ...]) -> HeldArrays | None:
    """What a name held before, if it holds the same arrays."""
    return held if held is not None and held.single == single and held.records == records else None


def _counted(
    live: frozenset[Record], new: frozenset[Record], gone: frozenset[Record], before: Moment | None
) -> Counter[int]:
    if before is None:
        return Counter([r.kind for r in live])
    counts = before.counts.copy()
    counts.subtract([r.kind for r in gone])
    counts.update([r.kind for r in new])
    return +counts
