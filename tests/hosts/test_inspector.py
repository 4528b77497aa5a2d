"""The Inspector in JupyterLab: it follows the cells, in a panel beside the notebook too, by keyboard, until closed."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.hosts.jupyter import SETUP, JupyterServer, Notebook
from tests.hosts.page import views

BESIDE = """async () => {
  const { shell, commands } = window.jupyterapp;
  const { content } = shell.currentWidget;
  content.activeCellIndex = content.widgets.length - 1;
  await commands.execute("notebook:create-output-view");
}"""
BACK = """() => {
  const { shell } = window.jupyterapp;
  for (const widget of shell.widgets("main")) if (widget.content?.widgets) shell.activateById(widget.id);
}"""
DARK = """() => window.jupyterapp.commands.execute("apputils:change-theme", { theme: "JupyterLab Dark" })"""
LIGHT = DARK.replace("Dark", "Light")


def test_it_follows_the_cells_beside_the_notebook_too(jupyter: JupyterServer, new_page: Callable[..., Page]):
    page = new_page()
    nb = Notebook(jupyter, page, "lab", jupyter.write(SETUP, "inspector = sw.Inspector()\ninspector"))
    nb.run_all()
    card = views(page).first
    line = card.get_by_role("row", name=re.compile("^x, "))
    expect(line).to_have_accessible_name(re.compile(r"f32\[8@x,16@y\]"))

    nb.ask("z = jax.device_put(x, NamedSharding(mesh, P('y'))); y.delete()")
    expect(card.get_by_role("row", name=re.compile("^z, "))).to_contain_text("new")
    expect(card.get_by_role("row", name=re.compile("^y, "))).to_contain_text("deleted")
    expect(card).to_contain_text("after cell")

    # The same in a panel of its own.
    page.evaluate(BESIDE)
    expect(views(page)).to_have_count(2)
    page.evaluate(BACK)
    nb.ask("params = {'w': z, 'b': jnp.ones((4,))}")
    for view in views(page).all():
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
    expect(views(page)).to_have_count(0)
