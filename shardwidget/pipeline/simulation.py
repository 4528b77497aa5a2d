"""Runs schedules: every task as early as its rank and its inputs allow, or in ticks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from shardwidget.document.order import KINDS, Durations, Order, Tasks, decode
from shardwidget.document.simulation import Kept, Link, Simulation
from shardwidget.pipeline.check import check, some

_F, _B, _I, _W = range(len(KINDS))


def simulate(
    order: Order,
    durations: Durations,
    send_bytes: tuple[int, ...] = (),
    *,
    forward: float | Sequence[float] | None = None,
    backward_input: float | Sequence[float] | None = None,
    backward_weight: float | Sequence[float] | None = None,
    communication: float | None = None,
) -> Simulation:
    """Runs an order of tasks; see ``Schedule.simulate``.

    Args:
        order: the tasks.
        durations: how long they take, where the arguments below do not say.
        send_bytes: as in ``Schedule``.
        forward: time of a forward task, for all stages or one per stage. The same holds for the others.
        backward_input: time of the input half of a backward task.
        backward_weight: time of its weight half.
        communication: time from the end of a task until its result has arrived on another rank.
    """
    tasks = decode(order)
    check(tasks)
    given = {"forward": forward, "backward_input": backward_input, "backward_weight": backward_weight}
    times = Durations(
        *(
            _per_stage(name, getattr(durations, name) if value is None else value, tasks.stages)
            for name, value in given.items()
        ),
        communication=_time("communication", durations.communication if communication is None else communication),
    )
    run = _in_ticks if tasks.tick.size else _as_early_as_possible
    start, end, because = run(tasks, times)
    makespan = float(end.max())
    if not makespan > 0:
        raise ValueError("a schedule must take some time; all times are 0")
    kept = _kept(tasks, start, end)
    useful, wasted = (_busy(tasks, start, end, tasks.wasted == kind) for kind in (False, True))
    return Simulation(
        makespan=makespan,
        idle=tuple(makespan - a - b for a, b in zip(useful, wasted, strict=True)),
        wasted=tuple(wasted),
        peak_activations=tuple(np.maximum.reduceat(kept.number, kept.first[:-1]).tolist()),
        links=_links(tasks, send_bytes),
        critical=_critical(tasks, end, because),
        start=start,
        end=end,
        columns=tasks,
        kept=kept,
    )


def _time(name: str, value: float) -> float:
    number = float(value)
    if not (math.isfinite(number) and number >= 0):
        raise ValueError(f"{name} must be a time, 0 or more; got {value!r}")
    return number


def _per_stage(name: str, value: float | Sequence[float], stages: int) -> tuple[float, ...]:
    if isinstance(value, Sequence | np.ndarray):
        entries = tuple(_time(f"{name}[{k}]", v) for k, v in enumerate(value))
        if len(entries) not in (1, stages):
            raise ValueError(f"{name} must be one time, or one for each of {stages} stages; got {len(entries)}")
        return entries * (stages if len(entries) == 1 else 1)
    return (_time(name, value),) * stages


def _task_times(tasks: Tasks, times: Durations) -> np.ndarray:
    forward, inputs, weights = (np.array(t) for t in (times.forward, times.backward_input, times.backward_weight))
    return np.stack([forward, inputs + weights, inputs, weights])[tasks.kind, tasks.stage]


def _dependencies(tasks: Tasks) -> np.ndarray:
    """What each task waits for, as indices of tasks, shape ``[tasks, 2]``; -1 where it waits for less."""
    at = np.full((tasks.stages + 1, 3, tasks.microbatches), -1)
    group = np.array([0, 1, 1, 2])[tasks.kind]
    useful = np.flatnonzero(~tasks.wasted)
    at[tasks.stage[useful], group[useful], tasks.microbatch[useful]] = useful
    # Row -1 of `at` is the stage that does not exist: before the first and after the last.
    first = np.stack(
        [
            at[tasks.stage - 1, 0, tasks.microbatch],
            at[tasks.stage, 0, tasks.microbatch],
            at[tasks.stage, 1, tasks.microbatch],
        ]
    )[group, np.arange(tasks.size)]
    second = np.where(group == 1, at[tasks.stage + 1, 1, tasks.microbatch], -1)
    out = np.stack([first, second], 1)
    out[tasks.wasted] = -1
    return out


def _as_early_as_possible(tasks: Tasks, times: Durations) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Start and end of each task, and for each unit the task that it had to wait for, -1 for none.

    Each unit is visited once for each thing that it waits for, so this ends for any schedule.
    """
    needs = _dependencies(tasks)
    far = (needs >= 0) & (tasks.rank[needs] != tasks.rank[:, None])
    delay = np.where(far, times.communication, 0.0).ravel().tolist()
    unit_of_need = np.where(needs >= 0, tasks.unit[needs], -1).ravel().tolist()
    units = int(tasks.unit[-1]) + 1
    first = np.searchsorted(tasks.unit, np.arange(units + 1)).tolist()
    length = np.bincount(tasks.unit, weights=_task_times(tasks, times)).tolist()
    rank = tasks.rank[first[:-1]].tolist()
    ranks = tasks.counts.size
    at = np.searchsorted(rank, np.arange(ranks)).tolist()
    last = [*at[1:], units]

    start, end, because = [0.0] * units, [-1.0] * units, [-1] * units
    free = [0.0] * ranks
    waiting: list[list[int]] = [[] for _ in range(units)]
    able = list(range(ranks))
    while able:
        r = able.pop()
        u, now = at[r], free[r]
        while u < last[r]:
            begin, cause, missing = now, -1, -1
            for k in range(2 * first[u], 2 * first[u + 1]):
                need = unit_of_need[k]
                if need < 0 or need == u:
                    continue
                done = end[need]
                if done < 0:
                    missing = need
                    break
                done += delay[k]
                if done > begin:
                    begin, cause = done, need
            if missing >= 0:
                waiting[missing].append(r)
                break
            start[u] = begin
            because[u] = cause if cause >= 0 else u - 1 if u > 0 and rank[u - 1] == r else -1
            now = end[u] = begin + length[u]
            able += waiting[u]
            waiting[u] = []
            u += 1
        at[r], free[r] = u, now
    if any(u < n for u, n in zip(at, last, strict=True)):
        raise ValueError(_deadlock(tasks, needs, at, last, end))
    return np.array(start)[tasks.unit], np.array(end)[tasks.unit], because


