"""The order in which ranks run the tasks of a pipeline, and how long tasks take."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from shardwidget.document.wire import Ints

__all__ = ["Durations", "Order", "Recipe"]

KINDS = "FBIW"
"""Kinds of tasks, by their index on the wire: forward, whole backward, its input half, its weight half."""

GeneratorName = Literal[
    "gpipe", "one_f_one_b", "eager_1f1b", "interleaved_1f1b", "zb_h1", "zb_v", "dualpipe_v", "circular"
]


@dataclass(frozen=True)
class Recipe:
    """An order that a generator makes. Python and the front end follow the same rules."""

    generator: GeneratorName
    """The name of the generator."""
    stages: int
    """The number of stages over all ranks, not that of each rank."""
    microbatches: int
    """The number of microbatches."""
    ranks: int
    """The number of ranks."""


@dataclass(frozen=True)
class Order:
    """An order that is written out: columns over all tasks, rank by rank, in the order in which a rank runs them."""

    counts: Ints
    """The number of tasks of each rank."""
    stage: Ints
    """The stage of each task."""
    task_kind: Ints
    """The kind of each task, as an index in ``FBIW``: forward, whole backward, its input half, its weight half."""
    microbatch: Ints
    """The microbatch of each task."""
    fused: Ints
    """1 for a task that is fused with the task before it: both start when both can start, and end together."""
    tick: Ints
    """The tick of each task, where all ranks advance together, as a loop around ``ppermute`` makes them; otherwise
    empty."""
    wasted: Ints
    """1 for a task whose result nothing uses; empty where that is not known."""


@dataclass(frozen=True)
class Durations:
    """How long tasks take, all in the same unit: for each kind one entry for all stages, or one per stage."""

    forward: tuple[float, ...] = (1.0,)
    """The time of a forward task."""
    backward_input: tuple[float, ...] = (1.0,)
    """The time of the half of a backward task that makes the gradient of the input."""
    backward_weight: tuple[float, ...] = (1.0,)
    """The time of the half that makes the gradient of the weights. A whole backward task takes the sum of both."""
    communication: float = 0.0
    """The time from the end of a task until its result has arrived on another rank. It keeps neither rank busy."""


ALIKE = Durations()
"""Every stage as long as any other."""


@dataclass(frozen=True, eq=False)
class Tasks:
    """An order as columns of int64, shape ``[tasks]`` each; ``counts`` has shape ``[ranks]``."""

    counts: np.ndarray
    rank: np.ndarray
    stage: np.ndarray
    kind: np.ndarray
    microbatch: np.ndarray
    unit: np.ndarray
    """Index of each task's unit; units are numbered across all ranks."""
    tick: np.ndarray
    wasted: np.ndarray
    """bool; all False where nothing is known."""

    @property
    def size(self) -> int:
        """Number of tasks."""
        return self.stage.size

    @cached_property
    def stages(self) -> int:
        """Number of stages."""
        return int(self.stage.max()) + 1

    @cached_property
    def microbatches(self) -> int:
        """Number of microbatches."""
        return int(self.microbatch.max()) + 1

    @cached_property
    def rank_of_stage(self) -> np.ndarray:
        """The rank of each stage, shape ``[stages]``; -1 for a stage that has no task."""
        out = np.full(self.stages, -1)
        out[self.stage] = self.rank
        return out

    def text(self, task: int) -> str:
        """Task number ``task`` as text."""
        return f"{self.stage[task]}{KINDS[self.kind[task]]}{self.microbatch[task]}"

    def texts(self) -> tuple[tuple[str, ...], ...]:
        """Units as text, by rank."""
        out: list[list[str]] = [[] for _ in self.counts]
        before = -1
        for rank, stage, kind, microbatch, unit in zip(
            *(c.tolist() for c in (self.rank, self.stage, self.kind, self.microbatch, self.unit)), strict=True
        ):
            text = f"{stage}{KINDS[kind]}{microbatch}"
            if unit == before:
                out[rank][-1] += f"+{text}"
            else:
                out[rank].append(text)
            before = unit
        return tuple(map(tuple, out))


def decode(order: Order) -> Tasks:
    """The columns of an order."""
    counts = order.counts.array()
    stage = order.stage.array()
    wasted = order.wasted.array().astype(bool)
    return Tasks(
        counts=counts,
        rank=np.repeat(np.arange(counts.size), counts),
        stage=stage,
        kind=order.task_kind.array(),
        microbatch=order.microbatch.array(),
        unit=np.cumsum(1 - order.fused.array()) - 1,
        tick=order.tick.array(),
        wasted=wasted if wasted.size else np.zeros(stage.size, bool),
    )
