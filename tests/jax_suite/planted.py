"""Six faults planted in a step of training a scanned transformer, what ``why`` says of each, and what removes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

from shardwidget.document import Comparison

LAYERS, WIDTH, HEADS, WORDS = 12, 64, 4, 256


class Fault(NamedTuple):
    """A program with a fault."""

    step: Callable[..., Any]
    args: tuple[Any, ...]
    named: str
    """What some answer of ``why`` begins with, as a pattern."""
    remedy: str
    """What some remedy does, as a pattern."""


def faults(mesh: Mesh) -> dict[str, Fault]:
    """The faults, by name.

    Args:
        mesh: of axes ``data`` and ``model``.
    """

    def shape(*sizes: int, spec: Any = (), dtype: Any = jnp.float32) -> jax.ShapeDtypeStruct:
        return jax.ShapeDtypeStruct(sizes, dtype, sharding=NamedSharding(mesh, P(*spec)))

    def params(embed: Any = (None, "model")) -> dict[str, Any]:
        columns, rows = (None, "data", "model"), (None, "model", "data")
        return {
            "embed": shape(WORDS, WIDTH, spec=embed),
            "layers": {
                "qkv": shape(LAYERS, WIDTH, 3 * WIDTH, spec=columns),
                "out": shape(LAYERS, WIDTH, WIDTH, spec=rows),
                "up": shape(LAYERS, WIDTH, 4 * WIDTH, spec=columns),
                "down": shape(LAYERS, 4 * WIDTH, WIDTH, spec=rows),
            },
            "head": shape(WIDTH, WORDS, spec=("data", "model")),
        }

    def attention(x: Any, w: Any) -> Any:
        q, k, v = (t.reshape(*t.shape[:2], HEADS, -1) for t in jnp.split(x @ w["qkv"], 3, axis=-1))
        scores = jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k))
        return jnp.einsum("bhqk,bkhd->bqhd", scores, v).reshape(x.shape) @ w["out"]

    def layer(x: Any, w: Any) -> tuple[Any, None]:
        x = x + attention(x, w)
        return x + jax.nn.gelu(x @ w["up"]) @ w["down"], None

    def blocks(x: Any, p: Any) -> Any:
        return jax.lax.scan(layer, x, p["layers"])[0]

    def error(logits: Any) -> Any:
        return -jnp.mean(jax.nn.log_softmax(logits)[..., 0])

    def right(p: Any, tokens: Any) -> Any:
        x = p["embed"][tokens]
        x = jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P("data")))
        return error(blocks(x, p) @ p["head"])

    def swapped(p: Any, tokens: Any) -> Any:
        x = p["embed"][tokens]
        x = jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P("data")))
        logits = blocks(x, p) @ p["head"]
        logits = jax.lax.with_sharding_constraint(logits, NamedSharding(mesh, P("model", None, "data")))
        return error(logits)

    def unconstrained(p: Any, tokens: Any) -> Any:
        x = p["embed"][tokens]
        return error(blocks(x, p) @ p["head"])

    def wrong(p: Any, tokens: Any) -> Any:
        x = p["embed"][tokens]
        x = jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P(None, None, "data")))
        return error(blocks(x, p) @ p["head"])

    def training(loss: Callable[..., Any]) -> Callable[..., Any]:
        def step(p: Any, mu: Any, tokens: Any) -> Any:
            g = jax.grad(loss)(p, tokens)
            mu = jax.tree.map(lambda m, g: 0.9 * m + g, mu, g)
            return jax.tree.map(jnp.subtract, p, mu), mu

        return step

    tokens = shape(16, 32, spec=("data",), dtype=jnp.int32)
    given = params()
    copied = jax.tree.map(lambda x: x.update(sharding=NamedSharding(mesh, P())), given)
    placed, whole = (jax.tree.map(lambda x: x.sharding, tree) for tree in (given, copied))
    rows = params(embed=("model", None))
    good = given, given, tokens
    asks = r"because with_sharding_constraint in line \d+ asks for it"
    return {
        "logits with swapped axes": Fault(
            training(swapped),
            good,
            rf"Dim 0 of \w+ is split over model {asks}",
            r"leave out the constraint|constrain line \d+ to P\('data', None, 'model'\)",
        ),
        "a missing constraint": Fault(
            training(unconstrained),
            good,
            r"Dim 2 of x is split over model because p\['embed'\] \(argument 0\) is, through gather",
            r"constrain the value of line",
        ),
        "a gather of an embedding": Fault(
            training(right),
            (rows, rows, tokens),
            r"Dim 0 of p\['embed'\] is split over model because argument 0 was given so\.",
            r"split p\['embed'\] as P\(None, ",
        ),
        "a copied state": Fault(
            training(right),
            (given, copied, tokens),
            r"Dim 0 of mu\['embed'\] is whole because argument 1 was given so\.",
            r"split mu as p is",
        ),
        "copied results": Fault(
            jax.jit(training(right), out_shardings=(whole, placed)),
            good,
            r"gathers a result over \w+ only to return it so",
            r"return p split as it was given",
        ),
        "a wrong constraint": Fault(
            training(wrong), good, rf"Dim 2 of x is split over data {asks}\.", r"constrain line \d+ to P\('data'"
        ),
    }


def said(c: Comparison) -> list[str]:
    """All that ``why`` says of a program: of each dimension of its values, and of its collectives."""
    assert c.program is not None
    values = [(k, v, len(of.shape)) for k, row in enumerate(c.rows) for v, of in enumerate(row.values)]
    of_collectives = (why for k in range(len(c.program.collectives)) for why in c.why_collective(k))
    return [
        *(c.why(k, d, value=v).answer for k, v, rank in values for d in range(rank)),
        *(why.answer for why in of_collectives),
        *(collective.remark for collective in c.program.collectives),
    ]
