"""``read.model(tree, rules=…)``: what rules would do, against trees whose leaves have those shardings."""

import re
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax.sharding import AbstractMesh, AxisType, NamedSharding
from jax.sharding import PartitionSpec as P
from jax.tree_util import keystr

import shardwidget as sw

MESH = AbstractMesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def of(shape: tuple[int, ...], spec: P = P()) -> jax.ShapeDtypeStruct:  # noqa: B008
    return jax.ShapeDtypeStruct(shape, jnp.float32, sharding=NamedSharding(MESH, spec))


def refusal() -> str:
    """The class of JAX's error for a dimension that an axis does not divide."""
    with pytest.raises(ValueError, match="divi") as raised:
        NamedSharding(MESH, P("data")).shard_shape((6, 64))
    return type(raised.value).__name__


REFUSAL = refusal()


def state() -> dict[str, Any]:
    weights = {"embed": of((1024, 64)), "layers": [{"up": of((64, 256), P("data"))} for _ in range(3)]}
    return {"params": weights, "opt": {"mu": weights, "count": of(())}, "odd": of((6, 64))}


def split(tree: Any, rules: list[tuple[str, P]]) -> Any:
    """The tree with the shardings that the rules give; a leaf that a rule does not fit stays."""

    def one(path: Any, leaf: jax.ShapeDtypeStruct) -> jax.ShapeDtypeStruct:
        name = keystr(path, simple=True, separator="/")
        found = [spec for pattern, spec in rules if re.search(pattern, name)]
        try:
            return (
                of(leaf.shape, found[-1]) if found and NamedSharding(MESH, found[-1]).shard_shape(leaf.shape) else leaf
            )
        except ValueError:
            return leaf

    return jax.tree_util.tree_map_with_path(one, tree)


RULES = [
    ("embed", P("model", "data")),
    (r"layers/\d+/up", P(None, ("data", "model"))),
    ("^opt/mu/embed$", P("data")),
    ("odd", P("data")),
]


@pytest.mark.parametrize("as_text", [False, True], ids=["pairs", "text"])
def test_rules_give_the_tree_that_they_would_make(as_text: bool):
    rules = "\n".join(f"{pattern} → {spec!r}".replace("PartitionSpec", "P") for pattern, spec in RULES)
    given = rules if as_text else RULES
    ruled = sw.read.model(state(), rules=given)
    meant = sw.read.model(split(state(), RULES))
    assert [leaf.kind for leaf in ruled.leaves] == [leaf.kind for leaf in meant.leaves]
    assert (ruled.bytes_per_device, ruled.wasted_bytes) == (meant.bytes_per_device, meant.wasted_bytes)
    assert ruled.flags == meant.flags
    assert ruled.bytes_per_device_before == sw.read.model(state()).bytes_per_device
    embed, up, moment, odd = ruled.rules
    assert (embed.matches, embed.counts, embed.copies) == (2, 1, (8, 1))
    assert (up.matches, up.counts, up.copies) == (6, 6, (2, 1))
    assert (moment.matches, moment.counts, moment.copies) == (1, 1, (8, 2))
    assert (odd.counts, odd.refused, odd.refused_path, odd.copies) == (1, 1, "odd", None)
    assert odd.error.startswith(f"{REFUSAL}: ")
    # The document alone is enough, and it is JSON.
    assert sw.read.model(sw.read.model(state()), rules=given) == ruled
    assert sw.load(ruled.to_json()) == ruled


def test_the_text_says_what_came_of_each_rule():
    view = sw.ModelView(state(), name="state")
    assert "With these rules" not in str(view)
    view.rules = "embed → P('model', 'data')\nemmbed → P()\nembed → P(nothing)\n(embed → P()\nodd → P('data')"
    text = str(view)
    assert "embed → P('model', 'data'): 2 arrays; ×8 → ×1 copies" in text
    assert "emmbed → P(): matches no array" in text
    assert "P(nothing) is not a PartitionSpec" in text
    assert "is not a pattern" in text
    assert f"JAX refuses 1, such as odd; {REFUSAL}" in text
    assert view.effect.bytes_per_device < view.document.bytes_per_device
    with pytest.raises(TypeError, match="rules are text, one a line, or pairs"):
        sw.read.model(state(), rules=[("embed",)])  # pyright: ignore[reportArgumentType]


def test_a_text_has_at_most_60_lines_and_says_what_is_left_out():
    tree = {f"w{k}_{'ab'[k % 2] * k}": of((8 * (k + 1), 64)) for k in range(200)}
    lines = str(sw.read.model(tree, rules=RULES * 5)).split("\n")
    assert len(lines) <= 60
    assert ".leaves has all arrays" in lines[-1]
    assert any(".rules has all of them" in line for line in lines)
