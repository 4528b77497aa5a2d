"""marimo: the view draws in its shadow root, and a click runs the cells that depend on it."""

from __future__ import annotations

import os
import sys

import pytest
from playwright.sync_api import expect

from tests.hosts.jupyter import SETUP
from tests.hosts.page import ARRAY, MESH, Panel, views
from tests.hosts.server import Server, free_port

APP = """
import marimo

app = marimo.App()


@app.cell
def _():
    {setup}
    import marimo as mo
    return mo, sw, x, y


@app.cell
def _(mo, sw, x):
    view = mo.ui.anywidget(sw.show(x))
    view
    return (view,)


@app.cell
def _(mo, view):
    mo.md(f"pinned: {{view.value['selection']}}")
    return


@app.cell
def _(sw, y):
    sw.show(y)
    return
"""


@pytest.fixture(params=["light", "dark"])
def theme(request) -> str:
    return request.param


@pytest.fixture
def address(tmp_path, theme):
    folder = tmp_path / "marimo"
    folder.mkdir()
    (folder / "marimo.toml").write_text(f'[display]\ntheme = "{theme}"\n')
    notebook = tmp_path / "app.py"
    notebook.write_text(APP.format(setup=SETUP.strip().replace("\n", "\n    ")))
    port = free_port()
    command = [sys.executable, "-m", "marimo", "run", str(notebook), "--headless", "--no-token"]
    here = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "MARIMO_SKIP_UPDATE_CHECK": "1"}
    server = Server([*command, "--host", "127.0.0.1", "--port", str(port)], os.environ | here, b"URL:")
    yield f"http://127.0.0.1:{port}"
    server.stop()


def test_marimo(address, theme, new_page):
    page = new_page(color_scheme=theme)
    page.goto(address)
    expect(views(page)).to_have_count(2)
    first, second = (Panel(views(page).nth(i), MESH) for i in range(2))
    page.mouse.click(*first.spot(2, 1))
    first.pinned()
    expect(page.get_by_text("pinned: {'device': 5, 'tile': [2, 1]}")).to_be_visible()
    page.mouse.move(*second.spot(3, 0))
    Panel(views(page).nth(1), ARRAY).says("[:, 12:16]")
    expect(views(page).nth(1)).to_contain_text("values 12.0 … 127.0")
    ground = page.get_by_role("region", name="sharding").first.evaluate("e => getComputedStyle(e).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (theme == "light")
