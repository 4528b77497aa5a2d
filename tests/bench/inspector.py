"""What the Inspector costs per cell: 1,000 arrays, of which a cell makes one, rebinds all, or touches none."""

from __future__ import annotations

from tests.bench.process import measure
from tests.bench.table import Row, milliseconds

PROGRAM = """
import json, statistics, time
import jax
import numpy as np

jax.config.update("jax_num_cpu_devices", 8)
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import shardwidget as sw

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
put = lambda *shape: jax.device_put(np.zeros(shape, np.float32), NamedSharding(mesh, P("data")))
tree = lambda: {f"w{n}": put(16, 16) for n in range(1000)}

def median(names, cell):
    inspector, times = sw.Inspector(names), []
    for run in range(21):
        cell(run)
        start = time.perf_counter()
        inspector.refresh()
        times.append(time.perf_counter() - start)
    return statistics.median(times)

apart = tree()
found = {"names": median(apart, lambda run: apart.update(new=put(16, 8)))}
del apart
names = {"params": tree()}
found["none"] = median(names, lambda _: None)
found["one"] = median(names, lambda run: names.update(new=put(16, 8)))
trees = [tree(), names["params"]]
found["all"] = median(names, lambda run: names.update(params=trees[run % 2]))
print(json.dumps(found))
"""


def rows() -> list[Row]:
    """Time between the end of a cell and its message to the browser, which is written but not sent."""
    found = measure(PROGRAM)
    return [
        Row("Inspector, a cell that makes 1 array, of 1,000 in a tree", milliseconds(found["one"]), "≤ 2 ms", ""),
        Row("  that touches none", milliseconds(found["none"]), "≤ 2 ms", ""),
        Row("  that rebinds all, beside 1,000 that no name holds", milliseconds(found["all"]), "", ""),
        Row("  that makes 1 array, 1,000 names", milliseconds(found["names"]), "≤ 2 ms", ""),
    ]
