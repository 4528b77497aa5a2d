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
READY = "() => document.querySelector('[data-sw=view]')?.dataset.ready"


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
            taken = statistics.median(_opened(browser, path) for _ in range(LOADS))
            size = len(gzip.compress(path.read_bytes(), 9, mtime=0))
            found.append(Row(f"{name}.html, CPU {SLOWER}× slower", f"{taken:.2f} s", "≤ 1 s", kilobytes(size)))
        browser.close()
    return found


def _opened(browser: Browser, path: Path) -> float:
    """Seconds from opening a page until its first view is drawn."""
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    page.context.set_offline(True)
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    page.goto(path.as_uri(), wait_until="commit")
    page.wait_for_function(READY)
    seconds = page.evaluate("performance.now()") / 1000
    page.close()
    return seconds
