"""Memory that reading a big array's placement takes."""

from __future__ import annotations

from tests.bench.process import measure
from tests.bench.table import Row

# A small array first: code that is loaded once is not a cost of the big one.
PROGRAM = """
import json, tracemalloc
import jax, psutil
import shardwidget as sw

jax.config.update("jax_num_cpu_devices", 8)
mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)

def shaped(side):
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x", "y"))
    return jax.ShapeDtypeStruct((side, side), "float32", sharding=sharding)

sw.read.placement(shaped(8))
big = shaped(2**16)
process = psutil.Process()
resident = process.memory_info().rss
placement = sw.read.placement(big)
resident = process.memory_info().rss - resident
assert placement.nbytes == 2**34

tracemalloc.start()
sw.read.placement(shaped(2**16))
print(json.dumps({"resident": resident, "peak": tracemalloc.get_traced_memory()[1]}))
"""


def rows() -> list[Row]:
    """Growth of the resident set, and the peak of what Python allocated."""
    found = measure(PROGRAM)
    return [
        Row("read.placement of 16 GiB, resident", f"{found['resident'] / 2**20:.2f} MiB", "< 1 MiB"),
        Row("  Python's peak", f"{found['peak'] / 2**20:.3f} MiB", "< 1 MiB"),
    ]
