"""Pipeline schedules in words: the tasks of each rank, in the order it runs them."""

from __future__ import annotations

from html import escape

from shardwidget.document import Schedule, Schedules
from shardwidget.export.words import clip

MOST = 16
"""Ranks that are listed, and tasks of each."""


def headline(shown: Schedule | Schedules) -> str:
    """Ranks, stages and microbatches in one line."""
    if isinstance(shown, Schedules):
        names = ", ".join(clip(one.name, 40) for one in shown.schedules)
        return f"{len(shown.schedules)} schedules: {names}"
    name = clip(shown.name, 40) or "schedule"
    return f"{name}: {shown.ranks} ranks, {shown.stages} stages, {shown.microbatches} microbatches"


def picture(shown: Schedule | Schedules) -> str:
    """One line a rank; of several schedules one line each."""
    return "\n".join([headline(shown), *(f"{name:<8}  {tasks}" for name, tasks in _rows(shown)), *_rest(shown)])


def table(shown: Schedule | Schedules) -> str:
    """The same as an HTML table that survives a notebook's sanitiser."""
    cell = 'style="padding:2px 10px;text-align:left;font-family:monospace"'
    body = "".join(
        f"<tr><th {cell}>{escape(name)}</th><td {cell}>{escape(text)}</td></tr>" for name, text in _rows(shown)
    )
    after = "".join(f"<p>{escape(line)}</p>" for line in _rest(shown))
    return f"<p><b>{escape(headline(shown))}</b></p><table>{body}</table>{after}"


def _rows(shown: Schedule | Schedules) -> list[tuple[str, str]]:
    if isinstance(shown, Schedules):
        return [(str(k), headline(one)) for k, one in enumerate(shown.schedules)]
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
