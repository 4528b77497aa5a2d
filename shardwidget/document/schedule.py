"""A pipeline schedule: which tasks each rank runs, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from shardwidget.document.base import Document
from shardwidget.document.mesh import Mesh
from shardwidget.document.trace import Trace
from shardwidget.document.wire import VERSION, Ints

if TYPE_CHECKING:
    from shardwidget.pipeline.simulation import Simulation

__all__ = ["Durations", "Order", "Recipe", "Schedule", "Schedules"]

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


@dataclass(frozen=True, repr=False)
class Schedule(Document):
    """Tasks of a pipeline: which rank runs which stage on which microbatch, in which order.

    What a task waits for follows from its stage, kind and microbatch: a forward task for that of the stage before; a
    backward task for that of the next stage, and its own forward task; a weight task for its input half.
    """

    source: Recipe | Order
    """The order of the tasks: a generator's recipe, or written out."""
    name: str = ""
    durations: Durations = Durations()
    send_bytes: tuple[int, ...] = ()
    """Bytes of the activation that a stage sends on: one entry for all stages, or one per stage; empty where not
    known."""
    mesh: Mesh | None = None
    """The mesh that the ranks are on; None for a schedule without devices."""
    axis: str = "stage"
    """The name of the mesh axis whose positions are the ranks."""
    note: str = ""
    """What is not known and why, in one sentence."""
    stepped: Callable[[], tuple[Trace, tuple[int, ...]]] | None = field(
        default=None, repr=False, compare=False, metadata={"wire": False}
    )
    """Traces the function that the schedule is of, and finds the step of each tick; None for any other schedule."""
    kind: Literal["schedule"] = field(default="schedule", init=False)
    version: int = field(default=VERSION, init=False)

    def __getstate__(self) -> dict[str, Any]:
        """What is sent to another process: not the function."""
        return self.__dict__ | {"stepped": None}

    @cached_property
    def order(self) -> Order:
        """The order, generated if it is not written out."""
        if isinstance(self.source, Order):
            return self.source
        from shardwidget.pipeline.generators import generate

        return generate(self.source)

    @cached_property
    def tasks(self) -> tuple[tuple[str, ...], ...]:
        """The tasks of each rank as text, ``"0F3"``: stage, kind, microbatch; ``"0F7+7B3"`` where two are fused."""
        from shardwidget.pipeline.tasks import decode

        return decode(self.order).texts()

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return self.source.ranks if isinstance(self.source, Recipe) else self.source.counts.size

    @property
    def stages(self) -> int:
        """Number of stages, over all ranks."""
        return self.source.stages if isinstance(self.source, Recipe) else int(self.source.stage.array().max()) + 1

    @property
    def microbatches(self) -> int:
        """Number of microbatches."""
        source = self.source
        return source.microbatches if isinstance(source, Recipe) else int(source.microbatch.array().max()) + 1

    def simulate(
        self,
        *,
        forward: float | Sequence[float] | None = None,
        backward_input: float | Sequence[float] | None = None,
        backward_weight: float | Sequence[float] | None = None,
        communication: float | None = None,
    ) -> Simulation:
        """Runs the schedule: every task as early as its rank and its inputs allow.

        Args:
            forward: time of a forward task, for all stages or one per stage, in any one unit; None takes the
                schedule's own, which is 1 by default. The same holds for the others.
            backward_input: time of the half of a backward task that makes the gradient of the input.
            backward_weight: time of the half that makes the gradient of the weights. A whole backward task takes both.
            communication: time from the end of a task until its result has arrived on another rank.

        Returns:
            Makespan, idle time, bubble, activations kept, critical path, messages.

        Raises:
            ValueError: the schedule is impossible (the message names the tasks), or a time is not a number ≥ 0.
        """
        from shardwidget.pipeline.simulation import simulate

        return simulate(self, forward, backward_input, backward_weight, communication)


@dataclass(frozen=True, repr=False)
class Schedules(Document):
    """Schedules side by side, on one time axis."""

    schedules: tuple[Schedule, ...]
    """The schedules, each with the name that the user gave it."""
    kind: Literal["schedules"] = field(default="schedules", init=False)
    version: int = field(default=VERSION, init=False)
