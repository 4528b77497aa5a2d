"""Estimated times: the worked examples of the scaling book, and what the formulas promise."""

import itertools
import math
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from shardwidget.collectives import Call, call_of, statement_of
from shardwidget.cost import INTERCONNECTS, LABEL, Estimate, Interconnect, estimate
from shardwidget.torus import Routes, Span

RING4 = Span(4, True)
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
    assert seconds("psum_scatter") == seconds("reduce-scatter") == seconds("reduce_scatter")
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
    ring, line = (estimate("all_gather", [Span(16, w)], 1e9, V5E) for w in (True, False))
    assert line.bandwidth_s == 2 * ring.bandwidth_s
    assert (ring.latency_s, line.latency_s) == (pytest.approx(8e-6), pytest.approx(15e-6))
    assert estimate("all_gather", [16], 1e9, V5E) == ring
    assert estimate("all_gather", [8], 1e9, V5E) == estimate("all_gather", [Span(8, ring=False)], 1e9, V5E)
    assert "no wraparound" in line.note
    assert "no wraparound" not in ring.note


def test_axes_of_one_device_do_not_count():
    assert estimate("psum", [1, 4, 1], 1e6, V4P) == estimate("psum", [4], 1e6, V4P)
    assert estimate("psum", [1], 1e6, V4P).seconds == 0


@pytest.mark.parametrize("kind", ["axis_index", "pvary"])
def test_what_sends_nothing_takes_no_time(kind):
    assert estimate(kind, [8], 0, H100) == Estimate(0, 0, "nothing is sent", LABEL)


def test_a_permutation_goes_by_its_busiest_link_and_waits_for_its_farthest_pair():
    one_way = V4P.bandwidth / 2
    ring = ppermute(8, *[(i, (i + 1) % 8) for i in range(8)])
    assert estimate(ring, [8], 1e6, V4P).bandwidth_s == pytest.approx(1e6 / one_way)
    line = estimate(ring, [Span(8, ring=False)], 1e6, V4P)
    # The block from the last to the first passes all links, against the others: none carries two.
    assert (line.bandwidth_s, line.latency_s) == (pytest.approx(1e6 / one_way), pytest.approx(7e-6))
    assert estimate(ring, [Span(2, True), Span(4, True)], 1e6, V4P).bandwidth_s == pytest.approx(1e6 / one_way)
    by_three = ppermute(8, *[(i, (i + 3) % 8) for i in range(8)])
    assert estimate(by_three, [8], 1e6, V4P).bandwidth_s == pytest.approx(3e6 / one_way)
    assert estimate(by_three, [8], 1e6, V4P, routes=Routes(1, 1)).bandwidth_s == pytest.approx(1e6 / one_way)
    assert estimate(ppermute(8, (0, 4)), [8], 1e6, V4P).latency_s == pytest.approx(4e-6)
    assert estimate(ppermute(8, (3, 3)), [8], 1e6, V4P).seconds == 0
    assert estimate(ring, [8], 1e6, H100).seconds == pytest.approx(1e6 / H100.bandwidth)


@pytest.mark.parametrize(
    ("name", "sizes", "microseconds"),
    [
        ("TPU v5e", [16], 2983),
        ("TPU v5e", [16, 16], 186.4),
        ("TPU v4p", [4, 4], 746),
        ("TPU v5p", [4, 4, 4], 93.2),
        ("TPU v5p", [4, 4, 8], 93.2),
        ("TPU v5p", [16], 1491),
        ("TPU v5e", [4, 4], 1491),  # lines
        ("TPU v5e", [16, 8], 373),  # a ring and a line
    ],
)
def test_all_to_all_over_several_axes_follows_the_busiest_link(name, sizes, microseconds):
    took = estimate("all_to_all", sizes, 2**30, INTERCONNECTS[name])
    assert took.bandwidth_s * 1e6 == pytest.approx(microseconds, rel=2e-3)


BOXES = [(RING4,), (RING4, RING4), (RING4, Span(8, True)), (Span(4, False),), (RING4, Span(2, False))]


