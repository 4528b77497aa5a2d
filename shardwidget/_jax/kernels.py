"""What a Pallas TPU kernel does on each device, recorded while JAX interprets it on CPU devices.

JAX 0.9 – 0.12: the interpreter (``pltpu.InterpretParams``) is public, what it calls for each operation is not. Each of
its operations is a callback, made while the kernel is lowered; the recorder stands in for the function that makes them.
"""

from __future__ import annotations

import contextlib
import inspect
import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import jax
import numpy as np
from jax._src import source_info_util

from shardwidget._jax.compiling import without_trace_cache
from shardwidget._jax.control import every_equation
from shardwidget._jax.sources import SHIMS, Frame, argument_names, function_name, function_place

if TYPE_CHECKING:
    from jax.extend.core import JaxprEqn

POLL = 0.1
"""Seconds between two looks at kernels that wait."""

_PRIMITIVE = "jax._src.pallas.pallas_call"
_NEEDED = ("callback", "interpret_pallas_call", "dma_start", "dma_wait", "semaphore_signal", "semaphore_wait", "get")

Range = tuple[tuple[int, int], ...]
"""First element and number of elements of each dimension."""


@dataclass(frozen=True)
class Place:
    """A part of a buffer."""

    buffer: int
    device: int
    core: int
    range: Range


@dataclass
class Action:
    """What a core did, or began and did not end."""

    kind: Literal["copy", "wait", "signal", "read", "write"]
    frames: Sequence[Frame]
    """The user's lines that it comes from, innermost first; none for what the kernel's specs load and store."""
    at: Place | None = None
    """What is read or written; the source of a copy."""
    to: Place | None = None
    """The destination of a copy."""
    semaphore: int = -1
    """Of a wait, a signal; of a copy, the one of its destination."""
    sent: int = -1
    """Semaphore of a copy's source; -1 for none."""
    amount: int = 0
    """By how much a semaphore is waited for or signalled; bytes of a copy."""
    target: tuple[int, int] = (-1, -1)
    """Device and core of the semaphore that is signalled."""
    values: Any = None
    """What was read or written."""
    ended: bool = False


@dataclass
class Held:
    """A buffer of one device."""

    space: str
    shape: tuple[int, ...]
    dtype: str
    values: Any
    """What it held at the beginning."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel."""

    name: str
    space: str
    """``semaphore`` or the kind of memory."""
    shape: tuple[int, ...]
    dtype: str


@dataclass
class RecordedKernel:
    """One ``pallas_call`` as it ran."""

    name: str
    parameters: tuple[Parameter, ...]
    """Scalars that are known before it starts, inputs, outputs, scratch."""
    inputs: int
    outputs: int
    scalars: int
    aliased: dict[int, int]
    """The input of each output that is one."""
    place: tuple[str, int]
    """File and first line of the kernel."""
    axes: tuple[tuple[str, int], ...]
    """Axes of the mesh that it runs on."""
    cores: int = 1
    barrier: bool = False
    """Whether the interpreter starts all devices together, because the kernel names no ``collective_id``."""
    actions: dict[tuple[int, int], list[Action]] = field(default_factory=dict)
    """What each core did, by device and core, in order."""
    buffers: dict[tuple[int, int, int], Held] = field(default_factory=dict)
    """By buffer, device and core."""
    semaphores: dict[int, int] = field(default_factory=dict)
    """Number of each semaphore in the array that it was allocated with, by its id: ids of one array are in a row."""
    collective: set[int] = field(default_factory=set)
    """Ids of barrier semaphores."""
    ended: set[int] = field(default_factory=set)
    """Devices that have left the kernel."""
    began: set[int] = field(default_factory=set)
    stopped: bool = False
    """Whether it was ended because nothing moved."""
    error: str = ""
    """What the interpreter raised, in its words."""
    runs: int = 0

    @property
    def devices(self) -> int:
        return int(np.prod([size for _, size in self.axes], dtype=int))


