"""``read.kernel``: what a Pallas kernel does on each device, and what in it nothing orders."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import jax

from shardwidget import _jax
from shardwidget._jax import RecordedKernel
from shardwidget.document import Kernel, KernelFault, MeshAxis
from shardwidget.read._call import FlatCall
from shardwidget.read._kernel.faults import faults
from shardwidget.read._kernel.races import races, shown
from shardwidget.read._kernel.reading import Reading

MOST_ORDERS = 6
"""Orders that are kept beside the one without delays."""

NOT_HERE = "read.kernel records a kernel while JAX interprets it, and {why}. A JAX from 0.9 to 0.12 has it."

NO_KERNEL = (
    "{function} calls no Pallas kernel for TPUs: read.kernel follows pl.pallas_call and pl.core_map with "
    "pltpu.make_async_remote_copy. Kernels of Mosaic GPU and other custom calls cannot be followed."
)

NOT_ON_CPU = (
    "read.kernel interprets the kernel on CPU devices, and the argument {name} is on {platform}. Give arrays on a mesh "
    "of as many CPU devices: jax.make_mesh(..., devices=jax.devices('cpu')), after "
    "jax.config.update('jax_num_cpu_devices', 4)."
)

NO_SUCH = "which={which}: {function} calls {count} kernels, numbered from 0: {names}."

TOGETHER = (
    "The kernel names no collective_id, so JAX's interpreter lets all devices enter it together. On TPUs nothing does: "
    "a device may send before its neighbour has entered."
)


ONE_CORE = (
    "Core 0 does everything. JAX's interpreter divides dimensions of a grid that dimension_semantics calls parallel or "
    "core_parallel among cores, and gives each core of a TensorCoreMesh its own run of pl.core_map."
)


def kernel(
    f: Callable[..., Any],
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    which: int | None = None,
    cores: int = 1,
    patience: float = 10.0,
) -> Kernel:
    """Follows a Pallas kernel on all devices, and finds races and waits that never end.

    The function runs once, on CPU devices: JAX interprets its kernels (``pltpu.InterpretParams``), whatever they were
    given as ``interpret``. What each core does is recorded; which of it can happen in which order follows from the
    semaphores, for all orders at once. A kernel that cannot go on is ended as soon as no core can.

    ```python
    print(read.kernel(all_gather, x))
    ```

    Args:
        f: a function that calls the kernel, inside ``jax.shard_map``.
        *args: its arguments, on CPU devices.
        kwargs: its keyword arguments.
        which: which of the function's kernels, counted from 0; None for the first that sends.
        cores: cores of each device; ``pl.core_map`` over a ``TensorCoreMesh`` has as many as the mesh.
        patience: seconds without any action after which a kernel counts as stopped whose cores may still compute. Where
            all of them wait, it is ended within a second, or within three with several cores.

    Raises:
        NotImplementedError: this JAX has no interpreter of TPU kernels.
        TypeError: there is no function, or an argument is a tracer.
        ValueError: the function calls no such kernel, or its arguments are not on CPU devices.
        Exception: what the function raises outside the kernel.
    """
    recorded, others = chosen(f, args, kwargs, which, cores, patience)
    return document(recorded, others)


def chosen(
    f: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any] | None = None,
    which: int | None = None,
    cores: int = 1,
    patience: float = 10.0,
) -> tuple[RecordedKernel, list[str]]:
    """One of a function's kernels as it ran, and the names of the others; what ``kernel`` takes, and raises."""
    if why := _jax.interprets_kernels():
        raise NotImplementedError(NOT_HERE.format(why=why))
    call = FlatCall(f, args, kwargs)
    for name, leaf in zip(call.names, call.leaves, strict=True):
        platform = next((d.platform for d in leaf.devices()), "cpu") if isinstance(leaf, jax.Array) else "cpu"
        if platform != "cpu":
            raise ValueError(NOT_ON_CPU.format(name=name, platform=platform))
    traced = [k for k, static in enumerate(call.static) if not static and hasattr(call.leaves[k], "dtype")]

    def run(*arrays: Any) -> Any:
        leaves = list(call.leaves)
        for k, array in zip(traced, arrays, strict=True):
            leaves[k] = array
        return call(leaves)

    try:
        recorded, _ = _jax.recorded_kernels(run, [call.leaves[k] for k in traced], cores=cores, patience=patience)
    except _jax.NotForTpusError:
        recorded = []
    if not recorded:
        raise ValueError(NO_KERNEL.format(function=call.function))
    sending = [k for k, found in enumerate(recorded) if _sends(found)]
    at = which if which is not None else next(iter(sending), 0)
    if not 0 <= at < len(recorded):
        names = ", ".join(f"{k} {found.name}" for k, found in enumerate(recorded))
        raise ValueError(NO_SUCH.format(which=at, function=call.function, count=len(recorded), names=names))
    others = [f"{k} {found.name}" for k, found in enumerate(recorded) if k != at]
    return recorded[at], others


def _sends(kernel: RecordedKernel) -> bool:
    return any(
        a.kind == "copy" and a.to is not None and a.to.device != device
        for (device, _), actions in kernel.actions.items()
        for a in actions
    )


def document(kernel: RecordedKernel, others: Sequence[str] = ()) -> Kernel:
    """A recorded kernel as a document; ``others``: the function's other kernels."""
    reading = Reading(kernel)
    pairs, checked = races(reading.machine, reading.accesses)
    usual = reading.machine.run()
    reading.in_orders([usual], [""])
    orders = [usual]
    found = faults(reading, pairs, usual)
    kept: list[KernelFault] = []
    titles = ["without delays"]
    for fault, pair in found:
        if pair is not None and len(orders) <= MOST_ORDERS:
            fault = replace(fault, order=len(orders))
            orders.append(reading.machine.run(shown(pair)))
            titles.append("shows the race")
        kept.append(fault)
    notes = [TOGETHER] if kernel.barrier and _sends(kernel) else []
    if kernel.cores > 1 and not any(core for _, core in kernel.actions):
        notes.append(ONE_CORE)
    if others:
        notes.append(f"The function calls other kernels too: {', '.join(others)}; which= chooses.")
    return Kernel(
        name=kernel.name,
        axes=tuple(MeshAxis(name, size, "Manual") for name, size in kernel.axes),
        slots=tuple(reading.slots.slots),
        semaphores=tuple(reading.semaphores),
        ops=tuple(reading.ops),
        sources=tuple(reading.sources),
        blocks=tuple(reading.contents.blocks),
        orders=reading.in_orders(orders, titles),
        faults=tuple(kept),
        cores=kernel.cores,
        listing=reading.listing(),
        checked=checked,
        notes=tuple(notes),
        jax_version=jax.__version__,
    )
