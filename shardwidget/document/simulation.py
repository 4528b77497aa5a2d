"""What happens when a schedule runs: when each task starts, who idles, what is kept, what is sent."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from shardwidget.document.order import KINDS, Tasks


@dataclass(frozen=True)
class TimedTask:
    """A task and when it ran."""

    rank: int
    stage: int
    kind: str
    """``F``, ``B``, ``I`` or ``W``."""
    microbatch: int
    start: float
    end: float

    def __str__(self) -> str:
        return f"{self.stage}{self.kind}{self.microbatch}"


@dataclass(frozen=True)
class Link:
    """What one rank sends to another."""

    source: int
    destination: int
    messages: int
    bytes: int | None
    """Total bytes; None where the size of an activation is not known."""


class Kept(NamedTuple):
    """How many activations each rank keeps over time; the changes of rank r are ``first[r]`` up to ``first[r + 1]``."""

    first: np.ndarray
    moments: np.ndarray
    number: np.ndarray


@dataclass(frozen=True)
class Simulation:
    """A schedule that was run. Times are in the unit of the durations it was run with."""

    makespan: float
    """From the first start to the last end."""
    idle: tuple[float, ...]
    """Of each rank: the time in which it does nothing."""
    wasted: tuple[float, ...]
    """Of each rank: the time of tasks that nothing uses."""
    peak_activations: tuple[int, ...]
    """Of each rank: the most activations it keeps at once, one per stage and microbatch. One is kept from the start of
    the forward task to the end of the backward task, or of its weight half."""
    links: tuple[Link, ...]
    """By source and destination."""
    critical: tuple[int, ...] = field(repr=False)
    """The critical path as indices of tasks, in order of time."""
    start: np.ndarray = field(repr=False, compare=False)
    """Of each task, in the order of the schedule; float64. Likewise ``end``."""
    end: np.ndarray = field(repr=False, compare=False)
    columns: Tasks = field(repr=False, compare=False)
    """The tasks themselves."""
    kept: Kept = field(repr=False, compare=False)

    @property
    def bubble_of_total(self) -> float:
        """Fraction of all ranks' time in which they do nothing useful: (p−1)/(m+p−1) for GPipe and 1F1B."""
        return self._bubble / (len(self.idle) * self.makespan)

    @property
    def bubble_of_ideal(self) -> float:
        """The same time, as a fraction of the useful time: (p−1)/m for GPipe and 1F1B."""
        return self._bubble / (len(self.idle) * self.makespan - self._bubble)

    @property
    def _bubble(self) -> float:
        return sum(self.idle) + sum(self.wasted)

    @property
    def critical_path(self) -> tuple[str, ...]:
        """Tasks that made the run as long as it is: each started as soon as the one before it allowed."""
        return tuple(self.columns.text(task) for task in self.critical)

    @property
    def messages(self) -> int:
        """Sends from rank to rank."""
        return sum(link.messages for link in self.links)

    @cached_property
    def tasks(self) -> tuple[TimedTask, ...]:
        """All tasks, those of rank 0 first."""
        c = self.columns
        columns = (c.rank, c.stage, c.kind, c.microbatch, self.start, self.end)
        return tuple(
            TimedTask(rank, stage, KINDS[kind], microbatch, start, end)
            for rank, stage, kind, microbatch, start, end in zip(*(x.tolist() for x in columns), strict=True)
        )

    def activations(self, rank: int) -> tuple[np.ndarray, np.ndarray]:
        """How many activations a rank keeps, over time: moments, and the number from each moment on."""
        part = slice(self.kept.first[rank], self.kept.first[rank + 1])
        return self.kept.moments[part], self.kept.number[part]
