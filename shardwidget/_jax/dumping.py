"""Compiling what may need too much memory: XLA writes its schedule and buffers before it finds that they do not fit."""

from __future__ import annotations

import contextlib
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax

from shardwidget._jax import messages
from shardwidget._jax.compiling import compiled
from shardwidget._jax.jaxprs import quick_options


@dataclass(frozen=True)
class Dump:
    """What XLA writes about a module that it has scheduled."""

    text: str
    """The module."""
    assignment: str
    """Its ``BufferAssignment``, as text."""


@dataclass(frozen=True)
class Compilation:
    """What came of compiling a program."""

    compiled: jax.stages.Compiled | None
    """None where it needs more memory than the device has."""
    dump: Dump | None = None
    """What was scheduled, where it was not compiled."""
    failure: str = ""
    """The compiler's message; empty where it compiled."""


def compilation(lowered: jax.stages.Lowered, *, quick: bool = False) -> Compilation:
    """Compiles a program. If it needs more memory than the device has, the module that was scheduled is returned.

    It is then compiled a second time, with a dump. JAX 0.9 – 0.12, libtpu 0.0.4x: the names of the files and of the
    options are not promised.

    Args:
        lowered: the program.
        quick: whether to leave out what makes a program for CPUs fast.

    Raises:
        JaxRuntimeError: it does not compile for another reason, or nothing was written.
    """
    platforms = getattr(getattr(lowered, "_lowering", None), "_platforms", None) or ()
    options = quick_options() if quick and tuple(platforms) == ("cpu",) else None
    try:
        return Compilation(compiled(lowered, options))
    except jax.errors.JaxRuntimeError as error:
        dump = _dumped(lowered) if messages.needs_too_much_memory(error) else None
        if dump is None:
            raise
        return Compilation(None, dump, str(error))


def lowered_shardings(lowered: jax.stages.Lowered) -> tuple[Any, ...]:
    """Shardings of the arguments of a program that was not compiled, without those that it does not use.

    JAX 0.9 – 0.12: ``Lowered`` does not say what it will be compiled with.
    """
    known = getattr(getattr(lowered, "_lowering", None), "compile_args", {})
    return tuple(known.get("in_shardings") or ())


def _dumped(lowered: jax.stages.Lowered) -> Dump | None:
    """What XLA writes while it compiles; None where it writes nothing."""
    with tempfile.TemporaryDirectory(prefix="shardwidget-", ignore_cleanup_errors=True) as folder:
        options: Any = {"xla_dump_to": folder, "xla_dump_hlo_as_text": True}
        with contextlib.suppress(jax.errors.JaxRuntimeError):
            compiled(lowered, options)
        return _read(Path(folder))


_ASSIGNMENT = "after_optimizations-buffer-assignment.txt"
_MODULE = "after_optimizations.txt"


def _read(folder: Path) -> Dump | None:
    """The largest module of a dump: the others are parts that the compiler tried alone."""
    found = sorted(folder.rglob(f"*{_ASSIGNMENT}"), key=lambda path: path.stat().st_size)
    if not found:
        return None
    module = found[-1].with_name(found[-1].name.replace(_ASSIGNMENT, _MODULE))
    return Dump(module.read_text(), found[-1].read_text()) if module.exists() else None
