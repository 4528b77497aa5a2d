"""Reading the collectives out of compiled modules of growing size, and a matmul for an absent TPU pod."""

from __future__ import annotations

from tests.bench.process import measure
from tests.bench.table import Row, milliseconds

# One instruction in fifteen is a collective: reading those takes the time.
PROGRAM = """
import json, statistics, time
import jax, jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

jax.config.update("jax_num_cpu_devices", 8)
from shardwidget import read, tpu_mesh

mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
x = jax.ShapeDtypeStruct((32, 64), jnp.float32, sharding=NamedSharding(mesh, P("x", "y")))

def compiled(steps):
    def body(x):
        for k in range(steps):
            x = jax.lax.psum(jnp.sin(x)[::-1], "xy"[k % 2])
            x = jax.lax.cumsum(x)
        return x
    return jax.jit(jax.shard_map(body, mesh=mesh, in_specs=P("x", "y"), out_specs=P("x", "y"), check_vma=False)).lower(
        x
    ).compile()

found = []
for steps in (67, 334, 1334):
    program, times = compiled(steps), []
    for _ in range(5):
        start = time.perf_counter()
        read_program = read.program(program)
        times.append(time.perf_counter() - start)
    assert len(read_program.collectives) == steps
    found.append((read_program.instructions, steps, statistics.median(times)))

start = time.perf_counter()
pod = tpu_mesh("v5e:4x4", ("data", "model"))
factor = lambda *spec: jax.ShapeDtypeStruct((4096, 4096), jnp.bfloat16, sharding=NamedSharding(pod, P(*spec)))
of_pod = read.program(jnp.matmul, factor("data", "model"), factor("model", None))
assert of_pod.collectives
print(json.dumps({"sizes": found, "pod": time.perf_counter() - start}))
"""


def rows() -> list[Row]:
    """Times of reading programs."""
    found = measure(PROGRAM)
    first, _, each = found["sizes"][0]
    table = []
    for count, collectives, seconds in found["sizes"]:
        beside = f"{(seconds / count) / (each / first):.2f}× a single one of {first:,}"
        reach = "≤ 1 s, linear" if count > 20_000 else ""
        what = f"{collectives:,} collectives of {count:,} instructions"
        table.append(Row(what, milliseconds(seconds), reach, beside))
    return [*table, Row("TPU v5e 4×4 matmul, topology to document", milliseconds(found["pod"]), "≤ 3 s")]
