"""Repeated looks at the arrays of a session; each shows what changed since the one before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from operator import attrgetter
from typing import Any

import jax
from jax.tree_util import keystr

from shardwidget import _jax
from shardwidget.document import Ints
from shardwidget.document.leaf import Flag, LeafType
from shardwidget.document.namespace import DeviceGroup, Holder, Namespace, TypeCount
from shardwidget.read._model.flags import SHARE, spec_code, split
from shardwidget.read._model.model import model
from shardwidget.read._model.tree import flatten
from shardwidget.read._namespace import changes
from shardwidget.read._namespace.frame import DeviceFrame, groups
from shardwidget.read._namespace.moment import HeldArrays, Moment, Reader
from shardwidget.read._namespace.records import ArrayKind, Record

NO_CHANGE = changes.NamespaceChange()
MOST = 100
"""The most holders of a document: those that changed, and the largest."""
PARTS = 12
"""The most types of a tree that are listed."""
_FIRST = Ints.pack([0])
_NONE = Ints.pack([])
_HERE = attrgetter("here")


class Looks:
    """Looks at names again and again. It holds weak references to arrays, and no array."""

    def __init__(self, live: Callable[[], Sequence[Any]] | None = None) -> None:
        """Begins.

        Args:
            live: returns all arrays that exist; None for ``jax.live_arrays``.
        """
        self._reader = Reader(live or jax.live_arrays)
        self._before: Moment | None = None
        self._document: Namespace | None = None
        self._flags: dict[str, _Flags] = {}
        self._lines: dict[str, _Line] = {}

    def look(self, names: Mapping[str, Any], cell: int = 0) -> Namespace:
        """Reads what names hold, and compares it with the look before.

        Args:
            names: values by name, as code that gives them; an array counts for the first name that holds it.
            cell: number of the notebook's cell that ran last.
        """
        before, now = self._before, self._reader.read(names, self._before)
        if now is before and self._document and not any(h.change or h.delta for h in self._document.holders):
            self._document = replace(self._document, cell=cell, groups=self._groups(before, now))
        else:
            self._document = self._read(names, before, now, cell)
        self._before = now
        return self._document

    def _groups(self, before: Moment | None, now: Moment) -> tuple[DeviceGroup, ...]:
        frame, kinds = now.frame, self._reader.records.kinds
        held = frame.total(now.counts, kinds)
        own = sum((n * frame.vector(k, kinds[k]) // kinds[k].copies for k, n in now.counts.items()), 0 * held)
        return groups(frame, held, own, *self._reader.moved(before, now))

    def _read(self, names: Mapping[str, Any], before: Moment | None, now: Moment, cell: int) -> Namespace:
        frame, kinds = now.frame, self._reader.records.kinds
        differences = {} if before is None else _differences(before, now, kinds)
        shown = _largest(now.held.values(), differences)
        devices = self._groups(before, now)
        least = max(1, SHARE * (devices[0].held if devices else 0))
        types: dict[LeafType, int] = {}
        lines = _Lines(frame, kinds, types, least, self._flags)
        made = {h.name: self._line(lines, names, h, differences, before) for h in shown}
        # What an array is counted at may change where the arrays do not.
        still = (line for line in made.values() if not line.holder.change and not line.holder.delta)
        self._lines = {line.held.name: line for line in still}
        holders = [line.holder for line in made.values()]
        gone = [] if before is None else [before.held[name] for name in before.held if name not in now.held]
        self._flags = {h.name: self._flags[h.name] for h in shown if h.name in self._flags}
        return Namespace(
            meshes=frame.meshes,
            types=tuple(types),
            holders=(*holders, *(lines.gone(h) for h in gone[:MOST])),
            groups=devices,
            names=len(now.held) - ("" in now.held),
            left_out=sum(map(_HERE, now.held.values())) - sum(map(_HERE, shown)),
            spent=sum(n * kinds[k].spent for k, n in now.counts.items()),
            cell=cell,
            jax_version=jax.__version__,
        )

    def _line(
        self,
        lines: _Lines,
        names: Mapping[str, Any],
        held: HeldArrays,
        differences: Mapping[str, changes.NamespaceChange],
        before: Moment | None,
    ) -> _Line:
        """The line of a name, reused where nothing that it is about has changed."""
        type_ = lines.type_of(held)
        known = self._lines.get(held.name)
        numbers = type_, lines.least
        if known and known.held is held and known.frame is lines.frame and known.numbers == numbers:
            return known
        diff = differences.get(held.name, NO_CHANGE)
        holder = lines.holder(names.get(held.name), held, type_, diff, before)
        return _Line(held, lines.frame, numbers, holder)


@dataclass(frozen=True, eq=False)
class _Line:
    """A line of the document in which nothing changed, and what it depends on."""

    held: HeldArrays
    frame: DeviceFrame
    numbers: tuple[int, float]
    """Index of its type, and the bytes below which nothing is flagged."""
    holder: Holder


@dataclass(frozen=True)
class _Flags:
    """What deserves a look in what a name holds; read again when its types change."""

    kinds: tuple[tuple[int, int], ...]
    """Of each array, its kind and where it first is: an array that is there twice counts once."""
    flags: tuple[Flag, ...]
    """Worst first."""
    paths: tuple[str, ...]
    """The paths of the leaves of a tree."""


@dataclass(frozen=True)
class _Lines:
    """Makes the lines of a document."""

    frame: DeviceFrame
    kinds: Sequence[ArrayKind]
    types: dict[LeafType, int]
    """Index of each type in the document; filled as lines are made."""
    least: float
    """Bytes on a device below which nothing is flagged."""
    known: dict[str, _Flags]
    indices: dict[int, int] = field(default_factory=dict)
    """For each kind that a line is about, the index of its type in the document."""

    def type_of(self, held: HeldArrays) -> int:
        """Index of the type of a single array; -1 for a tree."""
        return self._type(held.records[0].kind) if held.single else -1

    def holder(
        self, value: Any, held: HeldArrays, index: int, diff: changes.NamespaceChange, before: Moment | None
    ) -> Holder:
        """What a name holds, and what changed."""
        kinds = self.kinds
        last = before.held.get(held.name) if before else None
        arrays = 1 if held.single else len(set(held.records))
        parts = () if held.single else self._parts(held)
        flags, paths = self._flagged(value, held)
        worst = flags[0] if flags else None
        return Holder(
            name=held.name,
            arrays=arrays,
            type=index,
            bytes=sum([n * kinds[k].bytes for k, n in held.counts.items()]),
            bytes_per_device=held.here,
            spent=sum([n * kinds[k].spent for k, n in held.counts.items()]),
            parts=parts[:PARTS],
            more_types=max(0, len(parts) - PARTS),
            deleted=sum([r.deleted for r in held.records]),
            shared=arrays - len(held.own),
            shared_with=held.shared_with,
            change=diff.change,
            moved=diff.moved,
            was="" if diff.was < 0 else kinds[diff.was].type.type,
            path=_path(value, held, diff),
            delta=held.here - (last.here if last else 0) if before else 0,
            flags=len(flags),
            reason=worst.reason if worst else "",
            flagged=paths[int(worst.leaves.array()[0])] if worst and paths and worst.leaves.size else "",
            cost=sum(flag.cost for flag in flags),
            spec=worst.spec if worst else "",
        )

    def gone(self, held: HeldArrays) -> Holder:
        """What a name held that is no longer there."""
        kind = self.kinds[held.records[0].kind].type if held.single else None
        return Holder(
            name=held.name,
            arrays=len(set(held.records)),
            type=-1,
            bytes=0,
            bytes_per_device=0,
            spent=0,
            parts=(),
            change="gone",
            moved=len(set(held.records)),
            was=kind.type if kind else "",
            delta=-held.here,
        )

    def _type(self, kind: int) -> int:
        index = self.indices.get(kind)
        if index is None:
            of = self.kinds[kind].type
            at = self.frame.order.index(of.mesh) if of.mesh in self.frame.order else -1
            index = self.indices[kind] = self.types.setdefault(replace(of, mesh=at), len(self.types))
        return index

    def _parts(self, held: HeldArrays) -> tuple[TypeCount, ...]:
        found: dict[str, TypeCount] = {}
        for kind, count in Counter([r.kind for r in dict.fromkeys(held.records)]).items():
            of = self.kinds[kind].type
            text = f"{of.type}, deleted" if of.state == "deleted" else of.type
            own = held.counts.get(kind, 0)
            here = own and own * int(self.frame.vector(kind, self.kinds[kind]).max(initial=0))
            last = found.get(text, TypeCount(text, 0, 0))
            found[text] = TypeCount(text, last.count + count, last.bytes_per_device + here)
        return tuple(sorted(found.values(), key=lambda part: -part.bytes_per_device))

    def _flagged(self, value: Any, held: HeldArrays) -> tuple[tuple[Flag, ...], tuple[str, ...]]:
        """The flags of what a name holds, worst first, and the paths of its leaves."""
        if not held.name or not held.own:
            return (), ()
        first: dict[Record, int] = {}
        kinds = tuple([(r.kind, first.setdefault(r, k)) for k, r in enumerate(held.records)])
        known = self.known.get(held.name)
        if known is None or known.kinds != kinds:
            known = self.known[held.name] = _Flags(kinds, *_flags(value, held.single))
        flags = [f for f in (*self._alone(held), *known.flags) if f.cost >= self.least or f.kind == "unreadable"]
        return tuple(flags), known.paths

    def _alone(self, held: HeldArrays) -> tuple[Flag, ...]:
        """Whether all of it is on one device, while other arrays are on several."""
        kinds = [self.kinds[k] for k in held.counts]
        main = self.frame.mesh
        if main is None or main.size == 1 or not held.here:
            return ()
        if any(k.placement and k.placement.mesh.size > 1 for k in kinds):
            return ()
        on = {device for k in kinds if k.placement for device in k.placement.device_ids}
        if len(on) > 1:
            return ()
        saved = held.here * (main.size - 1) // main.size
        entries = split(kinds[0].type, main, tuple(a.name for a in main.axes)) if held.single else None
        what = "Only on" if held.single else "All of its arrays are on"
        reason = f"{what} device {on.pop()}, while other arrays are on {main.size} devices."
        leaves = _FIRST if held.single else _NONE
        return (Flag("one device", leaves, saved, reason, spec_code(entries) if entries else ""),)


def _flags(value: Any, single: bool) -> tuple[tuple[Flag, ...], tuple[str, ...]]:
    """The flags of a tree by itself, and the paths of its leaves; none where it cannot be read."""
    try:
        read = model(value)
    except (TypeError, ValueError):
        return (), ()
    return read.flags, () if single else tuple(leaf.path for leaf in read.leaves)


def _differences(before: Moment, now: Moment, kinds: Sequence[ArrayKind]) -> dict[str, changes.NamespaceChange]:
    """What changed, by name."""
    last = before.held
    return {
        held.name: changes.difference(last[held.name].records if held.name in last else None, held.records, kinds)
        for held in now.changed
    }


def _largest(held: Iterable[HeldArrays], differences: Mapping[str, changes.NamespaceChange]) -> list[HeldArrays]:
    """The holders that are listed, most bytes first; if there are too many, those that changed are preferred."""
    by_bytes = sorted(held, key=_HERE, reverse=True)
    if len(by_bytes) <= MOST:
        return by_bytes
    quiet = ("", "updated")
    loud = {name for name, difference in differences.items() if difference.change not in quiet}
    if not loud:
        return by_bytes[:MOST]
    first = [h for h in by_bytes if h.name in loud][:MOST]
    rest = islice((h for h in by_bytes if h.name not in loud), MOST - len(first))
    return sorted([*first, *rest], key=_HERE, reverse=True)


def _path(value: Any, held: HeldArrays, diff: changes.NamespaceChange) -> str:
    """Path of the first array that changed in a tree; empty for an update, and for a single array."""
    if held.single or diff.at < 0 or diff.change not in ("resharded", "changed", "deleted"):
        return ""
    try:
        leaves = flatten(value)
    except ValueError:
        return ""
    first = held.records[diff.at].ref()
    return next((keystr(path) for path, leaf, _ in leaves if _jax.held_array(leaf) is first), "")
