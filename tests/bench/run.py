"""A measured run: what profiling adds, reading many events, the document, frames of many events."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

from shardwidget.document import to_wire
from shardwidget.export import html
from shardwidget.export import run as words
from shardwidget.measured.lanes import MOST_EVENTS
from tests.bench.browser import median_ms, open_measured, p95_ms
from tests.bench.process import measure
from tests.bench.table import Row, kilobytes, milliseconds
from tests.runs import LOST, MATMUL, REDUCE, collective, mesh
from tests.runs import measure as run_of
from tests.wire import size

FRAMES = 100

PROFILE = """
import json, resource, time
from functools import partial
import jax
jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_num_cpu_devices", 8)
import jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
from shardwidget import read
from shardwidget.read._program.timing import WARM_UP, calls

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
put = lambda shape, *spec: jax.device_put(np.ones(shape, "float32"), NamedSharding(mesh, P(*spec)))
args = put((12, 64, 64), None, "data", "model"), put((32, 16, 64), "data")

@jax.jit
def step(w, x):
    return jax.grad(lambda w: (jax.lax.scan(lambda h, w: (jnp.tanh(h @ w), None), x, w)[0] ** 2).mean())(w)

N = 20
read.run(step, *args, n=1)
start = time.perf_counter()
with calls(step, args, kwargs=None, n=N, mesh=None) as ready:
    for _ in range(WARM_UP + N):
        ready()()
plain = time.perf_counter() - start
start = time.perf_counter()
run = read.run(step, *args, n=N)
profiled = time.perf_counter() - start
peak = [resource.getrusage(resource.RUSAGE_SELF).ru_maxrss]
for _ in range(20):
    read.run(step, *args, n=2)
peak.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
events = sum(lane.operation.size for lane in run.lanes)
print(json.dumps({"plain": plain, "profiled": profiled, "events": events, "grown": (peak[1] - peak[0]) * 1024}))
"""

READ = """
import json, time
from tests.unit.test_run_profile import MODULE, ON_CPU, Plane, profile
from shardwidget.read._run.run import of_profile

planes = []
plane = Plane("/host:CPU")
for device in range(8):
    at = {"device_ordinal": device % 4, "run_id": device // 4, "hlo_module": "jit_f", "program_id": 5}
    named = ("loop_fusion", "all-reduce.1")
    plane.line(str(device), [(named[k % 2], 2 * k, 2 * k + 1, {**at, "hlo_op": named[k % 2]}) for k in range(25_000)])
data = profile(plane)
start = time.perf_counter()
of_profile(data, MODULE, ON_CPU)
print(json.dumps(time.perf_counter() - start))
"""

POINT = """(n) => {
  const chart = document.querySelector(".shardwidget").shadowRoot.querySelector(".chart");
  const box = chart.getBoundingClientRect();
  chart.focus();
  chart.dispatchEvent(new KeyboardEvent("keydown", { key: n % 12 < 6 ? "+" : "-", bubbles: true, composed: true }));
  const at = { clientX: box.left + 150 + ((n * 37) % 700), clientY: box.top + 40 + ((n * 13) % 200) };
  chart.dispatchEvent(new PointerEvent("pointermove", { ...at, bubbles: true }));
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""


def rows() -> list[Row]:
    """Times of profiling, reading and drawing."""
    found = measure(PROFILE)
    reading = measure(READ)
    small = size(to_wire(_run(2_000)))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        saved = Path(folder) / "run.html"
        run = _run(20_000)
        state = {"_document": to_wire(run), "_static": True, "call": None, "selection": None}
        saved.write_text(html.page("run", html.fragment(state, words.table(run), "run.js")), encoding="utf-8")
        path = os.environ.get("SHARDWIDGET_CHROMIUM")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page, _ = open_measured(browser, saved)
        for n in range(FRAMES):
            page.evaluate(POINT, n)
        first, frames = page.evaluate("[measured['sw:first'], measured['sw:frame']]")
        browser.close()
    allowed = 2 * found["plain"] + 1
    return [
        Row("20 calls of a step, profiled and read", milliseconds(found["profiled"]), f"≤ {milliseconds(allowed)}"),
        Row("  memory after 20 more", kilobytes(found["grown"]), "flat"),
        Row("200,000 events read", milliseconds(reading), "≤ 2 s"),
        Row("document of 8 × 2,000 events", kilobytes(small), "≤ 300 KB"),
        Row("8 × 20,000 events, first picture", median_ms(first)),
        Row("  a frame, zooming and pointing", f"{median_ms(frames)}, p95 {p95_ms(frames)}", "≤ 4 ms"),
    ]


def _run(each: int):
    """Eight devices that compute and add up in turns, each in its own way."""
    assert 8 * each <= MOST_EVENTS
    rng = np.random.default_rng(0)
    starts = np.cumsum(rng.integers(20, 60, (each, 1)), axis=0) + rng.integers(0, 9, (each, 8))
    rows = [
        (d, 0, (0, 1, 0, 2)[k % 4], int(starts[k, d]), int(starts[k, d]) + 10) for k in range(each) for d in range(8)
    ]
    groups = collective([[p, p + 1] for p in range(0, 8, 2)])
    return run_of(rows, of=groups, on=mesh(4, 2), operations=(MATMUL, REDUCE, LOST), name="many events")
