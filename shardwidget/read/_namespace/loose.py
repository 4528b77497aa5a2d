"""Live arrays that no name holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shardwidget import _jax
from shardwidget.read._namespace.records import Record, Records


def loose(live: Sequence[Any], named: Sequence[Any], of_named: Sequence[Record], records: Records) -> list[Record]:
    """The live arrays that names do not hold, and that share no memory with those that names hold.

    Args:
        live: what ``jax.live_arrays()`` returns.
        named: arrays that names hold.
        of_named: their records.
        records: keeps the records of the others.
    """
    plain = type(live[0]) if live else None
    known = {id(x if type(x) is plain else _jax.base_array(x)) for x in named}
    rest = [x for x in live if id(x) not in known]
    of_rest = records.of(rest)
    # Reading the values of an array leaves arrays of its single shards behind. Their memory address identifies them,
    # which is read only where a shard can be one of those: reading it makes an array of the shard.
    kinds = records.kinds
    placed = {index: kinds[index].placement for index in {r.kind for r in (*of_named, *of_rest)}}
    alone = {index for index in {r.kind for r in of_rest} if (p := placed[index]) and p.mesh.size == 1}
    forms = {(kinds[index].type.shape, kinds[index].type.dtype) for index in alone}
    cut = {index for index, p in placed.items() if p and index not in alone and (p.shard_shape, p.dtype) in forms}
    pairs = [*zip(named, of_named, strict=True), *zip(rest, of_rest, strict=True)]
    taken = {place for x, r in pairs if r.kind in cut for place in _jax.memory_at(_jax.base_array(x))} if cut else set()
    out = []
    for x, record in zip(rest, of_rest, strict=True):
        if record.kind in alone:
            places = _jax.memory_at(x)
            if not taken.isdisjoint(places):
                continue
            taken.update(places)
        out.append(record)
    return out
