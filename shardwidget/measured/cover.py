"""Unions of intervals on one axis."""

from __future__ import annotations

import numpy as np

__all__ = ["IntervalUnion"]


class IntervalUnion:
    """What intervals cover together.

    Args:
        start: int64 ``[n]``.
        end: int64 ``[n]``, not before the starts.
    """

    def __init__(self, start: np.ndarray, end: np.ndarray) -> None:
        order = np.argsort(start, kind="stable")
        start, end = start[order], np.maximum.accumulate(end[order]) if len(end) else end
        opens = np.r_[True, start[1:] > end[:-1]] if len(start) else np.zeros(0, bool)
        self.start = start[opens]
        """Bounds of the covered parts, which are disjoint and sorted."""
        self.end = end[np.r_[opens[1:], True]] if len(start) else end
        self._before = np.r_[0, np.cumsum(self.end - self.start)]

    @property
    def length(self) -> int:
        """The total length that is covered."""
        return int(self._before[-1])

    def within(self, start: np.ndarray, end: np.ndarray) -> np.ndarray:
        """How much of each of some intervals is covered."""
        return self._until(end) - self._until(start)

    def _until(self, at: np.ndarray) -> np.ndarray:
        if not len(self.start):
            return np.zeros(len(at), np.int64)
        k = np.searchsorted(self.start, at, side="right")
        part = np.minimum(at, self.end[k - 1]) - self.start[k - 1]
        return np.where(k > 0, self._before[k - 1] + part, 0)
