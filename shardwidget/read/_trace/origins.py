"""Which device's block a device holds: blocks are followed through what only moves them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from shardwidget import _jax, collectives
from shardwidget.read._trace.draft import BlockOrigins, TracedValue


def blocks_of(value: TracedValue, size: int) -> BlockOrigins:
    """Where the blocks of a value come from: itself, on a mesh of this many devices, where nothing else is known."""
    return value.moved or BlockOrigins(value, np.arange(size)[:, None])


def through_collective(call: collectives.Call, operand: BlockOrigins) -> BlockOrigins | None:
    """The blocks after a collective that only moves them; None where it combines them."""
    meaning, before = call.statement.semantics, operand.pieces
    after = np.full_like(before, -1)
    if meaning.combines:
        return None
    if call.statement.by_pairs:
        for group in call.groups:
            for source, target in call.pairs:
                after[group[target]] = before[group[source]]
        return replace(operand, pieces=after)
    if meaning.starts == "source":
        for group in call.groups if call.source >= 0 else ():
            after[list(group)] = before[group[call.source]]
        return replace(operand, pieces=after) if call.source >= 0 else None
    if meaning.cuts not in ("received", "both") or not call.even or operand.count > 1 or call.statement.ragged:
        return None
    # all_gather and all_to_all: a piece from each member, in rank order.
    joined = np.empty((len(before), call.n), before.dtype)
    for group in call.groups:
        joined[list(group)] = before[list(group), 0]
    return replace(operand, pieces=joined, axis=call.concat if meaning.by_origin else call.dimension)


def unknown_blocks(operand: BlockOrigins) -> BlockOrigins:
    """Blocks whose origin is not known."""
    return replace(operand, pieces=np.full((len(operand.pieces), 1), -2), axis=-1)


def unmoved(blocks: BlockOrigins) -> bool:
    """Whether every device has its own block."""
    return np.array_equal(blocks.pieces, np.arange(len(blocks.pieces))[:, None])


def moved_twice(first: BlockOrigins, then: BlockOrigins) -> BlockOrigins:
    """Blocks that were moved twice: by ``first``, and then by ``then``, whose root is what ``first`` gave."""
    if first.count > 1:  # What became of joined pieces is not in ``then``.
        return unknown_blocks(first)
    pieces = np.where(then.pieces < 0, then.pieces, first.pieces[np.maximum(then.pieces, 0), 0])
    return replace(then, root=first.root, pieces=pieces, fixed=first.fixed and then.fixed)


def after_iterations(
    before: Sequence[BlockOrigins], parameters: Sequence[TracedValue], results: Sequence[BlockOrigins], times: int
) -> list[BlockOrigins | None]:
    """The carries of a loop after iterations that were not recorded.

    Args:
        before: the carries at the start of the first of them.
        parameters: the carries of an iteration that was recorded, nothing known of where they come from.
        results: what this iteration makes of them.
        times: how many iterations were not recorded.

    Returns:
        For each carry its blocks; None where they are its own.
    """
    index = {value.id: k for k, value in enumerate(parameters)}

    def then(first: Sequence[BlockOrigins], second: Sequence[BlockOrigins]) -> list[BlockOrigins]:
        return [moved_twice(first[index[m.root.id]], m) if m.root.id in index else m for m in second]

    # Every iteration moves blocks in the same way: the number of iterations is taken apart into powers of two.
    power = [m if m.fixed or (unmoved(m) and m.root.id not in index) else unknown_blocks(m) for m in results]
    state = list(before)
    while times:
        state = then(state, power) if times % 2 else state
        power = then(power, power)
        times //= 2
    inside = min(index)

    def where_known(m: BlockOrigins, parameter: TracedValue) -> BlockOrigins | None:
        if m.root.id < inside:
            return m
        # Made in an iteration that was not recorded: whose it is can only be said where it was not moved since.
        return None if unmoved(m) else unknown_blocks(replace(m, root=parameter))

    return [where_known(m, parameter) for m, parameter in zip(state, parameters, strict=True)]


Starts = Callable[[int], Sequence[int] | None]
"""The value of an operand, by its number, on each device; None where it is not known."""


def through_equation(
    name: str, params: dict[str, Any], shape: Sequence[int], operand: BlockOrigins, starts: Starts
) -> Any:
    """The blocks after an equation of one operand that only moves elements.

    Args:
        name: of the primitive.
        params: its parameters.
        shape: of the operand's block.
        operand: its blocks.
        starts: values of the other operands.

    Returns:
        The blocks, or None where the equation computes or mixes.
    """
    rule = _RULES.get(name)
    if rule is None:
        return None
    return operand if operand.count == 1 else rule(params, shape, operand, starts)


def _same(params: dict[str, Any], shape: Sequence[int], operand: BlockOrigins, starts: Starts) -> BlockOrigins | None:
    return operand


def _reshaped(
    params: dict[str, Any], shape: Sequence[int], operand: BlockOrigins, starts: Starts
) -> BlockOrigins | None:
    # The dimensions before that of the pieces must stay; the pieces may then be joined with what follows.
    new, axis = params["new_sizes"], operand.axis
    same = tuple(new[:axis]) == tuple(shape[:axis])
    return operand if same and len(new) > axis and new[axis] % operand.count == 0 else None


def _transposed(
    params: dict[str, Any], shape: Sequence[int], operand: BlockOrigins, starts: Starts
) -> BlockOrigins | None:
    return replace(operand, axis=list(params["permutation"]).index(operand.axis))


def _squeezed(
    params: dict[str, Any], shape: Sequence[int], operand: BlockOrigins, starts: Starts
) -> BlockOrigins | None:
    dims = params["dimensions"]
    return None if operand.axis in dims else replace(operand, axis=operand.axis - sum(d < operand.axis for d in dims))


def _broadcast(
    params: dict[str, Any], shape: Sequence[int], operand: BlockOrigins, starts: Starts
) -> BlockOrigins | None:
    return replace(operand, axis=params["broadcast_dimensions"][operand.axis])


def _sliced(params: dict[str, Any], shape: Sequence[int], operand: BlockOrigins, starts: Starts) -> BlockOrigins | None:
    axis = operand.axis
    if (params["strides"] or [1] * len(shape))[axis] != 1:
        return None
    first, last = params["start_indices"][axis], params["limit_indices"][axis]
    return _some(operand, shape[axis], np.full(len(operand.pieces), first), last - first)


def _sliced_dynamically(
    params: dict[str, Any], shape: Sequence[int], operand: BlockOrigins, starts: Starts
) -> BlockOrigins | None:
    axis = operand.axis
    first = starts(1 + axis)
    if first is None:
        return None
    size = params["slice_sizes"][axis]
    at = np.asarray(first)
    at = np.where(at < 0, at + shape[axis], at)
    chosen = _some(operand, shape[axis], np.clip(at, 0, shape[axis] - size), size)
    return chosen and replace(chosen, fixed=False)


def _some(operand: BlockOrigins, size: int, first: np.ndarray, length: int) -> BlockOrigins | None:
    """The pieces in a stretch of their dimension, which begins at a different place on each device."""
    piece = size // operand.count
    if np.any(first % piece) or length % piece:
        return None
    chosen = first[:, None] // piece + np.arange(length // piece)
    pieces = np.take_along_axis(operand.pieces, chosen, axis=1)
    return replace(operand, pieces=pieces, axis=operand.axis if pieces.shape[1] > 1 else -1)


_RULES: dict[str, Callable[..., BlockOrigins | None]] = {
    **dict.fromkeys(_jax.SAME_ELEMENTS, _same),
    "broadcast_in_dim": _broadcast,
    "dynamic_slice": _sliced_dynamically,
    "reshape": _reshaped,
    "slice": _sliced,
    "squeeze": _squeezed,
    "transpose": _transposed,
}
