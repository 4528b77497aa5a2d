"""Measured events in columns."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

__all__ = ["Events"]


@dataclass(frozen=True)
class Events:
    """Operations that devices ran, one entry per event; all arrays are int64 of shape ``[events]``."""

    position: np.ndarray
    """Mesh position of the device."""
    call: np.ndarray
    """Index of the call."""
    operation: np.ndarray
    """Index of the operation."""
    start: np.ndarray
    """Nanoseconds."""
    end: np.ndarray

    @property
    def size(self) -> int:
        """Number of events."""
        return len(self.start)

    def sorted(self) -> Events:
        """The same by device, call and start."""
        return self[np.lexsort((self.end, self.start, self.call, self.position))]

    def __getitem__(self, index: np.ndarray) -> Events:
        return Events(*(getattr(self, f.name)[index] for f in fields(self)))

    def occurrence(self) -> np.ndarray:
        """For each event, how many of its operation came before it on its device in its call. Events are sorted."""
        calls, operations = (int(column.max(initial=0)) + 1 for column in (self.call, self.operation))
        key = (self.position * calls + self.call) * operations + self.operation
        order = np.argsort(key, kind="stable")
        ordered = key[order]
        first = np.r_[True, ordered[1:] != ordered[:-1]] if len(ordered) else np.zeros(0, bool)
        at = np.arange(len(ordered))
        out = np.empty(len(ordered), np.int64)
        out[order] = at - np.maximum.accumulate(np.where(first, at, 0))
        return out
