"""A pipeline schedule: which tasks each rank runs, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from shardwidget.document.base import Document, provided
from shardwidget.document.mesh import Mesh
from shardwidget.document.order import ALIKE, Durations, Order, Recipe, decode
from shardwidget.document.simulation import Simulation
from shardwidget.document.trace import Trace
from shardwidget.document.wire import VERSION

__all__ = ["Schedule", "Schedules"]


@dataclass(frozen=True, repr=False)
class Schedule(Document):
    """Tasks of a pipeline: which rank runs which stage on which microbatch, in which order.

    What a task waits for follows from its stage, kind and microbatch: a forward task for that of the stage before; a
    backward task for that of the next stage, and its own forward task; a weight task for its input half.
    """

    source: Recipe | Order
    """The order of the tasks: a generator's recipe, or written out."""
    name: str = ""
    durations: Durations = ALIKE
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
        return self.source if isinstance(self.source, Order) else provided("generate")(self.source)

    @cached_property
    def tasks(self) -> tuple[tuple[str, ...], ...]:
        """The tasks of each rank as text, ``"0F3"``: stage, kind, microbatch; ``"0F7+7B3"`` where two are fused."""
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
        return provided("simulate")(
            self.order,
            self.durations,
            self.send_bytes,
            forward=forward,
            backward_input=backward_input,
            backward_weight=backward_weight,
            communication=communication,
        )


@dataclass(frozen=True, repr=False)
class Schedules(Document):
    """Schedules side by side, on one time axis."""

    schedules: tuple[Schedule, ...]
    """The schedules, each with the name that the user gave it."""
    kind: Literal["schedules"] = field(default="schedules", init=False)
    version: int = field(default=VERSION, init=False)
