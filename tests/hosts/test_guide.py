"""The guide, as `make docs` builds it: every page opens from disk, offline, with everything on it drawn."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

ROOT = Path(__file__).parents[2]
PAGES = sorted(p.relative_to(ROOT / "docs").with_suffix(".html") for p in (ROOT / "docs").rglob("*.md"))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(folder)]
    built = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_a_page_opens_offline(site, page, new_page):
    tab = new_page()
    tab.context.set_offline(True)
    wrong: list[str] = []
    tab.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    tab.on("requestfailed", lambda request: wrong.append(f"{request.url}: {request.failure}"))
    tab.goto((site / page).as_uri())
    examples = tab.locator("[data-sw=view]")
    for i in range(examples.count()):
        expect(examples.nth(i)).to_have_attribute("data-ready", "true")
        examples.nth(i).scroll_into_view_if_needed()
        expect(examples.nth(i).locator(".shardwidget")).to_be_visible()
    expect(tab.locator(".failure")).to_have_count(0)
    assert wrong == []


def test_the_stepper_of_the_guide_plays(site, new_page):
    tab = new_page()
    tab.context.set_offline(True)
    tab.goto((site / "widgets" / "stepper.html").as_uri())
    stepper = tab.locator(".shardwidget").first
    stepper.scroll_into_view_if_needed()
    stepper.get_by_role("button", name="first step").click()
    expect(stepper).to_have_attribute("data-sw-step", "0")
    stepper.get_by_role("button", name="forward").click()
    expect(stepper).to_have_attribute("data-sw-step", "1")
