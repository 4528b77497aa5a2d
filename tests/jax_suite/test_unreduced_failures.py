"""Programs that stop because the parts of a value are still to be combined: what is said, and what makes them run."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

import shardwidget as sw

MESH = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
DOT: Any = jnp.dot
REDUCE_MAX: Any = lax.reduce_max
SPEC: Any = P
KIND: Any = getattr(jax.sharding, "UnreducedKind", None)


def put(x: Any, *spec: Any) -> jax.Array:
    return jax.device_put(x, jax.NamedSharding(MESH, P(*spec)))


A, W = put(np.arange(64.0, dtype="float32").reshape(8, 8), "x", "y"), put(np.ones((8, 8), "float32"), "y", None)


def multiplied(a: Any, w: Any) -> Any:
    b = DOT(a, w, out_sharding=P("x", None, unreduced=frozenset({"y"})))
    return b * b


def added(a: Any) -> Any:
    b = REDUCE_MAX(a, (0,), out_sharding=SPEC("y", unreduced={"x"}, unreduced_kind=KIND.max))
    return b + b


def refusals(comparison: Any) -> list[Any]:
    return [row.error for row in comparison.rows if row.error]


def test_an_operation_that_takes_whole_values() -> None:
    with jax.set_mesh(MESH):
        error = sw.read.trace(multiplied, A, W).error
        (refused,) = refusals(sw.read.comparison(multiplied, A, W))
    assert error is not None
    assert error.explanation.startswith(
        "b is unreduced over y: its partial sums are still to be added, and this operation takes whole values."
    )
    (fix,) = error.fixes
    combined = "return jax.reshard(b, P('x', None)) * jax.reshard(b, P('x', None))"
    assert fix.code == combined
    # The parts are combined as they are cut: nothing is gathered.
    assert refused.fixes[0].code == combined
    assert refused.explanation == (
        "b is unreduced over y: its partial sums are still to be added, and mul takes whole values."
    )


@pytest.mark.skipif(KIND is None, reason="this JAX knows partial sums alone")
def test_parts_of_another_kind_than_a_sum() -> None:
    a = put(np.arange(32.0, dtype="float32").reshape(8, 4), "x", "y")
    with jax.set_mesh(MESH):
        error = sw.read.trace(added, a).error
        (refused,) = refusals(sw.read.comparison(added, a))
    words = "b is unreduced over x: its partial maxima are still to be combined, and {} takes partial sums alone."
    assert error is not None
    assert error.explanation.startswith(words.format("this operation"))
    assert refused.explanation == words.format("add")
    assert refused.fixes[0].code == error.fixes[0].code == "return jax.reshard(b, P('y')) + jax.reshard(b, P('y'))"


@pytest.mark.parametrize("spec", [P("x"), P("x", None)], ids=str)
def test_a_result_whose_spec_says_that_it_is_whole(spec: P) -> None:
    @jax.shard_map(mesh=MESH, in_specs=P("x", "y"), out_specs=spec)
    def f(block: Any) -> Any:
        parts = lax.pcast(block * 2, "y", to="unreduced")
        return parts  # noqa: RET504 The name is what the words are about.

    error = sw.read.trace(f, A).error
    assert error is not None
    assert error.explanation.startswith("parts is unreduced over y: its partial sums are still to be added, and ")
    assert [fix.title for fix in error.fixes] == [
        "Combine the parts of parts first",
        "Leave parts in parts: add that to out_specs",
    ]
    assert error.fixes[0].code.startswith("return jax.lax.psum(parts, 'y')")
    assert "unreduced={'y'}" in error.fixes[1].code
