"""Compiled JaxPP programs, read from their equations: JaxPP is not imported.

A ``task`` equation has its group (``mpmd_idx``) and its name, ``fwd_0``; the n-th of that name works on microbatch n.
``transfer`` equations are between tasks; older ones name both groups, newer ones both shardings. Which task a
transfer takes from follows from its operands, so both are read the same way.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from jax.extend.core import JaxprEqn

from shardwidget.document import Schedule
from shardwidget.pipeline.lists import of_units
from shardwidget.pipeline.tasks import Task, Unit
from shardwidget.read._schedule.sizes import send_bytes
from shardwidget.read._schedule.task_lists import split

_NAME = re.compile(r"(fwd|bwdA|bwdW|bwd)_(\d+)(?:__(\d+))?")
_KINDS = {"fwd": "F", "bwd": "B", "bwdA": "I", "bwdW": "W"}


def equations(x: Any) -> Sequence[Any] | None:
    """The equations of a compiled program, or None if it is not one."""
    for inner in (x, getattr(x, "jaxpr", None), getattr(getattr(x, "jaxpr", None), "jaxpr", None)):
        eqns = getattr(inner, "eqns", None)
        if eqns is not None and any(_name(eqn) == "task" for eqn in eqns):
            return eqns
    return None


def schedule(eqns: Sequence[Any]) -> Schedule:
    """The schedule of the equations.

    Raises:
        ValueError: a task's name contains no stage, or the schedule is impossible.
    """
    ranks: dict[int, list[Unit]] = defaultdict(list)
    seen: Counter[tuple[str, str]] = Counter()
    made_by: dict[Any, Task] = {}
    sizes: dict[Task, int] = defaultdict(int)
    transfers = 0
    for eqn in eqns:
        if _name(eqn) == "task":
            unit = _unit(eqn.params, seen)
            ranks[int(eqn.params["mpmd_idx"])] += split(unit)
            made_by.update((v, unit[0]) for v in eqn.outvars)
        elif _name(eqn) == "transfer":
            transfers += 1
            for v in eqn.invars:
                if v in made_by and hasattr(v.aval, "shape"):
                    sizes[made_by[v]] += v.aval.size * v.aval.dtype.itemsize
    made = of_units([ranks[r] for r in range(max(ranks, default=-1) + 1)], "")
    return replace(made, send_bytes=send_bytes(sizes, made.stages), note=_note(made, transfers))


def _name(eqn: JaxprEqn) -> str:
    return getattr(getattr(eqn, "primitive", None), "name", "")


def _unit(params: dict[str, Any], seen: Counter[tuple[str, str]]) -> Unit:
    name = str(params["task_name"])
    parts = _NAME.findall(name)
    if not parts:
        raise ValueError(f"task {name!r} on group {params['mpmd_idx']} names no stage; names are like fwd_0 or bwd_0")
    counter = params.get("call_counter")
    tasks = []
    for kind, stage, microbatch in parts:
        count = seen[kind, stage]
        seen[kind, stage] += 1
        number = int(microbatch) if microbatch else int(counter) if counter is not None and len(parts) == 1 else count
        tasks.append(Task(int(stage), _KINDS[kind], number))
    return tuple(tasks)


def _note(made: Schedule, transfers: int) -> str:
    messages = made.simulate().messages
    if messages == transfers:
        return ""
    return f"the program has {transfers} transfers; the dependencies of tasks explain {messages}"
