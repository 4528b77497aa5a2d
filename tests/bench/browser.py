"""Script time in Chromium, on a saved page: to the first picture, and a frame while the pointer moves.

All script that the page runs is counted, as Chromium's profiler counts it: start of the module, layout of the scene,
the words around the picture, event handlers. What the front end says of its drawing alone (``performance.measure``
entries ``sw:first`` and ``sw:frame``) stands beside it. Frames a second would measure software rendering.
"""

from __future__ import annotations

import os
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from tests.bench.process import measure
from tests.bench.table import Row

LOADS = 7
POINTS = 300

SAVE = """
import sys
import jax
import shardwidget as sw

path, rows, columns = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
mesh = jax.sharding.AbstractMesh((rows, columns), ("x", "y"))
sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x", "y"))
sw.ArrayView(jax.ShapeDtypeStruct((512, 512), "float32", sharding=sharding)).to_html(path)
print("null")
"""

# The front end forgets its measures as soon as observers have them.
OBSERVE = """
window.measured = {"sw:first": [], "sw:frame": []};
new PerformanceObserver((list) => {
  for (const { name, duration } of list.getEntries()) window.measured[name]?.push(duration);
}).observe({ type: "measure" });
"""
# Input comes with one frame, what it changes is drawn in the next.
SETTLE = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
DRAWN = "measured['sw:frame']"


def rows() -> list[Row]:
    """First picture (median of several loads) and frames while hovering, for 8 and for 4096 devices."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("SHARDWIDGET_CHROMIUM"), args=["--no-sandbox", "--disable-gpu"]
        )
        small, big = (_save(Path(folder), *mesh) for mesh in [(4, 2), (64, 64)])
        few, many = (_first_picture(browser, address) for address in (small, big))
        script, drawing = _frames(browser, big)
        browser.close()
    return [
        Row("first picture, 8 devices", f"{few[0]:.1f} ms", "≤ 30 ms", f"its drawing {few[1]:.1f} ms"),
        Row("first picture, 4096 devices", f"{many[0]:.1f} ms", "≤ 80 ms", f"its drawing {many[1]:.1f} ms"),
        *(
            Row(f"{what}, {name}", f"{figure(script):.1f} ms", reach, f"its drawing {figure(drawing):.1f} ms")
            for what, name, figure, reach in [
                ("a frame while hovering, 4096", "median", statistics.median, "≤ 4 ms"),
                (f"  {len(script)} moves", "p95", _p95, "≤ 8 ms"),
            ]
        ),
    ]


def _save(folder: Path, rows: int, columns: int) -> str:
    path = folder / f"{rows}x{columns}.html"
    measure(SAVE, path, rows, columns)
    return path.as_uri()


def _first_picture(browser: Browser, address: str) -> tuple[float, float]:
    """Milliseconds of all script and of the drawing alone: medians over several loads."""
    script, drawing = [], []
    for _ in range(LOADS):
        page, profiler = _open(browser, address)
        script.append(_script(profiler))
        drawing.append(page.evaluate("measured['sw:first'][0]"))
        page.close()
    return statistics.median(script), statistics.median(drawing)


def _frames(browser: Browser, address: str) -> tuple[list[float], list[float]]:
    """Milliseconds of all script and of the drawing alone, for each move of the pointer that changed the picture."""
    page, profiler = _open(browser, address)
    box = page.locator("canvas").first.bounding_box()
    assert box is not None
    script, drawing = [], []
    for point in range(POINTS):
        # Over the whole picture by golden steps: hardly two points lie on one tile.
        x, y = (point * 0.381966) % 1, (point * 0.618034 + point / POINTS) % 1
        frames, before = len(page.evaluate(DRAWN)), _script(profiler)
        page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"])
        page.evaluate(SETTLE)
        after, drawn = _script(profiler), page.evaluate(DRAWN)[frames:]
        if drawn:
            script.append(after - before)
            drawing.append(sum(drawn))
    page.close()
    if len(drawing) < POINTS // 4:
        raise RuntimeError(f"only {len(drawing)} of {POINTS} moves of the pointer changed the picture")
    return script, drawing


def _open(browser: Browser, address: str) -> tuple[Page, CDPSession]:
    """A page that shows its first picture, and its profiler."""
    page = browser.new_page(viewport={"width": 1100, "height": 900})
    page.add_init_script(OBSERVE)
    profiler = page.context.new_cdp_session(page)
    profiler.send("Performance.enable")
    page.goto(address)
    page.wait_for_function("() => measured['sw:first'].length > 0")
    return page, profiler


def _script(profiler: CDPSession) -> float:
    """Milliseconds of script that the page has run."""
    metrics = profiler.send("Performance.getMetrics")["metrics"]
    return next(m["value"] for m in metrics if m["name"] == "ScriptDuration") * 1e3


def _p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]