def _deadlock(tasks: Tasks, needs: np.ndarray, at: list[int], last: list[int], end: list[float]) -> str:
    """Which ranks are stuck, at which task, and what each waits for."""
    out = []
    for r, (u, n) in enumerate(zip(at, last, strict=True)):
        if u == n:
            continue
        task, need = next(
            (t, int(d))
            for t in np.flatnonzero(tasks.unit == u).tolist()
            for d in needs[t]
            if d >= 0 and tasks.unit[d] != u and end[tasks.unit[d]] < 0
        )
        out.append(f"rank {r} at {tasks.text(task)} waits for {tasks.text(need)} of rank {tasks.rank[need]}")
    return "impossible schedule: deadlock: " + "; ".join(some(out))


def _in_ticks(tasks: Tasks, times: Durations) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """As ``_as_early_as_possible``, where all ranks advance together: a tick lasts as long as its longest task."""
    length = _task_times(tasks, times)
    ticks = int(tasks.tick.max()) + 1
    longest = np.zeros(ticks)
    np.maximum.at(longest, tasks.tick, length)
    begins = np.concatenate([[0.0], np.cumsum(longest + times.communication)])
    needs = _dependencies(tasks)
    late = (needs >= 0) & (tasks.tick[needs] >= tasks.tick[:, None])
    if late.any():
        task, which = np.argwhere(late)[0].tolist()
        need = int(needs[task, which])
        raise ValueError(
            f"impossible schedule: {tasks.text(task)} runs at tick {tasks.tick[task]} and needs {tasks.text(need)}, "
            f"which runs at tick {tasks.tick[need]}"
        )
    start = begins[tasks.tick]
    because = [-1] * tasks.size
    slowest = {int(tasks.tick[t]): int(t) for t in np.argsort(length, kind="stable")}
    for task, tick in enumerate(tasks.tick.tolist()):
        because[task] = slowest.get(tick - 1, -1)
    return start, start + length, because


def _busy(tasks: Tasks, start: np.ndarray, end: np.ndarray, chosen: np.ndarray) -> list[float]:
    """Of each rank: the time of the units of some tasks."""
    heads = np.flatnonzero(chosen & np.diff(tasks.unit, prepend=-1).astype(bool))
    return np.bincount(tasks.rank[heads], (end - start)[heads], minlength=tasks.counts.size).tolist()


def _kept(tasks: Tasks, start: np.ndarray, end: np.ndarray) -> Kept:
    forward = (tasks.kind == _F) & ~tasks.wasted
    frees = ((tasks.kind == _B) | (tasks.kind == _W)) & ~tasks.wasted
    if not frees.any():  # Without a backward pass nothing is kept for it.
        frees = forward
    rank = np.concatenate([tasks.rank[forward], tasks.rank[frees]])
    moments = np.concatenate([start[forward], end[frees]])
    change = np.repeat([1, -1], [forward.sum(), frees.sum()])
    order = np.lexsort((change, moments, rank))  # What ends at a moment makes room for what starts then.
    # Each rank frees all that it keeps, so the sum is 0 again where the next rank begins.
    first = np.searchsorted(rank[order], np.arange(tasks.counts.size + 1))
    return Kept(first, moments[order], np.cumsum(change[order]))


def _links(tasks: Tasks, send_bytes: tuple[int, ...]) -> tuple[Link, ...]:
    needs = _dependencies(tasks)
    task, which = np.nonzero((needs >= 0) & (tasks.rank[needs] != tasks.rank[:, None]))
    source = needs[task, which]
    # What crosses from stage s to s + 1 is as large as the gradient that comes back.
    boundary = np.minimum(tasks.stage[task], tasks.stage[source])
    size = np.array(send_bytes * tasks.stages if len(send_bytes) == 1 else send_bytes)
    pairs, at = np.unique(np.stack([tasks.rank[source], tasks.rank[task]], 1), axis=0, return_inverse=True)
    counts = np.bincount(at.ravel(), minlength=len(pairs)).tolist()
    sums = np.bincount(at.ravel(), size[boundary], minlength=len(pairs)).astype(int).tolist() if size.size else None
    return tuple(Link(int(a), int(b), counts[k], sums[k] if sums else None) for k, (a, b) in enumerate(pairs.tolist()))


def _critical(tasks: Tasks, end: np.ndarray, because: list[int]) -> tuple[int, ...]:
    """From the task that ends last, back along what each had to wait for."""
    if tasks.tick.size:
        task = int(end.argmax())
        path = [task]
        while because[path[-1]] >= 0:
            path.append(because[path[-1]])
        return tuple(reversed(path))
    heads = np.flatnonzero(np.diff(tasks.unit, prepend=-1))
    unit = int(tasks.unit[end.argmax()])
    units = [unit]
    while because[units[-1]] >= 0:
        units.append(because[units[-1]])
    return tuple(int(heads[u]) for u in reversed(units))
