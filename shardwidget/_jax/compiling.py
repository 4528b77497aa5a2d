"""What is compiled while a piece of code runs, and tracing without JAX's caches."""

from __future__ import annotations

import contextlib
import itertools
import math
import re
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import jax
from jax._src import compiler, config, core, pjit
from jax._src.interpreters import mlir
from jax._src.lib import _jax

Seen = TypeVar("Seen")


def is_running() -> bool:
    """Whether code runs, rather than being traced. JAX 0.9 – 0.12."""
    return core.trace_state_clean()


def compiled(
    lowered: jax.stages.Lowered, options: dict[str, Any] | None = None, *, kept: bool = True
) -> jax.stages.Compiled:
    """Compiles a program whose text will be read.

    JAX's persistent cache ignores source lines: what it returns may have the lines of an equal program elsewhere, or
    of this one before it was edited. Here lines are part of the key, and where JAX has such a cache, what it compiled
    earlier in this process is not used either: it may come from there. JAX also keeps programs for devices that are
    not here, which it can then not read. JAX 0.9 – 0.12: options as contexts are private, and so is the backend.

    Args:
        lowered: the program.
        options: for the compiler, as ``lowered.compile(options)`` takes them.
        kept: whether the cache may keep it, where it can; not what calls back while it is compiled.

    Raises:
        JaxRuntimeError: it does not compile.
    """
    if not options and config.compilation_cache_dir.value:
        options = {"xla_embed_ir_in_executable": False}  # The default: JAX reuses a program that has no options.
    with contextlib.ExitStack() as stack:
        stack.enter_context(_lines_in_key())
        if not kept or isinstance(_backend(lowered), _jax.CompileOnlyPyClient):
            stack.enter_context(config.persistent_cache_min_compile_time_secs(math.inf))
        return lowered.compile(compiler_options=options)


@contextlib.contextmanager
def own_context() -> Iterator[None]:
    """What is lowered in the block has an MLIR context of its own, and may be compiled in another thread.

    JAX 0.12 lowers ten programs of a thread into one context, and compiling them in several threads, or running a pass
    on one while another is compiled, ends the process now and then. JAX 0.9 – 0.11 make a context for each.
    """
    context: Any = getattr(mlir, "_thread_local_context", None)
    if context is not None:
        context.set_local(None)
    try:
        yield
    finally:
        if context is not None:
            context.set_local(None)


def _backend(lowered: jax.stages.Lowered) -> object:
    """What will compile a program; None where JAX does not say."""
    return getattr(getattr(lowered, "_lowering", None), "compile_args", {}).get("backend")


def _lines_in_key() -> contextlib.AbstractContextManager[Any]:
    return config.compilation_cache_include_metadata_in_key(True)


@contextlib.contextmanager
def compilations() -> Iterator[list[Any]]:
    """Collects every executable that is compiled in the block, by any function; ``jax.jit`` does so here.

    JAX 0.9 – 0.12: ``jax.monitoring`` reports only times, and no public object holds the executable.
    """
    found: list[Any] = []
    original = compiler.compile_or_get_cached

    def collecting(*args: Any, **kwargs: Any) -> Any:
        with _lines_in_key():
            executable = original(*args, **kwargs)
        found.append(executable)
        return executable

    compiler.compile_or_get_cached = collecting
    try:
        yield found
    finally:
        compiler.compile_or_get_cached = original


@contextlib.contextmanager
def compiled_calls(
    see: Callable[[Any, Any, tuple[Any, ...], dict[str, Any]], Seen],
) -> Iterator[list[tuple[Seen, float]]]:
    """Collects the calls of jitted functions in the block for which JAX compiles, and the compiler's seconds.

    JAX 0.9 – 0.12: a call that the C++ cache does not answer reaches ``_infer_params`` (0.9: ``_trace_for_jit``). JAX's
    own option ``jax_explain_cache_misses`` explains traces: another sharding on Auto axes compiles without a new one.

    Args:
        see: called with the function, what identifies its ``jit``, and the arguments before any is donated; returns
            what is to be collected. It is called for calls that compile nothing as well.
    """
    found: list[tuple[Seen, float]] = []
    called = threading.local()
    name = "_infer_params" if hasattr(pjit, "_infer_params") else "_trace_for_jit"
    entered: Any = getattr(pjit, name)
    compiles = compiler.compile_or_get_cached

    def entering(fun: Any, info: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if core.trace_state_clean():
            called.seen = see(fun, info, args, kwargs)
        return entered(fun, info, args, kwargs)

    def compiling(*args: Any, **kwargs: Any) -> Any:
        began = time.perf_counter()
        executable = compiles(*args, **kwargs)
        if hasattr(called, "seen"):
            found.append((called.seen, time.perf_counter() - began))
        return executable

    setattr(pjit, name, entering)
    compiler.compile_or_get_cached = compiling
    try:
        yield found
    finally:
        setattr(pjit, name, entered)
        compiler.compile_or_get_cached = compiles


def traced_under() -> tuple[Any, ...]:
    """The options of JAX and the mesh that traces depend on. JAX 0.9 – 0.12: ``trace_context`` is private."""
    return config.trace_context()


def module_text(executable: Any) -> str:
    """The text of a compiled module, as ``Compiled.as_text()`` gives it; empty where a backend gives none."""
    modules = executable.hlo_modules()
    return modules[0].to_string() if modules else ""


@contextlib.contextmanager
def own_lines() -> Iterator[None]:
    """Traces a jitted function of JAX's, such as ``jnp.roll``, for each of its calls, so that each has its own lines.

    JAX 0.9: the trace of such a function is reused for every call with the same types, and keeps the line of the first,
    in whichever program that was. From 0.10 on JAX leaves that line out.
    """
    if jax.__version_info__ >= (0, 10):
        yield
        return
    from jax._src.interpreters import partial_eval

    original: Any = partial_eval.trace_to_jaxpr

    def traced(f: Any, *args: Any, **known: Any) -> Any:
        # The cache holds functions weakly: what it knows of one that is made here goes with it.
        return original(lambda *values, **named: f(*values, **named), *args, **known)

    setattr(partial_eval, "trace_to_jaxpr", traced)  # noqa: B010
    try:
        yield
    finally:
        setattr(partial_eval, "trace_to_jaxpr", original)  # noqa: B010


def shares_lines(text: str) -> bool:
    """Whether operations of a module that was traced without ``own_lines`` may have the lines of other calls."""
    return jax.__version_info__ < (0, 10) and re.search(r'op_name="[^"]*/jit\(', text) is not None


@contextlib.contextmanager
def without_trace_cache() -> Iterator[None]:
    """Traces every function again, even those that JAX has traced before, and leaves JAX's caches as they are.

    JAX 0.9 – 0.12: traces are cached by function and by this option, among others; the option moves seeds of
    random keys, which no shape depends on.
    """
    with config.random_seed_offset(next(_OFFSETS)):
        yield


_OFFSETS = itertools.count(2**28)