def _interpreter() -> Any:
    import jax.experimental.pallas.tpu  # noqa: F401  What it needs.
    from jax._src.pallas.mosaic.interpret import interpret_pallas_call

    return interpret_pallas_call


def interprets_kernels() -> str:
    """Why this JAX's kernels cannot be recorded; empty where they can."""
    try:
        module = _interpreter()
    except ImportError as error:
        return f"JAX {jax.__version__} has no interpreter of TPU kernels here ({error})"
    missing = [name for name in _NEEDED if not hasattr(module, name)]
    return f"the interpreter of JAX {jax.__version__} has no {', '.join(missing)}" if missing else ""


@contextlib.contextmanager
def interpreted() -> Iterator[None]:
    """Lets JAX interpret the TPU kernels that are traced in the block, where the default backend is the CPU.

    Kernels that are given ``interpret`` keep it. Without Pallas, which takes long to import, nothing changes.
    """
    if _PRIMITIVE not in sys.modules or jax.default_backend() != "cpu" or interprets_kernels():
        yield
        return
    from jax.experimental.pallas import tpu as pltpu

    primitive: Any = sys.modules[_PRIMITIVE].pallas_call_p
    bind = primitive.bind

    def bound(*args: Any, **params: Any) -> Any:
        if not params["interpret"] and not _is_for_gpu(params.get("compiler_params")):
            params["interpret"] = pltpu.InterpretParams(dma_execution_mode="eager")
        return bind(*args, **params)

    primitive.bind = bound
    try:
        yield
    finally:
        del primitive.bind


def kernel_sends(eqn: JaxprEqn) -> bool | None:
    """Whether the kernel of a ``pallas_call`` copies to other devices; None where that is not known.

    JAX 0.9 – 0.12: the primitives of kernels are private.
    """
    if _is_for_gpu(eqn.params.get("compiler_params")) or "jaxpr" not in eqn.params:
        return None
    copies = [e for e in every_equation(eqn.params["jaxpr"]) if e.primitive.name == "dma_start"]
    return any(jax.tree.unflatten(e.params["tree"], e.invars)[3] is not None for e in copies)


def kernel_name(eqn: JaxprEqn) -> str:
    """The function of a ``pallas_call``; empty where JAX does not know it."""
    return function_name(eqn.params.get("jaxpr"))


def _is_for_gpu(params: Any) -> bool:
    return "mosaic_gpu" in type(params).__module__ or "triton" in type(params).__module__


def recorded_kernels(
    call: Callable[..., Any], args: Sequence[Any], *, cores: int = 1, patience: float = 10.0
) -> tuple[list[RecordedKernel], Any]:
    """Runs a function on CPU devices and records its kernels, each the first time that it runs.

    Args:
        call: the function.
        args: its arguments.
        cores: cores of a device.
        patience: seconds without any action after which kernels with several cores count as stopped. With one core a
            device, it is known at once that none can go on.

    Returns:
        The kernels, and the function's result; None where it did not end.

    Raises:
        Exception: what the function raises, except inside a kernel.
    """
    from jax.experimental.pallas import tpu as pltpu

    watch = _Watch(patience)
    params = pltpu.InterpretParams(
        dma_execution_mode="eager", num_cores_or_threads=cores, out_of_bounds_reads="raise", uninitialized_memory="zero"
    )
    module = _interpreter()
    primitive: Any = sys.modules[_PRIMITIVE].pallas_call_p
    before = module.callback, module.interpret_pallas_call
    module.callback = _Callbacks(before[0], watch)
    module.interpret_pallas_call = watch.interpreting(before[1])
    result = None
    try:
        primitive.bind = _interpreting(primitive.bind, params)
        with pltpu.force_tpu_interpret_mode(params), without_trace_cache():
            run = jax.jit(lambda *given: call(*given)).lower(*args).compile()
        # What stopped is ended by another thread, while this one waits for the devices.
        with watch.watching(module):
            try:
                with _quiet():
                    result = jax.block_until_ready(run(*args))
            except Exception:
                if not watch.failed:
                    raise
    finally:
        del primitive.bind
        module.callback, module.interpret_pallas_call = before
        if watch.failed:
            forget_failed()
    return [kernel for kernel in watch.kernels if kernel.runs], result


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


