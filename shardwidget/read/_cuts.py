"""Dimensions of an array: cut by mesh axes, or by an index map of the sharding's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax.sharding import PartitionSpec, Sharding

from shardwidget import _jax
from shardwidget.document import Cut, Dim, Ints
from shardwidget.read import _errors

STRIDED = (
    "{sharding} gives device {device} the index {index}. Only contiguous slices (a start, a stop and a step of 1) "
    "and single integers can be shown."
)

UNMAPPED = (
    "{sharding} does not say which device holds which slice of shape {shape}: {words}\n"
    "Give a jax.sharding.NamedSharding, or a sharding whose devices_indices_map(shape) works."
)


def dims_of_spec(shape: tuple[int, ...], spec: PartitionSpec) -> tuple[Dim, ...]:
    """Dimensions as a PartitionSpec cuts them; entries that it leaves out are None."""
    entries = _jax.partitions(spec)
    dims = []
    for size, entry in zip(shape, entries + (None,) * (len(shape) - len(entries)), strict=True):
        if entry is PartitionSpec.UNCONSTRAINED:
            dims.append(Dim(size, unconstrained=True))
        else:
            names = entry if isinstance(entry, tuple) else () if entry is None else (entry,)
            dims.append(Dim(size, tuple(map(str, names))))
    return tuple(dims)


def dims_of_map(sharding: jax.sharding.Sharding, shape: tuple[int, ...]) -> tuple[list[Any], tuple[Dim, ...]]:
    """Devices and dimensions as ``sharding.devices_indices_map`` gives them.

    Raises:
        ValueError: the map has an index that is not a contiguous slice, or there is no map.
    """
    try:
        index_map = sharding.devices_indices_map(shape)
    except ValueError as error:
        raise ValueError(_errors.does_not_fit(shape, error)) from error
    except Exception as error:  # A sharding of the user's own may fail in any way.
        raise ValueError(UNMAPPED.format(sharding=sharding, shape=shape, words=error)) from error
    bounds = np.array(
        [_bounds(sharding, device, index, shape) for device, index in index_map.items()], np.int64
    ).reshape(len(index_map), len(shape), 2)
    return list(index_map), tuple(_dim(size, bounds[:, d]) for d, size in enumerate(shape))


def _bounds(sharding: Sharding, device: Any, index: Sequence[Any], shape: tuple[int, ...]) -> list[tuple[int, int]]:
    bounds = []
    for part, size in zip(index, shape, strict=True):
        start, stop, step = part.indices(size) if isinstance(part, slice) else (int(part), int(part) + 1, 1)
        if step != 1:
            raise ValueError(STRIDED.format(sharding=sharding, device=device.id, index=index))
        bounds.append((start, max(start, stop)))
    return bounds


def _dim(size: int, bounds: np.ndarray) -> Dim:
    parts, held = np.unique(bounds, axis=0, return_inverse=True)
    if parts.tolist() == [[0, size]]:
        return Dim(size)
    return Dim(size, cut=Cut(Ints.pack(parts[:, 0]), Ints.pack(parts[:, 1]), Ints.pack(held.ravel())))
