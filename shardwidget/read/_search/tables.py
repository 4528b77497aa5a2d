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
from shardwidget.read._search.gathers import TURNS, turned

_CONSTANTS = frozenset({"sdy.constant", "stablehlo.constant"})

MOVES_PARTS = jax.__version_info__ >= (0, 12)
"""Whether rows also move whose sum is over more axes than the table is split by, as by the libtpu of JAX 0.12."""


def is_of_constant(gather: _jax.Op, made: Mapping[int, _jax.Op]) -> bool:
    """Whether what is gathered is one number everywhere: each device has it. Gradients of rows are added to zeros."""
    op = made.get(id(turned(gather.operands[0], made)))
    while op is not None and op.name == "stablehlo.broadcast_in_dim":
        op = made.get(id(op.operands[0]))
    return op is not None and op.name in _CONSTANTS


def rows_read(gather: _jax.Op, used: Mapping[int, Sequence[_jax.Op]]) -> _jax.Value | None:
    """The rows that are looked up in a table, where they move in its place."""
    (table,), (whole,) = gather.operands, gather.results
    readers = used.get(id(whole), ())
    if not _is_of_columns(table, whole) or [r.name for r in readers] != ["stablehlo.gather"]:
        return None
    # A table that is gathered for a product too, as that of the last layer, is there for rows.
    others = [u for u in used[id(table)] if u is not gather]
    is_shared = any(u.name in TURNS or (u.name == gather.name and not _is_looked_up(u, used)) for u in others)
    (rows,) = readers[0].results
    return rows if not is_shared and _moves(rows, whole, gather.axes) and _is_split(rows, gather) else None


def rows_added(sum_: _jax.Op, cuts: Sequence[_jax.Op], made: Mapping[int, _jax.Op]) -> tuple[_jax.Value, bool] | None:
    """The rows that are added to the gradient of a table, and whether they move in its place; None for other sums.

    Args:
        sum_: the sum of the gradient over a mesh.
        cuts: what takes a part of it.
        made: by its id, the operation that makes a value.
    """
    scatter = made.get(id(turned(sum_.operands[0], made)))
    if scatter is None or scatter.name != "stablehlo.scatter":
        return None
    if not all(_is_of_columns(cut.results[0], cut.operands[0]) for cut in cuts):
        return None
    rows, whole = scatter.operands[-1], sum_.results[0]
    return rows, all((MOVES_PARTS or set(cut.axes) == set(sum_.axes)) and _moves(rows, whole, cut.axes) for cut in cuts)


def _moves(rows: _jax.Value, table: _jax.Value, axes: _jax.Axes) -> bool:
    """Whether rows move in place of a table. Found by ten small steps on v5e, some of which have both equally large."""
    return math.prod(rows.shape) <= math.prod(table.shape) * math.prod(n for _, n in axes)


def _is_looked_up(gather: _jax.Op, used: Mapping[int, Sequence[_jax.Op]]) -> bool:
    return all(u.name == "stablehlo.gather" for u in used.get(id(gather.results[0]), ()))


def _is_of_columns(part: _jax.Value, whole: _jax.Value) -> bool:
    return len(part.local) == 2 and part.local[0] == whole.local[0] and part.local[1] != whole.local[1]


def _is_split(rows: _jax.Value, gather: _jax.Op) -> bool:
    """Whether devices of a group look up rows of their own."""
    return math.prod(rows.local) * math.prod(n for _, n in gather.axes) <= math.prod(rows.shape)
