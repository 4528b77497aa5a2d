"""Pipeline schedules in words: figures, and the tasks of each rank in the order it runs them."""

from __future__ import annotations

from shardwidget._format import percent
from shardwidget.document import Schedule, Schedules
from shardwidget.document.simulation import Simulation
from shardwidget.export import listing
from shardwidget.export.words import clip, verdict_of

MOST = 16
"""The most ranks that are listed, and the most tasks of each."""
LONGEST = 400
"""Characters of a rank's tasks."""


def headline(shown: Schedule | Schedules) -> str:
    """Idle time, what is kept, sends and length, in one line."""
    if isinstance(shown, Schedules):
        names = ", ".join(clip(one.name, 40) for one in shown.schedules)
        return f"{len(shown.schedules)} schedules: {names}"
    return verdict_of(shown.name or "schedule", figures(shown))


def _facts(shown: Schedule | Schedules) -> list[str]:
    if isinstance(shown, Schedules):
        return []
    return [f"{shown.ranks} ranks, {shown.stages} stages, {shown.microbatches} microbatches"]


def _said(shown: Schedule | Schedules) -> listing.Said:
    """The figures, then one line per rank; for several schedules the figures of each."""
    return listing.Said(listing.NAMED, _rows(shown), _facts(shown), _rest(shown), LONGEST)


picture, table = listing.writers(headline, _said)


def figures(one: Schedule, *, beside: bool = False) -> str:
    """Idle time, what is kept, sends and length: ``idle 27.3 %, keeps 2, 1 activations, 8 sends, 9 steps long``.

    Args:
        one: the schedule.
        beside: whether others stand beside it. What is kept then counts for whole ranks, as in the widget: of a rank
            with two stages, the activations of one are half of a microbatch's.
    """
    run = one.simulate()
    kept = _kept(run, one.stages / one.ranks if beside else 1, "microbatches" if beside else "activations")
    return f"{_idle(run)}{kept}, {run.messages} sends, {run.makespan:g} steps long"


def _idle(run: Simulation) -> str:
    what = "idle or wasted" if any(run.wasted) else "idle"
    return f"{what} {percent(run.bubble_of_total)} of all time, {percent(run.bubble_of_ideal)} of useful time"


def _kept(run: Simulation, unit: float, what: str) -> str:
    if not any(task.kind != "F" for task in run.tasks):
        return ""
    peaks = ", ".join(f"{peak / unit:.3g}" for peak in run.peak_activations[:8])
    return f", keeps {peaks}{' …' * (len(run.peak_activations) > 8)} {what}"


def _rows(shown: Schedule | Schedules) -> list[listing.Row]:
    if isinstance(shown, Schedules):
        return [
            {"name": clip(one.name, 40) or str(k), "words": figures(one, beside=True)}
            for k, one in enumerate(shown.schedules)
        ]
    rows: list[listing.Row] = []
    for rank, tasks in enumerate(shown.tasks[:MOST]):
        left = len(tasks) - MOST
        more = f" … {left} more" if left > 0 else ""
        rows.append({"name": f"rank {rank}", "words": " ".join(tasks[:MOST]) + more})
    return rows


def _rest(shown: Schedule | Schedules) -> list[str]:
    if isinstance(shown, Schedules):
        return []
    left = shown.ranks - MOST
    return [*([f"… {left} more ranks"] if left > 0 else []), *([shown.note] if shown.note else [])]
