"""Messages of protocol buffers, field by field: enough to read XLA's without a schema or another package.

The encoding: protobuf.dev/programming-guides/encoding.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

CUT_SHORT = "the message ends within field {number}"
NO_SUCH_TYPE = "field {number} is of the unknown wire type {kind}"

INTEGER, BYTES = 0, 2
"""Wire types."""
_FIXED = {1: 8, 5: 4}
"""Bytes of numbers, by the wire types that have a fixed size."""
_LONGEST = 10
"""Bytes of the longest integer."""


class Column(NamedTuple):
    """One field of each of many messages; arrays of shape ``[messages that have one]``."""

    message: np.ndarray
    """Index of the message."""
    number: np.ndarray
    """Number of the field."""
    value: np.ndarray
    """An integer (int64: unsigned ones from 2⁶³ are negative); else where its bytes begin."""
    size: np.ndarray
    """Number of its bytes; -1 of an integer."""


def fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message in their order: a number, and an integer or the bytes of a string, message or list.

    Floats come as their bytes.

    Raises:
        ValueError: it is cut short, or not a message.
    """
    for number, value, size in parts(message, 0, len(message)):
        yield number, value if size < 0 else message[value : value + size]


def parts(message: bytes, at: int, end: int) -> Iterator[tuple[int, int, int]]:
    """The fields of a message within bytes ``at`` to ``end``: a number, then an integer and -1, or a place and a size.

    Raises:
        ValueError: as in ``fields``.
    """
    while at < end:
        key, at = _integer(message, at, 0)
        number, kind = key >> 3, key & 7
        if kind == INTEGER:
            value, at = _integer(message, at, number)
            yield number, value, -1
            continue
        if kind == BYTES:
            size, at = _integer(message, at, number)
        elif kind in _FIXED:
            size = _FIXED[kind]
        else:
            raise ValueError(NO_SUCH_TYPE.format(number=number, kind=kind))
        if at + size > end:
            raise ValueError(CUT_SHORT.format(number=number))
        yield number, at, size
        at += size


def columns(data: np.ndarray, start: np.ndarray, end: np.ndarray) -> Iterator[Column]:
    """The fields of many messages at once: the first field of each, then the second of those that have one, and so on.

    Args:
        data: the bytes that all messages are in, uint8, as ``padded`` gives them.
        start: where each message begins, int64 ``[messages]``.
        end: where each ends.

    Raises:
        ValueError: as in ``fields``.
    """
    message, at = np.arange(len(start)), start
    while True:
        if not (left := at < end).all():
            message, at, end = message[left], at[left], end[left]
        if not len(at):
            return
        key, at = integers(data, at)
        number, kind = key >> 3, key & 7
        integer = kind == INTEGER
        value, after = integers(data, at)
        size = np.where(integer, -1, np.minimum(value.view(np.uint64), len(data)).astype(np.int64))
        if (other := ~integer & (kind != BYTES)).any():
            _check_types(number[other], kind[other])
            size[other], after[other] = np.where(kind[other] == 1, _FIXED[1], _FIXED[5]), at[other]
        at = after + np.maximum(size, 0)
        if (at > end).any():
            raise ValueError(CUT_SHORT.format(number=number[int(np.argmax(at - end))]))
        yield Column(message, number, np.where(integer, value, after), size)


def padded(message: bytes) -> np.ndarray:
    """A message as an array, uint8, with zeros after it: no integer that begins in it is read past the end."""
    return np.frombuffer(message + bytes(_LONGEST), np.uint8)


def integers(data: np.ndarray, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Integers with seven bits per byte, int64, and where they end."""
    byte = data[at]
    value, at = (byte & 127).astype(np.int64), at + 1
    more = np.flatnonzero(byte & 128)
    for shift in range(7, 7 * _LONGEST, 7):
        if not len(more):
            break
        byte = data[at[more]]
        value[more] |= (byte & 127).astype(np.int64) << shift
        at[more] += 1
        more = more[byte >= 128]
    return value, at


def _integer(message: bytes, at: int, number: int) -> tuple[int, int]:
    """An integer with seven bits per byte, and where it ends."""
    try:
        value, at = message[at], at + 1
        if value < 128:
            return value, at
        shift, value = 7, value & 127
        while (byte := message[at]) >= 128:
            value |= (byte & 127) << shift
            shift, at = shift + 7, at + 1
    except IndexError:
        raise ValueError(CUT_SHORT.format(number=number)) from None
    return value | byte << shift, at + 1


def _check_types(number: np.ndarray, kind: np.ndarray) -> None:
    """Refuses fields of wire types that do not exist."""
    for bad in np.flatnonzero(~np.isin(kind, list(_FIXED))):
        raise ValueError(NO_SUCH_TYPE.format(number=number[bad], kind=kind[bad]))
