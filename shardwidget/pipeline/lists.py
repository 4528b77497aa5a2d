"""A schedule from plain lists of tasks."""

from __future__ import annotations

from collections.abc import Sequence

from shardwidget.document.schedule import Schedule
from shardwidget.pipeline.tasks import Unit, pack, parse


def schedule(ranks: Sequence[Sequence[str | None]], *, name: str = "") -> Schedule:
    """The schedule whose ranks run these tasks, each as early as it can.

    Args:
        ranks: of each rank its tasks in order, as ``"0F3"`` (stage; F forward, B backward, I and W its input and weight
            halves; microbatch) or ``"0F7+7B3"`` for two that are fused. None and ``""`` are idle slots, which need not
            be written.
        name: what to call it.

    Raises:
        TypeError: it is no sequence of sequences of text.
        ValueError: a text is no task, or the schedule is impossible; the message names the place.
    """
    return of_units(
        [[_parsed(task, r, k) for k, task in enumerate(tasks) if task] for r, tasks in enumerate(ranks)], name
    )


def of_units(ranks: Sequence[Sequence[Unit]], name: str) -> Schedule:
    """The schedule of units, refused where it is impossible."""
    if not any(ranks):
        raise ValueError("impossible schedule: there are no tasks")
    made = Schedule(pack(ranks), name)
    made.simulate()
    return made


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
