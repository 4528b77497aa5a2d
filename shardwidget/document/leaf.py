"""The leaves of a tree of arrays: what each is called, what equal ones share, and what is flagged in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from shardwidget.document.mesh import Mesh
from shardwidget.document.placement import Dim, Placement
from shardwidget.document.wire import Ints

__all__ = ["Flag", "Key", "LeafType"]

LeafState = Literal["live", "abstract", "deleted", "host", "none", "other", "unreadable"]
FlagKind = Literal["copied", "unlike", "one device", "uneven", "tiny", "unreadable"]


@dataclass(frozen=True)
class Key:
    """One step of a path."""

    text: str
    """As ``jax.tree_util.keystr`` writes it: ``['embed']``, ``[0]``, ``.mu``."""
    name: str
    """As it writes it with ``simple=True``: ``embed``, ``0``, ``mu``."""


@dataclass(frozen=True)
class LeafType:
    """What equal leaves share: a shape, a dtype, and where the shards live."""

    type: str
    """Short dtype and shape with the mesh axes that cut it, whatever their axis types: ``bf16[1024@data,3072]``. Of
    what is not an array, its class."""
    state: LeafState = "live"
    """``abstract``: a shape that holds no data yet; ``host``: in the host's memory; ``none``: None; ``other``: no
    array; ``unreadable``: ``note`` says why."""
    shape: tuple[int, ...] = ()
    dtype: str = ""
    """Long dtype name, for example ``bfloat16`` or ``key<fry>``."""
    bits: int = 0
    """Bits of one element in memory."""
    mesh: int = -1
    """Index in ``Model.meshes``; -1 for what is on no device."""
    dims: tuple[Dim, ...] = ()
    spec: str | None = None
    """The PartitionSpec as JAX prints it; None where the sharding has none."""
    sharding: str = ""
    """Class of the sharding."""
    unreduced: tuple[str, ...] = ()
    reduced: tuple[str, ...] = ()
    memory_kind: str = ""
    offloaded: bool = False
    """Whether ``memory_kind`` is another memory than that of the devices themselves."""
    note: str = ""
    """Why it cannot be read, in JAX's words."""
    logical: tuple[str, ...] = ()
    """Logical names of its dimensions, as flax keeps them beside a parameter, empty for a dimension that has none."""
    device_bits: int = 0
    """Bits of one element once ``jax.device_put`` has put it on devices: of ``float64`` in the host's memory 32, unless
    64-bit types are enabled. 0 where devices cannot hold it."""

    @property
    def is_array(self) -> bool:
        """Whether it has a shape and a dtype."""
        return self.state not in ("none", "other", "unreadable")

    @property
    def on_devices(self) -> bool:
        """Whether it takes up (or, where abstract, would take up) memory of devices."""
        return self.mesh >= 0 and self.state in ("live", "abstract") and not self.offloaded

    def placement(self, meshes: Sequence[Mesh], jax_version: str) -> Placement:
        """Where the shards of arrays of this type live.

        Args:
            meshes: those that ``mesh`` is an index of; it must be on one.
            jax_version: of the document.
        """
        return Placement(
            mesh=meshes[self.mesh],
            shape=self.shape,
            dims=self.dims,
            dtype=self.dtype,
            bits=self.bits,
            type=self.type,
            sharding=self.sharding,
            spec=self.spec,
            unreduced=self.unreduced,
            reduced=self.reduced,
            memory_kind=self.memory_kind,
            state="abstract" if self.state == "abstract" else "deleted" if self.state == "deleted" else "live",
            jax_version=jax_version,
        )


@dataclass(frozen=True)
class Flag:
    """Something to look at, of one leaf or of several equal ones."""

    kind: FlagKind
    leaves: Ints
    """Indices in ``Model.leaves``."""
    cost: int
    """Bytes on each device that could be saved, of all these leaves together."""
    reason: str
    """One sentence."""
    spec: str = ""
    """A spec without this cost, as code; empty where none is known."""


@dataclass(frozen=True)
class Leaf:
    """A leaf of a tree. Derived from the tables of a ``Model``."""

    path: str
    """As ``jax.tree_util.keystr`` writes it; empty where the tree is one leaf."""
    name: str
    """The path with ``/`` between its steps, as rules match it: ``params/layers/0/qkv``."""
    kind: LeafType
    bytes: int
    """Bytes of the array, held once; 0 for what was deleted or is not an array."""
    bytes_per_device: int
    """Bytes of its largest shard; 0 for what is on no device."""
    copies: int
    """Devices that hold each tile; 0 for what is on no device."""
    flags: tuple[Flag, ...]
    """Worst first."""

    @property
    def type(self) -> str:
        """Short dtype and shape with the mesh axes that cut it: ``bf16[1024@data,3072]``."""
        return self.kind.type
