"""What a backend lacks, or does differently from the simulation; values without data."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from shardwidget import read
from tests.jax_suite.corpus import mesh_of
from tests.once import once

MESH = mesh_of(x=4)
BOTH = pytest.mark.parametrize("engine", [None, "host"])


def region(f, out_specs: P | None = None, mesh=MESH, check_vma: bool = False):
    out = P("x") if out_specs is None else out_specs
    return jax.shard_map(f, mesh=mesh, in_specs=P("x"), out_specs=out, check_vma=check_vma)


def agrees(f, args, engine):
    trace = read.trace(f, *args, engine=engine)
    expected = once(f)(*args)
    np.testing.assert_array_equal(np.asarray(trace.outputs), np.asarray(expected))
    assert trace.outputs.aval.weak_type == expected.aval.weak_type
    return trace


@BOTH
def test_a_loop_of_no_iterations(engine):
    one = mesh_of(x=1)

    def ring(x):
        size = lax.axis_size("x")
        return lax.fori_loop(0, size - 1, lambda _, c: lax.ppermute(c, "x", [(0, 0)]), x)

    agrees(region(ring, mesh=one), (jnp.arange(4.0),), engine)
    trace = agrees(
        region(lambda x: lax.scan(lambda c, _: (c + 1, c), x, None, length=0)[0]), (jnp.arange(8.0),), engine
    )
    assert not [scope for scope in trace.scopes if scope.kind == "iteration"]


@BOTH
@pytest.mark.parametrize("implementation", ["rbg", "unsafe_rbg", "threefry2x32"])
def test_random_numbers_of_every_generator(implementation, engine):
    keys = jax.random.split(jax.random.key(0, impl=implementation), 4)
    agrees(region(lambda k: jax.random.normal(k[0], (3,))), (keys,), engine)


@BOTH
def test_a_ref_in_a_region(engine):
    def f(x):
        total = jax.new_ref(x)
        total[...] += lax.psum(x, "x")
        return total[...]

    agrees(region(f), (jnp.arange(8.0),), engine)


def _counts_calls(ref):
    def f(x):
        ref[...] += 1
        return region(lambda b: b * 2)(x)

    return f


def _sums_outside(ref):
    def f(x):
        ref[...] += x.sum()
        return region(lambda b: b * 2)(x) + ref[...]

    return f


def _adds_in_a_region(ref):
    def body(b, r):
        r[...] += lax.psum(b, "x")
        return r[...]

    return lambda x: jax.shard_map(body, mesh=MESH, in_specs=(P("x"), P("x")), out_specs=P("x"))(x, ref)


def _adds_in_a_loop_and_a_branch(ref):
    def body(b, r):
        def add(_, b):
            r[...] += b
            return b

        b = lax.fori_loop(0, 3, add, b)
        return lax.cond(lax.axis_index("x") % 2 == 0, lambda b: add(0, b), lambda b: b, b)

    return lambda x: jax.shard_map(body, mesh=MESH, in_specs=(P("x"), P("x")), out_specs=P("x"))(x, ref)


@BOTH
@pytest.mark.parametrize(("program", "spec"), [
    (_counts_calls, None),
    (_sums_outside, P()),
    (_adds_in_a_region, P("x")),
    (_adds_in_a_loop_and_a_branch, P("x")),
])  # fmt: skip
def test_a_ref_that_is_closed_over(program, spec, engine):
    """Afterwards it holds what the function leaves in it, even on one device, where ``jit`` would refuse it."""
    x = jax.device_put(jnp.arange(8.0), NamedSharding(MESH, P("x")))
    refs = []
    for _ in range(2):
        held = jnp.zeros(8 if spec else ())
        refs.append(jax.new_ref(held if spec is None else jax.device_put(held, NamedSharding(MESH, spec))))
    mine, theirs = refs
    wanted = program(theirs)(x) if spec is None else jax.jit(program(theirs))(x)
    trace = read.trace(program(mine), x, engine=engine)
    assert (trace.error, trace.engine) == (None, engine or "mesh")
    np.testing.assert_array_equal(trace.outputs, wanted)
    np.testing.assert_array_equal(mine[...], theirs[...])
    assert mine.sharding == theirs.sharding


@BOTH
def test_a_ref_that_a_region_closes_over(engine):
    """JAX 0.9 takes it; later versions stop with an error of their own, which is explained."""
    ref = jax.new_ref(jax.device_put(jnp.zeros(()), NamedSharding(MESH, P())))
    trace = read.trace(region(lambda b: b + ref[...]), jnp.arange(8.0), engine=engine)
    if trace.error is None:
        np.testing.assert_array_equal(trace.outputs, jnp.arange(8.0))
    else:
        assert "Give it the Ref as an argument with a spec" in trace.error.explanation


@BOTH
def test_a_weak_type_stays_weak(engine):
    agrees(region(lambda x: x + 1.5), (jnp.arange(8),), engine)


def test_what_the_platform_lacks_is_simulated_and_said():
    def exchange(x):
        n = lax.axis_size("x")
        one, at = jnp.ones(n, jnp.int32), jnp.full(n, lax.axis_index("x"), jnp.int32)
        return lax.ragged_all_to_all(x, jnp.zeros_like(x), jnp.arange(n, dtype=jnp.int32), one, at, one, axis_name="x")

    trace = read.trace(region(exchange), jnp.arange(16.0))
    assert trace.engine == "host"
    assert trace.note.startswith("simulated on the host: this mesh cannot run it (UNIMPLEMENTED")
    np.testing.assert_array_equal(trace.outputs, np.arange(16.0).reshape(4, 4).T.ravel())


def test_a_collective_that_only_gpus_have_is_simulated_and_said():
    sent = jax.shard_map(
        lambda x: lax.pbroadcast(x, "x", 2), mesh=MESH, in_specs=P("x"), out_specs=P("x"), check_vma=False
    )
    trace = read.trace(sent, jnp.arange(16.0))
    assert trace.engine == "host"
    assert "simulated on the host" in trace.note
    np.testing.assert_array_equal(trace.outputs, np.tile(np.arange(8.0, 12.0), 4))


def test_a_nan_that_a_maximum_drops_is_named():
    x = jnp.arange(8.0).at[3].set(jnp.nan)
    trace = read.trace(region(lambda x: lax.pmax(x, "x"), P()), x)
    dropped = not np.isnan(np.asarray(trace.outputs)).any()
    assert ("pmax has dropped a NaN" in trace.note) == dropped
    assert read.trace(region(lambda x: lax.pmax(x, "x"), P()), jnp.arange(8.0)).note == ""


def test_a_deleted_array_is_refused_by_name():
    def f(x):
        return x * 2

    mapped, sharding = region(f), NamedSharding(MESH, P("x"))
    live, gone = (jax.device_put(jnp.arange(8.0), sharding) for _ in range(2))
    read.trace(mapped, live)  # From now on the program is compiled.
    jax.jit(lambda x: x + 1, donate_argnums=0)(gone)
    gone.delete()
    with pytest.raises(ValueError, match="x was deleted or donated to another call"):
        read.trace(mapped, gone)

    closed_over = jax.device_put(jnp.ones(2))

    def g(x):
        return x * closed_over

    read.trace(region(g), live)
    closed_over.delete()
    with pytest.raises((ValueError, RuntimeError), match="deleted"):
        read.trace(region(g), live)
