"""An array that lives on some of several groups of devices (MPMD), as a document."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from shardwidget.document.base import Document
from shardwidget.document.mesh import Mesh
from shardwidget.document.placement import Dim, Placement
from shardwidget.document.wire import VERSION, Ints

__all__ = ["Hold", "MpmdPlacement"]

Hold = Literal["none", "live", "deleted", "dropped", "remote", "abstract"]
"""What a group has of the array: nothing; its data; data that was deleted; nothing any longer, though the array still
names the group; data in another process, known from metadata; only a shape and a sharding."""


@dataclass(frozen=True, repr=False)
class MpmdPlacement(Document):
    """Where an array lives on the groups of a mesh that one of its axes divides.

    A *group* is the part of the mesh at one index of the MPMD axis. Every group that holds the array holds all of it,
    laid out in the same way over the group's own devices.
    """

    mesh: Mesh
    """The mesh of all groups together."""
    axis: str
    """The mesh axis that divides it into groups."""
    shape: tuple[int, ...]
    """The global shape, which the array has in every group."""
    dims: tuple[Dim, ...]
    """How each group splits it; the MPMD axis splits no dimension."""
    holds: tuple[Hold, ...]
    """What each group has of the array, by the group's index on the MPMD axis."""
    dtype: str
    bits: int
    """Bits of one element in memory."""
    name: str = ""
    type: str = ""
    """``jax.typeof`` of the array in one group."""
    spec: str = ""
    """The PartitionSpec inside a group, as JAX prints it."""
    source: str = ""
    """The class of the object that was read, for example ``MpmdArray``."""
    memory_kind: str = ""
    jax_version: str = ""
    kind: Literal["mpmd"] = field(default="mpmd", init=False)
    version: int = field(default=VERSION, init=False)

    # Derived, never on the wire.

    @property
    def groups(self) -> int:
        """Number of groups."""
        return len(self.holds)

    @property
    def named(self) -> tuple[int, ...]:
        """Groups that the array names, whether or not they still hold data."""
        return tuple(group for group, hold in enumerate(self.holds) if hold != "none")

    @property
    def holding(self) -> tuple[int, ...]:
        """Groups whose devices have the data, those of other processes among them."""
        return tuple(group for group, hold in enumerate(self.holds) if hold in ("live", "remote"))

    def group(self, group: int) -> Placement:
        """The array on one group's own mesh; the mesh alone for a group without it.

        Raises:
            IndexError: there is no such group.
        """
        hold = self.holds[group]
        mesh = self._mesh_of(group)
        if hold == "none":
            return Placement(mesh, None, state="abstract")
        state = "deleted" if hold in ("deleted", "dropped") else "abstract" if hold == "abstract" else "live"
        return Placement(
            mesh,
            self.shape,
            self.dims,
            self.dtype,
            self.bits,
            self.name,
            self.type,
            "NamedSharding",
            self.spec,
            memory_kind=self.memory_kind,
            state=state,
        )

    @property
    def bytes_per_device(self) -> int:
        """Bytes of the array on each device of a group that holds it."""
        return self._layout.bytes_per_device

    @property
    def group_bytes(self) -> int:
        """Bytes on all devices of one group that holds it."""
        return self._layout.total_bytes

    @property
    def nbytes(self) -> int:
        """Bytes of the array, held once."""
        return self._layout.nbytes

    @property
    def total_bytes(self) -> int:
        """Bytes on all devices of all groups that hold it."""
        return self.group_bytes * len(self.holding)

    @property
    def copies(self) -> int:
        """Devices of one group that hold each tile."""
        return self._layout.copies

    @property
    def wasted_bytes(self) -> int:
        """Bytes beyond one copy of each tile, in the groups and over them."""
        return max(0, self.total_bytes - self.nbytes)

    @cached_property
    def _layout(self) -> Placement:
        return Placement(self._mesh_of(0), self.shape, self.dims, self.dtype, self.bits)

    def _mesh_of(self, group: int) -> Mesh:
        mesh = self.mesh
        at = [a.name for a in mesh.axes].index(self.axis)

        def part(values: Ints) -> Ints:
            return Ints.pack(values.array().reshape(mesh.shape).take(group, at))

        return Mesh(
            tuple(a for a in mesh.axes if a.name != self.axis),
            part(mesh.device_ids),
            part(mesh.process),
            mesh.this_process,
            tuple(map(part, mesh.coords)),
            mesh.kind,
            mesh.platform,
            mesh.abstract,
            None if mesh.slices is None else part(mesh.slices),
        )

    @cached_property
    def processes(self) -> tuple[tuple[int, ...], ...]:
        """Process indices of each group's devices."""
        at = [a.name for a in self.mesh.axes].index(self.axis)
        rows = np.moveaxis(self.mesh.process.array().reshape(self.mesh.shape), at, 0).reshape(self.groups, -1)
        return tuple(tuple(np.unique(row).tolist()) for row in rows)

    @property
    def folds(self) -> tuple[tuple[int, ...], ...]:
        """Groups that have the same of the array and are equally near: on this process, on others, or on both."""
        found: dict[tuple, list[int]] = {}
        for group, (hold, processes) in enumerate(zip(self.holds, self.processes, strict=True)):
            here = self.mesh.this_process in processes
            found.setdefault((hold, here, here and len(processes) > 1), []).append(group)
        return tuple(map(tuple, found.values()))
