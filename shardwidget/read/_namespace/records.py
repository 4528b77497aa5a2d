"""What is remembered about arrays between cells: their types, and which is which, without keeping any of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import ref

import jax

from shardwidget import _jax
from shardwidget.document.leaf import LeafType
from shardwidget.document.placement import Placement
from shardwidget.read._model.aliases import aliases, comparable
from shardwidget.read._model.leaves import LeafReader

LEAST_KNOWN = 1024
"""So many records are kept in any case."""


class Record:
    """An array, as it was when it was first seen. The same object stands for the same array, until it is deleted."""

    __slots__ = ("base", "deleted", "kind", "ref")

    def __init__(self, ref: Any, base: int, kind: int, deleted: bool) -> None:
        self.ref = ref
        """Weak: it keeps no array alive."""
        self.base = base
        """The id of the array that JAX lists as live for it: of a PRNG key, that of its data."""
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
    """The arrays that exist, and the types of all that ever existed."""

    def __init__(self) -> None:
        self.leaves = LeafReader()
        self.kinds: list[ArrayKind] = []
        self._known: dict[int, Record] = {}

    def of(self, arrays: Iterable[Any]) -> list[Record]:
        """The records of arrays."""
        known = self._known
        out = []
        for x in arrays:
            record = known.get(id(x))
            # An id is reused for another array once the first is gone.
            if record is None or record.ref() is not x or record.deleted != x.is_deleted():
                record = known[id(x)] = Record(ref(x), id(_jax.base_array(x)), self._kind(x), x.is_deleted())
            out.append(record)
        return out

    def aliased(self, records: Iterable[Record]) -> dict[Record, Record]:
        """The records whose memory another one has too, and that one."""
        there = [r for r in dict.fromkeys(records) if not r.deleted and self.kinds[r.kind].placement]
        of = comparable({r.kind: self.kinds[r.kind].type for r in there}, self.leaves.meshes)
        there = [r for r in there if r.kind in of]
        found = aliases([r.ref() for r in there], [r.kind for r in there], of)
        return {there[k]: there[other] for k, other in found.items()}

    def forget(self, there: int) -> None:
        """Forgets arrays that are gone, once they are more than the arrays that are there."""
        if len(self._known) > 2 * there + LEAST_KNOWN:
            self._known = {at: record for at, record in self._known.items() if record.ref() is not None}

    def _kind(self, x: Any) -> int:
        kind = self.leaves.read(x)
        while len(self.kinds) < len(self.leaves.types):
            of = self.leaves.types[len(self.kinds)]
            placed = of.placement(self.leaves.meshes, jax.__version__) if of.on_devices else None
            self.kinds.append(ArrayKind(of, placed))
        return kind
