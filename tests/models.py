"""Trees of arrays that tests share: the state of a small transformer, and what a tree may hold besides arrays."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import jax
import numpy as np
from jax.sharding import AbstractMesh, AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

from shardwidget import read
from shardwidget.document import Model, ModelComparison
from shardwidget.document.model import compared

MESH = AbstractMesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def typed(shape: tuple[int, ...], *spec: Any, dtype: str = "bfloat16", mesh: Any = MESH) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, dtype, sharding=NamedSharding(mesh, P(*spec)))


def transformer(layers: int = 12, *, dtype: str = "bfloat16", embed: tuple = ("model", "data"), bare: int = -1) -> dict:
    """The parameters of a transformer of width 1024; a layer that is ``bare`` is not split."""

    def layer(number: int) -> dict:
        def weight(rows: int, columns: int, *spec: str) -> jax.ShapeDtypeStruct:
            return typed((rows, columns), *(() if number == bare else spec), dtype=dtype)

        return {
            "ln1": typed((1024,), dtype=dtype),
            "qkv": weight(1024, 3072, "data", "model"),
            "o": weight(1024, 1024, "model", "data"),
            "ln2": typed((1024,), dtype=dtype),
            "up": weight(1024, 4096, "data", "model"),
            "down": weight(4096, 1024, "model", "data"),
        }

    return {
        "embed": typed((32768, 1024), *embed, dtype=dtype),
        "layers": [layer(n) for n in range(layers)],
        "ln_f": typed((1024,), dtype=dtype),
    }


def training_state(layers: int = 12) -> dict:
    """Parameters and the state of Adam, with two faults: a copied embedding, and one layer of ``mu`` that is copied."""
    return {
        "params": transformer(layers, embed=()),
        "opt": {
            "mu": transformer(layers, dtype="float32", bare=7),
            "nu": transformer(layers, dtype="float32"),
            "count": typed((), dtype="int32"),
        },
    }


def eight(shape: tuple[int, ...] = (4, 2), names: tuple[str, ...] = ("data", "model")) -> jax.sharding.Mesh:
    kinds = (AxisType.Auto,) * len(shape)
    return jax.sharding.Mesh(np.array(jax.devices()[:8]).reshape(shape), names, axis_types=kinds)


def held(tree: Any) -> dict[tuple[str, int], int]:
    """Bytes on each device, by JAX: each buffer once, by its address."""
    buffers = {}
    for x in jax.tree.leaves(tree):
        for shard in x.addressable_shards if isinstance(x, jax.Array) else ():
            buffers[shard.device.id, shard.data.unsafe_buffer_pointer()] = shard.data.nbytes
    out: dict[tuple[str, int], int] = {}
    for (device, _), size in buffers.items():
        out["cpu", device] = out.get(("cpu", device), 0) + size
    return out


def on_mesh(tree: Any, *specs: P) -> Any:
    """Every array split by the first spec that fits it."""
    mesh = eight()

    def put(x: Any) -> Any:
        if not isinstance(x, jax.Array):
            return x
        return jax.device_put(x, NamedSharding(mesh, next((s for s in specs if len(s) == x.ndim), P())))

    return jax.tree.map(put, tree)


def odd_tree() -> dict:
    """Leaves that are not all alike, and some that are not arrays."""
    square = jax.numpy.ones((64, 64))
    gone = jax.numpy.ones(3)
    gone.delete()
    return {
        "cut": on_mesh(square, P("data", "model")),
        "copied": on_mesh(square, P("data", None)),
        "gone": gone,
        "host": np.ones((3, 3)),
        "none": None,
        "one": jax.device_put(square, jax.devices()[3]),
        "shape": jax.ShapeDtypeStruct((8,), "float32"),
        "word": "a <b>word</b>",
    }


class Foreign:
    """An array of another library."""

    ndim, shape, dtype = 2, (8, 8), "float32"


def kept_tree() -> dict:
    """Arrays that rules move, and leaves that no rule moves.

    Deleted, put into the host's memory, of objects, of another library, or with a sharding that raises.
    """
    gone = jax.numpy.ones((8, 8))
    gone.delete()
    return {
        "moved": on_mesh(jax.numpy.ones((8, 8)), P("model", None)),
        "wide": np.ones((8, 8)),
        "gone": gone,
        "offloaded": jax.device_put(np.ones((8, 8)), NamedSharding(eight(), P(), memory_kind="pinned_host")),
        "objects": np.array([None] * 8),
        "foreign": Foreign(),
        "misfit": jax.ShapeDtypeStruct((7, 8), "float32", sharding=NamedSharding(eight(), P("data"))),
    }


def kept_model() -> Model:
    """The model of ``kept_tree``, with the same words on every version of JAX."""
    model = read.model(kept_tree(), name="kept")
    (said,) = {t.note for t in model.types if t.note.startswith("ValueError")}
    own = "ValueError: 7 elements cannot be split over data of size 4"
    return replace(
        model,
        types=tuple(replace(t, note=t.note.replace(said, own)) for t in model.types),
        flags=tuple(replace(f, reason=f.reason.replace(said, own)) for f in model.flags),
    )


MODELS = {
    "state": lambda: read.model(training_state(), name="state"),
    "odd": lambda: read.model(odd_tree(), name="odd"),
    "kept": kept_model,
}
"""What the front end's tests draw."""


def changed() -> ModelComparison:
    """A transformer before and after a change of its specs: the embedding moved, and one layer is copied."""
    after = transformer(3, embed=("data", "model"), bare=1)
    return read.model(transformer(3), name="before").diff(read.model(after, name="after"))


def side_by_side() -> ModelComparison:
    """Parameters, gradients in another dtype, and the state of Adam with a copied layer in ``mu``."""
    adam = {"mu": transformer(3, bare=1), "nu": transformer(3), "count": typed((), dtype="int32")}
    trees = {"parameters": transformer(3), "gradients": transformer(3, dtype="float32"), "optimizer": adam}
    return compared({name: read.model(tree, name=name) for name, tree in trees.items()})


def unchanged() -> ModelComparison:
    model = read.model(transformer(3), name="params")
    return model.diff(model)


MODEL_COMPARISONS = {"changed": changed, "three": side_by_side, "unchanged": unchanged}
"""What the front end's tests compare."""
