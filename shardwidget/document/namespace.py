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
"""What the last cell did with a name: bound it for the first time; gave its arrays other shardings; bound it to arrays
of other shapes or dtypes, or to more or fewer; bound it to other arrays of the same types; deleted or donated its
arrays; unbound it."""


@dataclass(frozen=True)
class TypeCount:
    """How many of a holder's arrays have one type."""

    type: str
    """The type, as in ``LeafType.type``."""
    count: int
    """The number of arrays."""
    bytes_per_device: int
    """Bytes of all of them on the device that holds the most."""


@dataclass(frozen=True)
class Holder:
    """A name and the arrays that it holds; or, with an empty name, arrays that no name holds."""

    name: str
    """The name as an expression, ``params`` or ``Out[4]``; empty for arrays that no name holds."""
    arrays: int
    """The number of arrays, each counted once, including those that other names hold as well."""
    type: int
    """Index in ``Namespace.types`` of a single array's type; -1 for a tree, and for arrays that no name holds."""
    bytes: int
    """Bytes of the arrays, each held once, without those that are counted under another name."""
    bytes_per_device: int
    """Bytes of the same arrays on the device that holds the most of them."""
    spent: int
    """Bytes on all devices beyond one copy of each tile."""
    parts: tuple[TypeCount, ...]
    """The types of a tree, those with the most bytes first; empty for a single array."""
    more_types: int = 0
    """The number of types that are not in ``parts``."""
    deleted: int = 0
    """The number of arrays that were deleted or donated."""
    shared: int = 0
    """The number of arrays that are counted under another name, which holds them too."""
    shared_with: str = ""
    """The first such name; empty where there is none."""
    change: Change = ""
    """What the last cell did with the name; empty where it did nothing."""
    moved: int = 0
    """The number of arrays that changed."""
    was: str = ""
    """The type before the change: of a single array, or of the one at ``path``. Empty where the type is the same."""
    path: str = ""
    """The path of the first array of a tree that changed, as ``jax.tree_util.keystr`` writes it."""
    delta: int = 0
    """The change of ``bytes_per_device``; negative where it shrank."""
    flags: int = 0
    """The number of reasons to look at it."""
    reason: str = ""
    """The most important of these reasons, in one sentence."""
    flagged: str = ""
    """The path of the array that ``reason`` is about, in a tree."""
    cost: int = 0
    """Bytes that could be saved on each device if all these reasons went away."""
    spec: str = ""
    """A spec that avoids this cost, as code; empty where none is known."""


@dataclass(frozen=True)
class DeviceGroup:
    """Devices for which all numbers below are the same."""

    devices: Ints
    """Indices of the devices in the order of ``Namespace.meshes``, where each device counts at its first place."""
    held: int
    """Bytes of all arrays on each of them."""
    own: int
    """Bytes that would be left on each of them if no data were held twice."""
    added: int = 0
    """Bytes that the last cell added."""
    freed: int = 0
    """Bytes that the last cell freed."""
    in_use: int | None = None
    """Bytes in use, by the backend's own count; None where the backend does not count."""
    peak: int | None = None
    """The most bytes in use since the process began; None where the backend does not count."""
    limit: int | None = None
    """The most bytes that can be in use; None where the backend does not say."""


@dataclass(frozen=True, repr=False)
class Namespace(Document):
    """What the arrays of a session take. Made without touching their data, and without keeping any of them."""

    meshes: tuple[Mesh, ...]
    """The meshes, that with the most devices and bytes first; a single device is a mesh without axes."""
    types: tuple[LeafType, ...] = field(metadata={"wire": "table"})
    """The types of the holders that are single arrays."""
    holders: tuple[Holder, ...] = field(metadata={"wire": "table"})
    """The largest names, those with the most bytes on a device first; then those that the last cell unbound."""
    groups: tuple[DeviceGroup, ...]
    """The devices, those with the most bytes first."""
    names: int
    """The number of names that hold arrays, of which ``holders`` has only the largest."""
    left_out: int = 0
    """Bytes on a device that belong to names that are not in ``holders``."""
    spent: int = 0
    """Bytes on all devices beyond one copy of each tile."""
    cell: int = 0
    """The number of the cell that ran last; 0 where none did."""
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
