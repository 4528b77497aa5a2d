"""Exercises on overlap and on Pallas kernels: what may run meanwhile, where the race is, which wait is missing."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import lax
from jax.sharding import PartitionSpec as P

import shardwidget as sw
from shardwidget.document import Feedback
from tests import kernels

MESH = jax.make_mesh((4,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
RING = [(i, (i + 1) % 4) for i in range(4)]
PSUM_SCATTER_START: Any = getattr(lax, "psum_scatter_start", None)  # From JAX 0.11 on.
X, W = jnp.arange(64.0).reshape(8, 8), jnp.arange(16.0).reshape(8, 2)


def told(exercise: sw.Exercise, answer: Any) -> Feedback:
    exercise.answer = answer
    feedback = exercise.document.questions[0].feedback
    assert feedback is not None
    return feedback


def mapped(f: Any) -> Any:
    return jax.shard_map(f, mesh=MESH, in_specs=P("x"), out_specs=P("x"))


def layer(x: Any, w: Any) -> Any:
    scaled = w * 2
    whole = lax.all_gather(scaled, "x", tiled=True)
    h = jnp.tanh(x)
    mean = h.mean()
    y = h @ whole
    return y - mean


def in_a_ring(x: Any, w: Any) -> Any:
    total = jnp.zeros((x.shape[0], w.shape[1]))
    for step in range(4):
        following = lax.ppermute(w, "x", RING)
        columns = lax.dynamic_slice_in_dim(x, step * w.shape[0], w.shape[0], axis=1)
        total = total + columns @ w
        w = following
    return total


MEANWHILE, BEFORE, AFTER = "can run meanwhile", "must run before", "must wait for it"


def test_what_may_overlap_is_what_does_not_depend() -> None:
    e = sw.Exercise.may_overlap(mapped(layer), X, W)
    question = e.document.questions[0]
    assert 'collective of `whole = lax.all_gather(scaled, "x", tiled=True)`' in question.prompt
    assert [f.label for f in question.fields] == [
        "scaled = w * 2",
        "h = jnp.tanh(x)",
        "mean = h.mean()",
        "y = h @ whole",
        "return y - mean",
    ]
    some = told(e, (BEFORE, MEANWHILE, AFTER, MEANWHILE, BEFORE))
    assert (some.verdict, [p.right for p in some.parts]) == ("partly", [True, True, False, False, False])
    assert "`mean = h.mean()` does not need what arrives." in some.message
    assert "`y = h @ whole` cannot run meanwhile." in some.message
    assert "Nothing that `return y - mean` makes is sent" in some.message
    assert told(e, (BEFORE, MEANWHILE, MEANWHILE, AFTER, AFTER)).verdict == "right"
    e.check()


def test_of_a_line_that_runs_again_the_first_run_counts() -> None:
    e = sw.Exercise.may_overlap(mapped(in_a_ring), X, W, of="ppermute")
    # From the second turn on, the product needs what has arrived before.
    assert told(e, (MEANWHILE, MEANWHILE)).verdict == "right"


def test_a_future_is_under_way_until_done() -> None:
    def started(x: Any) -> Any:
        part = PSUM_SCATTER_START(x, "x", tiled=True)
        meanwhile = (x * 2).sum()
        return part.done() + meanwhile

    if PSUM_SCATTER_START is not None:
        e = sw.Exercise.may_overlap(mapped(started), jnp.arange(16.0))
        assert told(e, (MEANWHILE, AFTER)).verdict == "right"


def mixed(x: Any, w: Any) -> Any:
    whole = lax.all_gather(w, "x", tiled=True)
    y = jnp.tanh(x) @ whole
    return y * 2


def alone(x: Any) -> Any:
    return lax.psum(x, "x") * 2


@pytest.mark.parametrize(
    ("f", "args", "more", "words"),
    [
        (mixed, (X, W), {}, r"lines of its own, each with another text: y = jnp.tanh\(x\) @ whole"),
        (alone, (X,), {}, "2 to 8 lines beside the collective's; got 0"),
        (layer, (X, W), {"of": "psum"}, "layer has no psum"),
        (lambda x: lax.psum(x, "y"), (X,), {}, "raises AssertionError: The mesh has no axis 'y'"),
    ],
)
def test_what_cannot_be_asked_of_an_overlap(f: Any, args: Any, more: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        sw.Exercise.may_overlap(mapped(f), *args, **more)


def test_a_race_is_found_by_its_lines_and_its_buffer() -> None:
    e = sw.Exercise.find_race(*kernels.two_slots())
    question = e.document.questions[0]
    assert question.figures[0].listing is not None
    assert question.fields[0].options == ("x_ref", "out_ref", "slots")
    # The lines of the kernel, not those of a function that it calls.
    assert "pl.semaphore_wait(sem, 2)" not in question.fields[1].options
    ordered = told(e, ("out_ref", "keep.start()", "the end of the kernel"))
    assert (ordered.verdict, ordered.parts[0].right) == ("wrong", False)
    assert "but waits order them" in ordered.message
    half = told(e, ("slots", "keep.start()", "keep.start()"))
    assert (half.verdict, [p.right for p in half.parts]) == ("partly", [True, True, False])
    assert "never meet in one part of slots, one writing it" in half.message
    right = told(e, ("slots", "send.start()", "send.start()"))
    assert right.verdict == "right"
    assert "while it still sends it" in right.message
    other = sw.Exercise.find_race(*kernels.two_slots())
    assert told(other, ("slots", "send.start()", "keep.start()")).verdict == "right"


def test_a_race_with_the_beginning_of_a_kernel() -> None:
    e = sw.Exercise.find_race(*kernels.all_gather(barrier_first=False))
    assert told(e, ("out_ref", "the beginning of the kernel", "send.start()")).verdict == "right"


def test_a_wait_that_is_missing_is_tried() -> None:
    e = sw.Exercise.add_wait(*kernels.two_slots())
    right, left, itself = "its right neighbour", "its left neighbour", "the device itself"
    assert e.document.questions[0].fields[1].options == (itself, right, left)
    same, before = "the same run", "one run before"
    start, wait = "send.start()", "send.wait() is done"
    stuck = told(e, (start, right, wait, same))
    assert stuck.verdict == "wrong"
    assert "cannot go on" in stuck.message
    assert told(e, (start, left, wait, before)).message.startswith("It ends no race")
    assert "no such moment" in told(e, ("pltpu.sync_copy(x_ref, slots.at[0])", left, wait, before)).message
    part = told(e, (start, itself, "the copy of send.start() has arrived", before))
    assert part.verdict == "partly"
    assert part.message.startswith("It ends some of the races")
    assert told(e, (start, right, wait, before)).verdict == "right"
    e.check()


def test_a_copy_s_own_end_may_be_what_is_missing() -> None:
    e = sw.Exercise.add_wait(*kernels.reduce_scatter("no send wait"))
    answer = ("keep.start()", "the device itself", "the copy of send.start() has been sent", "the same run")
    assert told(e, answer).verdict == "right"
    assert told(e, ("keep.start()", "the device itself", "send.start() is done", "the same run")).verdict == "wrong"


@pytest.mark.parametrize("ask", [sw.Exercise.find_race, sw.Exercise.add_wait])
def test_a_kernel_without_a_race_cannot_be_asked_about(ask: Any) -> None:
    with pytest.raises(ValueError, match="nothing in kernel races"):
        ask(*kernels.all_gather())
    with pytest.raises(ValueError, match="does not run to its end"):
        ask(*kernels.all_reduce("no signal"))


def test_more_than_one_missing_wait_is_refused() -> None:
    with pytest.raises(ValueError, match="no single wait ends the races"):
        sw.Exercise.add_wait(*kernels.all_reduce("no wait"))


def test_answers_come_back_from_a_record(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    def lab() -> sw.ExerciseSet:
        f, x = kernels.two_slots()
        asked = [sw.Exercise.may_overlap(mapped(layer), X, W), sw.Exercise.find_race(f, x), sw.Exercise.add_wait(f, x)]
        return sw.ExerciseSet(asked, name="overlap", student="me")

    first = lab()
    first["may_overlap"].answer = (BEFORE, MEANWHILE, MEANWHILE, AFTER, AFTER)
    first["find_race"].answer = ("slots", "send.start()", "send.start()")
    first["add_wait"].answer = ("send.start()", "its right neighbour", "send.wait() is done", "one run before")
    first.save(tmp_path / "me.json")
    again = lab()
    again.load(tmp_path / "me.json")
    assert [exercise.passed for exercise in again] == [True] * 3
