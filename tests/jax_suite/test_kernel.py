"""``read.kernel``: the rings of JAX's documentation, and the same with one mistake each."""

from __future__ import annotations

import inspect
import random
import re
import threading
import warnings
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import PartitionSpec as P

import shardwidget as sw
from shardwidget import _jax
from shardwidget._jax.kernels.recording import forget_failed
from shardwidget.read._kernel.kernel import document as read_document
from shardwidget.read._kernel.races import conflicts
from shardwidget.read._kernel.reading import Reading
from tests import kernels

MISTAKES: dict[str, tuple[Callable[[], Any], str, str, tuple[str, ...]]] = {
    "all-gather, no barrier": (
        lambda: kernels.all_gather(barrier_first=False),
        "race",
        "before it has entered the kernel",
        ("", "send.start()"),
    ),
    "two slots, never asks": (
        kernels.two_slots,
        "race",
        "while it still sends it",
        ("send.start()", "send.start()"),
    ),
    "all-reduce, no wait": (
        lambda: kernels.all_reduce("no wait"),
        "race",
        "while it still sends it",
        ("send.start()", "send.start()"),
    ),
    "all-reduce, tells the wrong neighbour": (
        lambda: kernels.all_reduce("wrong neighbour"),
        "race",
        "while it still sends it",
        ("send.start()", "send.start()"),
    ),
    "all-reduce, wrong semaphore": (
        lambda: kernels.all_reduce("wrong semaphore"),
        "deadlock",
        "send_sem needs 4 KiB, nothing has come",
        ("pltpu.make_async_copy(slots.at[now], slots.at[now], send_sem).wait()",) * 4,
    ),
    "all-reduce, tells nobody": (
        lambda: kernels.all_reduce("no signal"),
        "deadlock",
        "free_sem needs 1, nothing has come",
        ("pl.semaphore_wait(free_sem, 1)",) * 4,
    ),
    "all-reduce, one semaphore for two copies": (
        lambda: kernels.all_reduce("one semaphore"),
        "race",
        "before the copy from device 3",
        ("first.start()", "send.start()"),
    ),
    "bidirectional, no barrier": (
        lambda: kernels.bidirectional("no barrier"),
        "race",
        "before it has entered the kernel",
        ("", "two.start()"),
    ),
    "bidirectional, wrong slot": (
        lambda: kernels.bidirectional("wrong slot"),
        "unwritten",
        "which nobody has written",
        ("one.start()",),
    ),
    "bidirectional, wrong neighbour": (
        lambda: kernels.bidirectional("wrong neighbour"),
        "race",
        "while it still sends it",
        ("two.start()", "two.start()"),
    ),
    "reduce-scatter, no wait": (
        lambda: kernels.reduce_scatter("no wait"),
        "race",
        "before it has read it",
        ("block[...] += slots[now]", "send.start()"),
    ),
    "reduce-scatter, reads early": (
        lambda: kernels.reduce_scatter("early read"),
        "race",
        "before the copy from device 3",
        ("send.start()", "block[...] += slots[now]"),
    ),
    "reduce-scatter, does not wait for what it sends": (
        lambda: kernels.reduce_scatter("no send wait"),
        "race",
        "may overwrite its block while it still sends it",
        ("send.start()", "keep.start()"),
    ),
}
"""Of each: the program, the kind of its worst fault, a part of its headline, and the lines of its operations."""

RESULTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "all_gather": lambda x: np.tile(x.reshape(4, 8, 128), (4, 1, 1)),
    "bidirectional": lambda x: np.tile(x.reshape(4, 16, 128), (4, 1, 1)),
    "two_slots": lambda x: np.tile(x.reshape(4, 8, 128), (4, 1, 1)),
    "all_reduce": lambda x: np.tile(x.reshape(4, 8, 128).sum(0), (4, 1)),
    "reduce_scatter": lambda x: x.reshape(4, 4, 8, 128).sum(0).reshape(32, 128),
}
"""What the programs compute."""


