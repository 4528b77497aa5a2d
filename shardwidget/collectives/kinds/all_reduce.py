"""psum, pmax and pmin: the blocks of a group are combined, and every member gets the result."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from shardwidget.collectives.blocks import by_rank, chunks, seats
from shardwidget.collectives.phases import GATHER, REDUCE
from shardwidget.collectives.statement import Blocks, Call, Chunks, Completion, Reducer, Statement
from shardwidget.document import Move, Semantics

COMBINE: dict[str, np.ufunc] = {"sum": np.add, "max": np.maximum, "min": np.minimum}
"""``Semantics.combines`` as numpy does it."""


def _apply(call: Call, blocks: Any, xp: Any) -> Any:
    group, _ = seats(call)
    operation = call.statement.semantics.combines

    def reduce(x: Any, axis: tuple[int, ...]) -> Any:
        return xp.sum(x, axis=axis, dtype=x.dtype) if operation == "sum" else getattr(xp, operation)(x, axis=axis)

    if call.even:
        return reduce(by_rank(call, blocks), (1, *(2 + d for d in call.positional)))[group]
    axes = (0, *(1 + d for d in call.positional))
    return xp.stack([reduce(blocks[np.array(members)], axes) for members in call.groups])[group]


def cut_axis(call: Call, shape: tuple[int, ...]) -> int:
    """The first dimension that n divides; -1 where there is none, and where dimensions of the block are reduced too."""
    if call.positional:
        return -1
    return next((d for d, size in enumerate(shape) if size and size % call.n == 0), -1)


def _reduced_here(call: Call, block: np.ndarray) -> np.ndarray:
    """The block after the dimensions that are named by number are reduced on their own device."""
    if not call.positional:
        return block
    return COMBINE[call.statement.semantics.combines].reduce(block, axis=call.positional, dtype=block.dtype)


def _cut(call: Call, operands: Blocks) -> list[Any]:
    block = _reduced_here(call, operands[0])
    return chunks(block, cut_axis(call, block.shape), call.n)


def _join(call: Call, rank: int, operands: Blocks, held: Chunks, arrived: Chunks) -> Any:
    shape = _reduced_here(call, operands[0]).shape
    axis = cut_axis(call, shape)
    mine = [held[number, -1] for number in range(call.n)]
    return np.concatenate(mine, axis) if axis >= 0 else np.concatenate(mine).reshape(shape)


def _statement(
    kind: str,
    sign: str,
    combines: Literal["sum", "max", "min"],
    reduction: str,
    sentence: str,
    primitives: tuple[str, ...],
    completes: Completion,
) -> Statement:
    return Statement(
        kind=kind,
        semantics=Semantics(sign, combines, "whole", "both", replicates=True),
        apply=_apply,
        primitives=primitives,
        opcodes=("all-reduce",),
        reduction=reduction,
        compiled_to=("reduce-scatter",),
        transfer="ALL_REDUCE",
        completes=completes,
        direct=lambda n, source: [Move("shift", "add", by, first=0, count=n) for by in range(1, n)],
        phases=(REDUCE, GATHER),
        split_axis=cut_axis,
        concat_axis=cut_axis,
        cut=_cut,
        join=_join,
        sentence=f"{{after}} {sentence}, {{all}} hold the same block.",
    )


_SUM, _MEAN = Reducer("psum", "Sum"), Reducer("pmean", "Average")
_MAXIMUM, _MINIMUM = Reducer("pmax", "Take the maximum of"), Reducer("pmin", "Take the minimum of")

PSUM = _statement(
    "psum", "Σ", "sum", "", "the sum", ("psum_invariant", "unreduced_psum"),
    Completion("reduce_sum", _SUM, mean=_MEAN),
)  # fmt: skip
PMAX = _statement(
    "pmax", "max", "max", "maximum", "taking the maximum", ("unreduced_pmax",),
    Completion("reduce_max", _MAXIMUM, negated=_MINIMUM),
)  # fmt: skip
PMIN = _statement(
    "pmin", "min", "min", "minimum", "taking the minimum", ("unreduced_pmin",),
    Completion("reduce_min", _MINIMUM, negated=_MAXIMUM),
)  # fmt: skip
