"""JaxPP's ``MpmdArray``, which has no public group ids: read by its fields, without importing JaxPP (0.9.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jax


@dataclass(frozen=True)
class MpmdFields:
    """The fields of an array that behaves like an ``MpmdArray``."""

    mesh: jax.sharding.Mesh
    axis: str
    groups: tuple[int, ...]
    """Groups that it names; one may be missing in ``arrays``."""
    arrays: Mapping[int, jax.Array]
    """The array of each group that this process addresses. Some may be deleted."""


def mpmd_fields(x: Any) -> MpmdFields | None:
    """The fields of an ``MpmdArray``; None for anything else.

    ``is_deleted()`` and ``to_mpmd_local_array`` raise where some replicas are deleted, so neither is asked.
    """
    arrays = getattr(x, "_partially_addressable_arrays", None)
    mesh = getattr(x, "_mpmd_mesh", None)
    groups = getattr(x, "_mpmd_idxs", None)
    if not isinstance(arrays, Mapping) or mesh is None or groups is None:
        return None
    return MpmdFields(mesh.jax_mesh, str(mesh.mpmd_axis_name), tuple(sorted(groups)), dict(arrays))
