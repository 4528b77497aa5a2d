"""Documents as JSON, and back.

An object stands for each dataclass, with a key for each field, and an array for each tuple. Two things have a form of
their own: ``bytes`` are ``{"$bytes": base64}``, and many integers that follow a pattern are written as ``Ints`` has
them. What refers to variables by id does so here too. What a saved page holds (``to_wire``: tables by column, packed
integers) is read as well; the device ids of groups, which it leaves out, are looked up in the mesh.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
import functools
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any, Literal

import numpy as np

from shardwidget.document.wire import LISTED, Ints

__all__: list[str] = []

Reader = Callable[[Any, str], Any]
"""Makes a value of JSON: ``(value, path)``. The path is for messages: ``collectives[3].bytes_per_device``."""

_SCALARS: dict[Any, tuple[tuple[type, ...], str]] = {
    bool: ((bool,), "true or false"),
    int: ((int,), "an integer"),
    float: ((int, float), "a number"),
    str: ((str,), "a text"),
}


def to_plain(item: Any, *, values: bool = True) -> dict[str, Any]:
    """A document, or an item of one, as JSON has it.

    Args:
        item: an instance of a dataclass of this package.
        values: whether to write the values of arrays.
    """
    out: dict[str, Any] = {}
    for field in dataclasses.fields(item):
        if not field.compare:
            continue
        value = getattr(item, field.name)
        if field.metadata.get("wire") == "id":
            out[field.name] = [each.id for each in value]
        elif field.name == "window" and not values:
            out[field.name] = None
        else:
            out[field.name] = _plain(value, values)
    return out


def _plain(value: Any, values: bool) -> Any:
    if isinstance(value, Ints):
        if value.raw or value.size <= LISTED:
            return value.array().tolist()
        return {"start": value.start, "shape": [*value.shape], "strides": [*value.strides]}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return to_plain(value, values=values)
    if isinstance(value, tuple):
        return [_plain(each, values) for each in value]
    if isinstance(value, bytes):
        return {"$bytes": base64.b64encode(value).decode("ascii")}
    return value


def from_plain(cls: type, data: Any, path: str = "") -> Any:
    """An instance of a dataclass, of what ``to_plain`` or a saved page has of it.

    Fields that are missing have their default.

    Args:
        cls: a dataclass of this package.
        data: JSON.
        path: where ``data`` is, for messages.

    Raises:
        ValueError: a field is missing that has no default, or has a value that it cannot have; the message says which.
    """
    if not isinstance(data, Mapping):
        raise _wrong(path or cls.__name__, "an object", data)
    given: dict[str, Any] = {}
    for name, read, required in _readers(cls):
        at = f"{path}.{name}" if path else name
        if name in data:
            given[name] = read(data[name], at)
        elif name == "groups" and "positions" in data:
            given[name] = ()
        elif required:
            raise ValueError(f"{at} is missing")
    made = cls(**given)
    return made.completed() if hasattr(made, "completed") else made


@functools.cache
def _readers(cls: type) -> tuple[tuple[str, Reader, bool], ...]:
    """For each field that a file may have: its name, what reads it, and whether it must be there."""
    hints = typing.get_type_hints(cls)
    return tuple(
        (f.name, _by_id if f.metadata.get("wire") == "id" else _reader(hints[f.name]), _required(f))
        for f in dataclasses.fields(cls)
        if f.compare and f.init
    )


def _required(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _by_id(value: Any, at: str) -> tuple[int, ...]:
    return tuple(_integers(value, at))


@functools.cache
def _reader(hint: Any) -> Reader:
    """What reads a value of a type that a field of a document may have."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint in _SCALARS:
        return functools.partial(_scalar, hint)
    if hint is bytes:
        return _bytes
    if hint is Ints:
        return _ints
    if hint is type(None):
        return _none
    if origin is Literal:
        return functools.partial(_one_of, arguments)
    if origin is tuple:
        return functools.partial(_fixed if Ellipsis not in arguments else _items, arguments)
    if origin in (types.UnionType, typing.Union):
        return functools.partial(_any_of, arguments)
    return functools.partial(_instance, hint)


def _instance(cls: type, value: Any, at: str) -> Any:
    return from_plain(cls, value, at)


def _scalar(kind: Any, value: Any, at: str) -> Any:
    legal, words = _SCALARS[kind]
    if type(value) not in legal:
        raise _wrong(at, words, value)
    return float(value) if kind is float else value


def _none(value: Any, at: str) -> None:
    if value is not None:
        raise _wrong(at, "null", value)


