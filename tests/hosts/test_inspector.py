"""The Inspector and the extension in JupyterLab: cells are followed, in a panel beside the notebook too."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.hosts.jupyter import SETUP, JupyterServer, Notebook
from tests.hosts.page import views

BESIDE = """async () => {
  const { shell, commands } = window.jupyterapp;
  const { content } = shell.currentWidget;
  content.activeCellIndex = 2;
  await commands.execute("notebook:create-output-view");
}"""
BACK = """() => {
  const { shell } = window.jupyterapp;
  for (const widget of shell.widgets("main")) if (widget.content?.widgets) shell.activateById(widget.id);
}"""
DARK = """() => window.jupyterapp.commands.execute("apputils:change-theme", { theme: "JupyterLab Dark" })"""
LIGHT = DARK.replace("Dark", "Light")


CELLS = (
    "%load_ext shardwidget",
    "inspector = sw.Inspector()\ninspector",
    """
    moved = jax.jit(lambda x: x + 1, donate_argnums=0)(y)
    z = jax.device_put(x, NamedSharding(mesh, P("y")))
    x.delete()
    z
    """,
    "%unload_ext shardwidget\nz",
)


def test_it_follows_the_cells_beside_the_notebook_too(jupyter: JupyterServer, new_page: Callable[..., Page]):
    page = new_page()
    nb = Notebook(jupyter, page, "lab", jupyter.write(SETUP, *CELLS))
    for at in range(3):
        nb.run(at)
    card = views(page).first
    line = card.get_by_role("row", name=re.compile("^x, "))
    expect(line).to_have_accessible_name(re.compile(r"f32\[8@x,16@y\]"))

    # A cell that makes an array, donates one and deletes one. With the extension it shows its last expression.
    nb.run(3)
    expect(views(page)).to_have_count(2)
    expect(views(page).nth(1)).to_contain_text("f32[8@y,16]")
    expect(card.get_by_role("row", name=re.compile("^z, "))).to_contain_text("new")
    expect(card.get_by_role("row", name=re.compile("^y, "))).to_contain_text("deleted")
    expect(card.get_by_role("row", name=re.compile("^x, "))).to_contain_text("deleted")
    expect(card).to_contain_text("after cell 4")
    nb.run(4)
    expect(page.locator(".jp-Cell").last.locator(".jp-OutputArea-output")).to_contain_text("Array([[")
    expect(views(page)).to_have_count(2)

    # A click opens the view that fits.
    card.get_by_role("row", name=re.compile("^z, ")).click()
    expect(card.get_by_role("region", name="the view of z").locator("[data-sw-ready]")).to_contain_text("f32[8@y,16]")
    card.get_by_role("row", name=re.compile("^z, ")).click()

    # The same in a panel of its own.
    page.evaluate(BESIDE)
    expect(views(page)).to_have_count(3)
    page.evaluate(BACK)
    nb.ask("params = {'w': z, 'b': jnp.ones((4,))}")
    for view in (card, views(page).last):
        expect(view.get_by_role("row", name=re.compile("^params, "))).to_contain_text("new")

    # By keyboard: what changed, and the view that fits, in place.
    names = card.get_by_role("treegrid")
    names.focus()
    names.press("c")
    expect(card.get_by_role("row")).to_have_count(1)
    names.press("Enter")
    opened = card.get_by_role("region", name="the view of params")
    expect(opened.locator("[data-sw-ready]")).to_contain_text("2 arrays")

    page.evaluate(DARK)
    expect(card.locator("section.card.dark").first).to_be_visible()
    page.evaluate(LIGHT)
    nb.ask("inspector.close()")
    expect(views(page)).to_have_count(1)
