"""The wire form of documents, and integers packed for it."""

from __future__ import annotations

import dataclasses
import functools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from typing import Any, Literal

import numpy as np

from shardwidget._text import encodable

__all__ = ["VERSION", "Ints", "to_wire"]

VERSION = 1
"""Version of the wire format. The front end refuses a document with a greater one."""


@dataclass(frozen=True)
class Ints:
    """A flat array of integers, written as a nested count where it is one.

    Device ids, process indices and coordinates of a pod are nearly always nested counts: ``array()`` is
    ``start + sum(stride[k] * digit[k])`` over the mixed-radix digits of the position, first digit slowest. Integers
    that do not follow such a pattern are kept raw.
    """

    start: int
    """The first integer; may be negative."""
    shape: tuple[int, ...]
    """Radix of each digit; the product is the length."""
    strides: tuple[int, ...]
    """What one step of each digit adds; may be negative."""
    raw: bytes = b""
    """Little-endian integers of ``raw_bytes`` bytes each, used in place of the pattern when not empty."""
    raw_bytes: Literal[1, 2, 4] = 4
    """Bytes of one raw integer: 1 and 2 are unsigned, 4 is signed."""

    @staticmethod
    def pack(values: Any) -> Ints:
        """Packs a one-dimensional sequence of integers that fit 32 signed bits."""
        flat = np.ascontiguousarray(values, dtype=np.int64).ravel()
        if flat.size == 0:
            return Ints(0, (0,), (0,))
        shape: list[int] = []
        strides: list[int] = []
        heads = flat
        while heads.size > 1:
            step = int(heads[1] - heads[0])
            even = heads[1:] - heads[:-1] == step
            run = heads.size if even.all() else int(even.argmin()) + 1
            if heads.size % run:
                break
            rows = heads.reshape(-1, run)
            if not (rows[:, 1:] - rows[:, :-1] == step).all():
                break
            shape.append(run)
            strides.append(step)
            heads = rows[:, 0]
        if heads.size == 1:
            return Ints(int(flat[0]), tuple(reversed(shape)) or (1,), tuple(reversed(strides)) or (0,))
        low, high = int(flat.min()), int(flat.max())
        width: Literal[1, 2, 4] = 4 if low < 0 or high > 0xFFFF else 2 if high > 0xFF else 1
        kind = {1: "<u1", 2: "<u2", 4: "<i4"}[width]
        if low < -(2**31) or high >= 2**31:
            raise ValueError(f"integers must fit 32 signed bits; got {low} … {high}")
        return Ints(0, (flat.size,), (0,), flat.astype(kind).tobytes(), width)

    @property
    def size(self) -> int:
        """Number of integers."""
        return math.prod(self.shape)

    def array(self) -> np.ndarray:
        """The integers, int64, shape ``[size]``."""
        if self.raw:
            return np.frombuffer(self.raw, {1: "<u1", 2: "<u2", 4: "<i4"}[self.raw_bytes]).astype(np.int64)
        out = np.full((1,), self.start, np.int64)
        for radix, stride in zip(self.shape, self.strides, strict=True):
            out = (out[:, None] + np.arange(radix, dtype=np.int64) * stride).ravel()
        return out


def to_wire(document: Any) -> dict[str, Any]:
    """A document as dicts, lists, numbers, strings and ``bytes``, one key for each field.

    A field whose metadata says ``wire=False`` stays in Python; one that says ``wire="id"`` is written as the ids of its
    items, one that says ``wire="table"`` as a table.
    """
    out: dict[str, Any] = {}
    for name, form in _written(type(document)):
        value = getattr(document, name)
        out[name] = _table(value) if form == "table" else _plain(_ids(value) if form == "id" else value)
    return out


@functools.cache
def _written(of: type) -> tuple[tuple[str, Any], ...]:
    """The fields of a class that are written, each with its form."""
    forms = ((f.name, f.metadata.get("wire", True)) for f in dataclasses.fields(of))
    return tuple((name, form) for name, form in forms if form)


def _ids(value: Any) -> tuple[Any, ...]:
    return tuple(item.id for item in value)


