"""Long functions: what is compiled grows with the number of equations, not with its square."""

import re
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

from shardwidget import read
from shardwidget.document import to_wire
from shardwidget.read._trace.cache import _CACHE

traced: Any = read.trace

MESH = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
X = jnp.arange(64.0).reshape(8, 8) / 64
WIDE = jnp.arange(4096.0).reshape(64, 64) / 4096


@jax.jit
def called(a):
    return jnp.sin(a) + 1


def times(n, step):
    def f(a):
        for _ in range(n):
            a = step(a)
        return a

    return f


def chain(n):
    return times(n, lambda a: jnp.sin(a) + 1)


PROGRAMS = {
    "a chain": chain,
    "each value used twice": lambda n: times(n, lambda a: jnp.sin(a) * jnp.cos(a) + a),
    "a function that is called": lambda n: times(n, called),
    "a body of a loop": lambda n: lambda a: lax.fori_loop(0, 3, lambda _, b: chain(n)(b), a),
    "a branch": lambda n: lambda a: lax.cond(a.sum() > 0, chain(n), jnp.cos, a),
    "branches": lambda n: lambda a: lax.cond(a.sum() > 0, chain(n), chain(n), a),
    "collectives between chains": lambda n: times(n // 20, lambda a: lax.psum(chain(20)(a), "x") * a),
}


def compiled(f, x, **options):
    """The text of the program that a trace runs."""
    _CACHE.clear()
    run = jax.shard_map(f, mesh=MESH, in_specs=P("x", "y"), out_specs=P("x", "y"))
    trace = traced(run, x, **options)
    np.testing.assert_allclose(trace.outputs, jax.jit(run)(x), rtol=1e-5)
    ((run, *_),) = [list(_CACHE._held.values())]
    return run.as_text()


@pytest.mark.parametrize(
    ("name", "x", "engine"),
    [
        *((name, X, None) for name in PROGRAMS),
        ("a chain", WIDE, None),
        ("a branch", WIDE, None),
        ("a chain", X, "host"),
    ],
)
def test_what_is_compiled_grows_as_the_function_does(name, x, engine):
    short, long = (compiled(PROGRAMS[name](n), x, engine=engine).count(" = ") for n in (60, 120))
    assert long < 2.5 * short


@pytest.mark.parametrize("branches", [(120, 1), (120, 120), (1, 120)])
def test_a_branch_returns_a_few_arrays(branches):
    text = compiled(lambda a: lax.cond(a.sum() > 0, *map(chain, branches), a), X)
    (results,) = re.findall(r"= \(?([^=]*?)\)? conditional\(", text)
    assert results.count("f32[") <= 4


def test_values_that_are_not_compiled_quickly_are_not_fused_either(monkeypatch):
    monkeypatch.setattr("shardwidget.read._trace.runnable.QUICK", 0)
    short, long = (compiled(chain(n), X).count(" = ") for n in (60, 120))
    assert long < 2.5 * short


def test_a_step_of_a_long_function_computes_with_what_is_shown():
    run = jax.shard_map(times(99, lambda a: a * a * 0.4 + 0.3), mesh=MESH, in_specs=P("x"), out_specs=P("x"))
    adds = [s for s in traced(run, X).steps if s.primitive == "add"]
    assert len(adds) == 99
    for step in adds:
        np.testing.assert_array_equal(step.outputs[0].value(3), step.inputs[0].value(3) + np.float32(0.3))


def test_the_document_of_a_thousand_steps_is_small():
    trace = traced(jax.shard_map(chain(400), mesh=MESH, in_specs=P("x"), out_specs=P("x")), X)
    assert len(trace.steps) > 800
    assert len(str(to_wire(trace))) < 200 * len(trace.steps)
