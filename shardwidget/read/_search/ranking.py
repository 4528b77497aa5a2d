"""What candidates are ordered by, and how well two orders agree."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from shardwidget.document import Candidate
from shardwidget.read._search.plans import AXES

FEWEST_RANKED = 4
"""The fewest compiled candidates that a rank correlation is given for."""

NO_OBJECTIVE = (
    "objective={given!r} is nothing to order by. Give 'time', 'memory', 'bytes' that a device sends in a step, or "
    "those over one axis, 'bytes:tensor'; axes are {known}."
)


def checked(objective: str) -> str:
    """The objective, if candidates can be ordered by it.

    Raises:
        ValueError: they cannot.
    """
    legal = rf"time|memory|bytes(:({'|'.join(AXES)}))?"
    if not isinstance(objective, str) or not re.fullmatch(legal, objective):
        raise ValueError(NO_OBJECTIVE.format(given=objective, known=", ".join(AXES)))
    return objective


def order(c: Candidate, objective: str) -> tuple[Any, ...]:
    """What a candidate is sorted by: what fits first, compiled ones before estimates."""
    too_much = c.bytes_per_device if c.fits is False else 0
    kind, _, axis = objective.partition(":")
    by = {"time": c.time_s, "memory": c.bytes_per_device, "bytes": c.figures.sends(axis)}[kind]
    return (c.fits is False, too_much, c.compiled is None, by, c.time_s, c.bytes_per_device, c.title)


def spearman(of: Sequence[Candidate]) -> float | None:
    """Rank correlation of the estimated and the compiled time of collectives; equal ones share a rank."""
    if len(of) < FEWEST_RANKED:
        return None
    pairs = [(c.estimated, c.figures) for c in of]
    ranks = [_ranks([pair[k].exposed_s + pair[k].hidden_s for pair in pairs]) for k in (0, 1)]
    spread = [float(np.std(r)) for r in ranks]
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1]) if all(spread) else None


def _ranks(values: Sequence[float]) -> np.ndarray:
    array = np.array(values)
    return np.array([(array < v).sum() + ((array == v).sum() - 1) / 2 for v in array])
