"""A schedule of 64 ranks and 256 microbatches: simulated, first drawn, and frames while pointed at or zoomed."""

from __future__ import annotations

import gzip
import os
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from shardwidget.document import to_wire
from shardwidget.export import bundle, html
from shardwidget.export import schedule as words
from shardwidget.pipeline import one_f_one_b
from tests.bench.browser import median_ms, p95_ms, scripted_ms
from tests.bench.process import measure
from tests.bench.table import Row, kilobytes, milliseconds

FRAMES = 200

SIMULATE = """
import json, statistics, time
from shardwidget import pipeline

def seconds(make):
    times = []
    for _ in range(5):
        schedule = make(64, 256)
        start = time.process_time()
        run = schedule.simulate()
        times.append(time.process_time() - start)
    return statistics.median(times)

print(json.dumps({"one": seconds(pipeline.one_f_one_b), "zero": seconds(pipeline.zb_h1)}))
"""

# JAX's documented pipeline, beside a trace of the same program; each in a process of its own.
READ = """
import json, sys, time
import jax
jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_num_cpu_devices", 8)
from shardwidget import read
from tests.jax_suite.test_schedule_of_function import documented

f, *args = documented(2, 4, 4)
start = time.perf_counter()
if sys.argv[1] == "trace":
    read.trace(f, *args)
else:
    read.schedule(f, *args, microbatches=0, argument=1)
print(json.dumps(time.perf_counter() - start))
"""

POINT = """(n) => {
  const picture = document.querySelector(".shardwidget").shadowRoot.querySelector(".picture");
  const box = picture.getBoundingClientRect();
  const at = { clientX: box.left + 200 + (n * 7) % (box.width - 300), clientY: box.top + 40 + (n * 3) % 150 };
  picture.dispatchEvent(new PointerEvent("pointermove", { ...at, bubbles: true }));
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""
ZOOM = """(n) => {
  const picture = document.querySelector(".shardwidget").shadowRoot.querySelector(".picture");
  const box = picture.getBoundingClientRect();
  const at = { clientX: box.left + 500, clientY: box.top + 60, deltaY: n % 40 < 20 ? -30 : 30, ctrlKey: true };
  picture.dispatchEvent(new WheelEvent("wheel", { ...at, bubbles: true, cancelable: true }));
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""


def rows() -> list[Row]:
    """Times of the simulator, the reader and the front end."""
    simulated = measure(SIMULATE)
    traced, read = measure(READ, "trace"), measure(READ, "schedule")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        saved = Path(folder) / "pipeline.html"
        schedule = one_f_one_b(64, 256)
        state = {"_document": to_wire(schedule), "_static": True, "follow": None, "moment": 0.0}
        saved.write_text(
            html.page("1F1B", html.fragment(state, words.table(schedule), "pipeline.js")), encoding="utf-8"
        )
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("SHARDWIDGET_CHROMIUM"), args=["--no-sandbox", "--disable-gpu"]
        )
        first, (pointing, zooming) = scripted_ms(browser, saved, (POINT, ZOOM), FRAMES)
        browser.close()
    text = bundle.read("pipeline.js").encode()
    return [
        Row("schedule of 64 × 256, made and simulated, CPU time", milliseconds(simulated["one"]), "≤ 300 ms"),
        Row("  in halves, 49,152 tasks", milliseconds(simulated["zero"]), "≤ 300 ms"),
        Row(
            "schedule of JAX's documented pipeline",
            milliseconds(read),
            "≤ 3×",
            f"its trace {milliseconds(traced)}, {read / traced:.2f}×",
        ),
        Row("  first picture of 64 × 256, all script", f"{first:.0f} ms", "≤ 80 ms"),
        Row("  a frame while the pointer moves", median_ms(pointing), "≤ 4 ms median", f"p95 {p95_ms(pointing)}"),
        Row("  a frame while it zooms", median_ms(zooming), "≤ 4 ms median", f"p95 {p95_ms(zooming)}"),
        Row("bundle of schedules", kilobytes(len(text)), "≤ 180 KB"),
        Row("bundle of schedules, gzip", kilobytes(len(gzip.compress(text, 9, mtime=0))), "≤ 60 KB"),
    ]
