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
    """The totals of one of the trees."""

    name: str
    arrays: int
    """The number of its arrays."""
    bytes: int
    """Bytes of all its arrays, each held once."""
    bytes_per_device: int
    """Bytes on the device that holds the most."""


@dataclass(frozen=True)
class ComparedArray:
    """The properties of a leaf that are compared."""

    under: str
    """What precedes the row's path in this tree, ``0/mu``; empty where nothing does."""
    type: str
    """The short dtype and the shape with the mesh axes that split it: ``bf16[1024@data,3072]``."""
    spec: str | None
    """The PartitionSpec as JAX prints it; None where the sharding has none."""
    bytes: int
    """Bytes of the array, held once."""
    bytes_per_device: int
    """Bytes of its largest shard; 0 where it is on no device."""
    copies: int
    """The number of devices that hold each tile; 0 where it is on no device."""


@dataclass(frozen=True)
class ComparedCell:
    """What a tree holds at a path: several arrays where it contains another tree more than once, as in Adam's state."""

    arrays: tuple[ComparedArray, ...] = ()
    status: Status = "same"
    """How it differs from the first tree. ``moved``: on other devices, or the same axes split other dimensions;
    ``only here``: the first tree has nothing there; ``only there``: only the first tree has something there;
    ``absent``: neither has. Where there are several arrays, each is compared with its counterpart, and the first status
    that applies, in the order above, counts."""
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
    """The path with ``/`` between its steps, without what precedes it in one of the trees."""
    cells: tuple[ComparedCell, ...]
    """What each tree holds there."""

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
    """Rows that are equal but for numbers in their paths, such as those of a model's layers."""

    path: str
    """Their paths in one, with the range of the numbers: ``layers/0…11/qkv``."""
    rows: Ints
    """Indices of the rows in ``ModelComparison.rows``."""


@dataclass(frozen=True, repr=False)
class ModelComparison(Document):
    """Two or more trees of arrays side by side, each against the first."""

    mesh: Mesh
    """The mesh that holds the most bytes of the first tree."""
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
