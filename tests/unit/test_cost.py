"""Estimated times: the worked examples of the scaling book, and what the formulas promise."""

import pytest

from shardwidget.collectives import Call, call_of
from shardwidget.cost import INTERCONNECTS, LABEL, Estimate, Interconnect, estimate

V4P, V5E, H100 = INTERCONNECTS["TPU v4p"], INTERCONNECTS["TPU v5e"], INTERCONNECTS["H100"]
ACTIVATIONS = 2 * 1024 * 4096
"""Bytes of bf16[B, D] with B = 1024, D = 4096, on a v4p of 4×4×4."""


def ppermute(n: int, *pairs: tuple[int, int]) -> Call:
    call = call_of("ppermute", {"axis_name": "x", "perm": pairs}, ["x"], [n])
    assert call
    return call


def test_all_gather_over_one_axis_of_an_array_sharded_over_another():
    e = estimate("all_gather", [4], ACTIVATIONS / 4, V4P)
    assert e.seconds == pytest.approx(23e-6, rel=0.02)
    assert (e.bound, e.latency_s) == ("bandwidth", pytest.approx(2e-6))
    assert e.arithmetic == "bandwidth 1 · 2097152 B / (9e+10 B/s · 1) = 23.3 µs; latency 2 · 1 µs = 2 µs"
    assert e.note == LABEL


def test_all_gather_over_two_axes():
    assert estimate("all_gather", [4, 4], ACTIVATIONS, V4P).seconds == pytest.approx(46e-6, rel=0.02)


def test_all_gather_on_eight_h100():
    e = estimate("all_gather", [8], 2 * 1024 * 16384, H100)
    assert e.seconds == pytest.approx(65e-6, rel=0.01)
    assert e.arithmetic == "bandwidth 33554432 B · 7/8 / 4.5e+11 B/s = 65.2 µs; latency not known"
    assert "no latency is tabulated" in e.note


@pytest.mark.parametrize("name", INTERCONNECTS)
def test_ratios(name):
    """On every interconnect: all-reduce is two all-gathers, all-to-all a quarter (torus) or an N-th (switch)."""
    interconnect = INTERCONNECTS[name]

    def seconds(kind):
        return estimate(kind, [8], 1e9, interconnect).bandwidth_s

    assert seconds("reduce_scatter") == seconds("all_gather")
    assert seconds("psum") == seconds("pmax") == pytest.approx(2 * seconds("all_gather"))
    share = 4 if interconnect.topology == "torus" else 8
    assert seconds("all_to_all") == seconds("ragged_all_to_all") == pytest.approx(seconds("all_gather") / share)


@pytest.mark.parametrize("name", INTERCONNECTS)
@pytest.mark.parametrize("kind", ["psum", "all_gather", "all_to_all", "ppermute", "pbroadcast"])
def test_every_estimate_says_that_it_is_one(name, kind):
    for sizes in ([1], [2], [4, 4, 4], [1000]):
        assert estimate(kind, sizes, 1e6, INTERCONNECTS[name]).note.startswith("estimate")


def test_small_arrays_are_bound_by_latency():
    e = estimate("all_gather", [16], 1024, V4P)
    assert (e.bound, e.seconds) == ("latency", pytest.approx(8e-6))
    assert estimate("all_gather", [16], 1024, V4P, t_min=0.5e-6).seconds == pytest.approx(4e-6)


def test_without_wraparound_it_takes_twice_as_long():
    """A v5e has wraparound on a full axis of 16 only."""
    ring, line = (estimate("all_gather", [16], 1e9, V5E, wraparound=w) for w in (True, False))
    assert line.bandwidth_s == 2 * ring.bandwidth_s
    assert (ring.latency_s, line.latency_s) == (pytest.approx(8e-6), pytest.approx(15e-6))
    assert estimate("all_gather", [16], 1e9, V5E) == ring
    assert estimate("all_gather", [8], 1e9, V5E) == estimate("all_gather", [8], 1e9, V5E, wraparound=False)
    assert "no wraparound" in line.note
    assert "no wraparound" not in ring.note


def test_axes_of_one_device_do_not_count():
    assert estimate("psum", [1, 4, 1], 1e6, V4P) == estimate("psum", [4], 1e6, V4P)
    assert estimate("psum", [1], 1e6, V4P).seconds == 0


@pytest.mark.parametrize("kind", ["axis_index", "pvary"])
def test_what_sends_nothing_takes_no_time(kind):
    assert estimate(kind, [8], 0, H100) == Estimate(0, 0, "nothing is sent", LABEL)


def test_a_permutation_goes_by_its_farthest_pair():
    one_way = V4P.bandwidth / 2
    ring = ppermute(8, *[(i, (i + 1) % 8) for i in range(8)])
    assert estimate(ring, [8], 1e6, V4P).bandwidth_s == pytest.approx(1e6 / one_way)
    assert estimate(ring, [8], 1e6, V4P, wraparound=False).bandwidth_s == pytest.approx(7e6 / one_way)
    assert estimate(ring, [2, 4], 1e6, V4P, wraparound=True).bandwidth_s == pytest.approx(2e6 / one_way)
    assert estimate(ppermute(8, (0, 4)), [8], 1e6, V4P).latency_s == pytest.approx(4e-6)
    assert estimate(ppermute(8, (3, 3)), [8], 1e6, V4P).seconds == 0
    assert estimate(ring, [8], 1e6, H100).seconds == pytest.approx(1e6 / H100.bandwidth)


def test_between_nodes_the_node_is_the_bottleneck():
    inside, across = (estimate("all_gather", [n], 1e9, H100) for n in (8, 64))
    assert across.seconds == pytest.approx(1e9 / 4e11)
    assert across.seconds > inside.seconds
    assert "between nodes of 8" in across.note
    domain = INTERCONNECTS["GB200 NVL72"]
    assert estimate("all_gather", [72], 1e9, domain).seconds == pytest.approx(1e9 * 71 / 72 / 9e11)


def test_more_than_a_pod_and_more_axes_than_links_are_said():
    assert "more devices than a pod has (256)" in estimate("psum", [32, 16], 1e6, V5E).note
    assert "links on 2 axes only" in estimate("psum", [2, 2, 2], 1e6, V5E).note


def test_numbers_of_your_own():
    mine = Interconnect("mine", "switch", 1e9, pod=4)
    assert estimate("all_gather", [4], 4e9, mine).seconds == pytest.approx(3)
    with pytest.raises(ValueError, match=r"mine connects 4 devices and the group has 8: set Interconnect\.node_"):
        estimate("all_gather", [8], 4e9, mine)
