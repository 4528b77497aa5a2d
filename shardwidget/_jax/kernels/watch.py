"""What all kernels of a function do while they run, and an end to those in which nothing can go on."""

from __future__ import annotations

import contextlib
import inspect
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from shardwidget._jax.kernels.callbacks import ACTIONS, ALLOCATIONS, keep_allocation
from shardwidget._jax.kernels.interpreter import interpreter
from shardwidget._jax.kernels.record import Action, Parameter, RecordedKernel
from shardwidget._jax.sources import Frame, argument_names, function_name, function_place

POLL = 0.1
"""Seconds between two looks at kernels that wait."""

_FOLLOWS = "RuntimeError: Computation failed on device"
_MEET = "_update_clocks_for_device_barrier"
_TURN = "_check_for_revisiting"
"""What the interpreter calls when a core has gone through its grid once."""
SETTLED = 2.0
"""Seconds without any action after which cores that wait or have gone through their grid count as stopped."""
_BOUNDS = ("_initialize_shared_memory", "_clean_up_shared_memory", "_barrier")
_RECORDED = (*ACTIONS, *ALLOCATIONS, _MEET)


class Watch:
    """What all kernels of a function do."""

    def __init__(self, patience: float) -> None:
        self.kernels: list[RecordedKernel] = []
        self.failed = False
        self._patience = patience
        self._lock = threading.Lock()
        self._running: RecordedKernel | None = None
        self._waiting: dict[tuple[int, int], Action] = {}
        self._settled: set[tuple[int, int]] = set()
        """Cores that wait, or have gone through their grid and not gone on."""
        self._moved = 0
        self._entry: threading.Barrier | None = None
        self._met: dict[int, int] = {}
        """How often each device's cores have met: before and after the kernel."""

    def interpreting(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """The function that lowers a kernel."""

        def interpret(*args: Any, **params: Any) -> Any:
            from jax._src import core

            mapping, jaxpr = params["grid_mapping"], params["jaxpr"]
            cores = params["interpret_params"].num_cores_per_device
            mesh = params.get("mesh")
            if mesh is not None and type(mesh).__name__ == "TensorCoreMesh":
                # JAX 0.9 knows the number by its devices alone.
                cores = int(getattr(mesh, "num_cores", None) or mesh.devices.shape[0])
            kernel = RecordedKernel(
                name=function_name(jaxpr) or "kernel",
                parameters=_parameters(jaxpr, mapping),
                place=function_place(jaxpr),
                inputs=mapping.num_inputs,
                outputs=mapping.num_outputs,
                scalars=mapping.num_index_operands,
                aliased={out: k - mapping.num_index_operands for k, out in params["input_output_aliases"]},
                axes=tuple(core.get_axis_env().axis_sizes.items()),
                cores=cores,
            )
            self.kernels.append(kernel)
            return original(*args, **params)

        return interpret

    def wrapped(self, function: Callable[..., Any], frames: Sequence[Frame]) -> Callable[..., Any]:
        """A callback of the kernel that is being lowered, recorded."""
        name = getattr(function, "func", function).__name__
        # JAX 0.9: without the token that later versions pass from callback to callback.
        tokens = next(iter(inspect.signature(function).parameters), "") == "token"
        if name == "_validate":
            # It prints about semaphores that do not end at zero.
            return (lambda token, device: token) if tokens else (lambda device: None)
        if name not in _RECORDED and name not in _BOUNDS and name != _TURN:
            return function
        kernel = self.kernels[-1]

        if not tokens:
            function = _with_token(function)

        def run(token: Any, device: Any, *rest: Any) -> Any:
            place = int(device)
            if name == "_initialize_shared_memory":
                self._begin(kernel, place)
            elif name == "_barrier":
                kernel.barrier = True
            elif name == _TURN:
                self._settle(place, int(rest[0]))
            if kernel.runs > 1 or name not in _RECORDED:
                given = function(token, device, *rest)
                if name == "_clean_up_shared_memory" and not kernel.stopped:
                    with self._lock:
                        kernel.ended.add(place)
                return given
            return self._recorded(kernel, name, function, frames, (token, device, *rest))

        return run if tokens else (lambda *args: run(None, *args)[1])

    def _begin(self, kernel: RecordedKernel, device: int) -> None:
        with self._lock:
            if device in kernel.began or not kernel.runs:
                # The first device of another run: all others have left the one before.
                kernel.runs += 1
                kernel.began.clear()
                kernel.ended.clear()
                self._entry = threading.Barrier(kernel.devices)
                self._met.clear()
                self._settled.clear()
            kernel.began.add(device)
            self._running, self._moved = kernel, self._moved + 1

    def _settle(self, device: int, core: int) -> None:
        with self._lock:
            self._settled.add((device, core))
            self._moved += 1

    def _recorded(
        self,
        kernel: RecordedKernel,
        name: str,
        function: Callable[..., Any],
        frames: Sequence[Frame],
        args: tuple[Any, ...],
    ) -> Any:
        device = int(args[1])
        if name == _MEET:
            # Buffers of all devices must be there before one writes to another: without a barrier of the kernel's own
            # they may not be, and the interpreter would stop where the analysis is to say why.
            with self._lock:
                self._met[device] = self._met.get(device, 0) + 1
                first = self._met[device] == 1
            if self._entry is not None and first:
                self._entry.wait(60)
            return function(*args)
        if name in ALLOCATIONS:
            given = function(*args)
            with self._lock:
                keep_allocation(kernel, name, args, given)
            return given
        if self._met.get(device, 0) > 1:
            return function(*args)  # The interpreter reads results.
        core = int(args[2])
        action = ACTIONS[name](args)
        action.frames = frames
        with self._lock:
            if not kernel.stopped:
                kernel.actions.setdefault((device, core), []).append(action)
            self._moved += 1
            self._settled.discard((device, core))
            if action.kind == "wait":
                self._waiting[device, core] = action
        try:
            given = function(*args)
        except Exception as error:
            with self._lock:
                self.failed = True
                # What other devices raise, because one has failed, says less.
                if not kernel.stopped and (not kernel.error or kernel.error.startswith(_FOLLOWS)):
                    kernel.error = f"{type(error).__name__}: {error}"
            memory = interpreter()._shared_memory
            if memory is not None and not hasattr(memory, "set_failed"):
                # JAX 0.9: or the other devices would wait for this one.
                memory.barrier.abort()
                memory.clean_up_barrier.abort()
            raise
        with self._lock:
            action.ended = not kernel.stopped
            self._waiting.pop((device, core), None)
            self._moved += 1
        if name in ("get", "swap") and action.kind == "read":
            action.values = np.array(given[1])
        return given

    @contextlib.contextmanager
    def watching(self, module: Any) -> Iterator[None]:
        """Ends kernels in which nothing can go on."""
        done = threading.Event()
        watcher = threading.Thread(target=self._watch, args=(module, done), daemon=True)
        watcher.start()
        try:
            yield
        finally:
            done.set()
            watcher.join()

    def _watch(self, module: Any, done: threading.Event) -> None:
        last, since = -1, time.monotonic()
        while not done.wait(POLL):
            with self._lock:
                kernel, moved = self._running, self._moved
                waiting = dict(self._waiting)
                ended = set(kernel.ended) if kernel else set()
            if moved != last or kernel is None:
                last, since = moved, time.monotonic()
                continue
            all_wait, enough = self._all_wait(kernel, set(waiting), ended)
            quiet = time.monotonic() - since
            for_long = waiting and quiet > self._patience
            if not (for_long or (waiting and all_wait and quiet > enough)):
                continue
            if all_wait and not _stuck(module, waiting):
                continue
            with self._lock:
                kernel.stopped = self.failed = True
            # The other threads look at this every tenth of a second, raise, and so end.
            memory = module._shared_memory
            if memory is None:
                return
            if hasattr(memory, "set_failed"):
                memory.set_failed(RuntimeError("nothing in the kernel can go on"), top_level=False)
                return
            # JAX 0.9 has no such way: each wait is given what it waits for, and what follows is not recorded.
            for (device, core), action in waiting.items():
                where = memory.get_global_core_id(device, core)
                _semaphore(memory, action.semaphore).signal(action.amount, where, None)

    def _all_wait(self, kernel: RecordedKernel, waiting: set[tuple[int, int]], ended: set[int]) -> tuple[bool, float]:
        """Whether no core can be at anything else, and how long it must be quiet to be sure."""
        if kernel.cores == 1:
            return len({device for device, _ in waiting} | ended) == kernel.devices, 3 * POLL
        with self._lock:
            settled = waiting | self._settled | {(device, core) for device in ended for core in range(kernel.cores)}
        return len(settled) == kernel.devices * kernel.cores, SETTLED


def _stuck(module: Any, waiting: dict[tuple[int, int], Action]) -> bool:
    """Whether the semaphores that are waited for are below what is waited for."""
    memory = module._shared_memory
    if memory is None:
        return False
    for (device, core), action in waiting.items():
        semaphore = _semaphore(memory, action.semaphore)
        if semaphore.read(memory.get_global_core_id(device, core)) >= action.amount:
            return False
    return True


def _semaphore(memory: Any, number: int) -> Any:
    with memory.lock:
        fixed = getattr(memory, "fixed_id_sem", {})
        return fixed[number] if number in fixed else memory.sem[number]


def _with_token(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda token, *args: (token, function(*args))


def _parameters(jaxpr: Any, mapping: Any) -> tuple[Parameter, ...]:
    names = argument_names(jaxpr)
    found = []
    blocks = mapping.block_mappings
    for k, var in enumerate(jaxpr.invars):
        at = k - mapping.num_index_operands
        aval = blocks[at].transformed_block_aval if 0 <= at < len(blocks) else var.aval
        space = str(getattr(aval.memory_space, "value", aval.memory_space) or "vmem").lower()
        name = names[k] if k < len(names) and names[k] else f"argument {k}"
        found.append(Parameter(name, space, tuple(var.aval.shape), str(var.aval.dtype)))
    return tuple(found)
