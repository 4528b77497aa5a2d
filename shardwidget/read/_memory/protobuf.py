"""Messages of protocol buffers, field by field: enough to read XLA's without a schema or another package."""

from __future__ import annotations

from collections.abc import Iterator

CUT_SHORT = "the message ends within field {number}"
NO_SUCH_TYPE = "field {number} is of the unknown wire type {kind}"


def fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message in their order: a number, and an integer or the bytes of a string, message or list.

    Floats come as their bytes. See protobuf.dev/programming-guides/encoding.

    Raises:
        ValueError: it is cut short, or not a message.
    """
    at, end = 0, len(message)
    while at < end:
        key, at = _integer(message, at, 0)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, at = _integer(message, at, number)
            yield number, value
            continue
        if kind == 2:
            size, at = _integer(message, at, number)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
        else:
            raise ValueError(NO_SUCH_TYPE.format(number=number, kind=kind))
        if at + size > end:
            raise ValueError(CUT_SHORT.format(number=number))
        yield number, message[at : at + size]
        at += size


def _integer(message: bytes, at: int, number: int) -> tuple[int, int]:
    """An integer with seven bits per byte, and where it ends."""
    value = shift = 0
    try:
        while (byte := message[at]) >= 128:
            value |= (byte & 127) << shift
            shift, at = shift + 7, at + 1
    except IndexError:
        raise ValueError(CUT_SHORT.format(number=number)) from None
    return value | byte << shift, at + 1
