"""A measured run where it is used: JupyterLab with a kernel, and a saved page without one."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

import shardwidget as sw
from tests.hosts.jupyter import SETUP, Notebook
from tests.hosts.page import views
from tests.runs import compared, step

SHOW = """
auto = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)

def put(*spec):
    return jax.device_put(jnp.ones((64, 64)), NamedSharding(auto, P(*spec)))

def product(a, b):
    h = jnp.sin(a)
    return (h @ b).sum(0)

view = sw.RunView(product, put("x", "y"), put("y", None), n=3)
view
"""


def test_a_run_is_measured_and_what_is_chosen_goes_to_python_and_back(jupyter, new_page):
    page = new_page(viewport={"width": 1366, "height": 1000})
    nb = Notebook(jupyter, page, "lab", jupyter.write(SETUP, SHOW))
    nb.run_all()
    view = views(page)
    # Progress is shown below the cell while it measures, then disappears.
    expect(page.get_by_text("measuring: call")).to_have_count(0)
    chart = view.get_by_role("slider", name=re.compile("timeline: 8 devices, call . of 3"))
    expect(chart).to_be_visible()
    count = int(nb.ask("print(len(view.document.collectives))"))
    assert count > 0
    rows = view.locator(".table tbody tr")
    expect(rows).to_have_count(count)

    rows.first.get_by_role("button").click()
    expect(rows.first.get_by_role("button")).to_have_attribute("aria-pressed", "true")
    selected = int(nb.ask("print(view.selection['collective'])"))
    kind = nb.ask(f"print(view.document.collectives[{selected}].kind)")
    expect(rows.first).to_contain_text(kind)
    nb.ask("view.selection = None")
    expect(view.locator('[aria-pressed="true"]')).to_have_count(0)
    assert nb.ask("view.selection = {'collective': 99}").startswith("TraitError: selection must be None or")

    nb.ask("view.call = 0")
    expect(view.get_by_role("button", name="previous call")).to_be_disabled()
    chart.focus()
    for key in ("]", "ArrowRight", "b"):
        page.keyboard.press(key)
    expect(chart).to_have_attribute("aria-valuetext", re.compile(r"^device \d"))
    nb.ask_until("print(view.call)", "1")
    assert page.locator(".jp-Cell").count() == 2


@pytest.mark.parametrize("width", [1100, 480])
def test_a_saved_page_shows_who_waits_for_whom(open_saved, width):
    page = open_saved(sw.RunView(step()), viewport={"width": width, "height": 900})
    view = views(page)
    chart = view.get_by_role("slider")
    chart.focus()
    page.keyboard.press("n")
    expect(chart).to_have_attribute("aria-valuetext", re.compile(r"^device 0 waits for device 1, "))
    if width < 860:
        view.get_by_text("who waits for whom", exact=True).click()
    expect(view.get_by_role("region", name="devices at the cursor")).to_contain_text("waits for 1")
    chart.focus()
    page.keyboard.press("Escape")
    expect(chart).to_have_attribute("aria-valuetext", "no moment selected")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_runs_side_by_side_open_one_another(open_saved):
    page = open_saved(sw.RunView(compared()), viewport={"width": 1366, "height": 900})
    view = views(page)
    expect(view.get_by_role("slider")).to_have_count(2)
    view.get_by_role("button", name="after", exact=True).click()
    expect(view.get_by_role("button", name="after", exact=True)).to_have_attribute("aria-pressed", "true")