@pytest.mark.parametrize("spans", BOXES)
def test_all_to_all_is_what_its_blocks_put_on_the_links(spans):
    """Each block by the shortest way, axis by axis; of two equal ways, half of it goes each."""
    sizes = [span.size for span in spans]
    n = math.prod(sizes)
    loads: defaultdict[tuple[Any, ...], float] = defaultdict(float)
    for source, target in itertools.product(np.ndindex(*sizes), repeat=2):
        at = list(source)
        for k, span in enumerate(spans):
            gap = target[k] - at[k]
            ways = [(gap % span.size, 1), (-gap % span.size, -1)] if span.ring else [(abs(gap), 1 if gap > 0 else -1)]
            short = [(steps, way) for steps, way in ways if steps == min(ways)[0]]
            for steps, way in short:
                for step in range(steps):
                    here = (at[k] + way * step) % span.size
                    loads[k, way, (*at[:k], here, *at[k + 1 :])] += 1 / len(short)
            at[k] = target[k]
    took = estimate("all_to_all", spans, 1e9, V4P).bandwidth_s
    assert took == pytest.approx(max(loads.values()) * 1e9 / n**2 / (V4P.bandwidth / 2))


@pytest.mark.parametrize(
    ("spans", "share"),
    [
        ([Span(4, True), Span(4, False)], 1.5),
        ([Span(4, False), Span(4, False)], 1),
        ([Span(4, True, 2, 2)], 0.5),
        ([Span(4, False, 2, 2)], 0.25),
        ([RING4, RING4, Span(2, True, 2, 2)], 2.5),
    ],
)
def test_lines_count_half_and_shared_links_their_part(spans, share):
    for kind, times in (("all_gather", 1), ("psum_scatter", 1), ("psum", 2)):
        took = estimate(kind, spans, 1e9, V4P)
        assert took.bandwidth_s == pytest.approx(times * 1e9 / (V4P.bandwidth * share))
    assert ("several groups share the links" in took.note) == any(span.sharing > 1 for span in spans)


def groups(shape: tuple[int, ...], axis: int) -> tuple[tuple[int, ...], ...]:
    at = np.moveaxis(np.arange(math.prod(shape)).reshape(shape), axis, -1)
    return tuple(map(tuple, at.reshape(-1, shape[axis]).tolist()))


def over_nodes(kind: str, members, pairs=()) -> Call:
    statement = statement_of(kind)
    assert statement
    return Call(statement, kind, ("x",), members, pairs=pairs)


@pytest.mark.parametrize(
    ("shape", "axis", "parts"),
    [
        ((8, 8), 1, 0),  # inside one node
        ((8, 8), 0, 8),  # one device on each of eight nodes; eight such groups share a node's links
        ((4, 16), 1, 1),  # two whole nodes
        ((4, 4, 4), 1, 4),  # two devices on each of two nodes, four groups on a node
        ((64,), 0, 1),
        ((2, 4), 0, 0),  # eight devices are one node
    ],
)
def test_a_group_of_few_devices_on_each_node_is_between_nodes(shape, axis, parts):
    took = estimate(over_nodes("all_gather", groups(shape, axis)), [shape[axis]], 1e9, H100)
    n = shape[axis]
    inside = 1e9 * (n - 1) / n / H100.bandwidth
    assert took.seconds == pytest.approx(max(inside, parts * 1e9 / H100.node_bandwidth))
    assert ("between nodes of 8" in took.note) == bool(parts)


def test_devices_fill_nodes_by_their_ids():
    """A mesh that is not in the order of the devices: its second axis crosses nodes."""
    call = over_nodes("all_gather", groups((8, 8), 1))
    across = np.arange(64).reshape(8, 8).T.ravel().tolist()
    assert estimate(call, [8], 1e9, H100, ids=across).seconds == pytest.approx(8e9 / H100.node_bandwidth)
    assert estimate(call, [8], 1e9, H100, ids=list(range(64))).seconds == estimate(call, [8], 1e9, H100).seconds


def test_a_permutation_between_nodes_counts_what_leaves_each():
    ring = tuple((k, (k + 1) % 16) for k in range(16))
    one = estimate(over_nodes("ppermute", groups((16,), 0), ring), [16], 1e9, H100)
    assert one.seconds == pytest.approx(1e9 / H100.node_bandwidth)
    all_leave = estimate(over_nodes("ppermute", groups((2, 8), 0), ((0, 1), (1, 0))), [2], 1e9, H100)
    assert all_leave.seconds == pytest.approx(8e9 / H100.node_bandwidth)
    none = estimate(over_nodes("ppermute", groups((2, 8), 1), tuple((k, k ^ 1) for k in range(8))), [8], 1e9, H100)
    assert "between nodes" not in none.note


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
    with pytest.raises(
        ValueError, match=r"mine connects 4 devices and the group has 8 on several nodes: set Interconnect\.node_"
    ):
        estimate("all_gather", [8], 4e9, mine)
