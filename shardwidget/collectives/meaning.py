"""What each collective means: the blocks after it from the blocks before it, by reshape, transpose, index and sum."""

from __future__ import annotations

from typing import Any

import numpy as np

from shardwidget.collectives.call import Call


@np.errstate(all="ignore")  # infinities and overflow are the program's; devices do not warn of them
def apply(call: Call, blocks: Any, xp: Any = np) -> Any:
    """The blocks after a collective.

    Args:
        call: the collective.
        blocks: the operand on every device, ``[devices, *block shape]`` in mesh order. A tuple of such arrays where the
            collective has several operands: ragged_all_to_all (operand, output, input_offsets, send_sizes,
            output_offsets, recv_sizes) and pbroadcast with a source of its own. Not looked at by axis_index.
        xp: ``numpy`` or ``jax.numpy``; with the latter it may be called under ``jax.jit``.

    Returns:
        ``[devices, *result shape]`` in mesh order, of the operand's dtype (axis_index: int32). In pmax and pmin a NaN
        wins, as StableHLO has it for ``maximum`` and ``minimum``; XLA's CPU can lose it.
    """
    group, rank = _seats(call)
    match call.kind:
        case "psum" | "pmax" | "pmin":
            return _all_reduce(call, blocks, xp, group)
        case "all_gather":
            gathered = xp.moveaxis(_by_rank(call, blocks), 1, 1 + call.dimension)
            return (_merge(gathered, 1 + call.dimension) if call.tiled else gathered)[group]
        case "reduce_scatter":
            total = xp.sum(_by_rank(call, blocks), axis=1, dtype=blocks.dtype)
            pieces = xp.moveaxis(_split(total, 1 + call.dimension, call.n), 1 + call.dimension, 1)
            return (pieces if call.tiled else xp.squeeze(pieces, 2 + call.dimension))[group, rank]
        case "all_to_all":
            # [group, source rank, *block] becomes [group, destination rank, source rank, *piece].
            pieces = xp.moveaxis(_split(_by_rank(call, blocks), 2 + call.dimension, call.n), 2 + call.dimension, 1)
            return _merge(xp.moveaxis(pieces, 2, 2 + call.concat), 2 + call.concat)[group, rank]
        case "ragged_all_to_all":
            return _ragged_all_to_all(call, *blocks, xp=xp)
        case "ppermute":
            return _ppermute(call, blocks, xp)
        case "pbroadcast":
            values, source = blocks if isinstance(blocks, (tuple, list)) else (blocks, call.source)
            return _by_rank(call, values)[group, source]
        case "axis_index":
            return xp.asarray(rank, dtype=np.int32)
    return blocks


def _seats(call: Call) -> tuple[np.ndarray, np.ndarray]:
    """The number of its group, and the rank in it, of each mesh position."""
    seats = sorted((p, g, r) for g, group in enumerate(call.groups) for r, p in enumerate(group))
    return np.array([g for _, g, _ in seats]), np.array([r for _, _, r in seats])


def _by_rank(call: Call, blocks: Any) -> Any:
    """``[devices, ...]`` as ``[group, rank, ...]``."""
    return blocks[np.array(call.groups)]


def _split(values: Any, axis: int, n: int) -> Any:
    shape = values.shape
    return values.reshape(*shape[:axis], n, shape[axis] // n, *shape[axis + 1 :])


def _merge(values: Any, axis: int) -> Any:
    """Axes ``axis`` and ``axis + 1`` as one."""
    shape = values.shape
    return values.reshape(*shape[:axis], shape[axis] * shape[axis + 1], *shape[axis + 2 :])


def _all_reduce(call: Call, blocks: Any, xp: Any, group: np.ndarray) -> Any:
    reduce = {"psum": lambda x, axis: xp.sum(x, axis=axis, dtype=x.dtype), "pmax": xp.max, "pmin": xp.min}[call.kind]
    if call.even:
        return reduce(_by_rank(call, blocks), axis=(1, *(2 + d for d in call.positional)))[group]
    axes = (0, *(1 + d for d in call.positional))
    return xp.stack([reduce(blocks[np.array(members)], axis=axes) for members in call.groups])[group]


def _ppermute(call: Call, blocks: Any, xp: Any) -> Any:
    senders = np.full(blocks.shape[0], -1)
    for group in call.groups:
        for source, target in call.pairs:
            senders[group[target]] = group[source]
    arrives = (senders >= 0).reshape(-1, *(1 for _ in blocks.shape[1:]))
    return xp.where(arrives, blocks[senders], xp.zeros_like(blocks))


def _ragged_all_to_all(
    call: Call, operand: Any, output: Any, input_offsets: Any, send_sizes: Any, output_offsets: Any, _: Any, *, xp: Any
) -> Any:
    """Every source writes its rows into the output of every rank, at the offset that the source names."""
    group, rank = _seats(call)
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
