"""Live arrays that no name holds."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from shardwidget import _jax
from shardwidget.document import Placement
from shardwidget.read._namespace.records import Record, Records


def loose_records(live: Sequence[Any], named: Collection[Record], records: Records) -> list[Record]:
    """The live arrays that names do not hold, and that share no memory with those that names hold.

    Args:
        live: what ``jax.live_arrays()`` returns.
        named: records of the arrays that names hold.
        records: keeps the records of the others.
    """
    known = {r.base for r in named}
    rest = [x for x in live if id(x) not in known]
    of_rest = records.of(rest)
    # Reading the values of an array leaves arrays of its single shards behind. Their memory address identifies them,
    # which is read only where a shard can be one of those: reading it makes an array of the shard.
    kinds = records.kinds
    alone = {index for index in {r.kind for r in of_rest} if (p := kinds[index].placement) and p.mesh.size == 1}
    if not alone:
        return of_rest
    every = (*named, *of_rest)
    placed = {index: kinds[index].placement for index in {r.kind for r in every}}
    forms = {(kinds[index].type.shape, kinds[index].type.dtype) for index in alone}
    cut = {index for index, p in placed.items() if p and index not in alone and _has_shard(p, forms)}
    taken = {place for r in every if r.kind in cut for place in _places(r)} if cut else set()
    out = []
    for record in of_rest:
        if record.kind in alone:
            places = _places(record)
            if not taken.isdisjoint(places):
                continue
            taken.update(places)
        out.append(record)
    return out


def _has_shard(placed: Placement, forms: Collection[tuple[tuple[int, ...], str]]) -> bool:
    """Whether a shard of an array can be an array of one of these shapes and dtypes."""
    if not placed.dtype.startswith("key<"):
        return (placed.shard_shape, placed.dtype) in forms
    # The shards of keys are arrays of their bits, in one more dimension.
    return any(dtype == "uint32" and shape[:-1] == placed.shard_shape for shape, dtype in forms if shape)


def _places(record: Record) -> Sequence[Any]:
    """Where the array's memory is; nowhere if it is gone."""
    x = record.ref()
    return () if x is None else _jax.memory_at(x)
