"""The arrays of a session: which name holds what, what no name holds, and what the last cell changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from shardwidget.document.base import Document
from shardwidget.document.leaf import LeafType
from shardwidget.document.mesh import Mesh
from shardwidget.document.placement import Placement
from shardwidget.document.wire import VERSION, Ints

__all__ = ["Change", "DeviceGroup", "Holder", "Namespace", "TypeCount"]

Change = Literal["", "new", "resharded", "changed", "updated", "deleted", "gone"]
"""What the last cell did with a name: first bound it; gave its arrays other shardings; other shapes, dtypes or numbers
of arrays; other arrays of the same types; deleted or donated its arrays; unbound it."""


@dataclass(frozen=True)
class TypeCount:
    """Arrays of one type among those of a holder."""

    type: str
    """As ``LeafType.type``."""
    count: int
    bytes_per_device: int
    """Of all of them together, on the device that holds most of them."""


@dataclass(frozen=True)
class Holder:
    """A name and the arrays that it holds; or, with an empty name, arrays that no name holds."""

    name: str
    """As code that gives it: ``params``, ``Out[4]``. Empty for what no name holds."""
    arrays: int
    """Arrays, each counted once, including those that other names hold as well."""
    type: int
    """Index in ``Namespace.types``; -1 for a tree, and for what no name holds."""
    bytes: int
    """Bytes of the arrays, each held once, without those that are counted at another name."""
    bytes_per_device: int
    """Of the same arrays, on the device that holds most of them."""
    spent: int
    """On all devices, beyond one copy of each tile."""
    parts: tuple[TypeCount, ...]
    """The types of a tree, most bytes first; empty for a single array."""
    more_types: int = 0
    """Types that are not in ``parts``."""
    deleted: int = 0
    """Arrays that were deleted or donated."""
    shared: int = 0
    """Arrays that are counted at another name, which holds them too."""
    shared_with: str = ""
    """The first such name."""
    change: Change = ""
    moved: int = 0
    """Arrays that the change is about."""
    was: str = ""
    """Type before; of a tree, that of ``path``. Empty where it is the same as now."""
    path: str = ""
    """The first array of a tree that the change is about, as ``jax.tree_util.keystr`` writes it."""
    delta: int = 0
    """Change of ``bytes_per_device``."""
    flags: int = 0
    """Reasons to look at it."""
    reason: str = ""
    """The worst of them, in one sentence."""
    flagged: str = ""
    """Path of the array in a tree that this is about."""
    cost: int = 0
    """Bytes on each device that all of them could save."""
    spec: str = ""
    """A spec without this cost, as code; empty where none is known."""


@dataclass(frozen=True)
class DeviceGroup:
    """Devices on which everything is the same."""

    devices: Ints
    """Indices in the order of ``Namespace.meshes``, each device where it comes first."""
    held: int
    """Bytes of all arrays."""
    own: int
    """Bytes that would be there if nothing were held twice."""
    added: int = 0
    """Bytes that the last cell added."""
    freed: int = 0
    """Bytes that it freed."""
    in_use: int | None = None
    """Bytes in use by the backend's own count; None where it gives none."""
    peak: int | None = None
    """The most that were in use since the process began."""
    limit: int | None = None
    """The most that can be in use."""


@dataclass(frozen=True, repr=False)
class Namespace(Document):
    """What the arrays of a session take. Made without touching their data, and without keeping any of them."""

    meshes: tuple[Mesh, ...]
    """The mesh with the most devices and bytes first; devices by themselves are meshes without axes."""
    types: tuple[LeafType, ...] = field(metadata={"wire": "table"})
    """Of the holders that are single arrays."""
    holders: tuple[Holder, ...] = field(metadata={"wire": "table"})
    """Most bytes on a device first; then what the last cell unbound."""
    groups: tuple[DeviceGroup, ...]
    """Most bytes first."""
    names: int
    """Number of names that hold arrays: ``holders`` has only the largest."""
    left_out: int = 0
    """Bytes on a device of names that are not among the holders."""
    spent: int = 0
    """On all devices, beyond one copy of each tile."""
    cell: int = 0
    """Number of the cell that ran last; 0 where none did."""
    jax_version: str = ""
    kind: Literal["namespace"] = field(default="namespace", init=False)
    version: int = field(default=VERSION, init=False)

    # Derived, never on the wire.

    @property
    def bytes_per_device(self) -> int:
        """Bytes on the device that holds most."""
        return max((group.held for group in self.groups), default=0)

    @property
    def changed(self) -> tuple[Holder, ...]:
        """The holders that the last cell changed."""
        return tuple(holder for holder in self.holders if holder.change)

    @property
    def flagged(self) -> tuple[Holder, ...]:
        """The holders with something to look at."""
        return tuple(holder for holder in self.holders if holder.flags)

    def holder(self, name: str) -> Holder:
        """What a name holds.

        Raises:
            KeyError: it holds no arrays.
        """
        for holder in self.holders:
            if holder.name == name:
                return holder
        raise KeyError(f"{name!r} holds no arrays; these names do: {', '.join(h.name for h in self.holders)}")

    def placement(self, holder: Holder) -> Placement | None:
        """Where the shards of a single array live; None for trees, and for what is on no device."""
        if holder.type < 0 or self.types[holder.type].mesh < 0:
            return None
        return self.types[holder.type].placement(self.meshes, self.jax_version)