def _interpreting(bind: Callable[..., Any], interpret: Any) -> Callable[..., Any]:
    """``bind`` of kernels, all of which are interpreted; what a kernel does is fixed when ``pallas_call`` makes it."""

    def bound(*args: Any, **params: Any) -> Any:
        return bind(*args, **{**params, "interpret": interpret})

    return bound


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without a traceback of JAX's for each device that is ended."""
    logger = logging.getLogger("jax._src.callback")
    before = logger.disabled
    logger.disabled = True
    try:
        yield
    finally:
        logger.disabled = before


def forget_failed() -> None:
    """Makes JAX usable again after a kernel has failed: its state, and the results that ordered effects wait for."""
    from jax._src import dispatch
    from jax.experimental.pallas import tpu as pltpu

    pltpu.reset_tpu_interpret_mode_state()
    with contextlib.suppress(Exception):
        jax.effects_barrier()
    dispatch.runtime_tokens.clear()


class _Watch:
    """What all kernels of a function do."""

    def __init__(self, patience: float) -> None:
        self.kernels: list[RecordedKernel] = []
        self.failed = False
        self._patience = patience
        self._lock = threading.Lock()
        self._running: RecordedKernel | None = None
        self._waiting: dict[tuple[int, int], Action] = {}
        self._moved = 0
        self._entry: threading.Barrier | None = None
        self._first: set[tuple[int, int]] = set()

    def interpreting(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """The function that lowers a kernel."""

        def interpret(*args: Any, **params: Any) -> Any:
            from jax._src import core

            mapping, jaxpr = params["grid_mapping"], params["jaxpr"]
            cores = params["interpret_params"].num_cores_per_device
            mesh = params.get("mesh")
            if mesh is not None and type(mesh).__name__ == "TensorCoreMesh":
                cores = int(mesh.devices.shape[0])
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
        if name not in _RECORDS and name not in ("_initialize_shared_memory", "_clean_up_shared_memory", "_barrier"):
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
            if kernel.runs > 1 or name not in _RECORDS:
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
                self._first.clear()
            kernel.began.add(device)
            self._running, self._moved = kernel, self._moved + 1

    def _recorded(
        self,
        kernel: RecordedKernel,
        name: str,
        function: Callable[..., Any],
        frames: Sequence[Frame],
        args: tuple[Any, ...],
    ) -> Any:
        device = int(args[1])
        if name == "_update_clocks_for_device_barrier":
            # Buffers of all devices must be there before one writes to another: without a barrier of the kernel's own
            # they may not be, and the interpreter would stop where the analysis is to say why.
            if self._entry is not None and (device, 0) not in self._first:
                self._first.add((device, 0))
                self._entry.wait(60)
            return function(*args)
        if name.startswith("_allocate") or name == "get_barrier_semaphore":
            given = function(*args)
            with self._lock:
                _keep_allocation(kernel, name, args, given)
            return given
        core = int(args[2])
        action = _RECORDS[name](self, args)
        action.frames = frames
        with self._lock:
            if not kernel.stopped:
                kernel.actions.setdefault((device, core), []).append(action)
            self._moved += 1
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
            memory = _interpreter()._shared_memory
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
            at = {device for device, _ in waiting}
            all_wait = kernel.cores == 1 and waiting and len(at | ended) == kernel.devices
            for_long = waiting and time.monotonic() - since > self._patience
            if not (for_long or (all_wait and time.monotonic() - since > 3 * POLL)):
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


class _Callbacks:
    """Stands for the module that makes callbacks, while kernels are lowered."""

    def __init__(self, module: Any, watch: _Watch) -> None:
        self._module, self._watch = module, watch

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)

    def io_callback(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return self._module.io_callback(self._watch.wrapped(function, _user_lines()), *args, **kwargs)


def _user_lines() -> Sequence[Frame]:
    """The user's lines of the kernel's operation that is being lowered.

    Equations of JAX's own functions, such as ``pltpu.sync_copy``, have none: those of the equation around them count.
    """
    frame = inspect.currentframe()
    while frame is not None:
        if frame.f_code.co_name == "_interpret_jaxpr" and (eqn := frame.f_locals.get("eqn")) is not None:
            found: Any = source_info_util.user_frames(eqn.source_info.traceback)
            if users := [f for f in found if not f.file_name.startswith(SHIMS)]:
                return users
        frame = frame.f_back
    return []


def _keep_allocation(kernel: RecordedKernel, name: str, args: tuple[Any, ...], given: Any) -> None:
    device = int(args[1])
    if name == "get_barrier_semaphore":
        kernel.collective.add(int(given[1]))
    elif name == "_allocate_semaphores":
        for at, number in enumerate(np.array(given[1]).ravel()):
            kernel.semaphores[int(number)] = at
    else:
        module = _interpreter()
        space = module.TPU_MEMORY_SPACE_NAMES[int(args[3])]
        values = np.array(args[4])
        cores = range(kernel.cores) if args[2] is None else [int(args[2])]
        for core in [0] if space in _SHARED else cores:
            held = Held(space, values.shape, str(values.dtype), values)
            kernel.buffers.setdefault((int(given[1]), device, core), held)


_FOLLOWS = "RuntimeError: Computation failed on device"

_SHARED = ("any", "hbm")
"""Memory that the cores of a device share."""


def _place(module: Any, buffer: Any, device: Any, core: Any, space: Any, transforms: Any) -> Place:
    ranges = module.interpret_utils.to_range(jax.tree.map(int, transforms))
    name = module.TPU_MEMORY_SPACE_NAMES[int(space)]
    parts = tuple((r, 1) if isinstance(r, int) else (int(r.start), int(r.stop) - int(r.start)) for r in ranges)
    return Place(int(buffer), int(device), 0 if name in _SHARED else int(core), parts)


def _of_read(watch: _Watch, args: tuple[Any, ...]) -> Action:
    module = _interpreter()
    _, device, core, space, buffer, transforms, *_ = args
    return Action("read", (), _place(module, buffer, device, core, space, transforms))


def _of_write(watch: _Watch, args: tuple[Any, ...]) -> Action:
    module = _interpreter()
    _, device, core, space, buffer, transforms, values, *_ = args
    return Action("write", (), _place(module, buffer, device, core, space, transforms), values=np.array(values))


def _of_copy(watch: _Watch, args: tuple[Any, ...]) -> Action:
    module = _interpreter()
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


def _of_wait(watch: _Watch, args: tuple[Any, ...]) -> Action:
    return Action("wait", (), semaphore=int(args[3]), amount=int(args[4]))


def _of_signal(watch: _Watch, args: tuple[Any, ...]) -> Action:
    _, device, _, semaphore, amount, target, core = args
    other = int(device) if target is None else int(target)
    where = (other, 0 if core is None else int(core))
    return Action("signal", (), semaphore=int(semaphore), amount=int(amount), target=where)


def _nothing(watch: _Watch, args: tuple[Any, ...]) -> Action:
    raise AssertionError


_RECORDS: dict[str, Callable[[_Watch, tuple[Any, ...]], Action]] = {
    "get": _of_read,
    "store": _of_write,
    "swap": _of_write,
    "dma_start": _of_copy,
    "dma_wait": _of_wait,
    "semaphore_signal": _of_signal,
    "semaphore_wait": _of_wait,
    "_allocate_buffer": _nothing,
    "_allocate_semaphores": _nothing,
    "get_barrier_semaphore": _nothing,
    "_update_clocks_for_device_barrier": _nothing,
}
"""What each callback of the interpreter does."""
