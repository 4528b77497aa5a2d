"""Sums of which each device keeps a part: those that XLA scatters, and those that it makes whole."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import jax

from shardwidget import _jax
from shardwidget.read._search.alive import LANES
from shardwidget.read._search.gathers import turned

SHORT = range(32, LANES)
"""Sizes of a part of a sum that XLA does not cut from it where it is transposed."""

ROWS, FILLED = 8, 1.5
"""Rows of a tile of a chip's memory, and how many times its rows a part of a matrix may have, filled up to whole tiles,
for the sum to be scattered: 11 rows, filled up to 16, are, and 10 are not."""

SCATTERS_ONE = jax.__version_info__ >= (0, 12)
"""Whether the sum of a product with a dimension of 1 is scattered, as by the libtpu of JAX 0.12."""


def is_turned_next(slices: Sequence[_jax.Op], readers: Mapping[int, Sequence[_jax.Op]]) -> bool:
    """Whether a part of a sum is ``SHORT``, is transposed, and has more than two dimensions.

    XLA transposes such a sum first.
    """

    def is_turned(cut: _jax.Op) -> bool:
        (whole,), (part,) = cut.operands, cut.results
        is_short = any(a != b and b in SHORT for a, b in zip(whole.local, part.local, strict=True))
        by = (reader.name for reader in readers.get(id(part), ()))
        return is_short and len(part.shape) > 2 and "stablehlo.transpose" in by

    return all(map(is_turned, slices))


def is_in_small_parts(slices: Sequence[_jax.Op]) -> bool:
    """Whether the parts of a sum are those of a matrix, and are one tile, or are much larger filled up to whole tiles.

    A sum of more dimensions is laid out so that tiles have none of those that are cut.
    """

    def is_small(cut: _jax.Op) -> bool:
        whole, part = cut.operands[0].local, cut.results[0].local
        cuts = [d for d, (a, b) in enumerate(zip(whole, part, strict=True)) if a != b]
        if len(part) != 2 or len(cuts) != 1:
            return False
        rows, columns = part[cuts[0]], part[1 - cuts[0]]
        filled = -(-rows // ROWS) * ROWS
        return filled > FILLED * rows or (filled == ROWS and columns <= LANES)

    return any(map(is_small, slices))


def is_of_one(op: _jax.Op, made: Mapping[int, _jax.Op]) -> bool:
    """Whether a product is summed that has a dimension of 1 on each device, such as that of one example.

    XLA takes the dimension out of the product and puts it back after the sum, and so finds a reshape between the sum
    and its parts: ``MatchReduceScatter`` of XLA allows none (``allow_intervening_reshape``). A product with batch
    dimensions, as of attention, keeps it.
    """
    product = made.get(id(turned(op.operands[0], made)))
    if SCATTERS_ONE or product is None or product.name != "stablehlo.dot_general" or 1 not in op.results[0].local:
        return False
    left, right, result = (math.prod(v.local) for v in (*product.operands[:2], product.results[0]))
    return left * right == result * product.summed**2
