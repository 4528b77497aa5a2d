"""Which values of a program an operation splits alike, by the rules that Shardy has of it."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

from shardwidget import _jax

FACTOR = re.compile(r"[a-z](_\d+)?")
"""The first factor of a dimension, in a rule of Shardy's."""

At = tuple[int, str]
"""A value of the record, and an axis that splits it."""


class Alike:
    """Which values are split over an axis together: by the rules of the operations between them."""

    def __init__(self, record: _jax.Record) -> None:
        self._record = record
        self._parent: dict[At, At] = {}
        for operation in record.operations:
            tensors = (*operation.operands, *operation.results)
            if operation.rule is not None:
                letters = (*operation.rule.operands, *operation.rule.results)
                self._join(tensors, letters)
            elif operation.name == "sdy.data_flow_edge":
                self._join(tensors, [[str(d) for d in range(9)]] * len(tensors))
        for v in record.results:
            for axis, passing in record.values[v].passed.items():
                self._parent[self.of(v, axis)] = self.of(passing.giver, axis)

    def of(self, v: int, axis: str) -> At:
        """What stands for all values that are split together with this one."""
        at, below = (v, axis), []
        while (parent := self._parent.get(at, at)) != at:
            below.append(at)
            at = parent
        for each in below[:-1]:
            self._parent[each] = at
        return at

    def _join(self, tensors: Sequence[int], letters: Sequence[Sequence[str]]) -> None:
        first: dict[tuple[str, str], At] = {}
        for v, theirs in zip(tensors, letters, strict=True):
            for d, axes in enumerate(self._record.values[v].dims or ()):
                for axis in axes:
                    at = self.of(v, axis)
                    one = first.setdefault((_major(theirs[d]), axis), at)
                    if one is not at:
                        self._parent[at] = self.of(*one)


@functools.lru_cache(1024)
def _major(letters: str) -> str:
    """What an axis splits of a dimension that is several factors, as of a reshape: the major one."""
    factor = FACTOR.match(letters)
    return factor[0] if factor else letters


def dim_of(value: _jax.Recorded, axis: str) -> int:
    """The dimension of a value that an axis splits; -1 for none."""
    return next((d for d, axes in enumerate(value.dims or ()) if axis in axes), -1)
