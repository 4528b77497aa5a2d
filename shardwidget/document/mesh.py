"""A mesh of devices as a document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from shardwidget.document.wire import Ints

__all__ = ["AxisType", "Mesh", "MeshAxis"]

AxisType = Literal["Auto", "Explicit", "Manual"]


@dataclass(frozen=True)
class MeshAxis:
    """One named axis of a mesh."""

    name: str
    size: int
    type: AxisType


@dataclass(frozen=True)
class Mesh:
    """Devices in a grid with named axes, in the order of ``jax.sharding.Mesh.devices.flat`` (axis 0 slowest).

    Everything per device is indexed by this *position*, not by device id. A sharding that names no mesh (one device,
    or an index map of its own) has no axes and its devices in a row.
    """

    axes: tuple[MeshAxis, ...]
    device_ids: Ints
    """``Device.id`` at each position; the positions themselves for an abstract mesh."""
    process: Ints
    """Process index at each position."""
    this_process: int
    """Index of the process that made the document."""
    coords: tuple[Ints, ...] = ()
    """Physical coordinates, where devices have them (TPU): for each coordinate, its value at each position."""
    kind: str = ""
    """``Device.device_kind``, for example ``TPU v5 lite``; empty for an abstract mesh."""
    platform: str = ""
    """``Device.platform``, for example ``tpu``; empty for an abstract mesh."""
    abstract: bool = False
    """Whether it is an abstract mesh, which has no devices."""
    slices: Ints | None = None
    """The slice index at each position, where devices are in several slices, which no fast links connect; None for one
    slice."""
    ring: bool = False
    """Whether the mesh has one axis, with links from each device to the next and from the last to the first (TPU)."""

    @property
    def size(self) -> int:
        """Number of devices."""
        return self.device_ids.size

    @property
    def shape(self) -> tuple[int, ...]:
        """Axis sizes; ``(size,)`` for a mesh without axes."""
        return tuple(a.size for a in self.axes) or (self.size,)
