"""Script time of a page with thirty widgets, and its memory when they are drawn again, there and in JupyterLab."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.bench.browser import script_ms
from tests.bench.process import measure
from tests.bench.table import Row
from tests.hosts import heap
from tests.hosts.jupyter import JupyterServer, Notebook

WIDGETS = 30

# The outputs of a notebook that was run with SHARDWIDGET_MODE=html: each brings its own front end.
SAVE = """
import sys
import jax
jax.config.update("jax_num_cpu_devices", 8)
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P
import shardwidget as sw

path, count = sys.argv[1], int(sys.argv[2])
mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
x = jax.device_put(jnp.arange(128.0).reshape(8, 16), NamedSharding(mesh, P("x", "y")))

@jax.shard_map(mesh=mesh, in_specs=P("x", "y"), out_specs=P("x", None))
def f(block):
    return jax.lax.psum(block * 2, "y")

makers = [
    lambda: sw.ArrayView(x, mode="html"),
    lambda: sw.ShardMapStepper(f, x, step=2, mode="html"),
    lambda: sw.ShardingComparison(lambda x: jnp.sin(x) @ x.T, x, mode="html"),
    lambda: sw.CompiledProgram(lambda x: jnp.sin(x) @ x.T, x, mode="html"),
    lambda: sw.SpecPlayground((8, 16), mesh, mode="html"),
]
with open(path, "w") as page:
    page.write("<!doctype html><meta charset=utf-8><body>")
    for k in range(count):
        page.write(makers[k % len(makers)]()._repr_mimebundle_()[0]["text/html"])
print("null")
"""


# What a notebook does with the outputs of cells that are run again.
AGAIN = """
async (html) => {
  const frame = () => new Promise(requestAnimationFrame);
  document.body.replaceChildren(document.createRange().createContextualFragment(html));
  while (document.querySelector("[data-sw=view]:not([data-ready=true])")) await frame();
  for (const view of document.querySelectorAll(".shardwidget")) {
    view.scrollIntoView();
    await frame();
  }
}
"""


def rows() -> list[Row]:
    """All script until every widget has been seen; then all of them again, ten times."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        saved = Path(folder) / "many.html"
        measure(SAVE, saved, WIDGETS)
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("SHARDWIDGET_CHROMIUM"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1100, "height": 900})
        profiler = page.context.new_cdp_session(page)
        profiler.send("Performance.enable")
        page.goto(saved.as_uri())
        views = page.locator("[data-sw=view][data-ready=true] .shardwidget[data-sw-ready]")
        page.wait_for_function(
            "count => document.querySelectorAll('[data-sw=view][data-ready=true]').length === count", arg=WIDGETS
        )
        for k in range(WIDGETS):
            views.nth(k).scroll_into_view_if_needed()
        script = script_ms(profiler)
        drawn = views.count()
        outputs, held = saved.read_text().partition("<body>")[2], []
        for _ in range(10):
            page.evaluate(AGAIN, outputs)
            profiler.send("HeapProfiler.collectGarbage")
            held.append(profiler.send("Runtime.getHeapUsage")["usedSize"] / 2**20)
        page.close()
        server = JupyterServer(Path(folder))
        lab = heap.held(Notebook(server, browser.new_page(), "lab", heap.write(server)), 3)
        server.stop()
        browser.close()
    if drawn != WIDGETS:
        raise RuntimeError(f"{drawn} of {WIDGETS} widgets were drawn")
    return [
        Row(f"a page with {WIDGETS} widgets, all script", f"{script:.0f} ms", "≤ 1500 ms"),
        Row("  its memory, run ten times", f"{held[-1]:.1f} MiB", "flat", f"run once {held[0]:.1f} MiB"),
        Row("JupyterLab, 3 × 30 shown and cleared", f"{lab[-1]:.1f} MiB", "flat", f"30 {lab[0]:.1f} MiB"),
    ]
