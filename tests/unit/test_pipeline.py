"""Pipeline schedules: published numbers are reproduced, formulas hold, impossible ones are refused by name."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shardwidget import pipeline
from shardwidget.document import Order, Schedule, to_wire
from shardwidget.document.order import KINDS, decode
from shardwidget.pipeline.generators import NAMES
from shardwidget.pipeline.simulation import simulate
from shardwidget.pipeline.tasks import pack, parse
from tests import schedules

# Each with its arguments for four ranks and eight microbatches.
FOUR_BY_EIGHT = {
    "gpipe": (4, 8),
    "one_f_one_b": (4, 8),
    "eager_1f1b": (4, 8),
    "interleaved_1f1b": (8, 8, 4),
    "zb_h1": (4, 8),
    "zb_v": (8, 8),
    "dualpipe_v": (8, 8),
    "circular": (8, 8, 4),
}


@pytest.mark.parametrize(
    ("name", "makespan", "idle", "peaks"),
    [
        ("gpipe", 33, 9, (8, 8, 8, 8)),
        ("one_f_one_b", 33, 9, (4, 3, 2, 1)),
        ("eager_1f1b", 33, 9, (7, 5, 3, 1)),
        ("interleaved_1f1b", 57, 9, (11, 9, 7, 5)),
        ("zb_h1", 27, 3, (4, 4, 4, 4)),
        ("zb_v", 51, 3, (8, 8, 8, 8)),
        ("dualpipe_v", 54, 6, (9, 9, 9, 9)),
        ("circular", 57, 9, (16, 16, 16, 16)),
    ],
)
def test_published_makespans_idle_times_and_peaks(name, makespan, idle, peaks):
    run = getattr(pipeline, name)(*FOUR_BY_EIGHT[name]).simulate()
    assert run.makespan == makespan
    assert run.idle == (idle,) * 4
    assert run.peak_activations == peaks
    assert run.bubble_of_total == pytest.approx(idle / makespan)
    assert run.bubble_of_ideal == pytest.approx(idle / (makespan - idle))


def test_two_bubble_rates_of_one_schedule():
    run = pipeline.one_f_one_b(4, 8).simulate()
    assert run.bubble_of_total == pytest.approx(3 / 11)
    assert run.bubble_of_ideal == pytest.approx(3 / 8)


@pytest.mark.parametrize(
    ("order", "makespan", "idle", "peaks"),
    [
        (schedules.kimi_k2(8, 8, 4), 57, 9, (12, 10, 8, 6)),
        (schedules.zero_bubble_interleaved(4, 8, 2), 49, 1, (4, 4)),
        (schedules.from_offsets(4, 8, (1, 1, 1, 1, 1, 1, 1)), 59, 11, (4, 4, 4, 4)),
        (schedules.v_half(4, 8), 53, 5, (6, 6, 6, 6)),
    ],
    ids=["Kimi K2", "PyTorch's interleaved zero bubble", "V-Min", "V-Half"],
)
def test_published_schedules_that_are_written_out(order, makespan, idle, peaks):
    run = pipeline.schedule(order).simulate()
    assert (run.makespan, run.idle, run.peak_activations) == (makespan, (idle,) * len(order), peaks)


def test_dualpipe_v_is_pytorchs():
    """Ten microbatches on four ranks; rank 2's end shows that weight halves come in the order of PyTorch's."""
    made = pipeline.dualpipe_v(8, 10)
    run = made.simulate()
    assert (run.makespan, run.idle, run.peak_activations) == (66, (6,) * 4, (9,) * 4)
    assert made.tasks[0][17:20] == ("0F7+7B3", "7F4+0B0", "0F8+7B4")
    assert made.tasks[2][-8:] == ("2I7", "5I9", "2I8", "2W7", "2I9", "5W9", "2W8", "2W9")


def test_zb_v_leaves_no_gap_between_a_ranks_first_and_last_task():
    run = pipeline.zb_v(8, 8).simulate()
    for rank in range(4):
        mine = [task for task in run.tasks if task.rank == rank]
        assert max(task.end for task in mine) - min(task.start for task in mine) == 48


# p, m, times of F, I, W, communication (Zero Bubble's Table 9), the rates of 1F1B and ZB-H1 (its Table 5).
ZERO_BUBBLE = [
    (8, 24, 18.522, 18.086, 9.337, 0.601, 0.2431, 0.1585),
    (8, 32, 18.513, 18.086, 9.331, 0.626, 0.1985, 0.1242),
    (8, 64, 18.546, 18.097, 9.321, 0.762, 0.1240, 0.0674),
    (8, 24, 29.718, 29.444, 19.927, 0.527, 0.2347, 0.1323),
    (8, 32, 29.802, 29.428, 19.530, 0.577, 0.1898, 0.1045),
    (8, 64, 29.935, 29.621, 19.388, 0.535, 0.1091, 0.0554),
    (16, 48, 11.347, 11.248, 8.132, 0.377, 0.2552, 0.1397),
    (16, 64, 11.307, 11.254, 8.101, 0.379, 0.2082, 0.1088),
    (16, 128, 11.325, 11.308, 8.109, 0.378, 0.1251, 0.0576),
    (32, 96, 10.419, 10.207, 7.715, 0.408, 0.2646, 0.1421),
]


@pytest.mark.parametrize(("p", "m", "f", "i", "w", "c", "plain", "zero"), ZERO_BUBBLE)
def test_rates_of_the_zero_bubble_paper(p, m, f, i, w, c, plain, zero):
    times = {"forward": f, "backward_input": i, "backward_weight": w, "communication": c}
    for make, rate in ((pipeline.one_f_one_b, plain), (pipeline.zb_h1, zero)):
        run = make(p, m).simulate(**times)
        assert round(1 - m * (f + i + w) / run.makespan, 4) == rate
        assert round(run.bubble_of_total, 4) == rate


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("p", "m"), [(2, 8), (4, 8), (4, 16), (8, 24)])
def test_formulas_of_papers_hold_where_they_claim_to(name, p, m):
    formula = pipeline.FORMULAS[name]
    v = {"interleaved_1f1b": 3, "circular": 2, "zb_v": 2, "dualpipe_v": 2}.get(name, 1)
    if name == "dualpipe_v" and m < 2 * p:
        m = 2 * p
    make = getattr(pipeline, name)
    run = (make(v * p, m, p) if name in ("interleaved_1f1b", "circular") else make(v * p, m)).simulate()
    sizes = pipeline.Sizes(p, m, v, F=1, I=1, W=1)
    assert run.idle == pytest.approx((formula.bubble(sizes),) * p)
    if formula.peak:
        assert max(run.peak_activations) == formula.peak(sizes)
    assert formula.source


@given(st.sampled_from(sorted(NAMES)), st.integers(1, 5), st.integers(1, 12), st.integers(1, 3))
def test_every_generated_schedule_can_be_run(name, p, m, v):
    v = {"interleaved_1f1b": v, "circular": v, "zb_v": 2, "dualpipe_v": 2}.get(name, 1)
    m = {"interleaved_1f1b": -(-m // p) * p, "circular": max(m, p), "dualpipe_v": max(m, 2 * p)}.get(name, m)
    make = getattr(pipeline, name)
    made = make(v * p, m, p) if name in ("interleaved_1f1b", "circular") else make(v * p, m)
    run = made.simulate()
    assert (made.ranks, made.stages, made.microbatches) == (p, v * p, m)
    assert run.messages == sum(task.rank != other for task, other in _crossings(run))
    done = {(str(task)): task for task in run.tasks}
    assert len(done) == len(run.tasks)
    for task in run.tasks:
        if task.kind == "F" and task.stage:
            assert task.start >= done[f"{task.stage - 1}F{task.microbatch}"].end


def _crossings(run):
    rank = {task.stage: task.rank for task in run.tasks}
    for task in run.tasks:
        if task.kind == "F" and task.stage:
            yield task, rank[task.stage - 1]
        if task.kind in "BI" and task.stage + 1 in rank:
            yield task, rank[task.stage + 1]


@given(st.integers(1, 4), st.integers(1, 6), st.lists(st.floats(0.5, 4), min_size=4, max_size=4))
def test_the_critical_path_explains_the_makespan(p, m, times):
    forward, inputs, weights, communication = times
    run = pipeline.zb_h1(p, m).simulate(
        forward=forward, backward_input=inputs, backward_weight=weights, communication=communication
    )
    tasks = [run.tasks[k] for k in run.critical]
    assert tasks[0].start == 0
    assert tasks[-1].end == run.makespan
    for before, after in itertools.pairwise(tasks):
        assert after.start == before.end + communication * (before.rank != after.rank)
    assert run.critical_path == tuple(map(str, tasks))


def test_times_may_differ_by_stage():
    run = pipeline.gpipe(2, 2).simulate(forward=[1, 3], backward_input=[1, 1], backward_weight=0)
    assert [(str(t), t.start, t.end) for t in run.tasks if t.stage == 1] == [
        ("1F0", 1, 4), ("1F1", 4, 7), ("1B0", 7, 8), ("1B1", 8, 9),
    ]  # fmt: skip


def test_activations_over_time():
    moments, kept = pipeline.one_f_one_b(2, 3).simulate().activations(0)
    changes = [(0, 1), (1, 2), (6, 1), (6, 2), (9, 1), (12, 0)]
    assert list(zip(moments.tolist(), kept.tolist(), strict=True)) == changes


def test_messages_and_bytes_by_link():
    run = replace(pipeline.one_f_one_b(4, 8), send_bytes=(100, 10, 1)).simulate()
    assert run.messages == 48
    assert {(link.source, link.destination): (link.messages, link.bytes) for link in run.links} == {
        (0, 1): (8, 800), (1, 0): (8, 800), (1, 2): (8, 80), (2, 1): (8, 80), (2, 3): (8, 8), (3, 2): (8, 8),
    }  # fmt: skip
    assert pipeline.interleaved_1f1b(8, 8, 4).simulate().messages == 112
    assert {link.bytes for link in pipeline.gpipe(2, 2).simulate().links} == {None}


@pytest.mark.parametrize(
    ("ranks", "words"),
    [
        ([], "there are no tasks"),
        ([[], []], "there are no tasks"),
        ([["0F0", "0B0"], []], "rank 1 has no tasks"),
        ([["0F0", "0B0", "0B0"]], "0B0 occurs 2 times on rank 0"),
        ([["0F0", "0B0"], ["0F1", "0B1"]], "stage 0 is on ranks 0, 1"),
        ([["0F0", "0B0", "2F0", "2B0"]], "stage 1 has no tasks"),
        ([["0F0"], ["1F0", "1B0"]], "stage 0 never gets microbatch 0 back: there is no 0B0"),
        ([["0F0", "0F1", "0B0"]], "stage 0 never gets microbatch 1 back"),
        ([["0F0", "0F2"]], "stage 0 has no forward task of microbatch 1 (0F1)"),
        ([["0B0", "0F0"]], "rank 0 runs 0B0 before 0F0"),
        ([["0F0", "0W0", "0I0"]], "rank 0 runs 0W0 before 0I0"),
        ([["0F0", "0I0"]], "stage 0 has no weight half of microbatch 0 (0W0)"),
        ([["0F0", "0W0"]], "stage 0 has no input half of microbatch 0 (0I0)"),
        ([["0F0", "0B0", "0W0"]], "both a whole backward task and a weight half"),
        ([["0F0", "0B0", "0I0", "0W0"]], "both a whole backward task and an input half"),
        ([["0F999999999"]], "need 1000000000 forward tasks"),
        ([["0F0", "0B0", "0F1", "0B1"], ["1F1", "1F0", "1B0", "1B1"]],
         "deadlock: rank 0 at 0B0 waits for 1B0 of rank 1; rank 1 at 1F1 waits for 0F1 of rank 0"),
        ([["0F0+1F1", "0F1"], ["1F0"]], "stage 1 is on ranks 0, 1"),
    ],
)  # fmt: skip
def test_what_is_impossible_is_refused_by_name(ranks, words):
    with pytest.raises(ValueError, match="impossible schedule") as error:
        pipeline.schedule(ranks)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("ranks", "error", "words"),
    [
        ([["0F0", "zero"]], ValueError, "rank 0, task 1: 'zero' is not a task"),
        ([["0F0", 7]], TypeError, "rank 0, task 1"),
        ([["0F-1"]], ValueError, "rank 0, task 0"),
    ],
)
def test_what_is_no_task_is_named_by_its_place(ranks, error, words):
    with pytest.raises(error, match=words):
        pipeline.schedule(ranks)


@pytest.mark.parametrize(
    ("times", "words"),
    [
        ({"forward": -1}, "forward must be a time"),
        ({"backward_weight": float("nan")}, "backward_weight must be a time"),
        ({"communication": float("inf")}, "communication must be a time"),
        ({"forward": [1, 2, 3]}, "one for each of 2 stages; got 3"),
        ({"forward": [1, -2]}, r"forward\[1\] must be a time"),
        ({"forward": 0, "backward_input": 0, "backward_weight": 0}, "all times are 0"),
    ],
)
def test_times_that_are_none_are_refused(times, words):
    with pytest.raises(ValueError, match=words):
        pipeline.gpipe(2, 2).simulate(**times)


@pytest.mark.parametrize(
    ("make", "arguments", "words"),
    [
        (pipeline.gpipe, (0, 4), "stages must be at least 1; got 0"),
        (pipeline.one_f_one_b, (4, 0), "microbatches must be at least 1; got 0"),
        (pipeline.interleaved_1f1b, (6, 4, 4), "6 stages on 4 ranks"),
        (pipeline.interleaved_1f1b, (8, 6, 4), "a multiple of 4 microbatches"),
        (pipeline.circular, (8, 3, 4), "at least as many microbatches as ranks, 4; got 3"),
        (pipeline.zb_v, (7, 8), "stages must be even; got 7"),
        (pipeline.dualpipe_v, (8, 7), "at least as many microbatches as stages, 8; got 7"),
    ],
)
def test_numbers_that_fit_no_schedule_are_refused(make, arguments, words):
    with pytest.raises(ValueError, match=words):
        make(*arguments)


def test_a_generated_schedule_travels_as_its_recipe():
    wire = to_wire(pipeline.zb_h1(64, 256))
    assert wire["source"] == {"generator": "zb_h1", "stages": 64, "microbatches": 256, "ranks": 64}
    assert len(str(wire)) < 1000


def test_an_order_of_thousands_travels_as_columns():
    order = pipeline.one_f_one_b(64, 256).order
    wire = to_wire(Schedule(order))["source"]
    assert sum(len(column["raw"]) for column in wire.values()) <= 4 * 2 * 64 * 256


def test_texts_and_columns_are_one_order():
    made = pipeline.dualpipe_v(4, 5)
    again = pack([[parse(text) for text in rank] for rank in made.tasks])
    assert again == made.order
    assert isinstance(again, Order)
    assert pipeline.schedule(made.tasks).simulate() == made.simulate()


def test_ranks_that_advance_together_take_the_longest_task_of_each_tick():
    # Two stages around a ring; stage 1 computes something nobody uses while it has no input, and so does stage 0 after.
    ranks = [[parse("0F0"), parse("0F1"), parse("0F0")], [parse("1F0"), parse("1F0"), parse("1F1")]]
    order = pack(ranks, ticks=[0, 1, 2, 0, 1, 2], wasted=[False, False, True, True, False, False])
    run = Schedule(order).simulate(forward=[1, 2])
    assert run.makespan == 6
    assert run.wasted == (1, 2)
    assert run.idle == (3, 0)
    assert run.start.tolist() == [0, 2, 4, 0, 2, 4]
    late = pack(ranks, ticks=[0, 1, 2, 2, 0, 1], wasted=[False, False, True, True, False, False])
    with pytest.raises(ValueError, match="1F0 runs at tick 0 and needs 0F0, which runs at tick 0"):
        Schedule(late).simulate()


def test_columns_say_who_holds_each_stage():
    tasks = decode(pipeline.zb_v(8, 8).order)
    assert tasks.rank_of_stage.tolist() == [0, 1, 2, 3, 3, 2, 1, 0]
    assert tasks.text(0) == "0F0"
    assert KINDS[tasks.kind[0]] == "F"
    assert np.array_equal(tasks.counts, [48] * 4)
    one = pipeline.zb_v(8, 8)
    assert simulate(one.order, one.durations) == one.simulate()
