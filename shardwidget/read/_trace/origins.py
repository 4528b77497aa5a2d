"""Which device's block a value is: blocks are followed through what only moves them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from shardwidget import _jax, collectives

if TYPE_CHECKING:
    from shardwidget.read._trace.draft import TracedValue


@dataclass(frozen=True, eq=False)
class Moved:
    """Whose blocks the blocks of a value are, as they were moved, cut, joined and reshaped; nothing was computed."""

    root: TracedValue
    """The value whose blocks they are."""
    pieces: np.ndarray
    """By position in the region's mesh and piece: the position that the piece was at; -1 where nothing was sent."""
    axis: int = -1
    """Dimension along which the pieces are joined, all of one size; -1 where a block is a single piece."""

    @property
    def count(self) -> int:
        """Pieces of a block."""
        return self.pieces.shape[1]


def moved(value: TracedValue, size: int) -> Moved:
    """Whose blocks those of a value are; its own, on a mesh of this many devices, where nothing else is known."""
    return value.moved or Moved(value, np.arange(size)[:, None])


def through_collective(call: collectives.Call, operand: Moved) -> Moved | None:
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
    return Moved(operand.root, joined, call.concat if meaning.by_origin else call.dimension)


Starts = Callable[[int], Sequence[int] | None]
"""The value of an operand, by its number, on each device; None where it is not known."""


def through_equation(name: str, params: dict[str, Any], shape: Sequence[int], operand: Moved, starts: Starts) -> Any:
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


def _same(params: dict[str, Any], shape: Sequence[int], operand: Moved, starts: Starts) -> Moved | None:
    return operand


def _reshaped(params: dict[str, Any], shape: Sequence[int], operand: Moved, starts: Starts) -> Moved | None:
    # The dimensions before that of the pieces must stay; the pieces may then be joined with what follows.
    new, axis = params["new_sizes"], operand.axis
    same = tuple(new[:axis]) == tuple(shape[:axis])
    return operand if same and len(new) > axis and new[axis] % operand.count == 0 else None


def _transposed(params: dict[str, Any], shape: Sequence[int], operand: Moved, starts: Starts) -> Moved | None:
    return replace(operand, axis=list(params["permutation"]).index(operand.axis))


def _squeezed(params: dict[str, Any], shape: Sequence[int], operand: Moved, starts: Starts) -> Moved | None:
    dims = params["dimensions"]
    return None if operand.axis in dims else replace(operand, axis=operand.axis - sum(d < operand.axis for d in dims))


def _broadcast(params: dict[str, Any], shape: Sequence[int], operand: Moved, starts: Starts) -> Moved | None:
    return replace(operand, axis=params["broadcast_dimensions"][operand.axis])


def _sliced(params: dict[str, Any], shape: Sequence[int], operand: Moved, starts: Starts) -> Moved | None:
    axis = operand.axis
    if (params["strides"] or [1] * len(shape))[axis] != 1:
        return None
    first, last = params["start_indices"][axis], params["limit_indices"][axis]
    return _some(operand, shape[axis], np.full(len(operand.pieces), first), last - first)


def _sliced_dynamically(params: dict[str, Any], shape: Sequence[int], operand: Moved, starts: Starts) -> Moved | None:
    axis = operand.axis
    first = starts(1 + axis)
    if first is None:
        return None
    size = params["slice_sizes"][axis]
    at = np.asarray(first)
    at = np.where(at < 0, at + shape[axis], at)
    return _some(operand, shape[axis], np.clip(at, 0, shape[axis] - size), size)


def _some(operand: Moved, size: int, first: np.ndarray, length: int) -> Moved | None:
    """The pieces in a stretch of their dimension, which begins at a different place on each device."""
    piece = size // operand.count
    if np.any(first % piece) or length % piece:
        return None
    chosen = first[:, None] // piece + np.arange(length // piece)
    pieces = np.take_along_axis(operand.pieces, chosen, axis=1)
    return Moved(operand.root, pieces, operand.axis if pieces.shape[1] > 1 else -1)


_RULES: dict[str, Callable[..., Moved | None]] = {
    **dict.fromkeys(_jax.SAME_ELEMENTS, _same),
    "broadcast_in_dim": _broadcast,
    "dynamic_slice": _sliced_dynamically,
    "reshape": _reshaped,
    "slice": _sliced,
    "squeeze": _squeezed,
    "transpose": _transposed,
}
