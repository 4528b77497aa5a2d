"""What is compiled while a piece of code runs, and tracing without JAX's caches."""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Iterator
from typing import Any

import jax
from jax._src import compiler, config


@contextlib.contextmanager
def compilations() -> Iterator[list[Any]]:
    """Collects every executable that is compiled in the block, by any function; ``jax.jit`` does so here.

    JAX 0.9 – 0.12: ``jax.monitoring`` reports only times, and no public object holds the executable.
    """
    found: list[Any] = []
    original = compiler.compile_or_get_cached

    def collecting(*args: Any, **kwargs: Any) -> Any:
        executable = original(*args, **kwargs)
        found.append(executable)
        return executable

    compiler.compile_or_get_cached = collecting
    try:
        yield found
    finally:
        compiler.compile_or_get_cached = original


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

    def traced(f: Any, *args: Any) -> Any:
        # The cache holds functions weakly: what it knows of one that is made here goes with it.
        return original(lambda *values, **named: f(*values, **named), *args)

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
