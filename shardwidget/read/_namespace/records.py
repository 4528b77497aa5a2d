"""What is remembered about arrays between cells: their types, and which is which, without keeping any of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import ref

import jax

from shardwidget.document.model import LeafType
from shardwidget.document.placement import Placement
from shardwidget.read._model.leaves import LeafReader


class Record:
    """An array, as it was when it was first seen. The same object stands for the same array, until it is deleted."""

    __slots__ = ("deleted", "kind", "ref")

    def __init__(self, ref: Any, kind: int, deleted: bool) -> None:
        self.ref = ref
        """Weak: it keeps no array alive."""
        self.kind = kind
        """Index in ``Records.kinds``."""
        self.deleted = deleted


@dataclass(frozen=True)
class ArrayKind:
    """Totals of arrays of one type."""

    type: LeafType
    placement: Placement | None
    """None for what takes no memory of devices: deleted, or in the memory of the host."""

    @cached_property
    def bytes(self) -> int:
        """Bytes of the array, held once."""
        return self.placement.nbytes if self.placement else 0

    @cached_property
    def spent(self) -> int:
        """Bytes on all devices, beyond one copy of each tile."""
        return self.placement.wasted_bytes if self.placement else 0

    @cached_property
    def copies(self) -> int:
        """Devices that hold each tile."""
        return self.placement.copies if self.placement else 1


class Records:
    """The arrays that existed at the last look, and the types of all that ever existed."""

    def __init__(self) -> None:
        self.leaves = LeafReader()
        self.kinds: list[ArrayKind] = []
        self._known: dict[int, Record] = {}
        self._next: dict[int, Record] = {}

    def of(self, arrays: Iterable[Any]) -> list[Record]:
        """The records of arrays."""
        known, following = self._known, self._next
        out = []
        for x in arrays:
            at = id(x)
            record = known.get(at)
            # An id is reused for another array once the first is gone.
            if record is None or record.ref() is not x or record.deleted != x.is_deleted():
                record = following.get(at)
                if record is None or record.ref() is not x or record.deleted != x.is_deleted():
                    record = Record(ref(x), self._kind(x), x.is_deleted())
            following[at] = record
            out.append(record)
        return out

    def turn(self) -> None:
        """Ends a look: what was not seen in it is forgotten."""
        self._known, self._next = self._next, {}

    def _kind(self, x: Any) -> int:
        kind = self.leaves.read(x)
        while len(self.kinds) < len(self.leaves.types):
            of = self.leaves.types[len(self.kinds)]
            placed = of.placement(self.leaves.meshes, jax.__version__) if of.on_devices else None
            self.kinds.append(ArrayKind(of, placed))
        return kind
