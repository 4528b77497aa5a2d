"""A whole tree of arrays and where its bytes are: tables, in which equal leaves share what they have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from shardwidget.document._matching import Placed, matched
from shardwidget.document.base import Document
from shardwidget.document.leaf import Flag, Key, Leaf, LeafType, RuleEffect
from shardwidget.document.mesh import Mesh
from shardwidget.document.model_comparison import ComparedTree, ModelComparison
from shardwidget.document.placement import Placement
from shardwidget.document.playground import Terms
from shardwidget.document.wire import VERSION, Ints

__all__ = ["Model"]


@dataclass(frozen=True, repr=False)
class Model(Document):
    """A tree of arrays and where they live. Made without touching their data.

    The nodes of the tree are in *preorder*: a node, then all below it, then its next sibling. Its leaves are the
    nodes that have nothing below. A tree that is one leaf has one node, whose key is empty.
    """

    mesh: Mesh
    """The mesh that holds the most bytes."""
    other_meshes: tuple[Mesh, ...]
    """The other meshes, and single devices, that leaves are on."""
    types: tuple[LeafType, ...] = field(metadata={"wire": "table"})
    """The distinct types of leaves."""
    keys: tuple[Key, ...] = field(metadata={"wire": "table"})
    """The distinct keys of nodes."""
    node_key: Ints
    """For each node, the index of its key in ``keys``."""
    node_depth: Ints
    """For each node, the number of nodes above it, the root not counted."""
    leaf_type: Ints
    """For each leaf, the index of its type in ``types``."""
    folds: tuple[Ints, ...] = field(metadata={"wire": "table"})
    """Groups of sibling nodes that are equal but for a number in their keys, such as the layers of a model."""
    flags: tuple[Flag, ...] = field(metadata={"wire": "table"})
    """The reasons to look at leaves, the worst first."""
    terms: Terms
    """How this version of JAX spells shardings and words their errors."""
    small_flags: int = 0
    """Further reasons to look, each about less than 1 % of what is on the fullest device; they are not listed."""
    small_cost: int = 0
    """Bytes that these could save on each device, in all."""
    rules: tuple[RuleEffect, ...] = ()
    """What came of rules that were tried; without them this is the tree as it is."""
    bytes_per_device_before: int = 0
    """Bytes on the device that held most without the rules; 0 where none were tried."""
    name: str = ""
    """What the user calls the tree; empty where that is not known."""
    jax_version: str = ""
    kind: Literal["model"] = field(default="model", init=False)
    version: int = field(default=VERSION, init=False)

    # Derived, never on the wire.

    @property
    def meshes(self) -> tuple[Mesh, ...]:
        """All meshes, the main one first."""
        return (self.mesh, *self.other_meshes)

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        """The leaves, in the tree's order."""
        of_leaf: list[list[Flag]] = [[] for _ in range(self.leaf_type.size)]
        for flag in self.flags:
            for leaf in flag.leaves.array().tolist():
                of_leaf[leaf].append(flag)
        columns = zip(self._paths, self.names, self.leaf_type.array().tolist(), of_leaf, strict=True)
        out = []
        for path, name, index, flags in columns:
            size, on_device, copies = self.sizes[index]
            text = "".join(key.text for key in path)
            out.append(Leaf(text, name, self.types[index], size, on_device, copies, tuple(flags)))
        return tuple(out)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The path of each leaf with ``/`` between its steps."""
        return tuple(map("/".join, self.key_names))

    @property
    def key_names(self) -> tuple[tuple[str, ...], ...]:
        """The steps of the path of each leaf."""
        return tuple(tuple(key.name for key in path) for path in self._paths)

    @cached_property
    def sizes(self) -> tuple[tuple[int, int, int], ...]:
        """Of each type: bytes, bytes on each device, copies."""
        return tuple(map(self._sizes, range(len(self.types))))

    @property
    def bytes(self) -> int:
        """Bytes of all arrays, each held once."""
        return sum(self.sizes[index][0] * count for index, count in self._counts)

    @cached_property
    def device_bytes(self) -> dict[tuple[str, int], int]:
        """Bytes on each device, by its platform and ``Device.id``; of abstract meshes by ``""`` and position."""
        held: dict[int, np.ndarray] = {}
        for index, count in self._counts:
            kind = self.types[index]
            if kind.on_devices:
                mesh = self.meshes[kind.mesh]
                total = held.setdefault(kind.mesh, np.zeros(mesh.size, np.int64))
                total += count * self.placement(index).shard_bytes
        out: dict[tuple[str, int], int] = {}
        for index, totals in held.items():
            mesh = self.meshes[index]
            for device, total in zip(mesh.device_ids.array().tolist(), totals.tolist(), strict=True):
                key = ("" if mesh.abstract else mesh.platform, device)
                out[key] = out.get(key, 0) + total
        return out

    @property
    def bytes_per_device(self) -> int:
        """Bytes on the device that holds most."""
        return max(self.device_bytes.values(), default=0)

    @property
    def wasted_bytes(self) -> int:
        """Bytes on all devices that are spent on copies."""
        return sum(
            count * self.placement(index).wasted_bytes for index, count in self._counts if self.types[index].on_devices
        )

    @property
    def arrays(self) -> int:
        """Leaves that are arrays."""
        return sum(count for index, count in self._counts if self.types[index].is_array)

    def diff(self, other: Model) -> ModelComparison:
        """This tree against another one: what moved, grew, shrank, lost or gained an axis, or is in only one.

        Leaves are matched by path; where one tree is part of the other, as parameters are of an optimizer's state, by
        the path below that place.

        Args:
            other: the tree after a change, or gradients, or an optimizer's state.
        """
        names = (self.name, other.name) if self.name and other.name and self.name != other.name else ("before", "after")
        return compared(dict(zip(names, (self, other), strict=True)))

    def placement(self, index: int) -> Placement:
        """Where the shards of arrays of a type live.

        Args:
            index: of the type, which must be on devices.
        """
        return self.types[index].placement(self.meshes, self.jax_version)

    @cached_property
    def leaf_nodes(self) -> tuple[int, ...]:
        """The node of each leaf."""
        depth = self.node_depth.array()
        return tuple(np.flatnonzero(np.append(depth[1:] <= depth[:-1], True)).tolist())

    @cached_property
    def _counts(self) -> list[tuple[int, int]]:
        """The index of each type and its number of leaves."""
        return list(enumerate(np.bincount(self.leaf_type.array(), minlength=len(self.types)).tolist()))

    def _sizes(self, index: int) -> tuple[int, int, int]:
        of = self.types[index]
        if not of.is_array or of.state in ("deleted", "shared"):
            return 0, 0, 0
        if of.mesh < 0:
            return Placement(self.mesh, of.shape, bits=of.bits).nbytes, 0, 0
        placed = self.placement(index)
        return placed.nbytes, placed.bytes_per_device if of.on_devices else 0, placed.copies

    @cached_property
    def _paths(self) -> tuple[tuple[Key, ...], ...]:
        """The path of each leaf."""
        leaves = set(self.leaf_nodes)
        path: list[Key] = []
        out = []
        for node, (key, depth) in enumerate(
            zip(self.node_key.array().tolist(), self.node_depth.array().tolist(), strict=True)
        ):
            del path[depth:]
            path.append(self.keys[key])
            if node in leaves:
                out.append(tuple(k for k in path if k.text))
        return tuple(out)


def compared(models: Mapping[str, Model]) -> ModelComparison:
    """Trees side by side, each against the first.

    Args:
        models: at least two trees by name.
    """
    rows, lines = matched([_placed(model) for model in models.values()])
    first = next(iter(models.values()))
    return ModelComparison(
        mesh=first.mesh,
        trees=tuple(ComparedTree(name, m.arrays, m.bytes, m.bytes_per_device) for name, m in models.items()),
        rows=rows,
        lines=lines,
        jax_version=first.jax_version,
    )


def _placed(model: Model) -> list[Placed]:
    return [
        Placed(leaf, path, model.meshes[leaf.kind.mesh] if leaf.kind.mesh >= 0 else None)
        for path, leaf in zip(model.key_names, model.leaves, strict=True)
        if leaf.kind.state not in ("none", "other")
    ]
