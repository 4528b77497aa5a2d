"""Trees of arrays side by side: what each holds at every path, and how it differs from the first tree."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from shardwidget.document.base import Document
from shardwidget.document.mesh import Mesh
from shardwidget.document.wire import VERSION, Ints

__all__ = ["ComparedArray", "ComparedCell", "ComparedLine", "ComparedRow", "ComparedTree", "ModelComparison"]

Status = Literal[
    "lost an axis",
    "gained an axis",
    "moved",
    "grew",
    "shrank",
    "another type",
    "same",
    "only here",
    "only there",
    "absent",
]


@dataclass(frozen=True)
class ComparedTree:
    """One of the trees, and its totals."""

    name: str
    arrays: int
    bytes: int
    """Of all its arrays, each held once."""
    bytes_per_device: int
    """On the device that holds most."""


@dataclass(frozen=True)
class ComparedArray:
    """What is compared of a leaf."""

    under: str
    """What comes before the row's path in this tree: ``0/mu``; empty for the path itself."""
    type: str
    """Short dtype and shape with the mesh axes that cut it: ``bf16[1024@data,3072]``."""
    spec: str | None
    """The PartitionSpec as JAX prints it; None where the sharding has none."""
    bytes: int
    """Of the array, held once."""
    bytes_per_device: int
    """Of its largest shard; 0 for what is on no device."""
    copies: int
    """Devices that hold each tile; 0 for what is on no device."""


@dataclass(frozen=True)
class ComparedCell:
    """What a tree holds at a path: several arrays where it has another tree in it several times, as Adam's state."""

    arrays: tuple[ComparedArray, ...] = ()
    status: Status = "same"
    """Against the first tree. ``moved``: other devices, or the same axes at other dimensions; ``only here``: the first
    tree has none; ``only there``: only the first tree has one; ``absent``: neither has. Of several arrays each is
    compared with its counterpart, and the first status in the order above counts."""
    axes: tuple[str, ...] = ()
    """The mesh axes that were lost or gained."""

    @property
    def bytes(self) -> int:
        """Of all its arrays, each held once."""
        return sum(array.bytes for array in self.arrays)

    @property
    def bytes_per_device(self) -> int:
        """Of the largest shard of each."""
        return sum(array.bytes_per_device for array in self.arrays)


@dataclass(frozen=True)
class ComparedRow:
    """A path, and what each tree holds there."""

    path: str
    """With ``/`` between its steps; without what a tree has before it."""
    cells: tuple[ComparedCell, ...]
    """One for each tree."""

    @property
    def differs(self) -> bool:
        """Whether a tree differs here from the first."""
        return any(cell.status not in ("same", "absent") for cell in self.cells)

    @property
    def difference(self) -> int:
        """Bytes on a device that the last tree has more than the first; negative where it has less."""
        return self.cells[-1].bytes_per_device - self.cells[0].bytes_per_device


@dataclass(frozen=True)
class ComparedLine:
    """Rows that are equal but for numbers in their paths, such as those of layers."""

    path: str
    """``layers/0…11/qkv``."""
    rows: Ints
    """Indices in ``ModelComparison.rows``."""


@dataclass(frozen=True, repr=False)
class ModelComparison(Document):
    """Two or more trees of arrays side by side, each against the first."""

    mesh: Mesh
    """The mesh that holds most bytes of the first tree."""
    trees: tuple[ComparedTree, ...]
    rows: tuple[ComparedRow, ...] = field(metadata={"wire": "table"})
    lines: tuple[ComparedLine, ...] = field(metadata={"wire": "table"})
    jax_version: str = ""
    kind: Literal["model comparison"] = field(default="model comparison", init=False)
    version: int = field(default=VERSION, init=False)

    @property
    def differing(self) -> tuple[ComparedRow, ...]:
        """The rows in which a tree differs from the first."""
        return tuple(row for row in self.rows if row.differs)
