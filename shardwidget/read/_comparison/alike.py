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

Dim = tuple[int, int]
"""A value of the record, and one of its dimensions."""

Lettered = tuple[int, Sequence[str]]
"""A value of the record, and letters for its dimensions: those that share one are split alike."""
_EVERY = tuple(map(str, range(9)))
"""Of an edge of a loop, a branch or a region, which passes every dimension on."""


def lettered(operation: _jax.Operation) -> tuple[Sequence[Lettered], Sequence[Lettered]]:
    """The operands and the results of an operation, by Shardy's rule of it; nothing where it has none."""
    if operation.name == "sdy.data_flow_edge":
        return [(v, _EVERY) for v in operation.operands], [(v, _EVERY) for v in operation.results]
    if (rule := operation.rule) is None:
        return (), ()
    return [*zip(operation.operands, rule.operands, strict=True)], [*zip(operation.results, rule.results, strict=True)]


class Alike:
    """Which values are split over an axis together: by the rules of the operations between them."""

    def __init__(self, record: _jax.Record) -> None:
        self._record = record
        self._parent: dict[At, At] = {}
        for operation in record.operations:
            operands, results = lettered(operation)
            self._join((*operands, *results))
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

    def _join(self, tensors: Sequence[Lettered]) -> None:
        first: dict[tuple[str, str], At] = {}
        for v, theirs in tensors:
            for d, axes in enumerate(self._record.values[v].dims or ()):
                for axis in axes:
                    at = self.of(v, axis)
                    one = first.setdefault((_major(theirs[d]), axis), at)
                    if one is not at:
                        self._parent[at] = self.of(*one)


class Wanted:
    """Which dimensions are split somewhere, or alike with one that is: by the rules of the operations between them."""

    def __init__(self, record: _jax.Record) -> None:
        self._record = record
        self._parent: dict[Dim, Dim] = {}
        for operation in record.operations:
            operands, results = lettered(operation)
            if operation.name == "sdy.sharding_constraint":
                operands, results = [(operation.operands[0], _EVERY)], [(operation.results[0], _EVERY)]
            self._join((*operands, *results))
        for v, made in zip(record.results, record.returned, strict=True):
            self._join(((v, _EVERY), (made, _EVERY)))
        split = ((v, d) for v, at in enumerate(record.values) for d, axes in enumerate(at.dims or ()) if axes)
        self._split = {self._of(one) for one in split}

    def _join(self, tensors: Sequence[Lettered]) -> None:
        first: dict[str, Dim] = {}
        for v, theirs in tensors:
            for d in range(min(len(theirs), len(self._record.values[v].shape))):
                at = self._of((v, d))
                self._parent[at] = self._of(first.setdefault(_major(theirs[d]), at))

    def __contains__(self, one: Dim) -> bool:
        return self._of(one) in self._split

    def _of(self, one: Dim) -> Dim:
        while (parent := self._parent.get(one, one)) != one:
            self._parent[one] = one = self._parent.get(parent, parent)
        return one


@functools.lru_cache(1024)
def _major(letters: str) -> str:
    """What an axis splits of a dimension that is several factors, as of a reshape: the major one."""
    factor = FACTOR.match(letters)
    return factor[0] if factor else letters


def dim_of(value: _jax.Recorded, axis: str) -> int:
    """The dimension of a value that an axis splits; -1 for none."""
    return next((d for d, axes in enumerate(value.dims or ()) if axis in axes), -1)
