"""Placements made by hand, for tests of what draws them."""

from __future__ import annotations

from typing import Any

from shardwidget.document import Dim, Ints, Mesh, MeshAxis, Placement


def mesh(process: list[int] | None = None, /, **axes: int) -> Mesh:
    """A mesh of CPU devices numbered in order; ``process`` says whose each one is."""
    size = 1
    for n in axes.values():
        size *= n
    named = tuple(MeshAxis(name, n, "Explicit") for name, n in axes.items())
    return Mesh(named, Ints.pack(range(size)), Ints.pack(process or [0] * size), 0, kind="cpu", platform="cpu")


def placement(
    on: Mesh, shape: tuple[int, ...] = (), split: tuple[tuple[str, ...], ...] = (), **fields: Any
) -> Placement:
    """An f32 array; ``split`` gives the mesh axes of each dimension, missing ones are whole."""
    dims = tuple(Dim(n, split[d] if d < len(split) else ()) for d, n in enumerate(shape))
    given = {"dtype": "float32", "bits": 32, "name": "x", "sharding": "NamedSharding", "spec": "P(…)"} | fields
    return Placement(on, shape, dims, **given)
