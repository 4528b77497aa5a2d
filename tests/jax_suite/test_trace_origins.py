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


@pytest.mark.parametrize("length", [30, 1001])
def test_blocks_are_followed_across_iterations_that_were_not_recorded(length):
    ring = [(i, (i + 1) % 4) for i in range(4)]

    def f(q, k, w):
        def step(carry, _):
            k, w, total, sent = carry
            total = total + q * k + sent
            there = lax.ppermute(k, "x", ring)
            # Two carries change places, one is computed, and one is that, sent.
            return (w, there, total, lax.ppermute(total, "x", ring)), None

        out, _ = lax.scan(step, (k, w, q, q), None, length=length)
        return sum(out)

    tags = jnp.arange(8.0)
    trace = read.trace(region(f, in_specs=(SPLIT,) * 3), tags, 100 + tags, 200 + tags)
    last = length - 1
    recorded = {s.iteration for s in trace.scopes if s.kind == "iteration"}
    assert last in recorded
    assert last - 1 not in recorded
    first = next(s for s in trace.steps if s.primitive == "in_specs").outputs
    followed = 0
    for v in trace.variables:
        # Whatever is said agrees with the values.
        if v.region < 0 or v.origin is None:
            continue
        root = trace.variables[v.origin.variable]
        for device, (at,) in enumerate(v.origin.positions.array().reshape(4, -1).tolist()):
            if at >= 0:
                np.testing.assert_array_equal(v.value(device), root.value(at))
                followed += root in first
    assert followed > 0
    # A ring's blocks are those of the arguments, however many iterations were left out.
    k, w = (trace[name].at(last) for name in ("k", "w"))
    assert {trace.variables[v.origin.variable].name for v in (k, w) if v.origin} == {"k", "w"}
    # What an iteration that was not recorded made and sent is not known.
    with pytest.raises(ValueError, match="not recorded"):
        trace["sent"].origin(device=0, iteration=last)


def test_a_block_that_values_choose_is_not_followed_across_iterations_that_were_not_recorded():
    def f(k):
        def step(k, i):
            whole = lax.all_gather(k, "x", tiled=True)
            return lax.dynamic_slice_in_dim(whole, ((lax.axis_index("x") + i) % 4) * 2, 2), None

        return lax.scan(step, k, jnp.arange(30))[0]

    trace = read.trace(region(f), jnp.arange(8.0))
    assert trace["k"].origin(device=1, iteration=1) == ("k", 1)
    with pytest.raises(ValueError, match="not recorded"):
        trace["k"].origin(device=1, iteration=29)


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
    assert "g differs first at step 2, div, on device 0\n" in str(found)


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
