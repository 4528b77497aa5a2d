"""Hypothesis strategies: meshes, and shardings with a shape that fits them."""

import math
from collections.abc import Sequence

import jax
import numpy as np
from hypothesis import strategies as st
from jax.sharding import AbstractMesh, AxisType, Mesh, NamedSharding, PartitionSpec

from shardwidget import _jax

NAMES = "xyzw"


@st.composite
def axis_sizes(draw, most: int) -> tuple[int, ...]:
    """One to four sizes whose product is at most ``most``; ones among them."""
    sizes: list[int] = []
    for _ in range(draw(st.integers(1, 4))):
        sizes.append(draw(st.integers(1, most // math.prod(sizes))))
    return tuple(draw(st.permutations(sizes)))


@st.composite
def meshes(draw, types: Sequence[AxisType] = (AxisType.Auto, AxisType.Explicit)) -> Mesh:
    """Some of the devices, in any order."""
    sizes = draw(axis_sizes(len(jax.devices())))
    devices = draw(st.permutations(jax.devices()))[: math.prod(sizes)]
    kinds = tuple(draw(st.sampled_from(types)) for _ in sizes)
    return Mesh(np.array(devices).reshape(sizes), tuple(NAMES[: len(sizes)]), axis_types=kinds)


@st.composite
def abstract_meshes(draw, most: int = 4096) -> AbstractMesh:
    sizes = draw(axis_sizes(most))
    kinds = tuple(draw(st.sampled_from([AxisType.Auto, AxisType.Explicit])) for _ in sizes)
    return AbstractMesh(sizes, tuple(NAMES[: len(sizes)]), axis_types=kinds)


@st.composite
def specs(draw, mesh: Mesh | AbstractMesh, rank: int, sums: bool = False) -> PartitionSpec:
    """Any spec of a rank: axes in any dimension and order, or in none; with ``sums`` also unreduced, reduced."""
    dims: list[list[str]] = [[] for _ in range(rank)]
    sets: dict[str, set[str]] = {"unreduced": set(), "reduced": set()}
    kinds = dict(zip(mesh.axis_names, mesh.axis_types, strict=True))
    for axis in draw(st.permutations(mesh.axis_names)):
        places = ["none", *range(rank)]
        if sums and kinds[axis] == AxisType.Explicit:
            places += list(sets)
        place = draw(st.sampled_from(places))
        if isinstance(place, int):
            dims[place].append(axis)
        elif place in sets:
            sets[place].add(axis)
    entries = [tuple(names) if len(names) > 1 or draw(st.booleans()) else names[0] if names else None for names in dims]
    entries = [None if entry == () else entry for entry in entries]
    if AxisType.Auto in mesh.axis_types:
        entries = [PartitionSpec.UNCONSTRAINED if entry is None and draw(st.booleans()) else entry for entry in entries]
    while entries and entries[-1] is None and draw(st.booleans()):
        entries.pop()
    return PartitionSpec(*entries, **{state: frozenset(axes) for state, axes in sets.items()})


@st.composite
def shapes(draw, sharding: NamedSharding, rank: int, most: int = 3) -> tuple[int, ...]:
    """A shape that the sharding fits, with zero-size dimensions among them."""
    sizes = []
    entries = _jax.partitions(sharding.spec)
    for d in range(rank):
        entry = entries[d] if d < len(entries) else None
        names = entry if isinstance(entry, tuple) else (entry,) if isinstance(entry, str) else ()
        sizes.append(math.prod(sharding.mesh.shape[name] for name in names) * draw(st.integers(0, most)))
    return tuple(sizes)


@st.composite
def placed(draw, mesh=None, sums: bool = False, most_rank: int = 6) -> jax.ShapeDtypeStruct:
    """An abstract array on any mesh, with any spec."""
    mesh = draw(meshes() if mesh is None else mesh)
    rank = draw(st.integers(0, most_rank))
    sharding = NamedSharding(mesh, draw(specs(mesh, rank, sums)))
    dtype = draw(st.sampled_from(["float32", "bfloat16", "int8", "bool", "complex64"]))
    return jax.ShapeDtypeStruct(draw(shapes(sharding, rank)), dtype, sharding=sharding)


@st.composite
def filled(draw, **kwargs) -> jax.Array:
    """A real array, each device's shard filled with its own numbers, so that partial sums differ."""
    like = draw(placed(**kwargs))
    shard = like.sharding.shard_shape(like.shape)
    count = math.prod(shard)
    data = [
        jax.device_put((np.arange(count) + k * count).reshape(shard).astype(like.dtype), device)
        for k, device in enumerate(like.sharding.mesh.devices.flat)
    ]
    return jax.make_array_from_single_device_arrays(like.shape, like.sharding, data)
