"""What errands return, as bytes: JSON and the arrays' own bytes. Reading them runs nothing that is in them."""

from __future__ import annotations

import json
import math
from dataclasses import fields
from typing import Any

import jax.numpy as jnp
import numpy as np

from shardwidget._jax import Exported
from shardwidget.teach.errands import Compiled
from shardwidget.teach.results import Leaf, Outcome, Result

_KINDS = {kind.__name__: kind for kind in (Compiled, Exported, Leaf, Outcome, Result)}
HEAD = 4
"""Bytes of the length of the JSON."""


def write(value: Any) -> bytes:
    """A value as bytes.

    Raises:
        TypeError: it is more than numbers, text, tuples, arrays, bytes and the results of errands.
    """
    parts: list[bytes] = []
    text = json.dumps(_plain(value, parts)).encode()
    return b"".join([len(text).to_bytes(HEAD), text, *parts])


def read(data: bytes) -> Any:
    """The value again.

    Raises:
        ValueError: the bytes are not what ``write`` makes.
    """
    end = HEAD + int.from_bytes(data[:HEAD])
    try:
        return _value(json.loads(data[HEAD:end].decode()), memoryview(data)[end:])
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"it is no result of an errand: {error}") from None


def _plain(value: Any, parts: list[bytes]) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, tuple | list):
        return [_plain(item, parts) for item in value]
    if isinstance(value, bytes | np.ndarray):
        data = bytes(value) if isinstance(value, bytes) else value.tobytes()
        start = sum(map(len, parts))
        parts.append(data)
        array = None if isinstance(value, bytes) else [value.dtype.name, list(value.shape)]
        return {"bytes": [start, len(data)], "array": array}
    if _KINDS.get(type(value).__name__) is not type(value):
        raise TypeError(f"a {type(value).__name__} is no plain data")
    return {"kind": type(value).__name__} | {f.name: _plain(getattr(value, f.name), parts) for f in fields(value)}


def _value(plain: Any, data: memoryview) -> Any:
    if isinstance(plain, list):
        return tuple(_value(item, data) for item in plain)
    if not isinstance(plain, dict):
        return plain
    if "kind" in plain:
        return _KINDS[plain["kind"]](**{k: _value(v, data) for k, v in plain.items() if k != "kind"})
    start, size = plain["bytes"]
    if not 0 <= start <= start + size <= len(data):
        raise ValueError("it was cut short")
    own = data[start : start + size]
    if plain["array"] is None:
        return bytes(own)
    name, shape = plain["array"]
    dtype = jnp.dtype(name)
    if dtype.itemsize * math.prod(shape) != size or min(shape, default=0) < 0:
        raise ValueError("an array has not the size of its type")
    return np.frombuffer(own, dtype).reshape(shape)
