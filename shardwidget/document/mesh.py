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
    """The process that made the document."""
    coords: tuple[Ints, ...] = ()
    """Physical coordinates where devices have them (TPU): one entry for each coordinate, over all positions."""
    kind: str = ""
    """``Device.device_kind``, for example ``TPU v5 lite``; empty for an abstract mesh."""
    platform: str = ""
    abstract: bool = False
    slices: Ints | None = None
    """Index of each position's slice, where devices are on several that no fast link connects; None for one slice."""
    ring: bool = False
    """Whether links join each device to the next and the last to the first: for a mesh of one axis (TPU)."""

    @property
    def size(self) -> int:
        """Number of devices."""
        return self.device_ids.size

    @property
    def shape(self) -> tuple[int, ...]:
        """Axis sizes; ``(size,)`` for a mesh without axes."""
        return tuple(a.size for a in self.axes) or (self.size,)
