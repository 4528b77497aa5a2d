"""What is computed from events whose waiting, overlap and clocks are known."""

import json
from dataclasses import replace

import numpy as np
import pytest

from shardwidget.document import Operation
from shardwidget.measured import lanes
from shardwidget.measured.build import REMOTE
from shardwidget.measured.cover import IntervalUnion
from tests.runs import LINE, LOST, MATMUL, REDUCE, collective, measure, mesh


def microseconds(seconds: float) -> float:
    return round(seconds * 1e6, 6)


def test_waiting_ends_with_the_last_arrival_in_the_own_group():
    run = measure([(0, 0, 1, 10, 40), (1, 0, 1, 25, 40), (2, 0, 1, 0, 30), (3, 0, 1, 5, 35)])
    waited = {device: [microseconds(e.waited_s) for e in run.events(device)] for device in range(4)}
    assert waited == {0: [15], 1: [0], 2: [5], 3: [0]}
    (c,) = run.collectives
    # After the last arrival: 15, 15, 25 and 30 µs.
    assert microseconds(c.median_s) == 20
    assert microseconds(c.wait_s) == 2.5
    assert microseconds(c.call_s) == 85 / 4
    assert microseconds(c.call_wait_s) == 5
    assert c.times == 4
    assert c.bytes_per_second == pytest.approx(1000 / 20e-6)
    assert c.last.array().tolist() == [0, 1, 0, 1]


def test_of_a_permutation_only_the_sender_is_waited_for():
    ring = collective([[0, 1, 2, 3]], pairs=((0, 1), (1, 2), (2, 3), (3, 0)))
    run = measure([(0, 0, 1, 0, 50), (1, 0, 1, 10, 50), (2, 0, 1, 5, 50), (3, 0, 1, 20, 50)], of=ring)
    assert [microseconds(run.events(d)[0].waited_s) for d in range(4)] == [20, 0, 5, 0]


def test_the_waits_of_calls_and_iterations_are_their_own():
    rows = [(d, call, 1, 100 * k + d * (k + 1), 100 * k + 50) for call in range(2) for k in range(3) for d in range(2)]
    run = measure(rows, on=mesh(1, 2), of=collective([[0, 1]]), operations=(MATMUL, replace(REDUCE, trips=(3,)), LOST))
    assert [(e.call, e.iteration, microseconds(e.waited_s)) for e in run.events(0)] == [
        (call, (k,), k + 1) for call in range(2) for k in range(3)
    ]
    assert run.collectives[0].last.array().tolist() == [0, 6]


def test_iterations_of_nested_loops_are_digits():
    assert [lanes.iteration(k, (2, 3)) for k in range(6)] == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    assert lanes.iteration(5, ()) == ()
    assert lanes.iteration(5, (0,)) == (5,)


def test_the_four_shares_of_a_call_and_what_is_hidden():
    # Device 0 computes 0–40, is in the collective from 30 and waits there until 50, as device 1 arrives; it ends at 90.
    # Device 1 computes 0–50, and 60–70 while the collective moves data; the call ends at 100.
    rows = [
        (0, 0, 0, 0, 40),
        (0, 0, 1, 30, 90),
        (1, 0, 0, 0, 50),
        (1, 0, 1, 50, 90),
        (1, 0, 0, 60, 70),
        (1, 0, 2, 90, 100),
    ]
    run = measure(rows, on=mesh(1, 2), of=collective([[0, 1]]))
    s = run.shares
    assert s.compute == pytest.approx((40 + 50 + 10 + 10) / 200)
    assert s.communication == pytest.approx((40 + 30) / 200)
    assert s.waiting == pytest.approx(10 / 200)
    assert s.idle == pytest.approx(10 / 200)
    assert s.hidden == pytest.approx(10 / 80)
    assert s.compute + s.communication + s.waiting + s.idle == pytest.approx(1)
    assert run.collectives[0].hidden == pytest.approx(10 / 80)
    assert microseconds(run.median_s) == 100


def test_time_without_a_line_is_counted_and_named():
    run = measure(
        [(0, 0, 0, 0, 30), (0, 0, 2, 30, 40), (0, 0, 3, 40, 50)],
        operations=(MATMUL, REDUCE, LOST, Operation("x", known=False)),
    )
    assert run.joined == pytest.approx(0.6)
    assert [(u.name, u.why, u.times) for u in run.unjoined] == [
        ("copy.9", "no source line", 1), ("x", "not in the program", 1),
    ]  # fmt: skip
    assert [u.share for u in run.unjoined] == pytest.approx([0.2, 0.2])


def test_what_devices_compute_for_a_line_is_the_mean_of_a_call():
    """Two calls of two devices; a collective of the same line, and what has no line, are no part of it."""
    rows = [
        (0, 0, 0, 0, 10),
        (0, 0, 1, 10, 40),
        (1, 0, 0, 0, 30),
        (1, 0, 2, 30, 35),
        (0, 1, 0, 100, 120),
        (1, 1, 1, 100, 140),
    ]
    run = measure(rows, of=collective([[0, 1]]), on=mesh(1, 2))
    (line,) = run.lines
    assert line.source == LINE
    assert line.call_s == pytest.approx((10 + 30 + 20) / 4 * 1e-6)
    assert line.share == pytest.approx(line.call_s / np.mean(run.seconds))
    assert run.costliest == max((line, *run.collectives), key=lambda each: each.call_s)


def test_a_collective_that_did_not_run_is_kept():
    run = measure([(0, 0, 0, 0, 30)])
    assert run.collectives[0].times == 0
    assert "did not run" in repr(run)


