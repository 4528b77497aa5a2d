"""Pipeline schedules in words: figures, and the tasks of each rank in the order it runs them."""

from __future__ import annotations

from html import escape

from shardwidget.document import Schedule, Schedules
from shardwidget.export.words import clip
from shardwidget.pipeline.simulation import Simulation

MOST = 16
"""The most ranks that are listed, and the most tasks of each."""


def headline(shown: Schedule | Schedules) -> str:
    """Ranks, stages and microbatches in one line."""
    if isinstance(shown, Schedules):
        names = ", ".join(clip(one.name, 40) for one in shown.schedules)
        return f"{len(shown.schedules)} schedules: {names}"
    name = clip(shown.name, 40) or "schedule"
    return f"{name}: {shown.ranks} ranks, {shown.stages} stages, {shown.microbatches} microbatches"


def picture(shown: Schedule | Schedules) -> str:
    """The figures, then one line per rank; for several schedules the figures of each."""
    wide = max((len(name) for name, _ in _rows(shown)), default=0)
    rows = [f"{name:<{wide}}  {text}" for name, text in _rows(shown)]
    return "\n".join([headline(shown), *_figures(shown), *rows, *_rest(shown)])


def table(shown: Schedule | Schedules) -> str:
    """The same as an HTML table that survives a notebook's sanitiser."""
    cell = 'style="padding:2px 10px;text-align:left;font-family:monospace"'
    body = "".join(
        f"<tr><th {cell}>{escape(name)}</th><td {cell}>{escape(text)}</td></tr>" for name, text in _rows(shown)
    )
    before = "".join(f"<p>{escape(line)}</p>" for line in _figures(shown))
    after = "".join(f"<p>{escape(line)}</p>" for line in _rest(shown))
    return f"<p><b>{escape(headline(shown))}</b></p>{before}<table>{body}</table>{after}"


def figures(one: Schedule) -> str:
    """Idle time, what is kept, sends and length: ``idle 27.3 %, keeps 2, 1 activations, 8 sends, 9 steps long``."""
    run = one.simulate()
    return f"{_idle(run)}{_kept(run)}, {run.messages} sends, {run.makespan:g} steps long"


def _idle(run: Simulation) -> str:
    what = "idle or wasted" if any(run.wasted) else "idle"
    return f"{what} {100 * run.bubble_of_total:.1f} % of all time, {100 * run.bubble_of_ideal:.1f} % of useful time"


def _kept(run: Simulation) -> str:
    if not any(task.kind != "F" for task in run.tasks):
        return ""
    peaks = ", ".join(map(str, run.peak_activations[:8])) + (" …" if len(run.peak_activations) > 8 else "")
    return f", keeps {peaks} activations"


def _figures(shown: Schedule | Schedules) -> list[str]:
    return [] if isinstance(shown, Schedules) else [figures(shown)]


def _rows(shown: Schedule | Schedules) -> list[tuple[str, str]]:
    if isinstance(shown, Schedules):
        return [(clip(one.name, 40) or str(k), figures(one)) for k, one in enumerate(shown.schedules)]
    rows = []
    for rank, tasks in enumerate(shown.tasks[:MOST]):
        left = len(tasks) - MOST
        rows.append((f"rank {rank}", " ".join(tasks[:MOST]) + (f" … {left} more" if left > 0 else "")))
    return rows


def _rest(shown: Schedule | Schedules) -> list[str]:
    if isinstance(shown, Schedules):
        return []
    left = shown.ranks - MOST
    return [*([f"… {left} more ranks"] if left > 0 else []), *([shown.note] if shown.note else [])]
