"""The gallery's pages on a laptop that is four times slower: from opening to the first picture, and their size."""

from __future__ import annotations

import gzip
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.bench.table import Row, kilobytes

ROOT = Path(__file__).parents[2]
SLOWER = 4
LOADS = 3
# When the picture of the view was painted, in ms.
PICTURED = """
new MutationObserver(() => {
  for (const image of document.querySelectorAll("[data-sw=fallback] img")) image.setAttribute("elementtiming", "");
}).observe(document, { childList: true, subtree: true });
new PerformanceObserver((list) => { window.pictured ??= list.getEntries()[0].startTime; })
  .observe({ type: "element", buffered: true });
"""
READY = "() => document.querySelector('[data-sw=view]')?.dataset.ready && performance.now()"


def rows() -> list[Row]:
    """Each page, the median of several loads."""
    pages = sorted(p.stem for p in (ROOT / "docs" / "programs").glob("*.md") if p.stem != "index")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        build = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", folder]
        subprocess.run(build, cwd=ROOT, check=True, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"})
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("SHARDWIDGET_CHROMIUM"), args=["--no-sandbox", "--disable-gpu"]
        )
        found = []
        for name in pages:
            path = Path(folder, "programs", f"{name}.html")
            pictured, plays = map(statistics.median, zip(*(_opened(browser, path) for _ in range(LOADS)), strict=True))
            size = len(gzip.compress(path.read_bytes(), 9, mtime=0))
            beside = f"plays after {plays:.2f} s, {kilobytes(size)}"
            found.append(Row(f"{name}.html, CPU {SLOWER}× slower", f"{pictured:.2f} s", "≤ 1 s", beside))
        browser.close()
    return found


def _opened(browser: Browser, path: Path) -> tuple[float, float]:
    """Seconds from opening a page until the picture of its view is painted, and until that view plays."""
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    page.context.set_offline(True)
    page.add_init_script(PICTURED)
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    page.goto(path.as_uri(), wait_until="commit")
    plays = page.wait_for_function(READY).json_value()
    pictured = page.wait_for_function("window.pictured").json_value()
    page.close()
    return pictured / 1000, plays / 1000
