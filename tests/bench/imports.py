"""Time to import shardwidget when JAX, NumPy and anywidget are already imported."""

from __future__ import annotations

import statistics

from tests.bench.process import measure
from tests.bench.table import Row, milliseconds

PROGRAM = """
import time
import anywidget, jax, numpy
start = time.perf_counter()
{statement}
print(time.perf_counter() - start)
"""


def rows() -> list[Row]:
    """Median of seven processes."""
    ours, theirs = (
        statistics.median(measure(PROGRAM.format(statement=statement)) for _ in range(7))
        for statement in ("from shardwidget import ArrayView", "import treescope")
    )
    return [Row("import shardwidget", milliseconds(ours), "≤ 40 ms", f"treescope {milliseconds(theirs)}")]
