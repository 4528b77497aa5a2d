"""The compiler's assignment of buffers, as XLA serializes it."""

from __future__ import annotations

from typing import Any


def buffer_assignment(compiled: Any) -> tuple[bytes, bytes] | None:
    """A ``BufferAssignmentProto`` and the ``HloModuleProto`` that its ids refer to; None where the backend gives none.

    CPU gives it, TPU an empty one, as does GPU (seen with JAX 0.11). JAX 0.9 – 0.12.
    """
    try:
        stats = compiled.memory_analysis()
        assignment = bytes(getattr(stats, "serialized_buffer_assignment_proto", b""))
        if not assignment:
            return None
        (module, *_) = compiled.runtime_executable().hlo_modules()
        return assignment, bytes(module.as_serialized_hlo_module_proto())
    except (AttributeError, NotImplementedError, RuntimeError, ValueError):
        return None


def text_of_proto(proto: bytes) -> str:
    """The text of an ``HloModuleProto``, as ``Compiled.as_text`` prints it; empty where XLA cannot read it.

    JAX 0.9 – 0.12: in ``jaxlib._hlo``, before 0.10 in ``jaxlib._jax``.
    """
    try:
        from jaxlib import _hlo as hlo  # pyright: ignore[reportAttributeAccessIssue]
    except ImportError:
        from jaxlib import _jax as hlo  # pyright: ignore[reportAttributeAccessIssue]
    try:
        return hlo.HloModule.from_serialized_hlo_module_proto(proto).to_string()
    except (RuntimeError, ValueError):
        return ""


def serialized_executable(compiled: Any) -> bytes:
    """An executable for TPUs, which contains its ``HloProto``; empty for other devices, whose statistics have it.

    JAX 0.9 – 0.12.
    """
    try:
        executable = compiled.runtime_executable()
        # Tiled layouts are only in what is compiled for TPUs: a topology has no client that could be asked.
        return bytes(executable.serialize()) if ":T(" in executable.hlo_modules()[0].to_string() else b""
    except (AttributeError, NotImplementedError, RuntimeError, ValueError, IndexError):
        return b""


def results_are_allocated_first(compiled: Any) -> bool:
    """Whether the compiler's peak counts results from the first instruction on, and not from when they are made.

    JAX 0.12 says what is allocated throughout.
    """
    try:
        stats = compiled.memory_analysis()
        both = stats.argument_size_in_bytes + stats.output_size_in_bytes - stats.alias_size_in_bytes
        return 0 < both <= getattr(stats, "indefinite_allocations", 0)
    except (AttributeError, NotImplementedError, RuntimeError, ValueError):
        return False
