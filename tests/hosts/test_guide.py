"""The guide, as `make docs` builds it: every page opens from disk, offline, with everything on it drawn."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.hosts.server import LONGEST

ROOT = Path(__file__).parents[2]
PAGES = sorted(p.relative_to(ROOT / "docs").with_suffix(".html") for p in (ROOT / "docs").rglob("*.md"))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(folder)]
    here = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=here, timeout=LONGEST)
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_a_page_opens_offline(site, page, new_page):
    tab = new_page(offline=True)
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


PROGRAMS = sorted(page for page in PAGES if page.parent.name == "programs")
AXE = ROOT / "js" / "node_modules" / "axe-core" / "axe.min.js"


def test_programs_of_the_gallery_are_small_and_accessible(site, new_page):
    tab = new_page(viewport={"width": 1366, "height": 768}, offline=True)
    for page in PROGRAMS:
        assert len(gzip.compress((site / page).read_bytes())) <= 300_000, page
        tab.goto((site / page).as_uri())
        for view in tab.locator("[data-sw=view]").all():
            expect(view).to_have_attribute("data-ready", "true")
        tab.add_script_tag(path=AXE)
        within = ".gallery" if page.name == "index.html" else ".program"
        found = tab.evaluate("(within) => axe.run(within)", within)
        assert [(v["id"], [n["target"] for n in v["nodes"]]) for v in found["violations"]] == [], page
    (programs,) = (site / "programs" / "index.html").read_text(encoding="utf-8").split('class="gallery"')[1:]
    assert programs.count("#only-light") == len(PROGRAMS) - 1


def test_programs_of_the_gallery_show_a_picture_before_they_play(site, new_page):
    tab = new_page(viewport={"width": 1366, "height": 768}, java_script_enabled=False)
    for page in PROGRAMS:
        if page.name != "index.html":
            tab.goto((site / page).as_uri())
            picture = tab.locator("[data-sw=fallback] img:visible")
            expect(picture).to_have_count(1)
            assert picture.bounding_box()["width"] > 600, page
            assert (site / page).with_name(picture.get_attribute("src").partition("#")[0]).stat().st_size > 5_000


def test_programs_of_the_gallery_play_in_firefox_and_are_accessible(site, tmp_path):
    addresses = [(site / page).as_uri() for page in PROGRAMS if page.name != "index.html"]
    program = os.environ.get("SHARDWIDGET_FIREFOX", "/usr/bin/firefox-esr")
    command = ["node", str(Path(__file__).with_name("firefox_pages.mjs")), program, ".program", *addresses]
    here = os.environ | {"HOME": str(tmp_path)}
    done = subprocess.run(command, env=here, capture_output=True, text=True, timeout=LONGEST)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [[address, ["true"], []] for address in addresses]


def test_the_stepper_of_the_guide_plays(site, new_page):
    tab = new_page(offline=True)
    tab.goto((site / "widgets" / "stepper.html").as_uri())
    stepper = tab.locator(".shardwidget").first
    stepper.scroll_into_view_if_needed()
    stepper.get_by_role("button", name="first step").click()
    expect(stepper).to_have_attribute("data-sw-step", "0")
    stepper.get_by_role("button", name="forward").click()
    expect(stepper).to_have_attribute("data-sw-step", "1")
