"""What the compiler itself reports of a program: memory and work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shardwidget.document import MemoryTotals, Work


def memory_totals(compiled: Any, platform: str) -> MemoryTotals | None:
    """What the compiler reports about memory; None where it reports nothing."""
    stats = _analysis(compiled.memory_analysis) if compiled is not None else None
    if stats is None:
        return None
    return MemoryTotals(
        arguments=stats.argument_size_in_bytes,
        outputs=stats.output_size_in_bytes,
        temporaries=stats.temp_size_in_bytes,
        aliased=stats.alias_size_in_bytes,
        code=stats.generated_code_size_in_bytes,
        # On CPU it counts only arguments; on TPU also those that are in the host's memory.
        peak=0 if platform == "cpu" else max(0, getattr(stats, "peak_memory_in_bytes", 0) - _on_host(stats)),
    )


def _on_host(stats: Any) -> int:
    return getattr(stats, "host_argument_size_in_bytes", 0)


def work_of(compiled: Any) -> Work | None:
    found = _analysis(compiled.cost_analysis) if compiled is not None else None
    if not found:
        return None
    figures = (float(found.get(key, -1)) for key in ("flops", "bytes accessed", "optimal_seconds"))
    return Work(*(figure if figure >= 0 else -1.0 for figure in figures))


def _analysis(analysis: Callable[[], Any]) -> Any:
    """An analysis; None where the backend makes none."""
    try:
        return analysis()
    except (NotImplementedError, RuntimeError, AttributeError):
        return None
