"""Runs the rounds of an algorithm on real blocks, chunk by chunk: that they give the collective is what tests check."""

from __future__ import annotations

from typing import Any

import numpy as np

from shardwidget.collectives.call import ALL_TO_ALL, Call
from shardwidget.collectives.plan import expand
from shardwidget.document import Plan

Held = dict[tuple[int, int], Any]
"""What a rank holds, by chunk and (for all_to_all) the rank that the chunk started on."""

_COMBINE = {"psum": np.add, "reduce_scatter": np.add, "pmax": np.maximum, "pmin": np.minimum}


def chunk_axis(call: Call, block_shape: tuple[int, ...]) -> int:
    """Dimension along which a block is cut into n equal chunks.

    -1 where a chunk is a whole block (all_gather, ppermute …), and where an all-reduce's block has no dimension that n
    divides: then its elements, in row-major order, are cut into n ranges, chunk c from ``c * size // n``.
    """
    match call.kind:
        case "reduce_scatter" | "all_to_all":
            return call.dimension
        case "psum" | "pmax" | "pmin" if not call.positional:
            return next((d for d, size in enumerate(block_shape) if size and size % call.n == 0), -1)
    return -1


@np.errstate(all="ignore")
def execute(plan: Plan, call: Call, blocks: Any) -> np.ndarray:
    """The blocks after a collective, by the rounds of one of its algorithms.

    Args:
        plan: one of ``plans(call)``, for a kind that communicates.
        call: the collective.
        blocks: as for ``apply``.

    Returns:
        ``[devices, *result shape]`` in mesh order.
    """
    operands = tuple(map(np.asarray, blocks if isinstance(blocks, tuple) else (blocks,)))
    results: list[Any] = [None] * len(operands[0])
    for group in call.groups:
        mine = [tuple(operand[position] for operand in operands) for position in group]
        held = [_start(call, rank, mine[rank]) for rank in range(len(group))]
        arrived: list[Held] = [{} for _ in group]
        for number in range(len(plan.rounds)):
            transfers = [t for t in expand(plan, number) if max(t.source, t.destination) < len(group)]
            for t, chunk in [(t, held[t.source][t.chunk, t.origin]) for t in transfers]:
                there, key = held[t.destination], (t.chunk, t.origin)
                there[key] = _COMBINE[call.kind](there[key], chunk) if t.op == "add" else chunk
                arrived[t.destination][key] = chunk
        for rank, position in enumerate(group):
            results[position] = _finish(call, rank, mine[rank], held[rank], arrived[rank])
    return np.stack(results)


def _start(call: Call, rank: int, operands: tuple[np.ndarray, ...]) -> Held:
    """What a rank holds before the first round."""
    block = operands[0]
    match call.kind:
        case "all_gather":
            return {(rank, -1): block}
        case "ppermute" | "pbroadcast":
            return {(0, -1): block}
        case "ragged_all_to_all":
            chunks: list[Any] = [_ragged_rows(operands, to, call.n) for to in range(call.n)]
        case "psum" | "pmax" | "pmin":
            chunks = _cut(call, _positional(call, block))
        case _:
            chunks = _cut(call, block)
    return {(number, rank if call.kind in ALL_TO_ALL else -1): chunk for number, chunk in enumerate(chunks)}


def _finish(call: Call, rank: int, operands: tuple[np.ndarray, ...], held: Held, arrived: Held) -> np.ndarray:
    """A rank's result from what it holds after the last round."""
    block = operands[0]
    match call.kind:
        case "all_gather":
            join = np.concatenate if call.tiled else np.stack
            return join([held[r, -1] for r in range(call.n)], axis=call.dimension)
        case "reduce_scatter":
            mine = held[rank, -1]
            return mine if call.tiled else mine.squeeze(call.dimension)
        case "all_to_all":
            return np.concatenate([held[rank, r] for r in range(call.n)], axis=call.concat)
        case "ragged_all_to_all":
            out = operands[1].copy()
            for source in range(call.n):
                for rows, offset in held[rank, source]:
                    out[offset : offset + len(rows)] = rows
            return out
        case "ppermute":
            return arrived.get((0, -1), np.zeros_like(block))
        case "pbroadcast":
            return held[0, -1]
    whole = _positional(call, block)
    axis = chunk_axis(call, whole.shape)
    chunks = [held[number, -1] for number in range(call.n)]
    return np.concatenate(chunks, axis) if axis >= 0 else np.concatenate(chunks).reshape(whole.shape)


def _cut(call: Call, block: np.ndarray) -> list[np.ndarray]:
    axis = chunk_axis(call, block.shape)
    if axis >= 0:
        return np.split(block, call.n, axis)
    flat = block.ravel()
    return [flat[c * flat.size // call.n : (c + 1) * flat.size // call.n] for c in range(call.n)]


def _positional(call: Call, block: np.ndarray) -> np.ndarray:
    """The block after the dimensions that a psum, pmax or pmin names by number are reduced on their own device."""
    return _COMBINE[call.kind].reduce(block, axis=call.positional, dtype=block.dtype) if call.positional else block


def _ragged_rows(operands: tuple[np.ndarray, ...], to: int, n: int) -> list[tuple[np.ndarray, int]]:
    """The rows for one destination, each run with the offset where it is written there."""
    operand, _, input_offsets, send_sizes, output_offsets, _ = operands
    slices = len(input_offsets) // n
    runs = range(to * slices, (to + 1) * slices)
    return [(operand[input_offsets[i] : input_offsets[i] + send_sizes[i]], int(output_offsets[i])) for i in runs]
