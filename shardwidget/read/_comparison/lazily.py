"""Items of a long program that are made one by one, when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar, overload

T = TypeVar("T")


class Lazily(Sequence[T]):
    """A sequence that makes each item once, when it is first asked for.

    Args:
        count: how many items it has.
        make: makes the item at an index.
    """

    def __init__(self, count: int, make: Callable[[int], T]) -> None:
        self._count, self._make = count, make
        self.made: dict[int, T] = {}
        """By index, the items that were asked for."""

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        at = range(self._count)[index]
        if isinstance(at, range):
            return [self[k] for k in at]
        if at not in self.made:
            self.made[at] = self._make(at)
        return self.made[at]
