"""Reshard plans that tests share: JaxPP's own example, parameters of a model, both ways, and ``device_put``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jax
import numpy as np
from jax.sharding import AbstractMesh, AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

from shardwidget import read
from shardwidget.document import ReshardPlan

MIB = 2**20
EXAMPLE_SHAPES = ((1024, 4096), (4096, 1024), (4, 128, 1024))
EXAMPLE_SPECS = (P(("stage", "fsdp"), "tensor"), P("tensor", ("stage", "fsdp")), P("fsdp"))
EXAMPLE_INSIDE = (P("fsdp", "tensor"), P("tensor", "fsdp"), P("fsdp"))
EXAMPLE_GROUPS = (0, 1, 0)


def eight() -> Mesh:
    """The mesh of JaxPP's example: two stages of four devices."""
    return Mesh(np.array(jax.devices()[:8]).reshape(2, 2, 2), ("stage", "fsdp", "tensor"))


def struct(shape: tuple[int, ...], mesh: Any, spec: P, dtype: str = "float32") -> jax.ShapeDtypeStruct:
    """A shape on a mesh."""
    return jax.ShapeDtypeStruct(shape, dtype, sharding=NamedSharding(mesh, spec))


def example(threshold: int = 8 * MIB, specs: tuple[P, ...] = EXAMPLE_SPECS, **options: Any) -> ReshardPlan:
    """The plan of JaxPP's own example."""
    mesh = eight()
    arrays = [struct(shape, mesh, spec) for shape, spec in zip(EXAMPLE_SHAPES, EXAMPLE_SPECS, strict=True)]
    targets = [({group}, spec) for group, spec in zip(EXAMPLE_GROUPS, specs, strict=True)]
    return read.reshard_plan(arrays, targets, mesh, "stage", threshold=threshold, **options)


def back(threshold: int = 8 * MIB, **options: Any) -> ReshardPlan:
    """The same arrays on their way back."""
    mesh = eight()
    parts = [Mesh(mesh.devices[[group]], mesh.axis_names) for group in EXAMPLE_GROUPS]
    arrays = [struct(*of) for of in zip(EXAMPLE_SHAPES, parts, EXAMPLE_INSIDE, strict=True)]
    targets = [NamedSharding(mesh, spec) for spec in EXAMPLE_SPECS]
    return read.reshard_plan(arrays, targets, mesh, "stage", threshold=threshold, **options)


def put(**options: Any) -> ReshardPlan:
    """A transposed layout on the same devices."""
    mesh = eight()
    x = struct((1024, 1024), mesh, P("fsdp", "tensor"))
    return read.reshard_plan(x, NamedSharding(mesh, P("tensor", ("stage", "fsdp"))), **options)


def put_elsewhere() -> ReshardPlan:
    """From one half of the devices to the other, by a mesh of another shape."""
    devices = np.array(jax.devices()[:8])
    x = struct((1024, 1024), Mesh(devices[:4].reshape(2, 2), ("data", "model")), P("data", "model"))
    return read.reshard_plan(x, NamedSharding(Mesh(devices[4:], ("x",)), P("x")), compiled=True)


def parameters(layers: int, mesh: Any, threshold: int) -> ReshardPlan:
    """A model's parameters, spread over the whole mesh, to the stages that need them; the embedding to two."""
    split = ("stage", "data")
    stages = mesh.shape["stage"]

    def layer() -> dict[str, Any]:
        return {
            "norm": struct((1024,), mesh, P(), "bfloat16"),
            "qkv": struct((1024, 3072), mesh, P(split, "model"), "bfloat16"),
            "out": struct((1024, 1024), mesh, P("model", split), "bfloat16"),
            "up": struct((1024, 4096), mesh, P(split, "model"), "bfloat16"),
            "down": struct((4096, 1024), mesh, P("model", split), "bfloat16"),
        }

    def kept(tree: Any, groups: set[int]) -> Any:
        return jax.tree.map(lambda x: (groups, x.sharding.spec), tree)

    tree = {
        "embed": struct((32768, 1024), mesh, P(split, "model"), "bfloat16"),
        "layers": [layer() for _ in range(layers)],
    }
    targets = {
        "embed": ({0, stages - 1}, tree["embed"].sharding.spec),
        "layers": [kept(one, {n * stages // layers}) for n, one in enumerate(tree["layers"])],
    }
    return read.reshard_plan(tree, targets, mesh, "stage", threshold=threshold)


def _abstract(*sizes: int) -> AbstractMesh:
    return AbstractMesh(sizes, ("stage", "data", "model"), axis_types=(AxisType.Auto,) * 3)


def _plain(make: Callable[[], ReshardPlan]) -> Callable[[], ReshardPlan]:
    return lambda: replace(make(), jax_version="")


RESHARDS: dict[str, Callable[[], ReshardPlan]] = {
    "example": _plain(lambda: example(compiled=True)),
    "example_5": _plain(lambda: example(5 * MIB, compiled=True)),
    "bare": _plain(example),
    "parameters": _plain(lambda: parameters(8, _abstract(4, 2, 2), 16 * MIB)),
    "large": _plain(lambda: parameters(64, _abstract(64, 8, 8), 8 * MIB)),
    "back": _plain(lambda: back(compiled=True)),
    "put": _plain(lambda: put(compiled=True)),
    "put_elsewhere": _plain(put_elsewhere),
}
