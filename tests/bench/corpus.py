"""Every program of the corpus, traced in one process: beside compiling and running it plainly, and on both engines."""

from __future__ import annotations

import math

from tests.bench.process import measure
from tests.bench.table import Row, kilobytes, milliseconds

# "First" is with all caches cleared. The better of two runs counts: other work on the machine spoils single ones.
PROGRAM = """
import gc, json, time
import jax
jax.config.update("jax_num_cpu_devices", 8)
from shardwidget import read
from shardwidget.document import to_wire
from shardwidget.read._trace.cache import _CACHE
from tests.jax_suite.corpus import PROGRAMS
from tests.wire import size

def seconds(call):
    start = time.perf_counter()
    jax.block_until_ready(call())
    return time.perf_counter() - start

def first(call):
    found = []
    for _ in range(2):
        jax.clear_caches()
        _CACHE.clear()
        gc.collect()
        found.append(seconds(call))
    return min(found)

f, args = PROGRAMS[0].make()
jax.jit(lambda *a: f(*a))(*args)
read.trace(f, *args)
read.trace(f, *args, engine="host")
rows = []
for program in PROGRAMS:
    f, args = program.make()
    plain = first(lambda: jax.jit(lambda *a: f(*a))(*args))
    mesh = first(lambda: read.trace(f, *args).outputs)
    again = min(seconds(lambda: read.trace(f, *args).outputs) for _ in range(2))
    host = first(lambda: read.trace(f, *args, engine="host").outputs)
    trace = read.trace(f, *args)
    rows.append([program.name, len(trace.steps), plain, mesh, again, host, size(to_wire(trace))])
print(json.dumps(rows))
"""

LONG = """
import json, time
import jax, jax.numpy as jnp
from jax.sharding import AbstractMesh, AxisType, PartitionSpec as P
from shardwidget import read

mesh = AbstractMesh((32, 32), ("x", "y"), axis_types=(AxisType.Auto,) * 2)

def many(a, w):
    for _ in range(500):
        a = jnp.tanh(a + w)
    return a

f = jax.shard_map(many, mesh=mesh, in_specs=(P("x", "y"),) * 2, out_specs=P("x", "y"))
x = jnp.ones((64, 64))
start = time.perf_counter()
trace = read.trace(f, x, x)
print(json.dumps([len(trace.steps), time.perf_counter() - start]))
"""


def rows() -> list[Row]:
    """A line for each program, then the mean of all, and a long chain on many devices."""
    found, (steps, seconds) = measure(PROGRAM), measure(LONG)
    lines = [_row(*program) for program in found]
    first, again, host = (
        math.exp(sum(math.log(ratio) for ratio in ratios) / len(found))
        for ratios in zip(*((m / p, a / p, h / m) for _, _, p, m, a, h, _ in found), strict=True)
    )
    return [
        *lines,
        Row("  their geometric mean", f"{first:.2f}×, {again:.2f}×, {host:.2f}×", "≤ 1.7×, ≤ 0.3×, ≤ 2×"),
        Row(f"{steps} steps, 1,024 devices simulated", milliseconds(seconds), "≤ 5 s"),
    ]


def _row(name: str, steps: int, plain: float, mesh: float, again: float, host: float, size: int) -> Row:
    return Row(
        f"{name}, {steps} steps",
        f"{mesh / plain:.2f}×, again {again / plain:.2f}×, simulated {host / mesh:.2f}×",
        "≤ 1.7×, ≤ 0.3×, ≤ 2×",
        f"jit {milliseconds(plain)}; {kilobytes(size)}",
    )
