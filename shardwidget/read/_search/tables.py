"""Rows that are looked up in a table whose columns are split, as embeddings under FSDP: what XLA moves for them.

Shardy gathers the table, and sums its gradient. XLA's partitioner tries more: each device of a group looks up all rows
of the group in its own columns, and they exchange them. It does so where all rows of the batch, in these columns, are
no more than the table.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import jax

from shardwidget import _jax
from shardwidget.read._search.gathers import turned, users

_CONSTANTS = frozenset({"sdy.constant", "stablehlo.constant"})

MOVES_PARTS = jax.__version_info__ >= (0, 12)
"""Whether rows also move whose sum is over more axes than the table is split by, as by the libtpu of JAX 0.12, unless
the gradient is added to another."""


def is_of_constant(gather: _jax.Op, made: Mapping[int, _jax.Op]) -> bool:
    """Whether what is gathered is one number everywhere: each device has it. Gradients of rows are added to zeros."""
    op = made.get(id(turned(gather.operands[0], made)))
    while op is not None and op.name == "stablehlo.broadcast_in_dim":
        op = made.get(id(op.operands[0]))
    return op is not None and op.name in _CONSTANTS


def lookups(block: _jax.Block) -> dict[int, _jax.Value]:
    """By the id of each gather that XLA does not make, of a table, the rows that move in its place.

    Also where the table is gathered for a product too, as that of the last layer: XLA weighs a lookup by itself.
    """
    used = users(block)
    found = ((op, _rows_read(op, used)) for op in block.ops if op.name == "sdy.all_gather")
    return {id(op): rows for op, rows in found if rows is not None}


def _rows_read(gather: _jax.Op, used: Mapping[int, Sequence[_jax.Op]]) -> _jax.Value | None:
    (whole,) = gather.results
    readers = used.get(id(whole), ())
    if not _is_of_columns(gather.operands[0], whole) or [r.name for r in readers] != ["stablehlo.gather"]:
        return None
    (rows,) = readers[0].results
    return rows if _moves(rows, whole, gather.axes) and _is_split(rows, gather) else None


def rows_added(
    sum_: _jax.Op, cuts: Sequence[_jax.Op], made: Mapping[int, _jax.Op], used: Mapping[int, Sequence[_jax.Op]]
) -> tuple[_jax.Value, bool] | None:
    """The rows that are added to the gradient of a table, and whether they move in its place; None for other sums.

    Args:
        sum_: the sum of the gradient over a mesh.
        cuts: what takes a part of it.
        made: by its id, the operation that makes a value.
        used: by its id, the operations that read a value.
    """
    scatter = made.get(id(turned(sum_.operands[0], made)))
    if scatter is None or scatter.name != "stablehlo.scatter":
        return None
    if not all(_is_of_columns(cut.results[0], cut.operands[0]) for cut in cuts):
        return None
    rows, whole = scatter.operands[-1], sum_.results[0]

    def moves(cut: _jax.Op) -> bool:
        in_parts = MOVES_PARTS and _sum_with(cut.results[0], used) is None
        return (in_parts or set(cut.axes) == set(sum_.axes)) and _moves(rows, whole, cut.axes)

    return rows, all(map(moves, cuts))


def summed_whole(cut: _jax.Op, made: Mapping[int, _jax.Op], used: Mapping[int, Sequence[_jax.Op]]) -> tuple[bool, bool]:
    """Whether XLA gathers a whole table, and whether it sums one, for a gradient whose rows do not move.

    A gradient that is added to another starts from that in place of zeros (``A + Scatter(0, …)`` of its algebraic
    simplifier): that of a product is gathered first, that of another lookup has one sum with it.
    """
    (part,) = cut.results
    add = _sum_with(part, used)
    if add is None:
        return False, True
    first, second = add.operands
    other = made.get(id(second if first is part else first))
    total = made.get(id(other.operands[0])) if other is not None and other.name == "sdy.all_slice" else None
    if other is None or total is None or rows_added(total, [other], made, used) is None:
        return True, True
    return False, first is part


def _sum_with(part: _jax.Value, used: Mapping[int, Sequence[_jax.Op]]) -> _jax.Op | None:
    """Where a gradient is added to another, the sum of both."""
    after = used.get(id(part), ())
    is_added = [op.name for op in after] == ["stablehlo.add"] and after[0].operands[0] is not after[0].operands[1]
    return after[0] if is_added else None


EVEN = 8
"""The fewest devices of a group that move rows as large as the table: 8 and 16 do, 2 and 4 do not."""


def _moves(rows: _jax.Value, table: _jax.Value, axes: _jax.Axes) -> bool:
    """Whether rows move in place of a table: all of the batch in the columns of a device, against the whole table.

    So it is in 40 small steps on v5e 4×4: with SGD and Adam, without gradient, in float32 and bfloat16, of flax, of a
    table that is the last layer too, of tables that are looked up twice.
    """
    members = math.prod(n for _, n in axes)
    all_rows, least = math.prod(rows.shape), math.prod(table.shape) * members
    return all_rows < least or (all_rows == least and members >= EVEN)


def _is_of_columns(part: _jax.Value, whole: _jax.Value) -> bool:
    return len(part.local) == 2 and part.local[0] == whole.local[0] and part.local[1] != whole.local[1]


def _is_split(rows: _jax.Value, gather: _jax.Op) -> bool:
    """Whether devices of a group look up rows of their own."""
    return math.prod(rows.local) * math.prod(n for _, n in gather.axes) <= math.prod(rows.shape)
