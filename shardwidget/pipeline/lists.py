"""A schedule from plain lists of tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from shardwidget.document import Durations, Schedule, Schedules
from shardwidget.document.order import ALIKE
from shardwidget.pipeline.simulation import simulate
from shardwidget.pipeline.tasks import Unit, pack, parse


def schedule(ranks: Sequence[Sequence[str | None]], *, name: str = "") -> Schedule:
    """The schedule whose ranks run these tasks, each as early as it can.

    Args:
        ranks: the tasks of each rank in order, as ``"0F3"`` (stage; F forward, B backward, I and W its input and weight
            halves; microbatch) or ``"0F7+7B3"`` for two that are fused. None and ``""`` are idle slots, which need not
            be written.
        name: what to call it.

    Raises:
        TypeError: it is not a sequence of sequences of text.
        ValueError: a text is not a task, or the schedule is impossible; the message names the place.
    """
    return of_units(
        [[_parsed(task, r, k) for k, task in enumerate(tasks) if task] for r, tasks in enumerate(ranks)], name
    )


def compared(schedules: Mapping[str, Schedule]) -> Schedules:
    """Schedules side by side, on one scale of time.

    Where none of them states how long its tasks take, the model is the same for all: a rank's whole share of it takes
    one unit forward and two back, so a stage that is one of two on its rank takes half of that.

    Args:
        schedules: by the name that each is shown under.

    Raises:
        ValueError: there are none.
        TypeError: one is not a ``Schedule``.
    """
    if not schedules:
        raise ValueError("give one schedule or more, by name: {'1F1B': pipeline.one_f_one_b(4, 8), …}")
    for name, one in schedules.items():
        if not isinstance(one, Schedule):
            raise TypeError(f"{name!r} must be a Schedule, as read.schedule returns it; got {type(one).__name__}")
    plain = all(one.durations == ALIKE for one in schedules.values())
    return Schedules(
        tuple(
            replace(one, name=name, durations=_share(one) if plain else one.durations)
            for name, one in schedules.items()
        )
    )


def _share(one: Schedule) -> Durations:
    part = (one.ranks / one.stages,)
    return Durations(part, part, part)


def of_units(ranks: Sequence[Sequence[Unit]], name: str) -> Schedule:
    """The schedule of these units; raises where it is impossible."""
    if not any(ranks):
        raise ValueError("impossible schedule: there are no tasks")
    order = pack(ranks)
    simulate(order, ALIKE)
    return Schedule(order, name)


def _parsed(task: str, rank: int, index: int) -> Unit:
    if not isinstance(task, str):
        raise TypeError(
            f'rank {rank}, task {index}: a schedule is a list of ranks, each a list of texts like "0F3"; got '
            f"{type(task).__name__}"
        )
    try:
        return parse(task)
    except ValueError as error:
        raise ValueError(f"rank {rank}, task {index}: {error}") from None
