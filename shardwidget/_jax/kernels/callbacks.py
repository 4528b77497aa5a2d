"""What the callbacks of the interpreter do, read from their arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from shardwidget._jax.kernels.interpreter import interpreter
from shardwidget._jax.kernels.record import Action, Buffer, Place, RecordedKernel

_SHARED = ("any", "hbm")
"""Memory that the cores of a device share."""


def _place(module: Any, buffer: Any, device: Any, core: Any, space: Any, transforms: Any) -> Place:
    ranges = module.interpret_utils.to_range(jax.tree.map(int, transforms))
    name = module.TPU_MEMORY_SPACE_NAMES[int(space)]
    parts = tuple((r, 1) if isinstance(r, int) else (int(r.start), int(r.stop) - int(r.start)) for r in ranges)
    return Place(int(buffer), int(device), 0 if name in _SHARED else int(core), parts)


def _of_read(args: tuple[Any, ...]) -> Action:
    module = interpreter()
    _, device, core, space, buffer, transforms, *_ = args
    return Action("read", (), _place(module, buffer, device, core, space, transforms))


def _of_write(args: tuple[Any, ...]) -> Action:
    module = interpreter()
    _, device, core, space, buffer, transforms, values, *_ = args
    return Action("write", (), _place(module, buffer, device, core, space, transforms), values=np.array(values))


def _of_copy(args: tuple[Any, ...]) -> Action:
    module = interpreter()
    _, device, core, space, source, transforms, to_space, to, to_transforms, received, sent, target, *rest = args
    device = int(device)
    at = _place(module, source, device, core, space, transforms)
    other = device if target is None else int(target)
    # From 0.12 on, a copy may go to another core.
    there = int(core) if not rest or rest[0] is None else int(rest[0])
    goes = _place(module, to, other, there, to_space, to_transforms)
    return Action(
        "copy",
        (),
        at,
        goes,
        semaphore=int(received),
        sent=-1 if sent is None else int(sent),
        target=(other, there),
    )


def _of_wait(args: tuple[Any, ...]) -> Action:
    return Action("wait", (), semaphore=int(args[3]), amount=int(args[4]))


def _of_signal(args: tuple[Any, ...]) -> Action:
    _, device, _, semaphore, amount, target, core = args
    other = int(device) if target is None else int(target)
    where = (other, 0 if core is None else int(core))
    return Action("signal", (), semaphore=int(semaphore), amount=int(amount), target=where)


ACTIONS: dict[str, Callable[[tuple[Any, ...]], Action]] = {
    "get": _of_read,
    "store": _of_write,
    "swap": _of_write,
    "dma_start": _of_copy,
    "dma_wait": _of_wait,
    "semaphore_signal": _of_signal,
    "semaphore_wait": _of_wait,
}
"""What each callback of the interpreter does, from its arguments."""

ALLOCATIONS = ("_allocate_buffer", "_allocate_semaphores", "get_barrier_semaphore")


def keep_allocation(kernel: RecordedKernel, name: str, args: tuple[Any, ...], given: Any) -> None:
    device = int(args[1])
    if name == "get_barrier_semaphore":
        kernel.collective.add(int(given[1]))
    elif name == "_allocate_semaphores":
        for at, number in enumerate(np.array(given[1]).ravel()):
            kernel.semaphores[int(number)] = at
    else:
        module = interpreter()
        space = module.TPU_MEMORY_SPACE_NAMES[int(args[3])]
        values = np.array(args[4])
        cores = range(kernel.cores) if args[2] is None else [int(args[2])]
        for core in [0] if space in _SHARED else cores:
            held = Buffer(space, values.shape, str(values.dtype), values)
            kernel.buffers.setdefault((int(given[1]), device, core), held)
