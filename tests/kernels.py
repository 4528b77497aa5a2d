"""Pallas kernels that send: the rings of JAX's documentation, and the same with one mistake each."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import PartitionSpec as P

import shardwidget as sw

N = 4
ANY = pl.ANY
DMA = pltpu.SemaphoreType.DMA


def barrier(left: Any, right: Any) -> None:
    sem = pltpu.get_barrier_semaphore()
    for neighbour in (left, right):
        signal(sem, neighbour)
    pl.semaphore_wait(sem, 2)


def signal(sem: Any, to: Any) -> None:
    pl.semaphore_signal(sem, inc=1, device_id=(to,))


def remote(src: Any, dst: Any, send: Any, recv: Any, to: Any) -> Any:
    return pltpu.make_async_remote_copy(src, dst, send_sem=send, recv_sem=recv, device_id=(to,))


def on_ring(
    kernel: Any,
    x: Any,
    out: Any,
    scratch: Any,
    grid: Any = (),
    in_space: Any = ANY,
    out_space: Any = ANY,
    collective_id: Any = 0,
) -> Any:
    """``shard_map`` of a kernel over a ring of four devices."""
    mesh = jax.make_mesh((N,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    params = pltpu.CompilerParams(collective_id=collective_id, has_side_effects=True)
    call = pl.pallas_call(
        kernel,
        out_shape=out,
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=0,
            grid=grid,
            in_specs=[pl.BlockSpec(memory_space=in_space)],
            out_specs=pl.BlockSpec(memory_space=out_space),
            scratch_shapes=scratch,
        ),
        compiler_params=params,
    )
    f = jax.shard_map(call, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False)
    return f, jax.device_put(x, jax.NamedSharding(mesh, P("x")))


def all_gather(barrier_first: bool = True, collective_id: Any = 0) -> Any:
    """The ring of the documentation; each device ends with every block."""

    def kernel(x_ref, out_ref, keep_sem, send_sem, recv_sems):
        step = pl.program_id(0)
        me = lax.axis_index("x")
        right = lax.rem(me + 1, N)
        left = lax.rem(me - 1 + N, N)
        slot = lax.rem(me - step + N, N)

        @pl.when(step == 0)
        def _():
            if barrier_first:
                barrier(left, right)
            keep = pltpu.make_async_copy(x_ref, out_ref.at[me], keep_sem)
            keep.start()
            keep.wait()

        send = remote(out_ref.at[slot], out_ref.at[slot], send_sem, recv_sems.at[step], right)
        send.start()
        send.wait()

    x = jnp.arange(N * 8 * 128, dtype=jnp.float32).reshape(N * 8, 128)
    out = jax.ShapeDtypeStruct((N, 8, 128), jnp.float32)
    return on_ring(kernel, x, out, [DMA, DMA, DMA((N - 1,))], (N - 1,), collective_id=collective_id)


def all_reduce(mistake: str = "") -> Any:
    """All-reduce with two slots: a device says when its next slot may be written.

    Args:
        mistake: ``no wait`` reuses a slot too early; ``wrong neighbour`` tells the right one that a slot is free;
            ``wrong semaphore`` waits for what was sent where something must have come; ``no signal`` tells nobody that
            a slot is free; ``one semaphore`` starts the next copy while another that signals the same is on its way.
    """

    def kernel(x_ref, o_ref, slots, send_sem, recv_sem, free_sem):
        step = pl.program_id(0)
        me = lax.axis_index("x")
        right = lax.rem(me + 1, N)
        left = lax.rem(me - 1 + N, N)
        now = lax.rem(step, 2)

        @pl.when(step == 0)
        def _():
            barrier(left, right)
            o_ref[...] = jnp.zeros_like(o_ref)
            first = remote(x_ref, slots.at[now], send_sem, recv_sem, right)
            first.start()
            first.wait()

        if mistake not in ("no signal", "one semaphore"):
            told = right if mistake == "wrong neighbour" else left
            signal(free_sem, told)

        if mistake not in ("no wait", "one semaphore"):
            pl.semaphore_wait(free_sem, 1)

        send = remote(slots.at[now], slots.at[1 - now], send_sem, recv_sem, right)
        send.start()
        o_ref[...] += slots[now]
        send.wait_send()
        if mistake == "wrong semaphore":
            pltpu.make_async_copy(slots.at[now], slots.at[now], send_sem).wait()
        else:
            send.wait_recv()
        if mistake == "one semaphore":
            signal(free_sem, left)
            pl.semaphore_wait(free_sem, 1)

    x = jnp.arange(N * 8 * 128, dtype=jnp.float32).reshape(N * 8, 128)
    out = jax.ShapeDtypeStruct((8, 128), jnp.float32)
    scratch = [pltpu.VMEM((2, 8, 128), jnp.float32), DMA, DMA, pltpu.SemaphoreType.REGULAR]
    return on_ring(kernel, x, out, scratch, (N,), out_space=pltpu.VMEM)


def bidirectional(mistake: str = "") -> Any:
    """All-gather both ways round: half of each block goes right, half goes left.

    Args:
        mistake: ``no barrier``; ``wrong slot`` sends the half that comes next; ``wrong neighbour`` sends both to the
            right.
    """

    def kernel(x_ref, out_ref, keep_sem, send_sems, recv_sems):
        step = pl.program_id(0)
        me = lax.axis_index("x")
        right = lax.rem(me + 1, N)
        left = lax.rem(me - 1 + N, N)

        @pl.when(step == 0)
        def _():
            if mistake != "no barrier":
                barrier(left, right)
            pltpu.sync_copy(x_ref, out_ref.at[me])

        late = 1 if mistake == "wrong slot" else 0
        down = lax.rem(me - step - late + 2 * N, N)
        up = lax.rem(me + step, N)
        there = right if mistake == "wrong neighbour" else left
        one = remote(
            out_ref.at[down, pl.ds(0, 8)], out_ref.at[down, pl.ds(0, 8)], send_sems.at[0], recv_sems.at[0, step], right
        )
        two = remote(
            out_ref.at[up, pl.ds(8, 8)], out_ref.at[up, pl.ds(8, 8)], send_sems.at[1], recv_sems.at[1, step], there
        )
        one.start()
        two.start()
        one.wait()
        two.wait()

    x = jnp.arange(N * 16 * 128, dtype=jnp.float32).reshape(N * 16, 128)
    out = jax.ShapeDtypeStruct((N, 16, 128), jnp.float32)
    return on_ring(kernel, x, out, [DMA, DMA((2,)), DMA((2, N - 1))], (N - 1,))


def reduce_scatter(mistake: str = "") -> Any:
    """Each device ends with the sum of one block of all; sums go round the ring in two slots.

    Args:
        mistake: ``no wait`` sends a sum before the neighbour has read the one before; ``early read`` adds what comes
            before it has come; ``no barrier``; ``no send wait`` overwrites a sum that is still sent.
    """

    def kernel(x_ref, o_ref, slots, block, keep_sem, send_sem, recv_sems, free_sem):
        step = pl.program_id(0)
        me = lax.axis_index("x")
        right = lax.rem(me + 1, N)
        left = lax.rem(me - 1 + N, N)
        now = lax.rem(step, 2)

        @pl.when(step == 0)
        def _():
            if mistake != "no barrier":
                barrier(left, right)
            pltpu.sync_copy(x_ref.at[lax.rem(me - 1 + N, N)], block)

        @pl.when(step > 1)
        def _():
            if mistake != "no wait":
                pl.semaphore_wait(free_sem, 1)

        send = remote(block, slots.at[now], send_sem, recv_sems.at[now], right)
        send.start()
        if mistake != "no send wait":
            send.wait_send()
        keep = pltpu.make_async_copy(x_ref.at[lax.rem(me - step - 2 + 2 * N, N)], block, keep_sem)
        keep.start()
        keep.wait()
        if mistake != "early read":
            send.wait_recv()
        block[...] += slots[now]
        if mistake == "early read":
            send.wait_recv()
        if mistake == "no send wait":
            send.wait_send()

        @pl.when(step < N - 3)
        def _():
            signal(free_sem, left)

        @pl.when(step == N - 2)
        def _():
            o_ref[...] = block[...]

    x = jnp.arange(N * N * 8 * 128, dtype=jnp.float32).reshape(N * N, 8, 128)
    out = jax.ShapeDtypeStruct((8, 128), jnp.float32)
    scratch = [
        pltpu.VMEM((2, 8, 128), jnp.float32),
        pltpu.VMEM((8, 128), jnp.float32),
        DMA,
        DMA,
        DMA((2,)),
        pltpu.SemaphoreType.REGULAR,
    ]
    return on_ring(kernel, x, out, scratch, (N - 1,), out_space=pltpu.VMEM)


def two_slots(mistake: str = "free") -> Any:
    """All-gather through two slots, without a semaphore that says when a slot is free.

    Args:
        mistake: ``free`` never asks whether a slot is free; empty asks.
    """

    def kernel(x_ref, out_ref, slots, keep_sem, send_sem, recv_sem, free_sem):
        me = lax.axis_index("x")
        right = lax.rem(me + 1, N)
        left = lax.rem(me - 1 + N, N)
        barrier(left, right)
        pltpu.sync_copy(x_ref, slots.at[0])
        pltpu.sync_copy(x_ref, out_ref.at[me])
        for step in range(N - 1):
            now = step % 2
            if not mistake and step > 0:
                pl.semaphore_wait(free_sem, 1)
            send = remote(slots.at[now], slots.at[1 - now], send_sem, recv_sem, right)
            send.start()
            send.wait()
            keep = pltpu.make_async_copy(slots.at[1 - now], out_ref.at[lax.rem(me - step - 1 + N, N)], keep_sem)
            keep.start()
            keep.wait()
            if not mistake and step < N - 2:
                signal(free_sem, left)

    x = jnp.arange(N * 8 * 128, dtype=jnp.float32).reshape(N * 8, 128)
    out = jax.ShapeDtypeStruct((N, 8, 128), jnp.float32)
    scratch = [pltpu.VMEM((2, 8, 128), jnp.float32), DMA, DMA, DMA, pltpu.SemaphoreType.REGULAR]
    return on_ring(kernel, x, out, scratch)


_NEW = "out_type" in inspect.signature(pl.kernel).parameters
_NAMES = ("out_type", "scratch_types") if _NEW else ("out_shape", "scratch_shapes")
"""How ``pl.kernel`` calls its result and its scratch memory, from JAX 0.10 on and before."""


def _cores() -> Any:
    """Two cores: JAX 0.12 has a public class, and leaves ``create_tensorcore_mesh``."""
    mesh: Any = getattr(pltpu, "TensorCoreMesh", None)
    if mesh is not None:
        return mesh(axis_name="core", num_cores=2)
    return pltpu.create_tensorcore_mesh("core", num_cores=2)


def on_cores(mistake: str = "") -> Any:
    """Two cores a device: each sends its half of the rows on, once core 0 has met the neighbours.

    Args:
        mistake: ``no wait``: core 1 does not wait for core 0; ``wrong core``: core 0 signals itself.
    """

    def kernel(x_ref, o_ref, ready, send_sem, recv_sem):
        core = lax.axis_index("core")
        me = lax.axis_index("x")
        right = lax.rem(me + 1, N)
        left = lax.rem(me - 1 + N, N)

        @pl.when(core == 0)
        def _():
            barrier(left, right)
            pl.semaphore_signal(ready, 1, core_index=0 if mistake == "wrong core" else 1)

        @pl.when(core == 1)
        def _():
            if mistake != "no wait":
                pl.semaphore_wait(ready, 1)

        half = pl.ds(core * 8, 8)
        send = remote(x_ref.at[half], o_ref.at[half], send_sem, recv_sem, right)
        send.start()
        send.wait()

    mesh = jax.make_mesh((N,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    result = jax.ShapeDtypeStruct((16, 128), jnp.float32)
    given: Any = dict(zip(_NAMES, (result, [pltpu.SemaphoreType.REGULAR, DMA, DMA]), strict=True))
    call = pl.kernel(
        kernel,
        **given,
        mesh=_cores(),
        compiler_params=pltpu.CompilerParams(collective_id=0),
    )
    x = jnp.arange(N * 16 * 128, dtype=jnp.float32).reshape(N * 16, 128)
    f = jax.shard_map(call, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False)
    return f, jax.device_put(x, jax.NamedSharding(mesh, P("x")))


def on_a_grid(semantics: Any) -> Any:
    """A grid whose dimension may be divided among cores."""

    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] * 2

    rows = pl.BlockSpec((4, 128), lambda i: (i, 0))
    call = pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct((16, 128), jnp.float32),
        grid=(4,),
        in_specs=[rows],
        out_specs=rows,
        compiler_params=pltpu.CompilerParams(dimension_semantics=(semantics,)),
    )
    return call, jnp.arange(16 * 128, dtype=jnp.float32).reshape(16, 128)


RIGHT = {
    "all_gather": all_gather,
    "all_reduce": all_reduce,
    "bidirectional": bidirectional,
    "reduce_scatter": reduce_scatter,
    "two_slots": lambda: two_slots(""),
}
"""Programs without a mistake."""


def document(program: Any) -> Any:
    """A program as it is read, without the version of JAX."""
    f, x = program()
    return dataclasses.replace(sw.read.kernel(f, x), jax_version="")


KERNELS = {
    "race": lambda: document(two_slots),
    "deadlock": lambda: document(lambda: all_reduce("wrong semaphore")),
    "right": lambda: document(reduce_scatter),
    "cores": lambda: document(lambda: on_cores("no wait")),
}
"""Kernels as documents, by name."""
