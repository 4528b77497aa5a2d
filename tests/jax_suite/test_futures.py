"""Collectives that are started and done later: both engines, what is said of them, and what is wrong.

JAX 0.11 and newer have them; an older JAX has none to test.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import PartitionSpec as P

import shardwidget as sw

PSUM_SCATTER_START: Any = getattr(lax, "psum_scatter_start", None)
HAS_FUTURES = PSUM_SCATTER_START is not None


def start(x: Any) -> Any:
    return PSUM_SCATTER_START(x, "x", tiled=True)


def received(x: Any) -> Any:
    part = start(x)
    y = x * 2
    return part.done() + y.sum()


def in_a_loop(x: Any) -> Any:
    def turn(carry: Any, _: Any) -> Any:
        part = start(carry)
        more = carry + 1
        return more, part.done()

    return lax.scan(turn, x, length=3)[1].sum(0)


def never_received(x: Any) -> Any:
    part = start(x)  # noqa: F841
    return x * 2


def used_too_early(x: Any) -> Any:
    part = start(x)
    return x.sum() * part


def on_ring(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    mesh = jax.make_mesh((4,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    return jax.shard_map(f, mesh=mesh, in_specs=P("x"), out_specs=P("x"))


X = jnp.arange(64.0)


def test_both_engines_give_what_jit_gives() -> None:
    for f in (received, in_a_loop, never_received) if HAS_FUTURES else ():
        g = on_ring(f)
        for engine in (None, "host"):
            trace = sw.read.trace(g, X, engine=engine)
            np.testing.assert_allclose(np.asarray(trace.outputs), np.asarray(jax.jit(g)(X)), rtol=1e-6)


def test_bytes_count_once_and_a_future_has_no_values() -> None:
    if HAS_FUTURES:
        trace = sw.read.trace(on_ring(received), X)
        sent = [step for step in trace.steps if step.collective is not None]
        assert [step.primitive for step in sent] == ["reduce_scatter_start"]
        assert sent[0].sentence.endswith("It is only started: part is a future, without values until part.done().")
        done = next(step for step in trace.steps if step.primitive == "reduce_scatter_done")
        assert done.sentence.startswith("Waits until part has arrived")
        assert sent[0].outputs[0].window is None or not sent[0].outputs[0].window.data


def test_what_nobody_receives_and_what_is_used_too_early() -> None:
    if HAS_FUTURES:
        trace = sw.read.trace(on_ring(never_received), X)
        assert "nobody receives it" in trace.steps[trace.event].sentence
        error = sw.read.trace(on_ring(used_too_early), X).error
        assert error is not None
        assert error.explanation.startswith("part is a future, not an array: it was started in line ")
        assert "part.done()" in error.explanation
        (wait,) = error.fixes
        assert wait.code == "return x.sum() * part.done()"


def test_what_receives_is_a_step_of_its_own_and_a_future_says_so_in_its_type() -> None:
    if HAS_FUTURES:
        trace = sw.read.trace(on_ring(received), X)
        # The front end knows futures by their type.
        (start,) = [step for step in trace.steps if step.primitive == "reduce_scatter_start"]
        assert start.outputs[0].type == "AbstractFuture{f32[4]{V:x}}"
        at = next(k for k, step in enumerate(trace.steps) if step.primitive == "reduce_scatter_done")
        assert all(step.begins for step in trace.steps[at : at + 2])


def test_a_future_that_is_used_too_early_is_what_the_last_step_reads() -> None:
    if HAS_FUTURES:
        trace = sw.read.trace(on_ring(used_too_early), X)
        (start,) = [step for step in trace.steps if step.primitive == "reduce_scatter_start"]
        assert trace.steps[-1].inputs == start.outputs
        assert trace.error is not None
        assert trace.error.variable == trace.steps[-1].inputs[0].id
