"""reduce_scatter (``psum_scatter``): the blocks of a group are added, and every member gets one part of the sum."""

from __future__ import annotations

from typing import Any

from shardwidget.collectives.blocks import by_rank, chunks, seats, split
from shardwidget.collectives.phases import REDUCE
from shardwidget.collectives.statement import Blocks, Call, Chunks, Statement
from shardwidget.document import Move, Semantics


def _apply(call: Call, blocks: Any, xp: Any) -> Any:
    group, rank = seats(call)
    total = xp.sum(by_rank(call, blocks), axis=1, dtype=blocks.dtype)
    pieces = xp.moveaxis(split(total, 1 + call.dimension, call.n), 1 + call.dimension, 1)
    return (pieces if call.tiled else xp.squeeze(pieces, 2 + call.dimension))[group, rank]


def _join(call: Call, rank: int, operands: Blocks, held: Chunks, arrived: Chunks) -> Any:
    return held[rank, -1] if call.tiled else held[rank, -1].squeeze(call.dimension)


REDUCE_SCATTER = Statement(
    kind="reduce_scatter",
    semantics=Semantics("⤨", "sum", "whole", "sent"),
    apply=_apply,
    primitives=("psum_scatter", "unreduced_reduce_scatter"),
    opcodes=("reduce-scatter",),
    compiled_to=("all-reduce", "all-to-all", "collective-permute"),
    fusion="all-reduce-scatter",
    transfer="REDUCE_SCATTER",
    direct=lambda n, source: [Move("shift", "add", by, first=by) for by in range(1, n)],
    phases=(REDUCE,),
    split_axis=lambda call, shape: call.dimension,
    cut=lambda call, operands: chunks(operands[0], call.dimension, call.n),
    join=_join,
    sentence=("{value} is summed over {all}, and each keeps its own {part} of the sum, cut in dimension {split}."),
)
