"""Script time in Chromium, on a saved page: to the first picture, and per frame while the pointer moves.

All script that the page runs is counted, as Chromium's profiler counts it: start of the module, layout of the scene,
the words around the picture, event handlers. What the front end says of its drawing alone (``performance.measure``
entries ``sw:first`` and ``sw:frame``) stands beside it. Frames a second would measure software rendering.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from tests.bench.process import measure
from tests.bench.table import Row

LOADS = 15
POINTS = 300

SAVE = """
import sys
import jax
import shardwidget as sw

path, rows, columns, *axes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:]
mesh = jax.sharding.AbstractMesh((rows, columns), ("x", "y"))
sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*axes))
sw.ArrayView(jax.ShapeDtypeStruct((512, 512), "float32", sharding=sharding)).to_html(path)
print("null")
"""

# The front end forgets its measures as soon as observers have them. What waits for a picture from outside would run
# script in the page, which would be counted: the page says itself that it is there.
OBSERVE = """
window.measured = {"sw:first": [], "sw:frame": []};
new PerformanceObserver((list) => {
  for (const { name, duration } of list.getEntries()) {
    window.measured[name]?.push(duration);
    if (name === "sw:first") window.drawn("");
  }
}).observe({ type: "measure" });
"""
# Input comes with one frame, what it changes is drawn in the next.
SETTLE = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
DRAWN = "measured['sw:frame']"
# Mounts the states of two saved pages in this one, gives the first the document of the second, and waits for the end.
CHANGE = """
async ([parts, states]) => {
  const load = (text) => import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
  const frame = () => new Promise(requestAnimationFrame);
  const [widget, page] = await Promise.all(parts.map(load));
  const models = [];
  for (const state of states) {
    const render = (props) => widget.default.render(props, models.push(props.model));
    await page.mount(document.body.appendChild(document.createElement("div")), state, render);
  }
  while (measured["sw:first"].length < 1 + states.length) await frame();
  for (let n = 0; n < 5; n++) await frame();
  measured["sw:frame"] = [];
  models[0].set("_document", models[1].get("_document"));
  models[0].save_changes();
  for (let before = -1; before < measured["sw:frame"].length; ) {
    before = measured["sw:frame"].length;
    for (let n = 0; n < 10; n++) await frame();
  }
  return measured["sw:frame"];
}
"""


def rows() -> list[Row]:
    """First picture of 8 and of 4096 devices, median of several loads, and frames."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("SHARDWIDGET_CHROMIUM"), args=["--no-sandbox", "--disable-gpu"]
        )
        small, big = (_save(Path(folder), *mesh, "x", "y") for mesh in [(4, 2), (64, 64)])
        # The most devices whose change is animated; with more it is drawn at once.
        change = _change(browser, small, [_save(Path(folder), 8, 8, *axes) for axes in ["xy", "yx"]])
        few, many = (_first_picture(browser, saved) for saved in (small, big))
        script, drawing = frames(browser, big, "canvas")
        browser.close()
    return [
        Row("first picture, 8 devices", median_ms(few[0]), "≤ 30 ms", f"its drawing {median_ms(few[1])}"),
        Row("first picture, 4096 devices", median_ms(many[0]), "≤ 80 ms", f"its drawing {median_ms(many[1])}"),
        Row(
            "a frame while hovering, 4096 devices",
            median_ms(script),
            "≤ 4 ms median",
            f"its drawing {median_ms(drawing)}",
        ),
        Row(f"  p95 of {len(script)} frames", p95_ms(script), "≤ 8 ms p95", f"its drawing {p95_ms(drawing)}"),
        Row("a frame while animating, 64 devices", median_ms(change), "≤ 4 ms median"),
        Row(f"  p95 of {len(change)} frames", p95_ms(change), "≤ 8 ms p95"),
    ]


def _save(folder: Path, rows: int, columns: int, *axes: str) -> Path:
    path = folder / f"{rows}x{columns}{''.join(axes)}.html"
    measure(SAVE, path, rows, columns, *axes)
    return path


