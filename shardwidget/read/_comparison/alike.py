"""Which values of a program an operation splits alike, by the rules that Shardy has of it."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar

from shardwidget import _jax

FACTOR = re.compile(r"[a-z](_\d+)?")
"""The first factor of a dimension, in a rule of Shardy's."""

At = tuple[int, str]
"""A value of the record, and an axis that splits it."""

Dim = tuple[int, int]
"""A value of the record, and one of its dimensions."""

Lettered = tuple[int, Sequence[str]]
"""A value of the record, and letters for its dimensions: those that share one are split alike."""

T = TypeVar("T", bound=Hashable)

_EVERY = tuple(map(str, range(9)))
"""Of an edge of a loop, a branch or a region, which passes every dimension on."""

_CONSTRAINT = "sdy.sharding_constraint"


def lettered(operation: _jax.Operation) -> tuple[Sequence[Lettered], Sequence[Lettered]]:
    """The operands and the results of an operation, by Shardy's rule of it; nothing where it has none."""
    if operation.name == "sdy.data_flow_edge":
        return _unchanged(operation)
    if (rule := operation.rule) is None:
        return (), ()
    return [*zip(operation.operands, rule.operands, strict=True)], [*zip(operation.results, rule.results, strict=True)]


def _unchanged(operation: _jax.Operation) -> tuple[Sequence[Lettered], Sequence[Lettered]]:
    return [(v, _EVERY) for v in operation.operands], [(v, _EVERY) for v in operation.results]


class Joined(Generic[T]):
    """Items that belong together: those of one set that have one key, and what belongs to these by another set."""

    def __init__(self, sets: Iterable[Iterable[tuple[Hashable, T]]]) -> None:
        self._parent: dict[T, T] = {}
        for keyed in sets:
            first: dict[Hashable, T] = {}
            for key, one in keyed:
                if (other := first.setdefault(key, one)) is not one:
                    self._parent[self.of(one)] = self.of(other)

    def of(self, one: T) -> T:
        """What stands for all items that belong together with this one."""
        parent = self._parent
        while (above := parent.get(one, one)) != one:
            parent[one] = one = parent.get(above, above)
        return one


def alike(record: _jax.Record) -> Joined[At]:
    """Which values are split over an axis together: by the rules of the operations between them."""
    values = record.values

    def keyed(operation: _jax.Operation) -> Iterator[tuple[Hashable, At]]:
        for v, letters in itertools.chain(*lettered(operation)):
            for d, axes in enumerate(values[v].dims or ()):
                yield from (((_major(letters[d]), axis), (v, axis)) for axis in axes)

    passed = ((v, axis, by.giver) for v in record.results for axis, by in values[v].passed.items())
    returned = (((None, (giver, axis)), (None, (v, axis))) for v, axis, giver in passed)
    return Joined(itertools.chain(map(keyed, record.operations), returned))


def wanted(record: _jax.Record) -> frozenset[Dim]:
    """The dimensions that are split, or alike with one that is: by the rules of the operations between them."""

    def keyed(tensors: Iterable[Lettered]) -> Iterator[tuple[Hashable, Dim]]:
        for v, letters in tensors:
            yield from ((_major(letters[d]), (v, d)) for d in range(min(len(letters), len(record.values[v].shape))))

    rules = (itertools.chain(*(_unchanged(o) if o.name == _CONSTRAINT else lettered(o))) for o in record.operations)
    returned = (((v, _EVERY), (made, _EVERY)) for v, made in zip(record.results, record.returned, strict=True))
    joined = Joined(map(keyed, itertools.chain(rules, returned)))
    every = [(v, d) for v, at in enumerate(record.values) for d in range(len(at.shape))]
    split = {joined.of((v, d)) for v, d in every if (dims := record.values[v].dims) and dims[d]}
    return frozenset(one for one in every if joined.of(one) in split)


@functools.lru_cache(1024)
def _major(letters: str) -> str:
    """What an axis splits of a dimension that is several factors, as of a reshape: the major one."""
    factor = FACTOR.match(letters)
    return factor[0] if factor else letters


def dim_of(value: _jax.Recorded, axis: str) -> int:
    """The dimension of a value that an axis splits; -1 for none."""
    return next((d for d, axes in enumerate(value.dims or ()) if axis in axes), -1)
