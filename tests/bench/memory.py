"""Memory that reading a placement takes; reading what is alive in programs, beside their compile; its page."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.bench.browser import frames, median_ms, p95_ms
from tests.bench.process import measure
from tests.bench.table import Row, kilobytes, milliseconds

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


# One long handmade module, which needs no compiling; and a training step beside its own compile.
ALIVE = """
import json, sys, time
import jax, jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

jax.config.update("jax_num_cpu_devices", 8)
import shardwidget as sw
from shardwidget import read
from shardwidget.document import to_wire
from shardwidget.export.state import encode

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)

def text(count):
    frames = [f"{k} {{file_location_id={k}}}" for k in range(1, 200)]
    places = [f"{k} {{file_name_id=1 function_name_id=1 line={k} end_line={k}}}" for k in range(1, 200)]
    heads = ["FileNames", '1 "train.py"', "", "FunctionNames", '1 "step"', "", "FileLocations", *places, ""]
    lines = ["ENTRY main {", "  v0 = f32[256]{0} parameter(0)"]
    for k in range(1, count):
        op = f'metadata={{op_name="jit(f)/jvp(g)/dot" stack_frame_id={k % 199 + 1}}}'
        root = "ROOT " * (k == count - 1)
        lines.append(f"  {root}v{k} = f32[{k % 64 + 1},256]{{1,0}} fusion(v{k - 1}, v{max(0, k - 1 - k % 97)}), {op}")
    head = f"HloModule jit_f, is_scheduled=true, num_partitions={mesh.size}"
    return "\\n".join([head, "", *heads, "StackFrames", *frames, "", *lines, "}"])

def layer(h, w):
    return h + jax.nn.gelu(h @ w["up"]) @ w["down"], None

def step(w, x):
    loss = lambda w: (jax.lax.scan(jax.checkpoint(layer), x, w)[0] ** 2).mean()
    return jax.tree.map(lambda p, g: p - 0.1 * g, w, jax.grad(loss)(w))

def shaped(shape, *spec):
    return jax.ShapeDtypeStruct(shape, "float32", sharding=NamedSharding(mesh, P(*spec)))

weights = {"up": shaped((6, 256, 1024), None, "data", "model"), "down": shaped((6, 1024, 256), None, "model", "data")}
start = time.perf_counter()
compiled = read.compiled(step, weights, shaped((64, 32, 256), "data"))
compile_s = time.perf_counter() - start

def seconds(call):
    times = []
    for _ in range(3):
        start = time.perf_counter()
        found = call()
        times.append(time.perf_counter() - start)
    return sorted(times)[1], found

small, _ = seconds(lambda: read.memory(compiled))
long = text(20_000)
big, memory = seconds(lambda: read.memory(long, mesh=mesh))
assert memory.steps > 19_000
sw.CompiledProgram(long, mesh=mesh, page="memory").to_html(sys.argv[1])
print(json.dumps({"compile": compile_s, "small": small, "big": big, "wire": len(encode(to_wire(memory)))}))
"""


def rows() -> list[Row]:
    """Growth of the resident set, and the peak of what Python allocated; times of ``read.memory``."""
    found = measure(PROGRAM)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        saved = Path(folder) / "memory.html"
        alive = measure(ALIVE, saved)
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("SHARDWIDGET_CHROMIUM"), args=["--no-sandbox", "--disable-gpu"]
        )
        script, drawing = frames(browser, saved, ".plot")
        browser.close()
    compiling = f"its compile {milliseconds(alive['compile'])}"
    return [
        Row("read.placement of 16 GiB, resident", f"{found['resident'] / 2**20:.2f} MiB", "< 1 MiB"),
        Row("  Python's peak", f"{found['peak'] / 2**20:.3f} MiB", "< 1 MiB"),
        Row("read.memory of a training step", milliseconds(alive["small"]), "≤ 0.3 × its compile", compiling),
        Row("  of 20,000 instructions", milliseconds(alive["big"]), "≤ 1 s"),
        Row("  its document", kilobytes(alive["wire"]), "≤ 300 KB"),
        Row("  a frame while pointing", median_ms(script), "≤ 4 ms median", f"its drawing {median_ms(drawing)}"),
        Row(f"  p95 of {len(script)} frames", p95_ms(script), "≤ 8 ms p95"),
    ]
