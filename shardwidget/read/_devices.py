"""Which arguments are on which devices, and whether one program can take them all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import jax
from jax.sharding import Mesh, NamedSharding

from shardwidget import _jax

Named = Iterable[tuple[str, Any]]
"""Arguments with their names."""


def mesh_text(mesh: Any) -> str:
    """``the mesh x=4, y=2 (devices 0–7)``; without devices for an abstract one."""
    axes = ", ".join(f"{axis}={size}" for axis, size in mesh.shape.items())
    return f"the mesh {axes}" + (f" ({ids_text(tuple(mesh.devices.flat))})" if isinstance(mesh, Mesh) else "")


def places(arguments: Named) -> str:
    """``a and b are on the mesh x=4, y=2 (devices 0–7); c is on device 3``: each place once."""
    at: dict[str, list[str]] = {}
    for name, x in arguments:
        if place := _place(x):
            at.setdefault(place, []).append(name)
    return "; ".join(f"{_listed(names)} {'are' if len(names) > 1 else 'is'} on {place}" for place, names in at.items())


def is_on_other_devices(x: Any, mesh: Any) -> bool:
    """Whether ``jit`` refuses an argument in a program for a mesh: it is on other devices, or in another order."""
    sharding = _committed(x)
    devices = None if sharding is None else _jax.device_assignment(sharding)
    return isinstance(mesh, Mesh) and devices is not None and devices != tuple(mesh.devices.flat)


def is_split_on_other_axes(x: Any, mesh: Any) -> bool:
    """Whether the mesh that an argument is split on has other axes than this one."""
    sharding = _committed(x)
    if not isinstance(sharding, NamedSharding) or not any(_jax.partitions(sharding.spec)):
        return False
    return tuple(sharding.mesh.shape.items()) != tuple(mesh.shape.items())


def _committed(x: Any) -> Any:
    """The sharding of an argument that ``jit`` takes where it is."""
    free = isinstance(x, jax.Array) and not x.committed
    return None if free or not isinstance(x, jax.Array | jax.ShapeDtypeStruct) else x.sharding


def _place(x: Any) -> str:
    sharding = _committed(x)
    if isinstance(sharding, NamedSharding):
        return mesh_text(sharding.mesh)
    devices = None if sharding is None else _jax.device_assignment(sharding)
    return ids_text(devices) if devices else ""


def ids_text(devices: Sequence[Any]) -> str:
    """``devices 0–7``, the first eight of ids that do not follow each other."""
    ids = [device.id for device in devices]
    if len(ids) > 2 and ids == list(range(ids[0], ids[0] + len(ids))):
        return f"devices {ids[0]}–{ids[-1]}"
    listed = ", ".join(map(str, ids[:8])) + (" …" if len(ids) > 8 else "")
    return f"device{'s' if len(ids) > 1 else ''} {listed}"


def _listed(names: Sequence[str], most: int = 3) -> str:
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
