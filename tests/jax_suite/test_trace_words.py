"""The sentence of each step, in full."""

from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import lax
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

from shardwidget import read

MESH = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
traced: Any = read.trace


TILES: Any = P("x", "y")


def told(f, in_specs=TILES, out_specs=TILES, **kwargs):
    trace = traced(jax.shard_map(f, mesh=MESH, in_specs=in_specs, out_specs=out_specs, **kwargs), jnp.ones((16, 8)))
    return [(step.primitive, step.sentence) for step in trace.steps]


COLLECTIVES = {
    "psum over y": (
        lambda a: lax.psum(a, "y"),
        "y leaves V: after the sum, both devices of a group hold the same block. Four groups run at once, one per x.",
    ),
    "pmax over both": (
        lambda a: lax.pmax(a, ("x", "y")),
        "x and y leave V: after taking the maximum, all 8 devices of a group hold the same block. "
        "One group: all devices take part.",
    ),
    "all_gather, tiled": (
        lambda a: lax.all_gather(a, "x", tiled=True),
        "Every device gets all 4 blocks of its group, concatenated in dimension 0. They are equal along x now, yet x "
        "stays in V: all_gather is typed varying → varying. Two groups run at once, one per y.",
    ),
    "all_gather, stacked": (
        lambda a: lax.all_gather(a, "y", axis=1).sum(1),
        "Every device gets both blocks of its group, stacked in a new dimension 1. They are equal along y now, yet y "
        "stays in V: all_gather is typed varying → varying. Four groups run at once, one per x.",
    ),
    "psum_scatter": (
        lambda a: lax.psum_scatter(a, "x", tiled=True),
        "a is summed over all 4 devices of a group, and each keeps its own quarter of the sum, cut in dimension 0. "
        "Two groups run at once, one per y.",
    ),
    "ppermute": (
        lambda a: lax.ppermute(a, "x", [(0, 1), (1, 3)]),
        "Blocks of a move along x: 0 → 1, 1 → 3. Nothing arrives at 0 and 2, which get zeros. "
        "Two groups run at once, one per y.",
    ),
    "ppermute, one gap": (
        lambda a: lax.ppermute(a, "y", [(0, 1)]),
        "Blocks of a move along y: 0 → 1. Nothing arrives at 0, which gets zeros. Four groups run at once, one per x.",
    ),
    "all_to_all": (
        lambda a: lax.all_to_all(a, "x", 0, 1, tiled=True),
        "Every device cuts a into 4 pieces in dimension 0, sends the k-th to the k-th device of its group, and "
        "concatenates what arrives in dimension 1. Two groups run at once, one per y.",
    ),
}


@pytest.mark.parametrize("name", COLLECTIVES)
def test_a_collective(name):
    f, sentence = COLLECTIVES[name]
    quiet = ("in_specs", "out_specs", "reduce_sum", "pvary")
    assert [s for primitive, s in told(f) if primitive not in quiet] == [sentence]


def test_the_ends_of_a_region():
    said = told(lambda a: (lax.psum(a, "y"), a), out_specs=(P("x"), P(("x", "y"))))
    assert said[0] == ("in_specs", "a is split over x in dimension 0 and over y in dimension 1.")
    first, second = said[-1][1].split(". ")
    assert first.endswith(
        ": blocks are concatenated along x in dimension 0; along y all copies are equal and one is taken"
    )
    assert second.endswith(": blocks are concatenated along x and y in dimension 0.")
    unchecked = told(lambda a: a, in_specs=P(), out_specs=P("y"), check_vma=False)
    assert unchecked[0][1] == "a is whole on every device."
    assert "along x one copy is taken, unchecked." in unchecked[-1][1]


def test_a_function_of_a_library_has_the_users_line():
    run = jax.shard_map(jnp.sin, mesh=MESH, in_specs=P("x", "y"), out_specs=P("x", "y"))
    trace = read.trace(lambda a: run(a), jnp.ones((8, 8)))
    assert {(step.source.file, "run(a)" in step.source.text) for step in trace.steps if step.source} == {
        ("test_trace_words.py", True)
    }
    assert all(listing.file == "test_trace_words.py" for listing in trace.listings)


def test_what_a_library_computes_has_the_line_that_calls_it():
    def f(a):
        b = jnp.sort(a)
        return jnp.where(b > 0, b, jnp.searchsorted(b[0], b[0], side="right"))

    run = jax.shard_map(f, mesh=MESH, in_specs=P("x", "y"), out_specs=P("x", "y"))
    lines = {
        step.primitive: step.source.text if step.source else "" for step in read.trace(run, jnp.ones((8, 8))).steps
    }
    assert lines["sort"] == "b = jnp.sort(a)"
    assert lines["select_n"].startswith("return jnp.where(")
    assert all(lines.values())


def test_equations():
    said = dict(told(lambda a: lax.pcast(jnp.sin(a) * 2.5, (), to="varying") + lax.axis_index("x")))
    assert said["sin"].startswith("Each device computes ")
    assert said["sin"].endswith(" from its own block: a. Nothing is sent.")
    assert said["axis_index"] == "Every device gets its index along x. Nothing is sent."
    vary = [s for p, s in told(lambda a: a + lax.psum(a, "y")) if p == "pvary"]
    assert [s.partition(" as ")[2] for s in vary] == [
        "varying over y, to match other values. No element changes, nothing is sent."
    ]
    mine = [s for p, s in told(lambda a: lax.pcast(a, "y", to="varying"), in_specs=P("x")) if p == "pvary"]
    assert mine == ["From here on, a is typed as varying over y. No element changes, nothing is sent."]


def test_a_group_of_one_device_sends_nothing():
    mesh = jax.make_mesh((8, 1), ("x", "y"), axis_types=(AxisType.Auto,) * 2, devices=jax.devices()[:8])
    f = jax.shard_map(lambda a: lax.psum(a, "y"), mesh=mesh, in_specs=TILES, out_specs=P("x"))
    (step,) = (step for step in traced(f, jnp.ones((8, 8))).steps if step.collective)
    assert step.collective.bytes_per_device == 0
    assert step.sentence.startswith("Each device is alone along y: nothing is sent, and y leaves V. Eight groups")
