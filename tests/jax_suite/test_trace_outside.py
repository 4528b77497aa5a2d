"""Values and collectives outside of ``shard_map``."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

from shardwidget import read

traced: Any = read.trace

MESH = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
X = jnp.arange(64.0).reshape(8, 8)
OUTSIDE = {
    "psum": lambda a: a / lax.psum(a, "x"),
    "pmean over two": lambda a: lax.pmean(a, ("x", "y")),
    "axis_index": lambda a: a + lax.axis_index("x"),
    "all_gather": lambda a: lax.all_gather(a, "x"),
    "ppermute": lambda a: lax.ppermute(a, "x", [(0, 1)]),
    "psum_scatter": lambda a: lax.psum_scatter(a, "x"),
    "in a jitted function": lambda a: jax.jit(lambda b: lax.psum(b, "x"))(a),
    "after a region": lambda a: lax.psum(jax.shard_map(jnp.sin, mesh=MESH, in_specs=P("x"), out_specs=P("x"))(a), "x"),
}


@pytest.mark.parametrize("program", OUTSIDE)
@pytest.mark.parametrize("is_set", [False, True])
def test_a_collective_outside_of_a_region_is_explained(program, is_set):
    x = jax.device_put(X, jax.NamedSharding(MESH, P("x"))) if "region" in program else X
    with jax.set_mesh(MESH) if is_set else jax.disable_jit(False):
        trace = traced(OUTSIDE[program], x)
    assert "unbound axis name: x" in trace.error.message
    assert "is used outside of jax.shard_map" in trace.error.explanation
    assert trace.error.explanation.startswith("The axis 'x'")


UNREDUCED = {
    "summed over one": (P(None, None, unreduced=frozenset({"y"})), P(None, "y"), P("y", None)),
    "summed over both": (P(None, None, unreduced=frozenset({"x", "y"})), P(None, ("x", "y")), P(("x", "y"), None)),
    "rows cut": (P("x", None, unreduced=frozenset({"y"})), P("x", "y"), P("y", None)),
    "columns cut": (P(None, "x", unreduced=frozenset({"y"})), P(None, "y"), P("y", "x")),
}


@pytest.mark.parametrize("program", UNREDUCED)
@pytest.mark.parametrize("engine", [None, "host"])
def test_the_value_of_a_global_value_in_parts_is_their_sum(program, engine):
    out, *specs = UNREDUCED[program]

    def f(a, w):
        u = jnp.einsum("ij,jk->ik", a, w, out_sharding=out)
        h = jax.shard_map(jnp.sin, in_specs=P("x"), out_specs=P("x"))(jax.reshard(a, P("x", None)))
        return h, u

    with jax.set_mesh(MESH):
        arguments = [jax.device_put(X, jax.NamedSharding(MESH, spec)) for spec in specs]
        trace = traced(f, *arguments, engine=engine)
        (u,) = trace["u"]
        for device in (0, 7):
            np.testing.assert_allclose(u.value(device), np.asarray(X) @ np.asarray(X))
    np.testing.assert_allclose(u.value(3), np.asarray(X) @ np.asarray(X))


def mapped(f, out_specs: Any = P("x")):  # noqa: B008
    return jax.shard_map(f, mesh=MESH, in_specs=P("x"), out_specs=out_specs)


RETURNED = {
    "a text": mapped(lambda b: "no"),
    "a text beside an array": mapped(lambda b: (b, "s")),
    "an object": mapped(lambda b: object()),
    "a function": mapped(lambda b: jnp.sin),
    "a range": mapped(lambda b: range(3)),
    "an array of texts": mapped(lambda b: np.array(["a"])),
    "jitted": jax.jit(mapped(lambda b: "no")),
    "of a gradient": jax.grad(lambda a: "x"),
    "of vmap": jax.vmap(lambda a: "x"),
    "outside": lambda a: (mapped(jnp.sin)(a), "x"),
}


@pytest.mark.parametrize("program", RETURNED)
def test_a_result_that_is_not_an_array_is_no_matter_of_arguments(program):
    x = jax.device_put(X, jax.NamedSharding(MESH, P("x")))
    with pytest.raises(TypeError, match="returns arrays, numbers, or trees of them") as raised:
        traced(RETURNED[program], x)
    assert "arguments, each as you would call it" not in str(raised.value)


def test_an_argument_that_is_not_an_array_is_still_the_cause():
    with pytest.raises(TypeError, match="are passed to the function as they are") as raised:
        traced(mapped(lambda tree: tree["a"]), {"a": X, "b": "text"})
    assert "Leave the other values out" not in str(raised.value)


def map_it(f):
    return mapped(f)


@jax.jit
@partial(
    jax.shard_map, mesh=MESH, in_specs=P("x"), out_specs=P("x")
)  # fmt: skip
def below_jit(a):
    return a * 2


@partial(jax.shard_map, mesh=MESH, in_specs=P("x"), out_specs=P("x"))
@jax.jit
def above_jit(a):
    return a * 2


@jax.jit
@jax.shard_map(mesh=MESH, in_specs=P("x"), out_specs=P("x"))
def called(a):
    return a * 2


@jax.jit
@map_it
def by_another_name(a):
    return a * 2


@jax.jit
def given(a):
    return a * 2


@pytest.mark.parametrize(
    ("f", "line"),
    [
        (below_jit, "@partial("),
        (above_jit, "@partial(jax.shard_map, mesh=MESH, in_specs=P"),
        (called, "@jax.shard_map(mesh=MESH"),
        (by_another_name, "def by_another_name(a):"),
        (mapped(given), "def given(a):"),
    ],
)
def test_the_ends_of_a_region_have_the_line_of_shard_map(f, line):
    x = jax.device_put(X, jax.NamedSharding(MESH, P("x")))
    ends = [step for step in traced(f, x).steps if step.primitive in {"in_specs", "out_specs"}]
    assert len(ends) == 2
    assert all(step.source.text.startswith(line) for step in ends)
