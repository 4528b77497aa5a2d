"""A run in Chrome's trace event format, by the user's axes and lines.

The format: "Trace Event Format", https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from shardwidget.document import Operation, Run
from shardwidget.measured.lanes import iteration, unpack

__all__ = ["chrome_trace"]

_THREADS = ("compute", "collectives")


def chrome_trace(run: Run) -> dict[str, Any]:
    """The trace: one process per device, with a thread for compute and one for collectives and waiting; times in µs."""
    events, waited = unpack(run)
    first = min(run.begins)
    ids = run.mesh.device_ids.array()
    out: list[dict[str, Any]] = []
    for lane in run.lanes:
        at = lane.position
        out.append(_named("process_name", at, 0, f"device {ids[at]}{_place(run, at)}"))
        out.append({"ph": "M", "name": "process_sort_index", "pid": at, "args": {"sort_index": at}})
        out += [_named("thread_name", at, k, name) for k, name in enumerate(_THREADS)]
    occurrence = events.occurrence()
    for k in range(events.size):
        o = run.operations[events.operation[k]]
        pid, start, end = int(events.position[k]), int(events.start[k]) - first, int(events.end[k]) - first
        call, at = int(events.call[k]), list(iteration(int(occurrence[k]), o.trips))
        args = {"instruction": o.name, "call": call, **({"iteration": at} if at else {}), **_line(o)}
        if o.collective < 0:
            name = f"line {o.source.line}" if o.source else o.name
            out.append(_slice(name, "compute", pid, 0, start, end, args))
            continue
        c = run.collectives[o.collective]
        over = ", ".join(c.axes) or "irregular groups"
        came = start + int(waited[k])
        if came > start:
            out.append(_slice(f"waiting over {over}", "waiting", pid, 1, start, came, args))
        out.append(_slice(f"{c.kind} over {over}", "collective", pid, 1, came, end, args))
    return {"traceEvents": out, "displayTimeUnit": "ms", "otherData": {"name": run.name, "note": run.note}}


def _slice(name: str, category: str, pid: int, tid: int, start: int, end: int, args: dict[str, Any]) -> dict[str, Any]:
    """One event; times in nanoseconds."""
    times = {"ts": start / 1000, "dur": (end - start) / 1000}
    return {"ph": "X", "name": name, "cat": category, "pid": pid, "tid": tid, **times, "args": args}


def _named(what: str, pid: int, tid: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": what, "pid": pid, "tid": tid, "args": {"name": name}}


def _place(run: Run, position: int) -> str:
    """The device's place on the mesh: `` (data=1, model=0)``."""
    digits = np.unravel_index(position, run.mesh.shape)
    at = ", ".join(f"{axis.name}={digit}" for axis, digit in zip(run.mesh.axes, digits, strict=False))
    return f" ({at})" if at else ""


def _line(o: Operation) -> dict[str, str]:
    return {} if o.source is None else {"line": f"{o.source.file}:{o.source.line}", "code": o.source.text}
