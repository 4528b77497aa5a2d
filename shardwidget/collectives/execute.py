"""Runs the rounds of an algorithm on real blocks, chunk by chunk: tests check that they give the collective."""

from __future__ import annotations

from typing import Any

import numpy as np

from shardwidget.collectives.kinds.all_reduce import COMBINE
from shardwidget.collectives.plan import expand
from shardwidget.collectives.statement import Blocks, Call, Chunks
from shardwidget.document import Plan


@np.errstate(all="ignore")
def execute(plan: Plan, call: Call, blocks: Any) -> np.ndarray:
    """The blocks after a collective, by the rounds of one of its algorithms.

    Args:
        plan: one of ``plans(call)``, for a collective that communicates.
        call: the collective.
        blocks: as for ``apply``.

    Returns:
        ``[devices, *result shape]`` in mesh order.
    """
    operands = tuple(map(np.asarray, blocks if isinstance(blocks, tuple) else (blocks,)))
    results: list[Any] = [None] * len(operands[0])
    combine = COMBINE.get(call.statement.semantics.combines)
    for group in call.groups:
        mine = [tuple(operand[position] for operand in operands) for position in group]
        held = [_start(call, rank, mine[rank]) for rank in range(len(group))]
        arrived: list[Chunks] = [{} for _ in group]
        for number in range(len(plan.rounds)):
            transfers = [t for t in expand(plan, number) if max(t.source, t.destination) < len(group)]
            for t, chunk in [(t, held[t.source][t.chunk, t.origin]) for t in transfers]:
                there, key = held[t.destination], (t.chunk, t.origin)
                there[key] = combine(there[key], chunk) if combine and t.op == "add" else chunk
                arrived[t.destination][key] = chunk
        for rank, position in enumerate(group):
            results[position] = call.statement.join(call, rank, mine[rank], held[rank], arrived[rank])
    return np.stack(results)


def _start(call: Call, rank: int, operands: Blocks) -> Chunks:
    """What a rank holds before the first round."""
    semantics = call.statement.semantics
    chunks = call.statement.cut(call, operands)
    first = rank if semantics.cuts == "received" else 0
    return {(first + k, rank if semantics.by_origin else -1): chunk for k, chunk in enumerate(chunks)}