@pytest.mark.parametrize("name", kernels.RIGHT)
def test_a_right_kernel_raises_no_alarm_in_fifty_schedules(name: str) -> None:
    f, x = kernels.RIGHT[name]()
    (recorded,), result = _jax.recorded_kernels(lambda x: f(x), [x])
    document = read_document(recorded)
    assert document.faults == ()
    assert document.checked
    np.testing.assert_allclose(np.asarray(result), RESULTS[name](np.asarray(x)), rtol=1e-6)
    reading = Reading(recorded)
    for seed in range(50):
        moments = reading.machine.run(shuffled=random.Random(seed))
        assert not moments.blocked
        assert not any(moments.counts.values())
        assert overlapping(reading, moments) == []


def overlapping(reading: Any, moments: Any) -> list[tuple[int, int]]:
    """Operations that access one place at the same time in a schedule, one of them to write it."""
    found = []
    for one, other in conflicts(reading.accesses):
        if {"enter", "leave"} & {one.kind, other.kind}:
            continue
        times = [(moments.at["begin", a.op], moments.at[a.end]) for a in (one, other)]
        if times[0][0] < times[1][1] and times[1][0] < times[0][1]:
            found.append((one.op, other.op))
    return found


def own_threads() -> set[threading.Thread]:
    """Threads that Python started; XLA's, which call back into Python, stay with it."""
    return {thread for thread in threading.enumerate() if not isinstance(thread, threading._DummyThread)}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_found_at_its_lines(name: str) -> None:
    program, kind, part, lines = MISTAKES[name]
    f, x = program()
    before = own_threads()
    document = sw.read.kernel(f, x)
    fault = document.faults[0]
    assert fault.kind == kind
    assert part in fault.headline
    sources = [document.ops[op].source for op in fault.ops]
    assert tuple(document.sources[k].text if k >= 0 else "" for k in sources) == lines
    assert repr(document).startswith(fault.headline)
    if kind == "race":
        assert fault.advice
        order = document.orders[fault.order]
        first, second = fault.ops
        # The second access has ended before the first one does.
        ends = [
            order.arrived[k] if e == "write" else order.sent[k] for k, e in zip(fault.ops, fault.events, strict=True)
        ]
        assert order.begins[second] < max(ends[0], order.ends[first])
    assert own_threads() <= before


def test_the_order_that_shows_a_race_leaves_another_block() -> None:
    document = sw.read.kernel(*kernels.two_slots())
    order = document.orders[document.faults[0].order]
    wrong = [s for s in order.stretches if s.instead_of >= 0]
    assert wrong
    assert all(s.block != s.instead_of for s in wrong)


def test_what_jaxs_own_detector_finds_is_found(capfd: pytest.CaptureFixture[str]) -> None:
    for program, name in ((kernels.two_slots, "two slots"), (lambda: kernels.two_slots(""), "")):
        with pltpu.force_tpu_interpret_mode(pltpu.InterpretParams(dma_execution_mode="eager", detect_races=True)):
            f, x = program()
            said = ""
            try:
                jax.block_until_ready(jax.jit(f)(x))
            except jax.errors.JaxRuntimeError as error:  # JAX 0.12 raises what others print.
                said = str(error)
                forget_failed()
        assert ("RACE DETECTED" in said + capfd.readouterr().out) == bool(name)


def test_a_kernel_that_cannot_go_on_ends_and_the_next_one_runs() -> None:
    stuck = sw.read.kernel(*kernels.all_reduce("no signal"))
    assert stuck.faults[0].kind == "deadlock"
    f, x = kernels.all_gather()
    assert sw.read.kernel(f, x).faults == ()
    assert float(jnp.sum(x)) == float(np.asarray(x).sum())


