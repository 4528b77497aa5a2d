"""What a trace says that a collective sends: one convention for all, and what algorithms pass on besides."""

import jax
import jax.numpy as jnp
import pytest
from jax import lax
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

from shardwidget import read

MESH = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
BLOCK = 8 * 16 * 4
"""Bytes of a block: f32[8, 16]."""


def collectives_of(f, *args, mesh=MESH, engine=None):
    f = jax.shard_map(f, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False)
    trace = read.trace(f, *args, engine=engine)
    found = [step.collective for step in trace.steps if step.collective]
    return found, [[trace.plans[k].algorithm for k in c.plans] for c in found]


@pytest.mark.parametrize(
    ("f", "sent", "ring", "cut", "joined"),
    [
        (lambda v: lax.psum(v, "x"), 2 * BLOCK * 3 // 4, 2 * BLOCK * 3 // 4, 0, 0),
        (lambda v: lax.all_gather(v, "x", axis=1, tiled=True), 3 * BLOCK, 3 * BLOCK, -1, 1),
        (lambda v: lax.psum_scatter(v, "x", tiled=True), BLOCK * 3 // 4, BLOCK * 3 // 4, 0, -1),
        # A ring passes on what is for farther ranks.
        (lambda v: lax.all_to_all(v, "x", 1, 0, tiled=True), BLOCK * 3 // 4, BLOCK * 6 // 4, 1, 0),
        (lambda v: lax.psum(v, ("x", "y")), 2 * BLOCK * 7 // 8, 2 * BLOCK * 7 // 8, 0, 0),
    ],
)
def test_bytes_and_the_dimensions_that_are_cut(f, sent, ring, cut, joined):
    (c,), (algorithms,) = collectives_of(f, jnp.ones((32, 16)))
    assert (c.bytes_per_device, c.split_axis, c.concat_axis) == (sent, cut, joined)
    by = dict(zip(algorithms, c.plan_bytes, strict=True))
    assert (by["meaning"], by["ring"]) == (sent, ring)


def test_a_group_of_one_device_sends_nothing():
    one = jax.make_mesh((1, 8), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
    (c,), _ = collectives_of(lambda v: lax.psum(v, "x"), jnp.ones((8, 16)), mesh=one)
    assert (c.bytes_per_device, c.arithmetic) == (0, "no communication: each group is one device")
    assert not any(c.latency + c.bandwidth)


def test_a_ragged_exchange_counts_the_rows_that_are_sent():
    """The example of ``jax.lax.ragged_all_to_all``: device 0 sends 2 rows to the other, device 1 sends 1."""
    two = jax.make_mesh((2,), ("x",), axis_types=(AxisType.Auto,))
    operand, output = jnp.array([1.0, 2, 2, 3, 4, 0]), jnp.zeros(8)
    numbers = [jnp.array(n) for n in ([0, 1, 0, 1], [1, 2, 1, 1], [0, 0, 1, 2], [1, 1, 2, 1])]

    def f(*args):
        return lax.ragged_all_to_all(*args, axis_name="x")

    (c,), _ = collectives_of(f, operand, output, *numbers, mesh=two, engine="host")
    assert (c.bytes_per_device, c.plan_bytes[0]) == (8, 8)
    assert c.arithmetic == "1 to 2 rows to other devices, of 4 B each, N = 2"