def _first_picture(browser: Browser, saved: Path) -> tuple[list[float], list[float]]:
    """Milliseconds of all script and of the drawing alone, for each of several loads."""
    script, drawing = [], []
    for _ in range(LOADS):
        page, profiler = open_measured(browser, saved)
        script.append(script_ms(profiler))
        drawing.append(page.evaluate("measured['sw:first'][0]"))
        page.close()
    return script, drawing


def frames(browser: Browser, saved: Path, selector: str) -> tuple[list[float], list[float]]:
    """Milliseconds of all script and of the drawing alone, for each move of the pointer that changed the picture."""
    page, profiler = open_measured(browser, saved)
    box = page.locator(selector).first.bounding_box()
    assert box is not None
    script, drawing = [], []
    for point in range(POINTS):
        # Over the whole picture by golden steps: hardly two points are on one tile.
        x, y = (point * 0.381966) % 1, (point * 0.618034 + point / POINTS) % 1
        seen, before = len(page.evaluate(DRAWN)), script_ms(profiler)
        page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"])
        page.evaluate(SETTLE)
        after, drawn = script_ms(profiler), page.evaluate(DRAWN)[seen:]
        if drawn:
            script.append(after - before)
            drawing.append(sum(drawn))
    page.close()
    if len(drawing) < POINTS // 4:
        raise RuntimeError(f"only {len(drawing)} of {POINTS} moves of the pointer changed the picture")
    return script, drawing


def _change(browser: Browser, host: Path, documents: list[Path]) -> list[float]:
    """Milliseconds of each frame of the animation from one saved document to another."""
    page, _ = open_measured(browser, host)
    states = [_part(saved, "state") for saved in documents]
    frames = page.evaluate(CHANGE, [_part(host, "front-end"), states])
    page.close()
    if len(frames) < 5:
        raise RuntimeError(f"the change of layout was drawn in {len(frames)} frames")
    return frames


def _part(saved: Path, name: str) -> Any:
    (text,) = re.findall(rf'data-sw="{name}">(.*?)</script>', saved.read_text(encoding="utf-8"))
    return json.loads(text)


def open_measured(browser: Browser, saved: Path, width: int = 1100, height: int = 900) -> tuple[Page, CDPSession]:
    """A page that shows its first picture, and its profiler."""
    page = browser.new_page(viewport={"width": width, "height": height})
    page.add_init_script(OBSERVE)
    profiler = page.context.new_cdp_session(page)
    profiler.send("Performance.enable")
    profiler.send("Runtime.enable")
    profiler.send("Runtime.addBinding", {"name": "drawn"})
    drawn: list[object] = []
    profiler.on("Runtime.bindingCalled", lambda called: drawn.append(called))
    page.goto(saved.as_uri())
    while not drawn:
        page.wait_for_timeout(5)
    return page, profiler


def scripted_ms(browser: Browser, saved: Path, scripts: Sequence[str], count: int) -> tuple[float, list[list[float]]]:
    """Milliseconds of all script: to the first picture, and of each script for each of ``count`` runs."""
    page, profiler = open_measured(browser, saved, 1240, 900)
    first = script_ms(profiler)
    found = []
    for script in scripts:
        times = []
        for n in range(count):
            before = script_ms(profiler)
            page.evaluate(script, n)
            times.append(script_ms(profiler) - before)
        found.append(times)
    page.close()
    return first, found


def script_ms(profiler: CDPSession) -> float:
    """Milliseconds of script that the page has run."""
    metrics = profiler.send("Performance.getMetrics")["metrics"]
    return next(m["value"] for m in metrics if m["name"] == "ScriptDuration") * 1e3


def median_ms(values: list[float]) -> str:
    return f"{statistics.median(values):.1f} ms"


def p95_ms(values: list[float]) -> str:
    return f"{statistics.quantiles(values, n=20)[-1]:.1f} ms"
