"""Profiles as JAX writes them, their events in columns.

Names and numbers of fields are those of XLA's ``xplane.proto``: ``XSpace``, ``XPlane``, ``XLine``, ``XEvent`` and
``XStat``. A profile of a second has 100,000 events: to make an object of each takes longer than the program.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shardwidget.read._protobuf import columns, fields, integers, padded, parts

_UINT64, _INT64, _STRING, _BYTES, _REFERENCE = 3, 4, 5, 6, 7
"""Fields of a stat: its value, in one of these forms. A reference is the id of a name of a stat."""
_FIRST = 1 << 3
"""The key of field 1, an integer. What XLA writes has its fields in order: the id of a stat comes before its value."""


@dataclass(frozen=True)
class Line:
    """Events that follow one another: of a thread, or a stream."""

    name: str
    began: int
    """Nanoseconds: what times of its events are added to."""
    events: np.ndarray
    """Where they are within the plane: beginnings and ends, int64 ``[2, events]``."""


@dataclass(frozen=True)
class Stat:
    """One stat of some events; all arrays int64 of shape ``[events]``."""

    form: np.ndarray
    """Field that has the value; 0 where an event does not have this stat."""
    value: np.ndarray
    """A number, the id of a name, or where a string begins."""
    size: np.ndarray
    """Bytes of a string."""

    def numbers(self, default: int) -> np.ndarray:
        """Its values; ``default`` for events that do not have it."""
        return np.where((self.form == _INT64) | (self.form == _UINT64), self.value, default)


@dataclass(frozen=True)
class Events:
    """Events of a plane; all arrays int64 of shape ``[events]``."""

    line: np.ndarray
    """Index of the line, of those that were read."""
    name: np.ndarray
    """Id of the name."""
    start: np.ndarray
    """Nanoseconds."""
    end: np.ndarray
    stats: dict[str, Stat]


class Plane:
    """What one source recorded: the host, or a device.

    Args:
        message: an ``XPlane``.

    Raises:
        ValueError: it is not a valid message.
    """

    def __init__(self, message: bytes) -> None:
        self._message = message
        self.name = ""
        self.lines: list[Line] = []
        self.names: dict[int, str] = {}
        """Names of events, by id."""
        self._stats: dict[int, str] = {}
        """Names of stats, by id."""
        self._own: list[tuple[int, int]] = []
        self._kinds: list[tuple[int, int]] = []
        for number, value, size in parts(message, 0, len(message)):
            span = value, value + size
            if number == 2:
                self.name = self._text(*span)
            elif number == 3:
                self.lines.append(self._line(*span))
            elif number in (4, 5):
                self._learn(*span, self.names if number == 4 else self._stats)
                self._kinds += [span] if number == 4 else []
            elif number == 6:
                self._own.append(span)

    def number(self, name: str) -> int:
        """A stat of the plane itself; 0 if it does not have one."""
        for span in self._own:
            stat = {number: value for number, value, _ in parts(self._message, *span)}
            if self._stats.get(stat.get(1, 0)) == name:
                return stat.get(_UINT64, stat.get(_INT64, 0))
        return 0

    def payloads(self, stat: str) -> dict[str, bytes]:
        """A stat of kinds of events that has bytes, by the names of these kinds."""
        found = {}
        for entry in self._kinds:
            for kind in (span for number, *span in self._spans(*entry) if number == 2):
                name = next((self._text(*span) for number, *span in self._spans(*kind) if number == 2), "")
                for own in (span for number, *span in self._spans(*kind) if number == 5):
                    values = {number: (value, size) for number, value, size in parts(self._message, *own)}
                    start, size = values.get(_BYTES, (0, 0))
                    if self._stats.get(values.get(1, (0, 0))[0]) == stat:
                        found[name] = self._message[start : start + size]
        return found

    def _spans(self, start: int, end: int) -> Iterator[tuple[int, int, int]]:
        """The fields of a message, by number, and where they are."""
        return ((number, value, value + size) for number, value, size in parts(self._message, start, end))

    def events(self, lines: Sequence[Line], stats: Collection[str]) -> Events:
        """The events of some of its lines, with some of their stats.

        Raises:
            ValueError: the message is not valid.
        """
        data = padded(self._message)
        count = [line.events.shape[1] for line in lines]
        spans = np.concatenate([np.zeros((2, 0), np.int64), *(line.events for line in lines)], axis=1)
        name, offset, duration = np.zeros((3, sum(count)), np.int64)
        found = [np.zeros((3, 0), np.int64)]
        for column in columns(data, *spans):
            for number, values in ((1, name), (2, offset), (3, duration)):
                here = column.number == number
                values[column.message[here]] = column.value[here]
            here = column.number == 4
            found.append(np.stack([column.message[here], column.value[here], (column.value + column.size)[here]]))
        began = np.repeat(np.array([line.began for line in lines], np.int64), count)
        return Events(
            line=np.repeat(np.arange(len(count)), count),
            name=name,
            # Offsets and durations are picoseconds.
            start=began + offset // 1000,
            end=began + (offset + duration) // 1000,
            stats=self._stats_of(data, np.concatenate(found, axis=1), len(name), stats),
        )

    def texts(self, stat: Stat) -> tuple[list[str], np.ndarray]:
        """The strings of a stat, and for each event the index of its own; -1 for events that do not have it."""
        strings: dict[str, int] = {}
        index = np.full(len(stat.form), -1)
        ids, which = np.unique(stat.value[stat.form == _REFERENCE], return_inverse=True)
        of_id = [strings.setdefault(self._stats.get(k, ""), len(strings)) for k in ids.tolist()]
        index[stat.form == _REFERENCE] = np.array(of_id, np.int64)[which]
        for k in np.flatnonzero(stat.form == _STRING).tolist():
            start = int(stat.value[k])
            index[k] = strings.setdefault(self._text(start, start + int(stat.size[k])), len(strings))
        return list(strings), index

    def _stats_of(self, data: np.ndarray, found: np.ndarray, events: int, names: Collection[str]) -> dict[str, Stat]:
        """Stats by name.

        Args:
            data: the message.
            found: of each stat its event, its beginning and its end, int64 ``[3, stats]``.
            events: number of events.
            names: which are read.
        """
        ids = {name: k for k, name in self._stats.items()}
        out = {name: Stat(*np.zeros((3, events), np.int64)) for name in names}
        event, at, end = found
        key, at = integers(data, at)
        stat, at = integers(data, at)
        wanted = np.isin(stat, [ids[name] for name in names if name in ids]) & (key == _FIRST)
        event, stat, at, end = event[wanted], stat[wanted], at[wanted], end[wanted]
        for column in columns(data, at, end):
            for name in names:
                here = stat[column.message] == ids.get(name, -1)
                event_of = event[column.message[here]]
                for values, read in zip(
                    vars(out[name]).values(), (column.number, column.value, column.size), strict=True
                ):
                    values[event_of] = read[here]
        return out

    def _line(self, start: int, end: int) -> Line:
        name, began, events, sizes = "", 0, [], []
        for number, value, size in parts(self._message, start, end):
            if number == 4:
                events.append(value)
                sizes.append(size)
            elif number == 2:
                name = self._text(value, value + size)
            elif number == 3:
                began = value
        begins = np.array(events, np.int64)
        return Line(name, began, np.stack([begins, begins + np.array(sizes, np.int64)]))

    def _learn(self, start: int, end: int, names: dict[int, str]) -> None:
        """Reads an entry of a map from ids to names."""
        for number, value, size in parts(self._message, start, end):
            if number == 2:
                found = {n: (v, v + s) for n, v, s in parts(self._message, value, value + size)}
                names[found.get(1, (0, 0))[0]] = self._text(*found.get(2, (0, 0)))

    def _text(self, start: int, end: int) -> str:
        return self._message[start:end].decode(errors="replace")


def planes(profile: bytes) -> list[Plane]:
    """The planes of an ``XSpace``, what ``.xplane.pb`` files hold.

    Raises:
        ValueError: it is not a valid message.
    """
    return [Plane(plane) for number, plane in fields(profile) if number == 1 and isinstance(plane, bytes)]
