"""Running a function while its kernels are recorded."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax
from jax._src import source_info_util

from shardwidget._jax.compiling import without_trace_cache
from shardwidget._jax.kernels.interpreter import NotForTpusError, changing, interpreter, is_for_gpu
from shardwidget._jax.kernels.record import RecordedKernel
from shardwidget._jax.kernels.watch import Watch
from shardwidget._jax.sources import SHIMS, Frame


def recorded_kernels(
    call: Callable[..., Any], args: Sequence[Any], *, cores: int = 1, patience: float = 10.0
) -> tuple[list[RecordedKernel], Any]:
    """Runs a function on CPU devices and records its kernels, each the first time that it runs.

    Args:
        call: the function.
        args: its arguments.
        cores: cores of a device.
        patience: seconds without any action after which a kernel counts as stopped whose cores may still compute. Where
            all of them wait or have ended, it is known sooner that none can go on.

    Returns:
        The kernels, and the function's result; None where it did not end.

    Raises:
        NotForTpusError: it calls a kernel of Mosaic GPU or Triton.
        Exception: what the function raises, except inside a kernel.
    """
    from jax.experimental.pallas import tpu as pltpu

    watch = Watch(patience)
    params = pltpu.InterpretParams(
        dma_execution_mode="eager", num_cores_or_threads=cores, out_of_bounds_reads="raise", uninitialized_memory="zero"
    )
    module = interpreter()
    before = module.callback, module.interpret_pallas_call
    module.callback = _Callbacks(before[0], watch)
    module.interpret_pallas_call = watch.interpreting(before[1])
    result = None
    try:
        with changing(_interpreting(params, cores)), pltpu.force_tpu_interpret_mode(params), without_trace_cache():
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
        module.callback, module.interpret_pallas_call = before
        if watch.failed:
            forget_failed()
    return [kernel for kernel in watch.kernels if kernel.runs], result


def _interpreting(interpret: Any, cores: int) -> Callable[[dict[str, Any]], None]:
    """What makes JAX interpret every kernel."""

    def change(params: dict[str, Any]) -> None:
        if is_for_gpu(params):
            raise NotForTpusError
        params["interpret"] = interpret
        given = params.get("compiler_params")
        if cores > 1 and isinstance(given, Mapping):  # JAX 0.9: by platform.
            made: Any = type(given)
            params["compiler_params"] = made({key: _on_cores(of) for key, of in given.items()})
        elif cores > 1:
            params["compiler_params"] = _on_cores(given)

    return change


def _on_cores(given: Any) -> Any:
    """Parameters of a kernel whose grid is divided among cores.

    JAX 0.9 – 0.12: the interpreter divides dimensions that are parallel, and gives those that are core_parallel to one
    core.
    """
    semantics = getattr(given, "dimension_semantics", None)
    if not semantics:
        return given
    plain = [str(getattr(one, "value", one)) for one in semantics]
    return dataclasses.replace(
        given, dimension_semantics=tuple("parallel" if s == "core_parallel" else s for s in plain)
    )


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


class _Callbacks:
    """Stands for the module that makes callbacks, while kernels are lowered."""

    def __init__(self, module: Any, watch: Watch) -> None:
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
