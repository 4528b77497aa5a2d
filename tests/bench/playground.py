"""Script time in Chromium from a key to the new picture, on a playground's saved page.

All script that the page runs is counted, as Chromium's profiler counts it: the edit, its forms and errors, layout,
words and painting. What the front end says of its drawing alone stands beside it.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import jax
from jax.sharding import AbstractMesh
from playwright.sync_api import Browser, sync_playwright

import shardwidget as sw
from tests.bench.browser import SETTLE, median_ms, open_measured, p95_ms, script_ms
from tests.bench.table import Row, kilobytes

EDITS = 60
WARM = 10

# A key at a slot: the spec goes through P('x', 'y'), P('x', None), P(None), P('x') and so on.
KEY = """async ([place, key]) => {
  const slot = document.querySelector(".shardwidget").shadowRoot.querySelector(`[data-place="${place}"]`);
  slot.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, composed: true }));
}"""
KEYS = (("0", "x"), ("1", "y"), ("1", "Delete"), ("0", "Delete"))


def rows() -> list[Row]:
    """An edit on 64 and on 4096 devices, and bytes of the bundle."""
    out = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("SHARDWIDGET_CHROMIUM"), args=["--no-sandbox", "--disable-gpu"]
        )
        for side, reach in ((8, 8), (64, 30)):
            saved = Path(folder) / f"{side}.html"
            mesh = AbstractMesh((side, side), ("x", "y"), axis_types=(jax.sharding.AxisType.Explicit,) * 2)
            sw.SpecPlayground((512, 512), mesh).to_html(saved)
            script, drawing = _edits(browser, saved)
            text = f"an edit of a spec, {side * side} devices"
            out.append(Row(text, median_ms(script), f"≤ {reach} ms median", f"its drawing {median_ms(drawing)}"))
            out.append(Row(f"  p95 of {len(script)} edits", p95_ms(script)))
        browser.close()
    return [*out, Row("bundle of the playground", kilobytes(_bundle()), "≤ 180 KB with every widget")]


def _bundle() -> int:
    return len(sw.SpecPlayground((1,), AbstractMesh((1,), ("x",)), mode="html")._esm.encode())


def _edits(browser: Browser, saved: Path) -> tuple[list[float], list[float]]:
    """Milliseconds of all script and of the drawing alone, for each edit."""
    page, profiler = open_measured(browser, saved, 1240, 1400)
    script = []
    for n in range(WARM + EDITS):
        before = script_ms(profiler)
        page.evaluate(KEY, list(KEYS[n % len(KEYS)]))
        page.evaluate(SETTLE)
        script.append(script_ms(profiler) - before)
    drawing = page.evaluate("measured['sw:first']")
    page.close()
    if len(drawing) <= EDITS:
        raise RuntimeError(f"only {len(drawing)} of {WARM + EDITS} edits changed the picture")
    return script[WARM:], drawing[WARM:]
