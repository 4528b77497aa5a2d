"""The leaves of a tree of arrays: what each is called, what equal ones share, and what is flagged in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from shardwidget.document.mesh import Mesh
from shardwidget.document.placement import Dim, Placement
from shardwidget.document.wire import Ints

__all__ = ["Flag", "Key", "LeafType", "RuleEffect"]

LeafState = Literal["live", "abstract", "deleted", "shared", "host", "none", "other", "unreadable"]
FlagKind = Literal["copied", "unlike", "one device", "uneven", "tiny", "unreadable"]


@dataclass(frozen=True)
class Key:
    """One step of a path."""

    text: str
    """The key as ``jax.tree_util.keystr`` writes it: ``['embed']``, ``[0]``, ``.mu``."""
    name: str
    """The key as ``keystr(…, simple=True)`` writes it: ``embed``, ``0``, ``mu``."""


@dataclass(frozen=True)
class LeafType:
    """What equal leaves have in common: a shape, a dtype, and where their shards live."""

    type: str
    """The short dtype and the shape with the mesh axes that split it, whatever their axis types:
    ``bf16[1024@data,3072]``. The class of what is not an array."""
    state: LeafState = "live"
    """What kind of leaf it is: ``abstract`` has a shape and no data, ``shared`` has the memory of another leaf, where
    it counts (``note`` says which), ``host`` is in the host's memory, ``none`` is None, ``other`` is no array,
    ``unreadable`` is an array that cannot be read (``note`` says why)."""
    shape: tuple[int, ...] = ()
    dtype: str = ""
    """The long name of the dtype, for example ``bfloat16`` or ``key<fry>``."""
    bits: int = 0
    """Bits of one element in memory."""
    mesh: int = -1
    """Index in ``Model.meshes``; -1 for what is on no device."""
    dims: tuple[Dim, ...] = ()
    spec: str | None = None
    """The PartitionSpec as JAX prints it; None where the sharding has none."""
    sharding: str = ""
    """The class of the sharding; empty where there is none."""
    unreduced: tuple[str, ...] = ()
    reduced: tuple[str, ...] = ()
    memory_kind: str = ""
    offloaded: bool = False
    """Whether ``memory_kind`` is a memory other than that of the devices themselves."""
    note: str = ""
    """Why it cannot be read, in JAX's words."""
    logical: tuple[str, ...] = ()
    """The logical name of each dimension, as flax keeps it beside a parameter; empty for a dimension without one."""
    device_bits: int = 0
    """Bits of one element after ``jax.device_put``: 32 for ``float64`` in the host's memory, unless 64-bit types are
    enabled; 0 where devices cannot hold it."""

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
class RuleEffect:
    """What came of a rule that says how leaves would be split."""

    rule: str
    """The rule as it was written."""
    matches: int = 0
    """The number of leaves that it matches."""
    counts: int = 0
    """The number of those that it decides: a later rule may decide the others."""
    copies: tuple[int, int] | None = None
    """Copies of these before and after, where all have the same."""
    refused: int = 0
    """The number of those that JAX refuses to split so; they stay as they are."""
    refused_path: str = ""
    """The first of them."""
    error: str = ""
    """JAX's words for it; or why the line is no rule."""


@dataclass(frozen=True)
class Flag:
    """A reason to look at one leaf, or at several equal ones."""

    kind: FlagKind
    leaves: Ints
    """Indices in ``Model.leaves`` of the leaves that it is about."""
    cost: int
    """Bytes that could be saved on each device, over all these leaves."""
    reason: str
    """The reason, in one sentence."""
    spec: str = ""
    """A spec that avoids the cost, as code; empty where none is known."""


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
