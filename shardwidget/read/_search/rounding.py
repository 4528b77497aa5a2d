"""Whether values are gathered as products read them: some compilers round to bfloat16 first, and send half the bytes."""

from __future__ import annotations

import functools
import json

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

from shardwidget import _jax, _tpu
from shardwidget.read._search.kept import keep, kept

TOPOLOGY = "v5e:2x2"
TURNS = frozenset({"stablehlo.transpose", "stablehlo.reverse", "stablehlo.reshape"})
"""Operations that move elements: a value is rounded before them too."""


@functools.cache
def rounds_first() -> bool:
    """What the installed compiler does with a small program; of one that is not there, what the newest known does."""
    file = kept("rounds_first")
    if file is not None and file.is_file():
        return json.loads(file.read_text(encoding="utf-8"))
    try:
        mesh = _tpu.tpu_mesh(TOPOLOGY, ("fsdp",), shape=(4,))
    except (ImportError, ValueError):
        return True
    split, whole = (NamedSharding(mesh, PartitionSpec(*axes)) for axes in (("fsdp",), ()))

    def apply(x: jax.Array, w: jax.Array) -> jax.Array:
        return jax.lax.with_sharding_constraint(x @ jax.lax.with_sharding_constraint(w, whole), split)

    given = jax.ShapeDtypeStruct((512, 512), jnp.float32, sharding=split)
    text = jax.jit(apply).lower(given, given).compile().as_text() or ""
    found = any("all-gather(" in line and "= bf16" in line for line in text.splitlines())
    keep(file, json.dumps(found))
    return found


def round_first(block: _jax.Block) -> None:
    """Makes what is gathered half as wide where only products read it, which round it."""
    users: dict[int, list[_jax.Op]] = {}
    for op in block.ops:
        for v in op.operands:
            users.setdefault(id(v), []).append(op)
        for body in op.bodies:
            round_first(body)
    returned = {id(v) for v in block.results}

    def is_rounded(v: _jax.Value) -> bool:
        read_by = users.get(id(v), [])
        turned = [r for op in read_by if op.name in TURNS for r in op.results]
        others = [op for op in read_by if op.name not in TURNS]
        alone = bool(read_by) and id(v) not in returned
        return alone and all(op.rounds for op in others) and all(map(is_rounded, turned))

    for op in block.ops:
        if op.name == "sdy.all_gather" and op.results[0].width == 4 and is_rounded(op.results[0]):
            op.results[0].width = 2