def _one_of(legal: tuple[Any, ...], value: Any, at: str) -> Any:
    if not isinstance(value, str | int) or value not in legal:
        raise _wrong(at, "one of " + ", ".join(map(repr, legal)), value)
    return value


def _any_of(hints: tuple[Any, ...], value: Any, at: str) -> Any:
    others = [hint for hint in hints if hint is not type(None)]
    if value is None and len(others) < len(hints):
        return None
    if len(others) > 1 and isinstance(value, Mapping):  # One of several dataclasses: the one with these fields.
        others = [cls for cls in others if {f.name for f in dataclasses.fields(cls)} >= value.keys()] or others
    return _reader(others[0])(value, at)


def _bytes(value: Any, at: str) -> bytes:
    if isinstance(value, bytes):
        return value
    try:
        return base64.b64decode(value["$bytes"], validate=True)
    except (TypeError, KeyError, binascii.Error):
        raise _wrong(at, 'an object {"$bytes": base64}', value) from None


def _fixed(hints: tuple[Any, ...], value: Any, at: str) -> tuple[Any, ...]:
    if not isinstance(value, list) or len(value) != len(hints):
        raise _wrong(at, f"an array of {len(hints)}", value)
    return tuple(_reader(hint)(each, f"{at}[{k}]") for k, (hint, each) in enumerate(zip(hints, value, strict=True)))


def _items(hints: tuple[Any, ...], value: Any, at: str) -> tuple[Any, ...]:
    if isinstance(value, Mapping):
        value = list(_rows(value, at))
    if not isinstance(value, list):
        raise _wrong(at, "an array", value)
    read = _reader(hints[0])
    return tuple([read(each, f"{at}[{k}]") for k, each in enumerate(value)])


def _ints(value: Any, at: str) -> Ints:
    if isinstance(value, list):
        return Ints.pack(_integers(value, at))
    found = from_plain(_Packed, value, at)
    return Ints(found.start, found.shape, found.strides, found.raw, found.raw_bytes)


@dataclasses.dataclass(frozen=True)
class _Packed:
    """The fields of ``Ints``, which itself is read in either form."""

    start: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    raw: bytes = b""
    raw_bytes: Literal[1, 2, 4] = 4


def _integers(value: Any, at: str) -> list[int]:
    if not isinstance(value, list):
        return _ints(value, at).array().tolist()
    wrong = next((k for k, each in enumerate(value) if type(each) is not int), None)
    if wrong is not None:
        raise _wrong(f"{at}[{wrong}]", "an integer", value[wrong])
    return value


# Tables, as ``to_wire`` writes them.


def _rows(table: Mapping[str, Any], at: str) -> Iterator[dict[str, Any]]:
    """The items of a table, one after another."""
    try:
        columns = {name: (_integers(column["at"], at), _cells(column, at)) for name, column in table.items()}
        count = len(next(iter(columns.values()))[0]) if columns else 0
        for k in range(count):
            yield {name: cells[at[k]] if at[k] < len(cells) else None for name, (at, cells) in columns.items()}
    except (KeyError, IndexError, TypeError, AttributeError):
        raise ValueError(f"{at} is not a table as saved pages have it") from None


def _cells(column: Mapping[str, Any], at: str) -> list[Any]:
    """The distinct values of a column."""
    flat = list(_rows(column["table"], at)) if "table" in column else column["values"]
    if "ends" in column:
        ends = zip(_integers(flat, at), _integers(column["ends"], at), strict=True)
        return [column["words"][k] + ("" if end < 0 else str(end)) for k, end in ends]
    if "counts" not in column:
        return flat if isinstance(flat, list) else _integers(flat, at)
    words, rest = column.get("words"), iter(flat if isinstance(flat, list) else _integers(flat, at))
    parts = [list(islice(rest, n)) for n in _integers(column["counts"], at)]
    return parts if words is None else [" ".join(words[k] for k in part) for part in parts]


def located(item: Any, device_ids: np.ndarray) -> Any:
    """A collective with the device ids of its groups, which saved pages leave out: they stand at mesh positions.

    Args:
        item: an item with ``groups``, ``positions`` and ``group_size``.
        device_ids: the id of the device at each mesh position, int, shape ``[devices]``.
    """
    if item is None or item.groups or not item.positions.size:
        return item
    rows = item.positions.array().reshape(-1, item.group_size)
    groups = tuple(tuple(device_ids[row[row >= 0]].tolist()) for row in rows)
    return dataclasses.replace(item, groups=groups)


def _wrong(at: str, words: str, value: Any) -> ValueError:
    text = repr(value)
    return ValueError(f"{at} must be {words}; it is {text if len(text) <= 60 else text[:59] + '…'}")
