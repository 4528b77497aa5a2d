"""``read.added``: what a program asks for by its jaxpr, and what the compiler adds to it."""

from collections import Counter

import jax
import jax.numpy as jnp
import pytest
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

from shardwidget import read
from tests.jax_suite.hlo import loss, mlp, shape

MESH = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
OPERATIONS = {
    "psum": "all-reduce", "psum_invariant": "all-reduce", "pmax": "all-reduce", "all_gather": "all-gather",
    "reduce_scatter": "reduce-scatter", "ppermute": "collective-permute", "all_to_all": "all-to-all",
}  # fmt: skip
RING = [(k, (k + 1) % 4) for k in range(4)]


def mapped(f, in_specs, out_specs):
    return jax.shard_map(f, mesh=MESH, in_specs=in_specs, out_specs=out_specs)


def ring(x):
    def hop(c, _):
        return jax.lax.ppermute(jnp.sin(c), "x", RING), None

    return jax.lax.psum(jax.lax.scan(hop, x, length=3)[0], "x")


def scattered(x):
    whole = jax.lax.all_gather(x, "x", tiled=True)
    return jax.lax.psum_scatter(jnp.sin(whole), "x", tiled=True)


def turned(x):
    def turn(_, c):
        return jax.lax.all_to_all(jnp.sin(c), "y", 0, 1, tiled=True).reshape(c.shape)

    return jax.lax.fori_loop(0, 4, turn, x)


def beside(x, w):
    """Auto outside, manual inside: the products need what the compiler adds."""
    y = mapped(ring, P("x"), P())(x @ w)
    return jnp.sum(jnp.sin(y) @ w.T)


def layers(w, x):
    return jnp.sum(jax.lax.scan(lambda h, w: (jnp.tanh(h @ w), None), x, w)[0])


X, W = shape(MESH, (16, 16), "x"), shape(MESH, (16, 16), None, "y")
PROGRAMS = {
    "a ring": (mapped(ring, P("x"), P()), X),
    "gathered and scattered": (mapped(scattered, P("x"), P("x")), X),
    "a loop of exchanges": (mapped(turned, P("y", None), P("y", None)), shape(MESH, (32, 16), "y")),
    "its gradient": (jax.grad(lambda x: jnp.sum(mapped(scattered, P("x"), P("x"))(x) ** 2)), X),
    "within another jit": (jax.jit(lambda x: jax.jit(mapped(ring, P("x"), P()))(x) * 2), X),
    "beside what the compiler adds": (beside, X, W),
    "only what the compiler adds": (mlp, W, shape(MESH, (16, 16), "y"), X),
    "a gradient of scanned layers": (jax.grad(layers), shape(MESH, (6, 16, 16), None, "x", "y"), X),
    "a loss": (loss, shape(MESH, (16, 16), None, "y"), shape(MESH, (16, 16), "y"), X, X),
    "nothing": (jnp.sin, X),
}


def asked(jaxpr, times: int = 1) -> Counter[str]:
    """How often each operation runs by the jaxpr alone."""
    found = Counter[str]()
    for equation in jaxpr.eqns:
        name = equation.primitive.name
        if name in OPERATIONS:
            found[OPERATIONS[name]] += times
        runs = times * equation.params.get("length", 1) if name == "scan" else times
        for inner in jax.tree.leaves(equation.params, is_leaf=lambda x: hasattr(x, "eqns")):
            found += asked(inner, runs) if hasattr(inner, "eqns") else Counter()
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_a_program_asks_for_is_that_of_its_jaxpr_and_the_rest_is_added(name):
    f, *args = PROGRAMS[name]
    diff, compiled = read.added(f, *args), read.program(f, *args)
    lowered, made = Counter[str](), list[int]()
    for row in diff.rows:
        if row.before:
            lowered[row.op] += row.before.runs
        if row.after:
            made += row.after.collectives
            assert (row.change == "added") == (not any(compiled.collectives[k].by_user for k in row.after.collectives))
    assert lowered == asked(jax.make_jaxpr(f)(*args).jaxpr)
    assert sorted(made) == list(range(len(compiled.collectives)))
    added = sum(row.runs for row in diff.rows if row.change == "added")
    assert (f"the compiler adds {'no collective' if not added else ''}" in str(diff)) or not diff.rows
