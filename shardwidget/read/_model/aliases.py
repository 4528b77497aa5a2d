"""Arrays that have their memory in common: tied weights, shards of an array, the same buffers on another mesh."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from shardwidget import _jax
from shardwidget.document.leaf import LeafType
from shardwidget.document.mesh import Mesh


def aliases(arrays: Sequence[Any], kinds: Sequence[int], addressed: frozenset[int]) -> dict[int, int]:
    """By index, the arrays all of whose memory another one has too, and the index of that one.

    Of arrays with the same memory, the first stands for the others; a shard is its array's, in any order. Where the
    backend gives no addresses, only the same object is the same memory.

    Args:
        arrays: live ``jax.Array``s, or NumPy arrays.
        kinds: what each is; a number for those of one shape, dtype and sharding.
        addressed: the kinds whose addresses are read, see ``comparable``. Of others, each object has its own memory.
    """
    memory = [
        frozenset((kind in addressed and _jax.memory_at(x)) or [id(_jax.base_array(x))])
        for x, kind in zip(arrays, kinds, strict=True)
    ]
    first: dict[frozenset[int], int] = {}
    for k, mine in enumerate(memory):
        first.setdefault(mine, k)
    here: dict[int, list[frozenset[int]]] = {}
    for one in first:
        for place in one:
            here.setdefault(place, []).append(one)
    whole = {
        one: max((o for o in here[next(iter(one))] if one <= o), key=lambda o: (len(o), -first[o])) for one in first
    }
    return {k: first[whole[mine]] for k, mine in enumerate(memory) if first[whole[mine]] != k}


def comparable(kinds: Mapping[int, LeafType], meshes: Sequence[Mesh]) -> frozenset[int]:
    """The kinds of which an array may have the memory of another, other object.

    Reading the addresses of an array on several devices makes an array of each of its shards, which
    ``jax.live_arrays`` lists from then on: only those are read that have shards such as another kind has.

    Args:
        kinds: live ones, by their numbers.
        meshes: those that they are on.
    """
    alone: set[int] = set()
    forms: dict[Hashable, list[int]] = {}
    for number, kind in kinds.items():
        if kind.mesh < 0:
            continue
        if meshes[kind.mesh].size == 1:
            alone.add(number)
        forms.setdefault(_shard_form(kind, meshes), []).append(number)
    return frozenset(alone.union(*(same for same in forms.values() if len(same) > 1)))


def _shard_form(kind: LeafType, meshes: Sequence[Mesh]) -> Hashable:
    """Shape and dtype of the largest shard; of keys, those of their bits."""
    shape = kind.placement(meshes, "").shard_shape
    return ((*shape, kind.bits // 32), "uint32") if kind.dtype.startswith("key<") else (shape, kind.dtype)
