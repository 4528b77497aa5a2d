from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

SEM = pltpu.SemaphoreType.DMA


def ring(x_ref, out_ref, slots, keep, sent, came, free):
    """An all-gather through two slots."""
    me = lax.axis_index("x")
    right, left = lax.rem(me + 1, 4), lax.rem(me + 3, 4)
    barrier = pltpu.get_barrier_semaphore()
    for neighbour in (left, right):
        pl.semaphore_signal(barrier, device_id=(neighbour,))
    pl.semaphore_wait(barrier, 2)
    pltpu.sync_copy(x_ref, slots.at[0])
    pltpu.sync_copy(x_ref, out_ref.at[me])
    for step in range(3):
        now, then = step % 2, (step + 1) % 2
        send = pltpu.make_async_remote_copy(slots.at[now], slots.at[then], sent, came, device_id=(right,))
        send.start()
        send.wait()
        pltpu.sync_copy(slots.at[then], out_ref.at[lax.rem(me + 3 - step, 4)])


call = pl.pallas_call(
    ring,
    out_shape=jax.ShapeDtypeStruct((4, 8, 128), jnp.float32),
    in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
    out_specs=pl.BlockSpec(memory_space=pl.ANY),
    scratch_shapes=[pltpu.VMEM((2, 8, 128), jnp.float32), SEM, SEM, SEM, pltpu.SemaphoreType.REGULAR],
    compiler_params=pltpu.CompilerParams(collective_id=0),
)
line = jax.make_mesh((4,), ("x",), devices=jax.devices()[:4], axis_types=(AxisType.Auto,))
gather = jax.shard_map(call, mesh=line, in_specs=P("x"), out_specs=P("x"), check_vma=False)
sw.KernelView(gather, jnp.arange(32.0 * 128).reshape(32, 128))
