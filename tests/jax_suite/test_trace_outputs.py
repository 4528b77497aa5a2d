"""What a trace returns is what the function returns: values, and the devices that they are on."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

from shardwidget import read

traced: Any = read.trace

AUTO = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
EXPLICIT = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
X = jnp.arange(16.0).reshape(8, 2)
KEY = jax.random.key(0)


def on(*spec, mesh=AUTO):
    return NamedSharding(mesh, P(*spec))


def double(mesh):
    return jax.shard_map(lambda a: a * 2, mesh=mesh, in_specs=P("x"), out_specs=P("x"))


G, E = double(AUTO), double(EXPLICIT)
CUT = jax.device_put(X, on("x", mesh=EXPLICIT))

PROGRAMS = {
    "jit": (jax.jit(lambda a: (G(a), jnp.ones(3), a + 1)), X),
    "out_shardings": (jax.jit(G, out_shardings=on("y")), X),
    "out_shardings that replicate": (jax.jit(G, out_shardings=on()), X),
    "in_shardings": (jax.jit(lambda a: (G(a), a), in_shardings=on(None, "y")), X),
    "of a jit inside": (lambda a: jax.jit(G, out_shardings=on("y"))(a) + 1, X),
    "of a jit in a jit": (jax.jit(lambda a: jax.jit(G, out_shardings=on("y"))(a) + 1), X),
    "of a jit around": (lambda a: jax.jit(lambda b: (G(b), b), out_shardings=(on("y"), on(("x", "y"))))(G(a)), X),
    "of a jit in a scan": (
        lambda a: lax.scan(lambda c, _: (jax.jit(G, out_shardings=on("y"))(c), c.sum()), a, None, length=3),
        X,
    ),
    "a constraint": (jax.jit(lambda a: lax.with_sharding_constraint(G(a), on("y"))), X),
    "device_put": (lambda a: (jax.device_put(G(a), on("y")), jax.device_put(a, jax.devices()[3])), X),
    "arguments as they are": (lambda a: (G(a), a), X),
    "a numpy array as it is": (lambda a: (G(a), a), np.asarray(X)),
    "what no region has made": (
        lambda a: (G(a), jnp.ones(3), a + 1, 5 * jax.jit(jnp.sin)(a), jax.random.split(KEY)),
        X,
    ),
    "an argument that is cut": (lambda a: (G(a), a * 2, a, jnp.ones(3)), jax.device_put(X, on("y"))),
    "explicit": (lambda a: (E(a), a + 1, jnp.ones(3)), CUT),
    "explicit out_shardings": (lambda a: jax.jit(E, out_shardings=on(None, "y", mesh=EXPLICIT))(a) * 2, CUT),
    "grad": (jax.jit(jax.grad(lambda a: (G(a) ** 2).sum())), X),
    "grad of whole numbers": (lambda a: jax.vjp(lambda n: G(n * 1.0) * n, a)[1](G(a * 1.0)), jnp.arange(8)),
    "vmap": (jax.vmap(double(AUTO)), jnp.arange(24.0).reshape(3, 8)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_outputs_lie_where_the_function_puts_them(name):
    f, x = PROGRAMS[name]
    trace = traced(f, x)
    assert trace.error is None
    wanted = f(x)
    assert jax.tree.structure(trace.outputs) == jax.tree.structure(wanted)
    for found, want in zip(jax.tree.leaves(trace.outputs), jax.tree.leaves(wanted), strict=True):
        assert type(found) is type(want)
        assert found.dtype == want.dtype
        if not isinstance(want, jax.Array):
            np.testing.assert_array_equal(found, want)
            continue
        assert found.devices() == want.devices()
        assert found.committed == want.committed
        assert found.sharding.is_equivalent_to(want.sharding, want.ndim), (found.sharding, want.sharding)
        if jax.dtypes.issubdtype(want.dtype, jax.dtypes.prng_key):
            found, want = jax.random.key_data(found), jax.random.key_data(want)
        np.testing.assert_allclose(found, want, rtol=1e-6)


def test_an_argument_is_returned_itself():
    assert traced(lambda a: (G(a), a), X).outputs[1] is X


def test_an_argument_need_not_be_used():
    outputs = traced(lambda a, unused, key: (G(a), a.sum()), X, X, KEY).outputs
    np.testing.assert_array_equal(outputs[0], 2 * X)
    assert outputs[1] == X.sum()


def test_out_shardings_make_another_program():
    for spec in ("y", "x", ("x", "y")):
        assert traced(jax.jit(G, out_shardings=on(spec)), X).outputs.sharding.spec == P(spec)


NARROW = {
    "added": lambda a: a + a,
    "made wider": lambda a: a.astype(jnp.float32),
    "passed on": lambda a: lax.ppermute(a, "x", [(0, 1), (1, 0)]),
    "in a loop": lambda a: lax.fori_loop(0, 2, lambda i, c: c + c, a),
    "with a constant": lambda a: a + jnp.ones((), a.dtype),
}


@pytest.mark.parametrize("dtype", ["int4", "uint4", "float4_e2m1fn"])
@pytest.mark.parametrize("program", NARROW)
def test_elements_of_less_than_a_byte(dtype, program):
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
    x = jnp.arange(128).reshape(8, 16).astype(dtype)
    f = jax.shard_map(NARROW[program], mesh=mesh, in_specs=P("x", "y"), out_specs=P("x", "y"))
    trace = traced(f, x)
    assert trace.engine == "mesh"
    wanted = jax.jit(f)(x)
    assert trace.outputs.dtype == wanted.dtype
    np.testing.assert_array_equal(np.asarray(trace.outputs), np.asarray(wanted))
    block = next(v for v in trace.variables if v.region >= 0)
    assert block.type.startswith({"int4": "i4", "uint4": "u4"}.get(dtype, "f4"))
    np.testing.assert_array_equal(block.value(5), np.asarray(x)[4:6, 8:])
