"""all_to_all: every member of a group sends each member a part of its block, of equal size or ragged."""

from __future__ import annotations

from typing import Any

import numpy as np

from shardwidget.collectives.blocks import by_rank, chunks, merge, seats, split
from shardwidget.collectives.phases import EXCHANGE
from shardwidget.collectives.statement import Blocks, Call, Chunks, Statement
from shardwidget.document import Move, Semantics


def _direct(n: int, source: int) -> list[Move]:
    return [Move("shift", "copy", by, first=by) for by in range(1, n)]


def _apply(call: Call, blocks: Any, xp: Any) -> Any:
    group, rank = seats(call)
    # [group, source rank, *block] becomes [group, destination rank, source rank, *piece].
    pieces = xp.moveaxis(split(by_rank(call, blocks), 2 + call.dimension, call.n), 2 + call.dimension, 1)
    return merge(xp.moveaxis(pieces, 2, 2 + call.concat), 2 + call.concat)[group, rank]


def _join(call: Call, rank: int, operands: Blocks, held: Chunks, arrived: Chunks) -> Any:
    return np.concatenate([held[rank, r] for r in range(call.n)], axis=call.concat)


ALL_TO_ALL = Statement(
    kind="all_to_all",
    semantics=Semantics("⤭", "", "own", "both", by_origin=True),
    apply=_apply,
    opcodes=("all-to-all",),
    compiled_to=("collective-permute",),
    transfer="ALL_TO_ALL",
    numbers_partitions=True,
    direct=_direct,
    phases=(EXCHANGE,),
    split_axis=lambda call, shape: call.dimension,
    concat_axis=lambda call, shape: call.concat,
    cut=lambda call, operands: chunks(operands[0], call.dimension, call.n),
    join=_join,
    sentence=(
        "Every device cuts {value} into {n} pieces in dimension {split}, sends the k-th to the k-th device of its "
        "group, and concatenates what arrives in dimension {concat}."
    ),
)


def _apply_ragged(call: Call, blocks: Any, xp: Any) -> Any:
    """Every source writes its rows into the output of every rank, at the offset that the source names."""
    operand, output, input_offsets, send_sizes, output_offsets, _ = blocks
    group, rank = seats(call)
    groups = np.array(call.groups)
    slices = input_offsets.shape[1] // call.n
    rows = np.arange(output.shape[1])[None, :]
    for source in range(call.n):
        sender = groups[group, source]
        for piece in range(slices):
            index = rank * slices + piece
            row = rows - output_offsets[sender, index][:, None]
            arrives = (row >= 0) & (row < send_sizes[sender, index][:, None])
            taken = xp.clip(row + input_offsets[sender, index][:, None], 0, operand.shape[1] - 1)
            arrives = arrives.reshape(*arrives.shape, *(1 for _ in output.shape[2:]))
            output = xp.where(arrives, operand[sender[:, None], taken], output)
    return output


def _cut_ragged(call: Call, operands: Blocks) -> list[Any]:
    """The rows for each destination: runs, each with the offset where it is written there."""
    operand, _, input_offsets, send_sizes, output_offsets, _ = operands
    slices = len(input_offsets) // call.n

    def runs(to: int) -> list[tuple[np.ndarray, int]]:
        of = range(to * slices, (to + 1) * slices)
        return [(operand[input_offsets[i] : input_offsets[i] + send_sizes[i]], int(output_offsets[i])) for i in of]

    return [runs(to) for to in range(call.n)]


def _join_ragged(call: Call, rank: int, operands: Blocks, held: Chunks, arrived: Chunks) -> Any:
    out = operands[1].copy()
    for source in range(call.n):
        for rows, offset in held[rank, source]:
            out[offset : offset + len(rows)] = rows
    return out


RAGGED_ALL_TO_ALL = Statement(
    kind="ragged_all_to_all",
    semantics=Semantics("⤭", "", "own", "none", by_origin=True),
    apply=_apply_ragged,
    opcodes=("ragged-all-to-all",),
    compiled_to=("all-to-all",),
    numbers_partitions=True,
    direct=_direct,
    phases=(EXCHANGE,),
    joint=True,
    sizes=3,
    cut=_cut_ragged,
    join=_join_ragged,
    sentence="Every device sends rows of {value} to the devices of its group, as many as its send sizes say.",
)
