"""A collective as an equation asks for it: which devices take part together, and along which dimensions."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

Kind = Literal[
    "psum", "pmax", "pmin", "all_gather", "reduce_scatter", "all_to_all", "ragged_all_to_all", "ppermute", "pbroadcast",
    "axis_index", "pvary", "preduced", "vary_unreduced_cast", "reduced_vary_cast", "done",
]  # fmt: skip
"""What happens, whatever JAX calls it. ``pshuffle`` is a ppermute, ``pswapaxes`` an all_to_all, ``pmean`` a psum."""

SILENT = ("axis_index", "pvary", "preduced", "vary_unreduced_cast", "reduced_vary_cast", "done")
"""Kinds that send nothing. All but axis_index leave every block as it is."""

ALL_REDUCE = ("psum", "pmax", "pmin")
ALL_TO_ALL = ("all_to_all", "ragged_all_to_all")
"""Kinds whose chunks are told apart by where they come from as well as by where they go."""


@dataclass(frozen=True)
class Call:
    """One collective on a mesh. ``apply`` is its meaning, ``plans`` its algorithms, ``bytes_sent`` its traffic."""

    kind: Kind
    primitive: str
    """JAX's name for it, for example ``psum_invariant`` or ``all_gather_reduced``."""
    axes: tuple[str, ...]
    """Mesh axes as the program names them; their order is that of the ranks, first axis slowest."""
    groups: tuple[tuple[int, ...], ...]
    """Mesh positions that take part together, in rank order. Every position is in one group."""
    dimension: int = 0
    """Dimension that is gathered, scattered or (all_to_all) split."""
    concat: int = 0
    """For all_to_all: dimension that the arriving pieces are concatenated on."""
    tiled: bool = True
    """Whether ``dimension`` exists on both sides, or is added by all_gather and removed by reduce_scatter."""
    pairs: tuple[tuple[int, int], ...] = ()
    """For ppermute: (source rank, destination rank)."""
    source: int = -1
    """For pbroadcast: the rank that is copied; -1 where a second operand says it."""
    positional: tuple[int, ...] = ()
    """For psum, pmax and pmin: dimensions of the block that are reduced too."""

    @property
    def n(self) -> int:
        """Ranks of a group (the largest, where they differ)."""
        return max(map(len, self.groups))

    @property
    def even(self) -> bool:
        """Whether all groups have the same size; only psum, pmax and pmin can do without."""
        return len(set(map(len, self.groups))) == 1


def kind_of(primitive: str) -> Kind | None:
    """What a primitive of any supported JAX does, or None if it is no collective."""
    return _KINDS.get(primitive.removesuffix("_p").removesuffix("_start"))


def call_of(
    primitive: str,
    params: Mapping[str, Any],
    axis_names: Sequence[Hashable],
    axis_sizes: Sequence[int],
    *,
    ppermute_in_mesh_order: bool = False,
) -> Call | None:
    """The collective of a jaxpr equation, or None if it is none.

    Args:
        primitive: ``eqn.primitive.name`` of any supported JAX.
        params: ``eqn.params``.
        axis_names: axes of the mesh, axis 0 first.
        axis_sizes: their sizes.
        ppermute_in_mesh_order: ranks of a ppermute over several axes follow the mesh, not the program. So do JAX 0.9
            and 0.10 (they sort each group); newer JAX follows the program, and refuses unless both agree.

    Raises:
        ValueError: an axis that the mesh does not have, or an index beyond the group.
    """
    kind = kind_of(primitive)
    if primitive.removesuffix("_done") in _KINDS and primitive.endswith("_done"):
        kind = "done"
    if kind is None:
        return None
    named = params.get("axes", params.get("axis_name", ()))
    named = tuple(named) if isinstance(named, (tuple, list)) else (named,)
    axes = tuple(a for a in named if not isinstance(a, int))
    groups = _groups(primitive, axes, list(axis_names), axis_sizes, params.get("axis_index_groups"))
    if kind == "ppermute" and ppermute_in_mesh_order:
        groups = tuple(tuple(sorted(group)) for group in groups)
    n = len(groups[0])
    return Call(
        kind,
        primitive,
        axes,
        groups,
        dimension=next((params[key] for key in _DIMENSIONS if key in params), 0),
        concat=params.get("concat_axis", 0),
        tiled=kind == "all_to_all" or params.get("tiled", True),
        pairs=tuple((int(source) % n, int(target) % n) for source, target in params.get("perm", ())),
        source=int(params.get("source", -1)),
        positional=tuple(a for a in named if isinstance(a, int)),
    )


_KINDS: dict[str, Kind] = {
    **{kind: kind for kind in get_args(Kind)},
    "psum_invariant": "psum",
    "unreduced_psum": "psum",
    "unreduced_pmax": "pmax",
    "unreduced_pmin": "pmin",
    "all_gather_invariant": "all_gather",
    "all_gather_reduced": "all_gather",
    "unreduced_reduce_scatter": "reduce_scatter",
    "pbroadcast_dynamic": "pbroadcast",
}

_DIMENSIONS = ("all_gather_dimension", "scatter_dimension", "split_axis")


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
