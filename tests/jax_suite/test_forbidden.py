"""Collectives that ``jax.sharding.no_collectives`` forbids: their cause, their fixes, and comparisons of such programs.

JAX 0.11 and newer have it; an older JAX has none to test.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import lax
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

import shardwidget as sw

no_collectives: Any = getattr(jax.sharding, "no_collectives", None)
FORBIDS = no_collectives is not None
MESH = jax.make_mesh((4, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Explicit,) * 2)


def last_of_a_block(k: Any) -> Any:
    with no_collectives({"x", "y"}):
        h = k * 2
        t = lax.psum(h, "x")
    return t * 2


def alone_in_a_block(k: Any) -> Any:
    with no_collectives({"x"}):
        return lax.psum(k, "x")


def first_of_a_block(k: Any) -> Any:
    with no_collectives({"x"}):
        t = lax.psum(k, "x")
        return t + 1


def summed(x: Any, w: Any) -> Any:
    with no_collectives({"x"}):
        return jnp.dot(x, w, out_sharding=P("y", None))


def summed_everywhere(x: Any, w: Any) -> Any:
    with no_collectives({"x"}):
        return jnp.dot(x, w, out_sharding=P())


def moved(x: Any, w: Any) -> Any:
    with no_collectives({"x"}):
        return jax.reshard(x * 2, P("x", None))


def ended(x: Any, w: Any) -> Any:
    with no_collectives({"x"}):
        return x.sum(1)


def mapped(f: Callable[[Any], Any]) -> sw.Trace:
    x = jax.device_put(jnp.arange(16.0), NamedSharding(MESH, P("x")))
    return sw.read.trace(jax.shard_map(f, mesh=MESH, in_specs=P("x"), out_specs=P()), x)


def arrays() -> tuple[jax.Array, jax.Array]:
    ones = jnp.ones((8, 8))
    return tuple(jax.device_put(ones, NamedSharding(MESH, spec)) for spec in (P(None, "x"), P("x", None)))


@pytest.mark.parametrize(
    ("f", "codes"),
    [
        (
            last_of_a_block,
            [
                'with no_collectives({"x", "y"}):\n    h = k * 2\nt = lax.psum(h, "x")',
                'with no_collectives({"y"}):',
            ],
        ),
        (alone_in_a_block, ['return lax.psum(k, "x")']),
        (first_of_a_block, ['t = lax.psum(k, "x")\nreturn t + 1']),
    ],
)
def test_what_is_forbidden_is_done_outside_or_allowed(f: Callable[[Any], Any], codes: list[str]) -> None:
    if FORBIDS:
        error = mapped(f).error
        assert error is not None
        assert error.error == "ForbiddenCollectiveError"
        line = f.__code__.co_firstlineno + 1
        assert error.explanation == (
            f"jax.sharding.no_collectives in line {line} forbids collectives over x, and psum is one."
        )
        assert error.axes == ("x",)
        assert [fix.code for fix in error.fixes] == codes


@pytest.mark.parametrize(
    ("f", "why"),
    [
        (summed, "dot_general sums over x: its result is not unreduced over x."),
        (moved, "reshard moves x from one dimension to another."),
        (ended, "reduce_sum needs one: its result is neither split over x nor unreduced."),
    ],
)
def test_on_explicit_axes_it_is_said_why_an_operation_is_a_collective(f: Callable[..., Any], why: str) -> None:
    if FORBIDS:
        with jax.set_mesh(MESH):
            error = sw.read.trace(f, *arrays()).error
        assert error is not None
        assert error.explanation.endswith(why)


def test_a_comparison_stops_at_it_in_jax_s_words() -> None:
    for f in (summed, summed_everywhere, moved, ended) if FORBIDS else ():
        with jax.set_mesh(MESH):
            comparison = sw.read.comparison(f, *arrays())
        (error,) = [row.error for row in comparison.rows if row.error is not None]
        assert error.error == "ForbiddenCollectiveError"
        assert "forbidden by `no_collectives`" in error.message
