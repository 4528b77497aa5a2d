"""Algorithms side by side: what links carry, estimated times, the widget and its text."""

from fractions import Fraction

import jax
import pytest
from jax.sharding import PartitionSpec as P
from traitlets import TraitError

import shardwidget as sw
from shardwidget.collectives import bytes_by_plan, call_of
from shardwidget.collectives.compared import compare
from shardwidget.cost import INTERCONNECTS, interconnects, networks

RING = INTERCONNECTS["TPU v5e"]


def algorithms(collective: str, n: int, nbytes: int = 2**20):
    return compare(collective, n, nbytes, networks([RING, INTERCONNECTS["H100"]]), 1e-6)


def test_a_ring_shares_no_link_and_halving_doubling_does():
    ring, both_ways, halving = algorithms("psum", 8).algorithms
    assert ring.busiest == (1.0,) * 14
    assert both_ways.busiest == (1.0,) * 8
    # Half of the block goes four links far: two messages each way on every link, for half of each takes either way.
    assert halving.busiest == (8.0, 4.0, 1.0, 1.0, 4.0, 8.0)
    assert halving.sent == (4.0, 2.0, 1.0, 1.0, 2.0, 4.0)


@pytest.mark.parametrize("collective", ["psum", "all_gather", "reduce_scatter", "all_to_all"])
@pytest.mark.parametrize("n", [2, 4, 6, 8])
def test_a_device_sends_what_the_byte_counts_say(collective, n):
    call = call_of(collective, {"axis_name": "x"}, ["x"], [n])
    document = algorithms(collective, n, 2**20 * 3)
    assert call
    for one in document.algorithms:
        sent = Fraction(sum(one.sent)) * Fraction(document.chunk).limit_denominator(64) * document.nbytes
        assert sent == bytes_by_plan(one.plan, call, document.nbytes)


def test_small_blocks_are_faster_by_halving_doubling_and_large_ones_by_a_ring():
    document = algorithms("psum", 8)
    equal = document.equal(0, 2)
    assert equal is not None
    assert document.seconds(0, 0, int(equal / 2)) > document.seconds(2, 0, int(equal / 2))
    assert document.seconds(0, 0, int(equal * 2)) < document.seconds(2, 0, int(equal * 2))
    assert document.seconds(0, 0, 0) == pytest.approx(14e-6)
    assert document.seconds(2, 0, 0) == pytest.approx(6e-6)
    # One direction of a link has half of the bandwidth of both.
    assert document.seconds(0) == pytest.approx(14e-6 + 14 / 8 * 2**20 / 4.5e10)


def test_on_a_switch_halving_doubling_is_never_slower():
    document = algorithms("psum", 8)
    assert document.networks[1].topology == "switch"
    assert document.equal(0, 2, network=1) is None


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(ValueError, match=r"'ppermute' has no algorithms to compare. Give one of 'psum', "):
        sw.AlgorithmView("ppermute", 8)
    with pytest.raises(ValueError, match="n must be 2 to 64 devices; got 1"):
        sw.AlgorithmView("psum", 1)
    with pytest.raises(TraitError, match="pair must be two of 'ring', 'bidirectional ring'"):
        sw.AlgorithmView("psum", 6, pair=("ring", "halving-doubling"))
    with pytest.raises(TraitError, match="nbytes must be 1 to"):
        sw.AlgorithmView("psum", 8).nbytes = 2**40


def test_the_view_says_what_it_shows():
    view = sw.AlgorithmView("psum", 8, interconnect="H100")
    assert view.pair == ["ring", "halving-doubling"]
    assert repr(view).splitlines() == [
        "psum of 1 MiB on 8 devices: 3 algorithms",
        "halving-doubling is fastest at 1 MiB: ≈ 10.1 µs",
        "ring                14 rounds, 1.75 MiB sent by a device, 1.75 MiB over the busiest link of a ring, ≈ 18.1 µs",
        "bidirectional ring  8 rounds, 1.75 MiB sent by a device, 1 MiB over the busiest link of a ring, ≈ 12.1 µs",
        "halving-doubling    6 rounds, 1.75 MiB sent by a device, 3.25 MiB over the busiest link of a ring, ≈ 10.1 µs",
        "estimates for H100: a message takes 1 µs to start",
    ]
    assert "halving-doubling is faster below" in repr(sw.AlgorithmView("psum", 8))
    assert view._document["networks"][0]["name"] == "H100"
    assert len(view.document.networks) == len(interconnects())


def test_a_stepper_opens_the_algorithms_of_its_collective():
    mesh = jax.sharding.AbstractMesh((4,), ("x",))
    f = jax.shard_map(lambda a: jax.lax.psum(a, "x") * 2, mesh=mesh, in_specs=P("x"), out_specs=P())
    stepper = sw.ShardMapStepper(f, jax.ShapeDtypeStruct((16, 4), "float32"))
    (at,) = [k for k, step in enumerate(stepper.document.steps) if step.collective]
    view = stepper.algorithms(at)
    assert (view.document.collective, view.document.n, view.nbytes) == ("psum", 4, 64)
    with pytest.raises(ValueError, match=f"step 0 sends nothing; the steps with collectives are {at}"):
        stepper.algorithms(0)
