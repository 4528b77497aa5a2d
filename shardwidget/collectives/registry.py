"""All collectives, by the names that JAX and XLA have for them."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from shardwidget.collectives.kinds.all_gather import ALL_GATHER
from shardwidget.collectives.kinds.all_reduce import PMAX, PMIN, PSUM
from shardwidget.collectives.kinds.all_to_all import ALL_TO_ALL, RAGGED_ALL_TO_ALL
from shardwidget.collectives.kinds.pbroadcast import PBROADCAST
from shardwidget.collectives.kinds.ppermute import PPERMUTE
from shardwidget.collectives.kinds.reduce_scatter import REDUCE_SCATTER
from shardwidget.collectives.kinds.silent import (
    AXIS_INDEX,
    DONE,
    PREDUCED,
    PVARY,
    REDUCED_VARY_CAST,
    VARY_UNREDUCED_CAST,
)
from shardwidget.collectives.statement import Call, Statement

STATEMENTS = (
    PSUM, PMAX, PMIN, ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL, RAGGED_ALL_TO_ALL, PPERMUTE, PBROADCAST,
    AXIS_INDEX, PVARY, PREDUCED, VARY_UNREDUCED_CAST, REDUCED_VARY_CAST, DONE,
)  # fmt: skip

_BY_PRIMITIVE = {name: statement for statement in STATEMENTS for name in (statement.kind, *statement.primitives)}
_BY_OPCODE = {(name, statement.reduction): statement for statement in STATEMENTS for name in statement.opcodes}
_BY_TRANSFER = {(s.transfer, s.semantics.combines if s.reduction else ""): s for s in STATEMENTS if s.transfer}

OPCODES = frozenset(opcode for opcode, _ in _BY_OPCODE)
"""XLA's names of collectives, without the ``-start`` and ``-done`` of asynchronous halves."""

COMPLETIONS = {statement.completes.of: statement.completes for statement in STATEMENTS if statement.completes}
"""How reductions are completed over devices, by JAX's primitive for the reduction."""

_DIMENSIONS = ("all_gather_dimension", "scatter_dimension", "split_axis")


def statement_of(primitive: str) -> Statement | None:
    """The collective of a primitive of any supported JAX; None if it is not a collective."""
    if primitive.endswith("_done") and primitive.removesuffix("_done") in _BY_PRIMITIVE:
        return DONE
    return _BY_PRIMITIVE.get(primitive.removesuffix("_p").removesuffix("_start"))


def statement_of_opcode(opcode: str, reduction: str = "") -> Statement:
    """The collective of an XLA instruction.

    Args:
        opcode: one of ``OPCODES``.
        reduction: opcode of the operation that it combines with, if any: ``maximum``, ``add``.

    Raises:
        KeyError: it is not a collective.
    """
    return _BY_OPCODE.get((opcode, reduction)) or _BY_OPCODE[opcode, ""]


def statement_of_fusion(opcode: str, name: str) -> Statement | None:
    """The collective that a fusion of the TPU compiler does by another one; None where it is that other one itself.

    Args:
        opcode: XLA's name of the collective in the fusion.
        name: the name of the fused computation.
    """
    return next((s for s in STATEMENTS if s.fusion and name.startswith(s.fusion) and opcode in s.compiled_to), None)


def statement_of_transfer(transfer: str, reduction: str = "") -> Statement | None:
    """The collective of a transfer between TPU slices; None where its type is not known.

    Args:
        transfer: its type, as XLA writes it: ``ALL_REDUCE``.
        reduction: the operation that it combines with, if any: ``MAX``, ``SUM``.
    """
    return _BY_TRANSFER.get((transfer, reduction.lower())) or _BY_TRANSFER.get((transfer, ""))


def call_of(
    primitive: str,
    params: Mapping[str, Any],
    axis_names: Sequence[Hashable],
    axis_sizes: Sequence[int],
    *,
    ppermute_in_mesh_order: bool = False,
) -> Call | None:
    """The collective of a jaxpr equation, or None if it is not a collective.

    Args:
        primitive: the name of a primitive of any supported JAX.
        params: ``eqn.params``.
        axis_names: axes of the mesh, axis 0 first.
        axis_sizes: their sizes.
        ppermute_in_mesh_order: ranks of a ppermute over several axes follow the mesh, not the program. So do JAX 0.9
            and 0.10 (they sort each group); newer JAX follows the program, and refuses unless both agree.

    Raises:
        ValueError: an axis that the mesh does not have, or an index beyond the group.
    """
    statement = statement_of(primitive)
    if statement is None:
        return None
    named = named_axes(params)
    axes = tuple(a for a in named if not isinstance(a, int))
    groups = _groups(primitive, axes, list(axis_names), axis_sizes, params.get("axis_index_groups"))
    if statement.by_pairs and ppermute_in_mesh_order:
        groups = tuple(tuple(sorted(group)) for group in groups)
    n = len(groups[0])
    return Call(
        statement,
        primitive,
        axes,
        groups,
        dimension=next((params[key] for key in _DIMENSIONS if key in params), 0),
        concat=params.get("concat_axis", 0),
        # The parameter of all_to_all is for its transposition: its blocks are cut and joined in either form.
        tiled="split_axis" in params or params.get("tiled", True),
        pairs=tuple((int(source) % n, int(target) % n) for source, target in params.get("perm", ())),
        source=int(params.get("source", -1)),
        positional=tuple(a for a in named if isinstance(a, int)),
    )


def named_axes(params: Mapping[str, Any]) -> tuple[Any, ...]:
    """What a collective of a jaxpr goes over: names of mesh axes, and numbers of the block's own dimensions."""
    named = params.get("axes", params.get("axis_name", ()))
    return tuple(named) if isinstance(named, tuple | list) else (named,)


def _groups(
    primitive: str,
    axes: Sequence[str],
    axis_names: list[Hashable],
    axis_sizes: Sequence[int],
    index_groups: Sequence[Sequence[int]] | None,
) -> tuple[tuple[int, ...], ...]:
    unknown = [a for a in axes if a not in axis_names]
    if unknown:
        raise ValueError(f"{primitive} names the axis {unknown[0]!r}; the mesh has the axes {axis_names}")
    chosen = [axis_names.index(a) for a in axes]
    others = [k for k in range(len(axis_names)) if k not in chosen]
    positions = np.arange(math.prod(axis_sizes)).reshape(axis_sizes).transpose(others + chosen)
    rows = positions.reshape(math.prod(axis_sizes[k] for k in others), -1).tolist()
    if index_groups is not None:
        rows = [[row[i] for i in group] for row in rows for group in index_groups]
    return tuple(map(tuple, rows))
