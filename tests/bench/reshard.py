"""Planning how 2,000 arrays on 4096 devices move to 64 groups, and what the document of it takes."""

from __future__ import annotations

from tests.bench.process import measure
from tests.bench.table import Row, kilobytes, milliseconds

# The first plan looks at each layout; later ones know them, as a slider or a changed target does.
PROGRAM = """
import json, statistics, time
import jax
from jax.sharding import AbstractMesh, AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

from shardwidget import read
from shardwidget.document import to_wire
from shardwidget.export.state import encode

jax.config.update("jax_num_cpu_devices", 8)
stages = 64
pod = AbstractMesh((stages, 8, 8), ("stage", "data", "model"), axis_types=(AxisType.Auto,) * 3)
split = ("stage", "data")
layer = [
    ((1024,), P()), ((1024, 3072), P(split, "model")), ((1024, 1024), P("model", split)),
    ((1024, 4096), P(split, "model")), ((4096, 1024), P("model", split)),
]

def shaped(shape, spec):
    return jax.ShapeDtypeStruct(shape, "bfloat16", sharding=NamedSharding(pod, spec))

arrays = [[shaped(*leaf) for leaf in layer] for _ in range(400)]
targets = [[({n * stages // 400}, spec) for _, spec in layer] for n in range(400)]

def plan(arrays, targets):
    start = time.perf_counter()
    made = read.reshard_plan(arrays, targets, pod, "stage", threshold=2**25)
    made.peak_bytes
    return time.perf_counter() - start, made

plan([[shaped((64,), P())]], [[({0}, P())]])
first, made = plan(arrays, targets)
again = statistics.median(plan(arrays, targets)[0] for _ in range(5))
print(json.dumps({"first": first, "again": again, "bytes": len(encode(to_wire(made)))}))
"""


def rows() -> list[Row]:
    """Times of the reader with the peak, and the size of the document."""
    found = measure(PROGRAM)
    return [
        Row("plan of 2,000 arrays to 64 groups of 4096 devices", milliseconds(found["first"]), "≤ 200 ms"),
        Row("  a second time", milliseconds(found["again"]), "≤ 200 ms"),
        Row("  its document", kilobytes(found["bytes"]), "≤ 100 KB"),
    ]
