"""Where blocks come from, and where two traces begin to differ."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import PartitionSpec as P

from shardwidget import read
from tests.jax_suite.corpus import mesh_of

MESH = mesh_of(x=4)


SPLIT = P("x")


def region(f, in_specs: Any = SPLIT, out_specs=SPLIT):
    return jax.shard_map(f, mesh=MESH, in_specs=in_specs, out_specs=out_specs, check_vma=False)


@pytest.mark.parametrize("engine", [None, "host"])
def test_a_block_is_followed_round_a_ring(engine):
    def f(q, k):
        def step(carry, _):
            k, total = carry
            total = total + q * k
            k = lax.ppermute(k, "x", [(i, (i + 1) % 4) for i in range(4)])
            return (k, total), None

        (k, total), _ = lax.scan(step, (k, q), None, length=4)
        return total + k

    trace = read.trace(region(f), jnp.arange(8.0), jnp.arange(8.0), engine=engine)
    for iteration in range(3):
        for device in range(4):
            origin = trace["k"].origin(device=device, iteration=iteration)
            assert origin == ("k", (device - iteration) % 4)
    assert str(trace["k"].origin(device=0, iteration=1)) == "k of device 3"
    assert trace["total"].origin(device=2, iteration=1) == ("total", 2)  # Computed: its own.
    # Origins agree with values.
    first = trace["k"][0]
    for v in trace["k"]:
        for device in range(4):
            root = trace.variables[v.origin.variable].value if v.origin else v.value
            position = v.origin.positions.array().reshape(4, -1)[device, 0] if v.origin else device
            np.testing.assert_array_equal(v.value(device), root(int(position)))
    assert first.origin is None


def test_pieces_of_a_gathered_block_are_told_apart():
    def f(w):
        whole = lax.all_gather(w, "x", tiled=True)
        part = whole[2:6]
        mine = lax.dynamic_slice_in_dim(whole, ((lax.axis_index("x") + 1) % 4) * 2, 2)
        flipped = lax.all_to_all(whole, "x", split_axis=0, concat_axis=0, tiled=True)
        return part[:2] + mine + flipped[:2]

    trace = read.trace(region(f), jnp.arange(8.0))
    assert trace["whole"].origin(device=3) == tuple(("w", d) for d in range(4))
    assert trace["part"].origin(device=0) == (("w", 1), ("w", 2))
    assert [trace["mine"].origin(device=d) for d in range(4)] == [("w", (d + 1) % 4) for d in range(4)]
    assert trace["flipped"].origin(device=1) == ("flipped", 1)  # Pieces of pieces are not followed.


def test_a_device_that_is_sent_nothing_has_zeros():
    trace = read.trace(region(lambda k: lax.ppermute(k, "x", [(0, 1)])), jnp.arange(8.0))
    (last,) = [s for s in trace.steps if s.primitive == "ppermute"]
    history = trace[last.outputs[0].name]
    assert history.origin(device=1) == ("k", 0)
    assert history.origin(device=2) == ("k", None)


def test_unknown_names_devices_and_iterations_are_refused():
    trace = read.trace(region(lambda k: lax.ppermute(k, "x", [(0, 1)])), jnp.arange(8.0))
    with pytest.raises(KeyError, match="no value is called 'q'; the names are k"):
        trace["q"]
    with pytest.raises(KeyError, match="no device 9; the 4 devices of this mesh are 0, 1, 2, 3"):
        trace["k"].origin(device=9)
    with pytest.raises(KeyError, match="no value in iteration 2"):
        trace["k"].origin(device=0, iteration=2)


def test_two_traces_part_where_a_value_first_differs():
    def f(x, scale):
        h = x * 2
        g = h / scale
        return lax.psum(g, "x")

    args = jnp.arange(1.0, 9.0), jnp.ones(8)
    mapped = region(f, in_specs=(SPLIT, SPLIT), out_specs=P())
    good, again = read.trace(mapped, *args), read.trace(mapped, *args)
    assert good.compare(again) is None
    bad = read.trace(mapped, args[0], args[1].at[4].set(0))
    found = bad.compare(good)
    assert found is not None
    assert (found.name, found.device) == ("scale", 2)

    def reference(x, scale):
        unused = jnp.sin(x)
        h = x + x
        g = h * scale * 1.5
        return lax.psum(g + 0 * unused, "x")

    other = read.trace(region(reference, in_specs=(SPLIT, SPLIT), out_specs=P()), *args)
    found = good.compare(other)
    assert found is not None
    assert (found.name, found.device) == ("g", 0)
    np.testing.assert_allclose(found.other, 1.5 * found.mine)
    assert "g differs first on device 0" in str(found)


def test_results_are_compared_whatever_they_are_called():
    def one(x):
        h = x * 2
        return lax.psum(h, "x")

    def other(x):
        h = 2 * x
        h = h.at[0].add(1)
        return lax.psum(h, "x")

    first, second = (read.trace(region(f, in_specs=SPLIT, out_specs=P()), jnp.arange(8.0)) for f in (one, other))
    found = first.compare(second)
    assert found is not None
    assert found.step == len(first.steps) - 1
    np.testing.assert_allclose(found.other[0], found.mine[0] + 4)
