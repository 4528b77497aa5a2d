"""Script time in Chromium, on a saved page: to the first picture, and a frame while the pointer moves.

The front end measures itself (``performance.measure`` entries ``sw:first`` and ``sw:frame``): frames a second would
measure the machine's software rendering.
"""

from __future__ import annotations

import os
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.bench.process import measure
from tests.bench.table import Row

LOADS = 7
POINTS = 150

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

MEASURED = "name => performance.getEntriesByName(name, 'measure').map(entry => entry.duration)"


def rows() -> list[Row]:
    """First picture (median of several loads) and frames while hovering, for 8 and for 4096 devices."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("SHARDWIDGET_CHROMIUM"), args=["--no-sandbox", "--disable-gpu"]
        )
        small, big = (_page(Path(folder), *mesh) for mesh in [(4, 2), (64, 64)])
        few, many = (_first_picture(browser, page) for page in (small, big))
        frames = sorted(_frames(browser, big))
        browser.close()
    tail = frames[int(0.95 * (len(frames) - 1))]
    return [
        Row("first picture, 8 devices", f"{few:.1f} ms", "≤ 30 ms"),
        Row("first picture, 4096 devices", f"{many:.1f} ms", "≤ 80 ms"),
        Row(f"a frame, 4096 devices ({len(frames)})", f"{statistics.median(frames):.1f} ms", "≤ 4 ms median"),
        Row("", f"{tail:.1f} ms", "≤ 8 ms p95"),
    ]


def _page(folder: Path, rows: int, columns: int) -> str:
    path = folder / f"{rows}x{columns}.html"
    measure(SAVE, path, rows, columns)
    return path.as_uri()


def _first_picture(browser: Browser, address: str) -> float:
    found = []
    for _ in range(LOADS):
        page = _open(browser, address)
        found += page.evaluate(MEASURED, "sw:first")
        page.close()
    return statistics.median(found)


def _frames(browser: Browser, address: str) -> list[float]:
    page = _open(browser, address)
    box = page.locator("canvas").first.bounding_box()
    assert box is not None
    for point in range(POINTS):
        # Over the whole picture, by steps that share no factor with its size: most points lie on another tile.
        x, y = (point * 0.381966) % 1, (point * 0.618034 + point / POINTS) % 1
        page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"])
        page.evaluate("() => new Promise(requestAnimationFrame)")
    frames = page.evaluate(MEASURED, "sw:frame")
    page.close()
    if not frames:
        raise RuntimeError(f"the page measured no sw:frame while the pointer moved over {POINTS} points")
    return frames


def _open(browser: Browser, address: str) -> Page:
    page = browser.new_page(viewport={"width": 1100, "height": 900})
    page.goto(address)
    page.wait_for_function("() => performance.getEntriesByName('sw:first', 'measure').length > 0")
    return page
