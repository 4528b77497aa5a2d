"""The arrays inside the values that names are bound to. Fast: it runs after every cell, over everything that exists."""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Iterable
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, Literal

import jax
import numpy as np
from jax.core import Tracer

from shardwidget import _jax

LONG = 4096
"""A longer container whose first and last item are of plain types counts as one of plain values: a list of a million
numbers is not looked through after every cell."""

_PLAIN = (type(None), bool, int, float, complex, str, bytes, type, np.ndarray, np.generic)
_PLAIN += (FunctionType, BuiltinFunctionType, ModuleType)

Kind = Literal["array", "ref", "plain", "dict", "items", "dataclass", "node"]


class Walker:
    """Finds the arrays in a value. What is known of a type is kept, and nothing else."""

    def __init__(self) -> None:
        self.kinds: dict[type, Kind] = {}
        """What values of a type are, of the types met so far."""

    def arrays(self, value: Any) -> list[Any]:
        """The arrays in a value, in an order that is stable as long as the value has the same structure.

        A container is searched once, even if it contains itself. One that raises holds nothing.
        """
        kinds = self.kinds
        kind = kinds.get(type(value)) or self._kind(value)
        if kind == "array":
            return [value]
        found: list[Any] = []
        if kind == "plain":
            return found
        seen: set[int] = set()
        rest = deque((value,))
        while rest:
            item = rest.popleft()
            kind = kinds.get(type(item)) or self._kind(item)
            if kind == "plain":
                continue
            if kind == "array":
                found.append(item)
            elif id(item) not in seen:
                seen.add(id(item))
                inner = self._inside(item, kind)
                rest.extend(inner)
        return found

    def _inside(self, item: Any, kind: Kind) -> Iterable[Any]:
        try:
            if kind == "ref":
                return (_jax.held_array(item),)
            if kind == "dict":
                return () if self._is_plain(item, item.values()) else item.values()
            if kind == "items":
                return () if self._is_plain(item, item) else item
            if kind == "dataclass":
                return [getattr(item, f.name, None) for f in dataclasses.fields(item)]
            return list(_jax.children(item) or ())
        except Exception:  # A node of the user's own class.
            return ()

    def _is_plain(self, item: Any, values: Any) -> bool:
        if len(item) <= LONG:
            return False
        first, last = next(iter(values)), next(reversed(values))
        return all((self.kinds.get(type(end)) or self._kind(end)) == "plain" for end in (first, last))

    def _kind(self, item: Any) -> Kind:
        kind = self.kinds[type(item)] = _kind_of(item)
        return kind


def _kind_of(item: Any) -> Kind:
    if isinstance(item, jax.Array):
        return "plain" if isinstance(item, Tracer) else "array"
    if isinstance(item, jax.Ref):
        return "ref"
    if isinstance(item, _PLAIN):
        return "plain"
    if isinstance(item, dict):
        return "dict"
    if isinstance(item, list | tuple):
        return "items"
    try:
        registered = _jax.children(item) is not None
    except Exception:  # As above: it is registered, and may work another time.
        registered = True
    if registered:
        return "node"
    return "dataclass" if dataclasses.is_dataclass(item) else "plain"
