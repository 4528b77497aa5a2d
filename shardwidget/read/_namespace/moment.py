"""What names hold at a moment, in numbers: what the next look compares with. It keeps no array."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shardwidget.read._namespace.frame import DeviceFrame, order
from shardwidget.read._namespace.loose import loose
from shardwidget.read._namespace.records import Record, Records
from shardwidget.read._namespace.walk import Walker


@dataclass(frozen=True)
class Held:
    """What a name holds; of what no name holds, the name is empty. The same object as long as nothing in it changes."""

    name: str
    records: tuple[Record, ...]
    """All of its arrays, in the order of its tree."""
    own: tuple[Record, ...]
    """Those that are not counted for an earlier name."""
    single: bool
    """Whether it is an array, and not a tree of one."""
    shared_with: str
    """The first earlier name that also holds some of its arrays."""
    counts: Counter[int]
    """How many of its own arrays are of each kind."""
    here: int
    """Bytes of these on the device that holds the most of them."""


@dataclass(frozen=True)
class Moment:
    """What exists at a look."""

    held: Mapping[str, Held]
    live: frozenset[Record]
    counts: Counter[int]
    """How many of the live arrays are of each kind."""
    frame: DeviceFrame
    new: frozenset[Record] = frozenset()
    """Live arrays that were not there at the look before."""
    gone: frozenset[Record] = frozenset()
    """Arrays that were alive then, and are no longer."""


class Reader:
    """Reads moments, one after another: what has not changed costs next to nothing."""

    def __init__(self, live: Callable[[], Sequence[Any]]) -> None:
        self.records = Records()
        self._live = live
        self._walker = Walker()

    def read(self, names: Mapping[str, Any], before: Moment | None) -> Moment:
        """What names hold now; ``before`` itself where nothing changed."""
        spans: list[tuple[str, bool, int, int]] = []
        named: list[Any] = []
        arrays_of = self._walker.arrays
        for name, value in names.items():
            arrays = arrays_of(value)
            if arrays:
                start = len(named)
                named += arrays
                spans.append((name, arrays[0] is value, start, len(named)))
        records = self.records.of(named)
        found = [(name, single, tuple(records[start:end])) for name, single, start, end in spans]
        free = loose(self._live(), named, records, self.records)
        if free:
            found.append(("", False, tuple(sorted(free, key=lambda record: record.kind))))
        self.records.turn()
        return self._moment(found, before)

    def _moment(self, found: Sequence[tuple[str, bool, tuple[Record, ...]]], before: Moment | None) -> Moment:
        last = list(before.held.values()) if before else []
        kept = 0
        for (name, single, records), held in zip(found, last, strict=False):
            if held.name != name or held.single != single or held.records != records:
                break
            kept += 1
        if before and kept == len(found) == len(last):
            return before
        owner: dict[Record, str] = {}
        for held in last[:kept]:
            for record in held.own:
                owner[record] = held.name
        parts: list[tuple[str, bool, tuple[Record, ...], tuple[Record, ...], str]] = []
        for name, single, records in found[kept:]:
            own = tuple([r for r in dict.fromkeys(records) if r not in owner])
            shared = next((owner[r] for r in records if r in owner), "") if len(own) < len(records) else ""
            owner.update(dict.fromkeys(own, name))
            parts.append((name, single, records, own, shared))
        live = frozenset([r for r in owner if not r.deleted])
        new, gone = (live - before.live, before.live - live) if before else (frozenset(), frozenset())
        counts = _counted(live, new, gone, before)
        frame = self._frame(counts, before)
        known = before.held if before and frame is before.frame else {}
        if known:
            now = {held.name: held for held in last[:kept]}
        else:
            kept_parts = ((h.name, h.single, h.records, h.own, h.shared_with) for h in last[:kept])
            now = {part[0]: self._held(*part, frame) for part in kept_parts}
        now |= {part[0]: _kept(known.get(part[0]), part) or self._held(*part, frame) for part in parts}
        return Moment(now, live, counts, frame, new, gone)

    def _held(
        self,
        name: str,
        single: bool,
        records: tuple[Record, ...],
        own: tuple[Record, ...],
        shared: str,
        frame: DeviceFrame,
    ) -> Held:
        counts = Counter([r.kind for r in own])
        here = int(frame.total(counts, self.records.kinds).max(initial=0))
        return Held(name, records, own, single, shared, counts, here)

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


def _kept(held: Held | None, part: tuple[Any, ...]) -> Held | None:
    """What a name held before, if it holds the same."""
    return held if held and (held.name, held.single, held.records, held.own, held.shared_with) == part else None


def _counted(
    live: frozenset[Record], new: frozenset[Record], gone: frozenset[Record], before: Moment | None
) -> Counter[int]:
    if before is None:
        return Counter([r.kind for r in live])
    counts = before.counts.copy()
    counts.subtract([r.kind for r in gone])
    counts.update([r.kind for r in new])
    return +counts
