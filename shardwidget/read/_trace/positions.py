"""Devices by their place in a mesh."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from shardwidget.document import Mesh


def share(mesh: Mesh, varying: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """The block at each position when they vary over some axes, and the first position that holds each."""
    along = np.indices(mesh.shape).reshape(len(mesh.shape), -1)
    index = np.zeros(mesh.size, np.int64)
    for axis, coordinate in zip(mesh.axes, along, strict=False):
        if axis.name in varying:
            index = index * axis.size + coordinate
    return index, np.unique(index, return_index=True)[1]


def position(mesh: Mesh, device_id: int) -> int:
    """Where a device is in a mesh.

    Raises:
        KeyError: it is not in it.
    """
    ids = _ids(mesh)
    found = np.flatnonzero(ids == device_id)
    if not found.size:
        raise KeyError(f"the mesh has no device {device_id}; its devices are {ids[:8].tolist()}{' …' * (ids.size > 8)}")
    return int(found[0])


@functools.lru_cache(maxsize=16)
def seats(mesh: Mesh, drawn: Mesh) -> np.ndarray | None:
    """The position in a mesh of the device at each position of another; None where their axes or devices differ."""
    if [(a.name, a.size) for a in mesh.axes] != [(a.name, a.size) for a in drawn.axes]:
        return None
    if mesh.abstract or drawn.abstract:
        return np.arange(mesh.size)
    known = {int(device_id): at for at, device_id in enumerate(_ids(mesh))}
    found = [known.get(int(device_id)) for device_id in _ids(drawn)]
    return None if None in found else np.array(found)


@functools.lru_cache(maxsize=16)
def _ids(mesh: Mesh) -> np.ndarray:
    return mesh.device_ids.array()
