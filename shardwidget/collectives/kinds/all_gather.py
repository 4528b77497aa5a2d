"""all_gather: every member of a group gets the blocks of all, side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

from shardwidget.collectives.blocks import by_rank, merge, seats
from shardwidget.collectives.phases import GATHER
from shardwidget.collectives.statement import Blocks, Call, Chunks, Statement
from shardwidget.document import Move, Semantics


def _apply(call: Call, blocks: Any, xp: Any) -> Any:
    group, _ = seats(call)
    gathered = xp.moveaxis(by_rank(call, blocks), 1, 1 + call.dimension)
    return (merge(gathered, 1 + call.dimension) if call.tiled else gathered)[group]


def _join(call: Call, rank: int, operands: Blocks, held: Chunks, arrived: Chunks) -> Any:
    join = np.concatenate if call.tiled else np.stack
    return join([held[r, -1] for r in range(call.n)], axis=call.dimension)


ALL_GATHER = Statement(
    kind="all_gather",
    semantics=Semantics("⇉", "", "own", "received", replicates=True),
    apply=_apply,
    primitives=("all_gather_invariant", "all_gather_reduced"),
    opcodes=("all-gather",),
    compiled_to=("all-reduce", "collective-permute"),
    transfer="ALL_GATHER",
    direct=lambda n, source: [Move("shift", "copy", by, first=0) for by in range(1, n)],
    phases=(GATHER,),
    concat_axis=lambda call, shape: call.dimension,
    join=_join,
    sentence="Every device gets {blocks} of its group, {laid} dimension {concat}.",
)