def test_cores_of_a_device_are_followed_each() -> None:
    f, x = kernels.on_cores()
    (recorded,), result = _jax.recorded_kernels(lambda x: f(x), [x])
    np.testing.assert_array_equal(np.asarray(result), np.roll(np.asarray(x), 16, axis=0))
    document = read_document(recorded)
    assert (document.cores, document.faults, document.notes) == (2, (), ())
    assert {(op.device, op.core) for op in document.ops if op.kind == "copy"} == {
        (d, c) for d in range(4) for c in (0, 1)
    }
    reading = Reading(recorded)
    for seed in range(50):
        moments = reading.machine.run(shuffled=random.Random(seed))
        assert not moments.blocked
        assert overlapping(reading, moments) == []


def test_a_core_that_does_not_wait_for_the_other() -> None:
    document = sw.read.kernel(*kernels.on_cores("no wait"))
    fault, left = document.faults
    # JAX 0.9 does not know the names of what ``pl.kernel`` is given.
    assert fault.headline.startswith("Core 1 of device 3 may write ")
    assert "[8:16] of device 0 before it has entered the kernel" in fault.headline
    assert left.headline.endswith(" of device 0 is not zero when the kernel ends: 1 left")
    assert re.search(r"signal +core 1: .* \+ 1", str(document))


def test_a_core_that_waits_for_ever_is_named() -> None:
    document = sw.read.kernel(*kernels.on_cores("wrong core"))
    fault = document.faults[0]
    assert fault.headline.startswith("Core 1 of device 0 waits for ever at line ")
    assert fault.detail.startswith("The same on 4 cores.")
    assert fault.core == 1


@pytest.mark.parametrize("semantics", ["parallel", "core_parallel", "arbitrary"])
def test_a_grid_is_divided_among_cores(semantics: str) -> None:
    f, x = kernels.on_a_grid(semantics)
    (recorded,), result = _jax.recorded_kernels(lambda x: f(x), [x], cores=2)
    np.testing.assert_array_equal(np.asarray(result), 2 * np.asarray(x))
    document = read_document(recorded)
    assert document.faults == ()
    both = {op.core for op in document.ops if op.kind == "write"}
    divided = semantics != "arbitrary"
    assert both == ({0, 1} if divided else {0})
    assert any("Core 0 does everything" in note for note in document.notes) != divided
    # Each core has its own block of VMEM; what is in HBM they share.
    held = {(s.core, document.slots[s.slot].space) for s in document.orders[0].stretches}
    assert held == {(core, "vmem") for core in both} | {(0, "any" if (0, "any") in held else "hbm")}


def test_a_neighbour_that_is_not_there() -> None:
    def kernel(x_ref: Any, o_ref: Any, send: Any, recv: Any) -> None:
        to = jax.lax.axis_index("x") + 1
        kernels.remote(x_ref, o_ref, send, recv, to).start()

    f, x = kernels.on_ring(
        kernel, jnp.zeros((32, 128)), jax.ShapeDtypeStruct((8, 128), jnp.float32), [kernels.DMA] * 2, collective_id=None
    )
    fault = sw.read.kernel(f, x).faults[0]
    assert fault.kind == "error"
    assert fault.headline.startswith("Device 3 sends to device 4 (line ")


def test_the_document_is_json_and_has_a_view() -> None:
    document = sw.read.kernel(*kernels.two_slots())
    assert sw.load(document.to_json()) == document
    view = sw.show(document)
    assert isinstance(view, sw.KernelView)
    assert view.selection == document.faults[0]
    assert "while it still sends it" in view.to_html()
    assert view.to_svg().startswith("<svg")


