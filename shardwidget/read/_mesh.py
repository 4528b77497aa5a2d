"""The devices of a mesh, as the ``Mesh`` of a document."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import jax
import numpy as np

from shardwidget.document import Ints, Mesh, MeshAxis
from shardwidget.read import _errors


# Querying 4096 devices takes milliseconds and a mesh never changes. The cache holds meshes, never arrays.
@functools.lru_cache(maxsize=16)
def read_mesh(mesh: jax.sharding.Mesh | jax.sharding.AbstractMesh, order: tuple[int, ...] | None = None) -> Mesh:
    """Reads a mesh.

    Args:
        mesh: a concrete mesh or an abstract one.
        order: position in ``mesh.devices.flat`` of the device at each position, where a sharding permutes them.

    Raises:
        ValueError: the mesh has no devices.
    """
    axes = tuple(
        MeshAxis(str(name), size, kind.name)
        for name, size, kind in zip(mesh.axis_names, mesh.axis_sizes, mesh.axis_types, strict=True)
    )
    if isinstance(mesh, jax.sharding.AbstractMesh):
        if mesh.size == 0:
            raise ValueError(_errors.EMPTY_MESH)
        # Asking for the process index would start a backend, which an abstract mesh does not need.
        positions = range(mesh.size) if order is None else order
        return Mesh(axes, Ints.pack(positions), Ints.pack(np.zeros(mesh.size, np.int64)), 0, abstract=True)
    devices = list(mesh.devices.flat)
    if not devices or devices[0] is None:  # JAX's own empty mesh holds one None.
        raise ValueError(_errors.EMPTY_MESH)
    return read_devices(devices if order is None else [devices[p] for p in order], axes)


def read_devices(devices: Sequence[Any], axes: tuple[MeshAxis, ...] = ()) -> Mesh:
    """Reads devices, given in mesh order."""
    first = devices[0]
    mesh = Mesh(
        axes=axes,
        device_ids=Ints.pack([d.id for d in devices]),
        process=Ints.pack([d.process_index for d in devices]),
        this_process=jax.process_index(),
        coords=_coords(devices),
        slices=_slices(devices),
        kind=first.device_kind,
        platform=first.platform,
    )
    if len(axes) != 1 or not mesh.coords:
        return mesh
    from shardwidget.read._target import is_ring  # What few meshes need is imported with the first of them.

    return replace(mesh, ring=is_ring(mesh))


def _coords(devices: Sequence[Any]) -> tuple[Ints, ...]:
    """Physical coordinates, one entry for each coordinate; empty where devices have none (CPU, GPU)."""
    try:
        coords = np.array([d.coords for d in devices], np.int64)
    except (AttributeError, TypeError, ValueError):
        return ()
    return tuple(Ints.pack(column) for column in coords.T) if coords.ndim == 2 else ()


def _slices(devices: Sequence[Any]) -> Ints | None:
    """Index of the slice of each device; None where they are all on one, or have no slice index."""
    if not hasattr(devices[0], "slice_index"):  # Asking each of 4,096 that have none takes milliseconds.
        return None
    slices = [d.slice_index or 0 for d in devices]
    return Ints.pack(slices) if len(set(slices)) > 1 else None
