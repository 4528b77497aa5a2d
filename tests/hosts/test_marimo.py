"""marimo: the view draws in its shadow root, and a click runs the cells that depend on it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.hosts.jupyter import SETUP
from tests.hosts.page import ARRAY, MESH, Panel, views

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


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_marimo(marimo, theme, new_page):
    page = new_page(color_scheme=theme)
    app = APP.format(setup=SETUP.strip().replace("\n", "\n    "))
    page.goto(marimo(app, f'[display]\ntheme = "{theme}"\n'))
    expect(views(page)).to_have_count(2)
    first, second = (Panel(views(page).nth(i), MESH) for i in range(2))
    page.mouse.click(*first.spot(2, 1))
    first.pinned()
    expect(page.get_by_text("pinned: {'device': 5, 'tile': [2, 1]}")).to_be_visible()
    page.mouse.move(*second.spot(3, 0))
    Panel(views(page).nth(1), ARRAY).says("[:, 12:16]")
    expect(views(page).nth(1)).to_contain_text("values 12.0 … 127.0")
    ground = page.get_by_role("region", name="array").first.evaluate("e => getComputedStyle(e).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (theme == "light")
