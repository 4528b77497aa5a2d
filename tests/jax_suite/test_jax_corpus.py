"""What JAX 0.11 and 0.12 brought, in the shapes of JAX's own tests: equal to ``jit``, or refused as JAX refuses it.

An older JAX has none of it to test.
"""

from __future__ import annotations

import re
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import PartitionSpec as P

from shardwidget import _jax, read
from tests import kernels

NEW = hasattr(lax, "psum_scatter_start")
if NEW:
    from tests.jax_suite import jax_corpus

    PROGRAMS, REFUSED, IN_GLOBAL_VIEW = jax_corpus.PROGRAMS, jax_corpus.REFUSED, jax_corpus.IN_GLOBAL_VIEW
else:
    PROGRAMS, REFUSED, IN_GLOBAL_VIEW = {}, {}, set()

NOT_ON_CPU = ("pbroadcast_with_a_dynamic_source",)
"""What JAX itself cannot compile for CPUs: simulated on the host, and that is said."""


def judged(name: str, engine: Any) -> str:
    """``equal``, ``simulated`` or ``typed``; fails for what is wrong."""
    f, args = PROGRAMS[name]
    with jax.set_mesh(args[0].sharding.mesh):
        given = None if name in NOT_ON_CPU else jax.jit(f)(*args)
        if name in IN_GLOBAL_VIEW:
            # Without steps on devices: its types are read.
            rows = read.comparison(f, *args).rows
            assert not any(row.error for row in rows)
            explicit = rows[-1].values[-1].explicit
            assert explicit is not None
            assert explicit.text == _jax.type_text(jax.typeof(given))
            return "typed"
        trace = read.trace(f, *args, engine=engine)
    assert trace.error is None
    if given is None:
        assert engine is not None or re.search("simulated on the host: this mesh cannot run it", trace.note)
        given = np.tile(np.asarray(args[0])[8:12], (4, 1))
    np.testing.assert_allclose(np.asarray(trace.outputs), np.asarray(given), rtol=2e-5, atol=2e-5)
    return "simulated" if name in NOT_ON_CPU else "equal"


def test_programs_give_what_jit_gives() -> None:
    counts: dict[str, int] = {}
    for name in PROGRAMS:
        kinds = {judged(name, engine) for engine in (None, "host")}
        assert len(kinds) == 1
        (kind,) = kinds
        counts[kind] = counts.get(kind, 0) + 1
    assert counts == ({"equal": 13, "simulated": 1, "typed": 5} if NEW else {})


def test_what_jax_refuses_is_refused_in_its_words() -> None:
    for f, args in REFUSED.values():
        with jax.set_mesh(args[0].sharding.mesh):
            said = _refusal(f, args)
            error = _stop(f, args)
        assert said.startswith(f"{error.error}: {error.message.splitlines()[0]}")
    assert len(REFUSED) == (6 if NEW else 0)


def _refusal(f: Any, args: Any) -> str:
    try:
        jax.jit(f)(*args)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def _stop(f: Any, args: Any) -> Any:
    trace = read.trace(f, *args)
    assert trace.error is not None
    (stopped,) = [row.error for row in read.comparison(f, *args).rows if row.error is not None]
    assert stopped.error == trace.error.error
    return trace.error


# ── Pallas' distributed tests in interpret mode ───────────────────────────────────────────────────────────────────────


def right_permute() -> Any:
    def kernel(x_ref: Any, o_ref: Any, send_sem: Any, recv_sem: Any) -> None:
        me = lax.axis_index("x")
        left, right = lax.rem(me + kernels.N - 1, kernels.N), lax.rem(me + 1, kernels.N)
        kernels.barrier(left, right)
        copy = kernels.remote(x_ref, o_ref, send_sem, recv_sem, right)
        copy.start()
        copy.wait()

    x = jnp.arange(32.0 * 128).reshape(32, 128)
    return kernels.on_ring(kernel, x, jax.ShapeDtypeStruct((8, 128), jnp.float32), [kernels.DMA] * 2)


def pairs(*sends: tuple[int, int]) -> Any:
    """Devices meet, then each sends its block to others in turn, and waits for what comes."""

    def kernel(x_ref: Any, o_ref: Any, send_sem: Any, recv_sem: Any) -> None:
        me = lax.axis_index("x")
        sem = kernels.pltpu.get_barrier_semaphore()
        for other in range(kernels.N):
            kernels.signal(sem, other)
        kernels.pl.semaphore_wait(sem, kernels.N)
        for source, target in sends:

            @kernels.pl.when(source == me)
            def _(target: int = target) -> None:
                copy = kernels.remote(x_ref, o_ref, send_sem, recv_sem, target)
                copy.start()
                copy.wait_send()

        for _source, target in sends:

            @kernels.pl.when(target == me)
            def _() -> None:
                kernels.remote(x_ref, o_ref, send_sem, recv_sem, me).wait_recv()

    x = jnp.arange(32.0 * 128).reshape(32, 128)
    return kernels.on_ring(kernel, x, jax.ShapeDtypeStruct((8, 128), jnp.float32), [kernels.DMA] * 2)


def test_right_permute_example() -> None:
    f, x = right_permute()
    (_,), result = _jax.recorded_kernels(lambda x: f(x), [x])
    mesh = jax.make_mesh((4,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    ring = [(k, (k + 1) % 4) for k in range(4)]
    meant = jax.shard_map(lambda x: lax.ppermute(x, "x", ring), mesh=mesh, in_specs=P("x"), out_specs=P("x"))(x)
    np.testing.assert_array_equal(np.asarray(result), np.asarray(meant))
    assert read.kernel(f, x).faults == ()


def test_race_detection() -> None:
    assert read.kernel(*pairs((0, 1), (1, 2), (2, 3))).faults == ()
    fault = read.kernel(*pairs((0, 1), (1, 2), (3, 2), (3, 0))).faults[0]
    assert fault.kind == "race"
    assert fault.headline.startswith("Devices 1 and 3 may write o_ref of device 2 at once (line ")