def test_other_functions_are_refused() -> None:
    mesh = jax.make_mesh((4,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    f = jax.shard_map(lambda x: jax.lax.psum(x, "x"), mesh=mesh, in_specs=P("x"), out_specs=P())
    with pytest.raises(ValueError, match="calls no Pallas kernel for TPUs"):
        sw.read.kernel(f, jnp.arange(8.0))


def test_a_trace_says_that_a_kernel_on_cores_sends() -> None:
    f, x = kernels.on_cores()
    trace = sw.read.trace(f, x)
    # In JAX 0.9 ``pl.kernel`` is a ``core_map``, which works on refs.
    newer = jax.__version_info__ >= (0, 10)
    (step,) = (step for step in trace.steps if step.primitive == ("mpmd_map" if newer else "core_map"))
    assert step.sentence.startswith("Each device runs the Pallas kernel kernel, which copies to other devices: ")
    assert ("It computes" if newer else "It works on what") in step.sentence
    np.testing.assert_array_equal(np.asarray(trace.outputs), np.roll(np.asarray(x), 16, axis=0))


def test_a_trace_says_that_a_kernel_sends() -> None:
    f, x = kernels.all_gather()
    trace = sw.read.trace(lambda x: f(x * 2), x)
    step = next(step for step in trace.steps if step.primitive == "pallas_call")
    assert "copies to other devices" in step.sentence
    assert "read.kernel" in step.sentence
    assert "see their steps" in repr(trace)
    np.testing.assert_array_equal(np.asarray(trace.outputs)[:4].reshape(32, 128), 2 * np.asarray(x))


@pytest.mark.parametrize(
    ("sends", "words"),
    [(True, "copies, which copies to other devices"), (False, "copies on its own blocks. Nothing is sent.")],
)
def test_a_kernel_in_run_state_says_whether_it_sends(sends: bool, words: str) -> None:
    def body(x: Any) -> Any:
        def state(refs: Any) -> None:
            @pl.core_map(kernels._cores())
            def copies() -> None:
                def scoped(send: Any, recv: Any) -> None:
                    source, goal = refs
                    if sends:
                        me = jax.lax.axis_index("x")
                        kernels.remote(source, goal, send, recv, jax.lax.rem(me + 1, 4)).start()
                    else:
                        pltpu.make_async_copy(source, goal, send).start()

                pl.run_scoped(scoped, kernels.DMA, kernels.DMA)

        return pl.run_state(state)((x, jnp.zeros_like(x)))[1]

    mesh = jax.make_mesh((4,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    f = jax.shard_map(body, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False)
    shape = jax.ShapeDtypeStruct((32, 128), jnp.float32, sharding=jax.NamedSharding(mesh, P("x")))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # JAX 0.12 prefers ``pl.kernel``.
        steps = sw.read.trace(f, shape).steps
    sentences = [step.sentence for step in steps if "Pallas kernel" in step.sentence]
    assert [s.startswith(f"Each device runs the Pallas kernel {words}") for s in sentences] == [True]


def for_gpus(x: Any) -> Any:
    def doubles(x_ref: Any, o_ref: Any) -> None:
        o_ref[...] = x_ref[...] * 2

    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    y = pl.pallas_call(doubles, out_shape=shape, compiler_params=plgpu.CompilerParams())(x)
    return jax.lax.ppermute(y, "x", [(0, 1)])


def for_gpus_on_a_mesh(x: Any) -> Any:
    def doubles(x_ref: Any, o_ref: Any) -> None:
        o_ref[...] = x_ref[...] * 2

    of: Any = plgpu.kernel
    out = "out_type" if "out_type" in inspect.signature(of).parameters else "out_shape"
    y = of(doubles, **{out: jax.ShapeDtypeStruct(x.shape, x.dtype)})(x)
    return jax.lax.ppermute(y, "x", [(0, 1)])


@pytest.mark.parametrize("body", [for_gpus, for_gpus_on_a_mesh])
def test_a_kernel_for_gpus_cannot_be_followed_and_says_so(body: Any) -> None:
    mesh = jax.make_mesh((4,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    f = jax.shard_map(body, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False)
    x = jnp.zeros((8, 128))
    trace = sw.read.trace(f, x)
    assert trace.engine == "types"
    assert "types only: what it calls is for hardware that is not here (" in repr(trace)
    sentences = [step.sentence for step in trace.steps]
    opaque = "Each device runs the Pallas kernel doubles. Whether it sends cannot be followed: it is not for TPUs."
    assert sum(s.startswith(opaque) for s in sentences) == 1
    assert "ppermute" in [step.primitive for step in trace.steps]
    with pytest.raises(ValueError, match=r"Kernels of Mosaic GPU and other custom calls cannot be followed\.$"):
        sw.read.kernel(f, x)