def test_events_are_read_back_as_they_were():
    rng = np.random.default_rng(0)
    start = np.sort(rng.integers(0, 10**6, 400))
    rows = [(k % 4, 0, k % 3, int(s), int(s) + 3) for k, s in enumerate(start)]
    run = measure(rows)
    for device in range(4):
        found = run.events(device)
        expected = sorted(row for row in rows if row[0] == device)
        assert [microseconds(e.start_s) for e in found] == [
            row[3] - start[0] for row in sorted(expected, key=lambda r: r[3])
        ]
        assert {e.kind for e in found} == {"compute", "collective"}
    with pytest.raises(ValueError, match="device 7 was not measured; devices 0, 1, 2, 3 were"):
        run.events(7)


def test_long_runs_have_longer_ticks():
    run = measure([(0, 0, 0, 0, 5_000_000)])
    assert run.tick_s == pytest.approx(1e-8)
    assert run.events(0)[0].end_s == pytest.approx(5)


def test_too_many_events_are_joined_with_neighbours(monkeypatch):
    monkeypatch.setattr(lanes, "MOST_EVENTS", 30)
    rows = [(0, 0, 0, 2 * k, 2 * k + 1) for k in range(100)] + [(d, 0, 1, 300, 310 + d) for d in range(2)]
    run = measure(rows)
    assert run.merged_events == 99
    joined, collective = run.events(0)
    assert (microseconds(joined.start_s), microseconds(joined.end_s)) == (0, 199)
    assert microseconds(collective.end_s) == 310
    # What was measured is computed before.
    assert run.shares.compute == pytest.approx(100 / (2 * 311))


def test_runs_of_processes_are_merged_on_their_collectives():
    whole = [(d, k, 1, 10 * d + 1000 * k, 60 + 1000 * k) for d in range(4) for k in range(3)]
    whole += [(d, k, 0, 60 + 1000 * k, 100 + 1000 * k) for d in range(4) for k in range(3)]
    everybody = collective([[0, 1, 2, 3]])
    on = mesh(4, processes=2)
    expected = measure(whole, of=everybody, on=on)
    first = measure([r for r in whole if r[0] < 2], of=everybody, on=on)
    # The other clock is 5 ms ahead.
    later = [(d, k, o, a + 5000, b + 5000) for d, k, o, a, b in whole if d >= 2]
    second = measure(later, of=everybody, on=on)
    assert REMOTE in first.note
    merged = first.merge(second)
    assert [microseconds(e.waited_s) for e in merged.events(0) if e.kind == "collective"] == [30] * 3
    assert replace(merged, clocks=()) == expected
    (clock,) = merged.clocks
    assert (clock.process, microseconds(clock.offset_s), clock.skew_s, clock.collectives) == (1, 5000, 0, 3)


def test_the_skew_that_remains_is_stated():
    everybody = collective([[0, 1]])
    on = mesh(2, processes=2)
    first = measure([(0, k, 1, 1000 * k, 1000 * k + 50) for k in range(9)], of=everybody, on=on)
    second = measure([(1, k, 1, 1000 * k, 1000 * k + 50 + 2 * (k % 3)) for k in range(9)], of=everybody, on=on)
    (clock,) = first.merge(second).clocks
    assert microseconds(clock.offset_s) == 2
    assert microseconds(clock.skew_s) == 2


def test_runs_that_do_not_belong_together_are_not_merged():
    run = measure([(0, 0, 1, 0, 10), (1, 0, 1, 0, 10)])
    with pytest.raises(ValueError, match="device 0 is in runs 0 and 1: give one run per process"):
        run.merge(run)
    with pytest.raises(ValueError, match=r"the first is f with 1 calls .* number 1 is g with"):
        run.merge(replace(run, name="g"))


def test_without_a_common_collective_clocks_stay():
    on = mesh(2, 2, processes=2)
    first = measure([(0, 0, 1, 0, 10), (1, 0, 1, 0, 10)], on=on)
    merged = first.merge(measure([(2, 0, 1, 7, 10), (3, 0, 1, 0, 10)], on=on))
    assert merged.clocks[0].collectives == 0
    assert "No collective joins process 1" in merged.note


def test_a_chrome_trace_has_the_axes_and_lines():
    run = measure([(0, 0, 0, 0, 10), (0, 0, 1, 10, 40), (1, 0, 1, 25, 40)])
    trace = json.loads(json.dumps(run.to_trace()))
    slices = [e for e in trace["traceEvents"] if e["ph"] == "X"]
    assert [(e["pid"], e["name"], e["ts"], e["dur"]) for e in slices] == [
        (0, "line 8", 0, 10),
        (0, "waiting over y", 10, 15),
        (0, "all-reduce over y", 25, 15),
        (1, "all-reduce over y", 25, 15),
    ]
    assert slices[0]["args"]["code"] == "h = x @ w"
    names = [e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "process_name"]
    assert names == ["device 0 (x=0, y=0)", "device 1 (x=0, y=1)"]


@pytest.mark.parametrize("seed", range(20))
def test_a_cover_is_a_union(seed):
    rng = np.random.default_rng(seed)
    start = rng.integers(0, 100, rng.integers(0, 12))
    end = start + rng.integers(0, 20, len(start))
    line = np.zeros(130, bool)
    for a, b in zip(start, end, strict=True):
        line[a:b] = True
    cover = IntervalUnion(start, end)
    assert cover.length == line.sum()
    lows = rng.integers(0, 110, 30)
    highs = lows + rng.integers(0, 19, 30)
    assert cover.within(lows, highs).tolist() == [line[a:b].sum() for a, b in zip(lows, highs, strict=True)]
