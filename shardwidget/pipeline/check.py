"""Whether a schedule can be run at all; if not, what is wrong, by name."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from shardwidget.document.order import KINDS, Tasks

MOST = 4
"""The most examples that a message lists."""

_F, _B, _I, _W = range(len(KINDS))


def check(tasks: Tasks) -> None:
    """Refuses tasks that are missing, repeated, in two places or in the wrong order.

    Raises:
        ValueError: something is wrong; the message names ranks and tasks. Deadlocks are for the simulator to find.
    """
    for look in (_ranks, _sizes, _places, _twice, _missing, _unordered):
        if problems := look(tasks):
            raise ValueError("impossible schedule: " + "; ".join(some(problems)))


def some(names: Iterable[str]) -> list[str]:
    """The first of some names, and how many more there are."""
    listed = list(names)
    return listed[:MOST] + ([f"and {len(listed) - MOST} more"] if len(listed) > MOST else [])


def _ranks(tasks: Tasks) -> list[str]:
    if not tasks.counts.size:
        return ["it has no ranks"]
    return [f"rank {rank} has no tasks" for rank in np.flatnonzero(tasks.counts == 0)]


def _sizes(tasks: Tasks) -> list[str]:
    """A wrong number must not make the tables below as large as itself."""
    if tasks.stages * tasks.microbatches <= 4 * tasks.size + 1000:
        return []
    return [
        f"stages up to {tasks.stages - 1} and microbatches up to {tasks.microbatches - 1} need "
        f"{tasks.stages * tasks.microbatches} forward tasks; there are {tasks.size} tasks of any kind"
    ]


def _places(tasks: Tasks) -> list[str]:
    pairs = np.unique(np.stack([tasks.stage, tasks.rank], 1), axis=0)
    stages, counts = np.unique(pairs[:, 0], return_counts=True)
    twice = [
        f"stage {s} is on ranks {', '.join(map(str, pairs[pairs[:, 0] == s, 1]))}; a stage belongs to one rank"
        for s in stages[counts > 1]
    ]
    absent = np.setdiff1d(np.arange(tasks.stages), stages)
    return twice or [f"stage {s} has no tasks, though stage {tasks.stages - 1} has" for s in absent]


def _twice(tasks: Tasks) -> list[str]:
    useful = np.flatnonzero(~tasks.wasted)
    key = ((tasks.stage * len(KINDS) + tasks.kind) * tasks.microbatches + tasks.microbatch)[useful]
    _, first, counts = np.unique(key, return_index=True, return_counts=True)
    return [
        f"{tasks.text(t)} occurs {n} times on rank {tasks.rank[t]}"
        for t, n in zip(useful[first[counts > 1]], counts[counts > 1], strict=True)
    ]


def _missing(tasks: Tasks) -> list[str]:
    there = _positions(tasks) >= 0
    backward = there[:, _B] | there[:, _I]
    cases = [
        (~there[:, _F], "has no forward task of microbatch {m} ({s}F{m})"),
        (there[:, _B] & there[:, _I], "has both a whole backward task and an input half of microbatch {m}"),
        (there[:, _B] & there[:, _W], "has both a whole backward task and a weight half of microbatch {m}"),
        (there[:, _W] & ~backward, "has no input half of microbatch {m} ({s}I{m}), though its weight half"),
        (there[:, _I] & ~there[:, _W], "has no weight half of microbatch {m} ({s}W{m}), though its input half"),
    ]
    if backward.any():
        cases.append((~backward & ~there[:, _W], "never gets microbatch {m} back: there is no {s}B{m}"))
    return [f"stage {s} " + words.format(s=s, m=m) for wrong, words in cases for s, m in np.argwhere(wrong)]


def _unordered(tasks: Tasks) -> list[str]:
    """Tasks of one stage and microbatch whose rank runs them in the wrong order."""
    at = _positions(tasks)
    out = []
    for before, after in ((_F, _B), (_F, _I), (_I, _W)):
        wrong = (at[:, before] >= 0) & (at[:, after] >= 0) & (at[:, before] > at[:, after])
        out += [
            f"rank {tasks.rank_of_stage[s]} runs {s}{KINDS[after]}{m} before {s}{KINDS[before]}{m}, which it needs"
            for s, m in np.argwhere(wrong)
        ]
    return out


def _positions(tasks: Tasks) -> np.ndarray:
    """The index of each task, shape ``[stages, kinds, microbatches]``; -1 where there is no such task."""
    at = np.full((tasks.stages, len(KINDS), tasks.microbatches), -1)
    useful = np.flatnonzero(~tasks.wasted)
    at[tasks.stage[useful], tasks.kind[useful], tasks.microbatch[useful]] = useful
    return at
