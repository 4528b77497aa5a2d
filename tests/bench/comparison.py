"""Script time of a comparison of 300 and of 3,000 rows, on a saved page: to the first picture, and a frame of a scroll.

All script that the page runs is counted, as Chromium's profiler counts it. The table scrolls by a fixed distance each
frame, with every row open; what comes into view is drawn there.
"""

from __future__ import annotations

import gzip
import os
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from shardwidget.document import Comparison, to_wire
from shardwidget.export import bundle, comparison, html
from tests.bench.browser import LOADS, SETTLE, median_ms, p95_ms, script_ms
from tests.bench.table import Row, kilobytes
from tests.comparisons import training

FRAMES = 70
PIXELS = 97
"""How far each frame scrolls."""

OPEN = """() => {
  const root = document.querySelector(".shardwidget").shadowRoot;
  [...root.querySelectorAll("button")].find((button) => button.textContent === "open all")?.click();
}"""
SCROLL = """(by) => {
  const table = document.querySelector(".shardwidget").shadowRoot.querySelector(".table");
  table.scrollTop += by;
  return table.scrollTop;
}"""


def rows() -> list[Row]:
    """First pictures, frames of a scroll, and bytes of the bundle."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        few, many = training(layers=15, width=10), training(layers=125, width=12)
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("SHARDWIDGET_CHROMIUM"), args=["--no-sandbox", "--disable-gpu"]
        )
        first = {len(c.rows): [_first(browser, _save(Path(folder), c)) for _ in range(LOADS)] for c in (few, many)}
        scroll = _scroll(browser, _save(Path(folder), few))
        browser.close()
    text = bundle.read("comparison.js").encode()
    packed = gzip.compress(text, 9, mtime=0)
    return [
        *(
            Row(f"first picture of a comparison of {n} rows", median_ms(ms), "≤ 60 ms" if n < 1000 else "")
            for n, ms in first.items()
        ),
        Row("a frame while scrolling all of its rows", median_ms(scroll), "≤ 4 ms median"),
        Row(f"  p95 of {len(scroll)} frames", p95_ms(scroll), "", f"mean {statistics.mean(scroll):.1f} ms"),
        Row("bundle of the comparison", kilobytes(len(text)), "≤ 180 KB with every widget"),
        Row("bundle of the comparison, gzip", kilobytes(len(packed)), "≤ 60 KB with every widget"),
    ]


def _save(folder: Path, c: Comparison) -> Path:
    path = folder / f"{len(c.rows)}.html"
    state = {"_document": to_wire(c), "_static": True, "choices": {}, "selection": None}
    path.write_text(
        html.page("comparison", html.fragment(state, comparison.table(c), "comparison.js")), encoding="utf-8"
    )
    return path


def _open(browser: Browser, saved: Path) -> tuple[Page, CDPSession]:
    page = browser.new_page(viewport={"width": 1240, "height": 900})
    profiler = page.context.new_cdp_session(page)
    profiler.send("Performance.enable")
    page.goto(saved.as_uri())
    page.wait_for_selector("[data-sw-ready]")
    return page, profiler


def _first(browser: Browser, saved: Path) -> float:
    page, profiler = _open(browser, saved)
    ms = script_ms(profiler)
    page.close()
    return ms


def _scroll(browser: Browser, saved: Path) -> list[float]:
    """Milliseconds of all script of each frame."""
    page, profiler = _open(browser, saved)
    page.evaluate(OPEN)
    page.evaluate(SETTLE)
    frames, reached = [], 0
    for _ in range(FRAMES):
        before = script_ms(profiler)
        reached = page.evaluate(SCROLL, PIXELS)
        page.evaluate(SETTLE)
        frames.append(script_ms(profiler) - before)
    if reached < FRAMES * PIXELS / 2:
        raise RuntimeError(f"the table has {reached} pixels to scroll, too few to measure")
    page.close()
    return frames