def _plain(value: Any) -> Any:
    if type(value) is str:
        return encodable(value)
    if type(value) in _PLAIN:
        return value
    if dataclasses.is_dataclass(value):
        return to_wire(value)
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    return value


_PLAIN = frozenset({int, bool, type(None), float, bytes})


def _table(rows: tuple[Any, ...]) -> dict[str, Any]:
    """Items of one class by column: the distinct values of each field, and for each item the index of its own.

    Hundreds of steps and variables share lines, types, collectives and blocks: each is written once.
    """
    if not rows:
        return {}
    written = _written(type(rows[0]))
    first, *others = (name for name, _ in written)
    # One call reads all fields of a row; of a single field, attrgetter gives no tuple.
    columns = (
        zip(*map(attrgetter(first, *others), rows), strict=True) if others else [[getattr(row, first) for row in rows]]
    )
    return {
        name: _column([_ids(v) for v in column] if form == "id" else column)
        for (name, form), column in zip(written, columns, strict=True)
    }


def _column(items: Sequence[Any]) -> dict[str, Any]:
    """Values of a field; an index beyond them stands for None.

    Values that are items themselves, or tuples of them, are a table again. Hundreds of integers, or of tuples of them,
    are packed; so are texts, as the indices of their words, or of what stands before the number that they end with.
    """
    values = tuple([v for v in dict.fromkeys(items) if v is not None])
    if 2 * len(values) > len(items) > LISTED and _are_integers(items):
        values = tuple(items)  # Few are equal: an index of each would be as long.
    one_or_all = len(values) in (1, len(items)) and None not in items
    if one_or_all and len(items) > LISTED:
        at = _plain(Ints(0, (len(items),), (int(len(values) > 1),)))
    else:
        distinct = {v: k for k, v in enumerate(values)}
        at = _numbers([distinct.get(v, len(distinct)) for v in items])
    if _are_items(values):
        return {"at": at, "table": _table(values)}
    if len(values) > LISTED and all(type(v) is str for v in values):
        parts = [found.groups() for v in values if (found := _NUMBERED.fullmatch(v))]
        stems = {stem: k for k, stem in enumerate(dict.fromkeys(stem for stem, _ in parts))}
        if 4 * len(stems) < len(values):
            return {
                "at": at,
                "words": list(map(encodable, stems)),
                "values": _numbers([stems[stem] for stem, _ in parts]),
                "ends": _numbers([-1 if end is None else int(end) for _, end in parts]),
            }
        texts = [v.split(" ") for v in values]
        words = {word: k for k, word in enumerate(dict.fromkeys(chain.from_iterable(texts)))}
        flat = [words[word] for word in chain.from_iterable(texts)]
        return {
            "at": at,
            "counts": _numbers([len(t) for t in texts]),
            "words": list(map(encodable, words)),
            "values": _numbers(flat),
        }
    if all(isinstance(v, tuple) for v in values):
        flat, counts = tuple(chain.from_iterable(values)), _numbers([len(v) for v in values])
        if _are_items(flat):
            return {"at": at, "counts": counts, "table": _table(flat)}
        if len(flat) > LISTED and _are_integers(flat):
            return {"at": at, "counts": counts, "values": _numbers(flat)}
    return {"at": at, "values": _numbers(values) if _are_integers(values) else [_plain(v) for v in values]}


_NUMBERED = re.compile(r"(.*?)(0|[1-9][0-9]{0,8})?", re.DOTALL)
"""A text, and the number that it ends with."""

LISTED = 64
"""The most integers that are written as a list."""


def _numbers(values: Sequence[int]) -> Any:
    return list(values) if len(values) <= LISTED else _plain(Ints.pack(values))


def _are_integers(values: Sequence[Any]) -> bool:
    """Whether all are integers that ``Ints`` can hold."""
    return all(type(v) is int and -(2**31) <= v < 2**31 for v in values)


def _are_items(values: tuple[Any, ...]) -> bool:
    """Whether they are items of one class."""
    return bool(values) and dataclasses.is_dataclass(values[0]) and len({type(v) for v in values}) == 1
