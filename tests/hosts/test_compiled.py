"""The compiled program where it is used: JupyterLab with a kernel, and a saved page without one."""

from __future__ import annotations

import re

import jax
import numpy as np
import pytest
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P
from playwright.sync_api import Locator, expect

import shardwidget as sw
from tests.hosts.jupyter import SETUP, Notebook
from tests.hosts.page import views

FUNCTIONS = """
auto = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)

def put(*spec):
    return jax.device_put(jnp.ones((64, 64)), NamedSharding(auto, P(*spec)))

def product(a, b):
    h = jnp.sin(a)
    return h @ b

def loss(a, b):
    return (product(a, b) ** 2).mean()
"""
SHOW = 'view = sw.CompiledProgram(jax.grad(loss, argnums=(0, 1)), put("x", "y"), put("y", None))\nview'
COMPARE = """
cases = {"inner": (product, put(None, "y"), put("y", None)), "outer": (product, put("x", None), put(None, "y"))}
both = sw.CompiledProgram.compare(cases)
both
"""


def line(view: Locator, index: int) -> Locator:
    """The line of a collective, by its index in the document."""
    return view.locator(f"#line-{index}")


def test_what_is_chosen_and_measured_goes_to_python_and_back(jupyter, new_page):
    page = new_page(viewport={"width": 1400, "height": 1000})
    nb = Notebook(jupyter, page, "lab", jupyter.write(SETUP, FUNCTIONS + SHOW, COMPARE))
    nb.run_all()
    expect(views(page)).to_have_count(2)
    view = views(page).first
    count = int(nb.ask("print(len(view.document.collectives))"))
    assert count > 1
    expect(view.get_by_role("grid").get_by_role("row")).to_have_count(1 + count)

    last = count - 1
    line(view, last).click()
    expect(line(view, last)).to_have_attribute("aria-selected", "true")
    nb.ask_until("print(view.selection)", f"{{'collective': {last}}}")
    nb.ask("view.selection = {'collective': 0}")
    expect(line(view, 0)).to_have_attribute("aria-selected", "true")
    assert nb.ask("view.selection = {'collective': 99}").startswith("TraitError: selection must be None or")

    view.get_by_role("button", name="y 2").click()
    nb.ask_until("print(view.axis)", "y")
    view.get_by_role("button", name="y 2").click()
    view.get_by_role("button", name="runs", exact=True).click()
    nb.ask_until("print(view.axis, view.sort)", "None runs")

    view.get_by_role("grid").focus()
    for key in ("Home", "Enter", " ", "b"):
        page.keyboard.press(key)
    expect(view).to_have_attribute("data-sw-phase", "1")
    assert page.locator(".jp-Cell").count() == 3

    view.get_by_role("button", name="Time it").click()
    expect(view.get_by_text("median of 10")).to_be_visible()
    nb.ask_until("print(view.document.timing.runs)", "10")

    sides = views(page).nth(1)
    sides.get_by_role("button", name="inner").click()
    expect(sides.get_by_role("grid")).to_have_count(1)
    nb.ask_until("print(both.opened)", "0")
    sides.get_by_role("button", name="Time them").click()
    expect(sides.get_by_text("n=10")).to_have_count(2)
    nb.ask("both.time(n=2)")
    expect(sides.get_by_text("n=2")).to_have_count(2)
    nb.ask_until("print([p.timing.runs for p in both.document.programs])", "[2, 2]")
    nb.ask("both.opened = None")
    expect(sides.get_by_role("grid")).to_have_count(0)


def test_with_the_keyboard_alone(jupyter, new_page):
    page = new_page(viewport={"width": 1400, "height": 1000})
    nb = Notebook(jupyter, page, "lab", jupyter.write(SETUP, FUNCTIONS + SHOW))
    nb.run_all()
    view = views(page)
    grid = view.get_by_role("grid")
    grid.focus()
    for key in ("Home", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    expect(grid.locator('[aria-selected="true"]')).to_have_attribute("aria-rowindex", "3")
    selected = nb.ask("print(view.selection['collective'])")
    expect(line(view, int(selected))).to_have_attribute("aria-selected", "true")

    for key in (".", "."):
        page.keyboard.press(key)
    expect(view.get_by_role("slider", name="moment")).to_have_attribute("aria-valuetext", "round 1 of 1")
    expect(view).to_have_attribute("data-sw-phase", "1")
    page.keyboard.press("g")
    page.keyboard.press("ArrowDown")
    device = view.get_by_role("listbox").get_by_role("option")
    expect(device).to_have_accessible_name(re.compile(r"^device \d at x=0, y=0; group 1 of \d"))
    page.keyboard.press("ArrowDown")
    expect(device).to_have_accessible_name(re.compile(r"^device \d at x=1, y=0; group \d of \d"))

    view.get_by_role("button", name="y 2").focus()
    page.keyboard.press("Enter")
    expect(view.get_by_role("button", name="y 2")).to_have_attribute("aria-pressed", "true")
    nb.ask_until("print(view.axis)", "y")

    page.keyboard.press("m")
    plot = view.get_by_role("slider", name="memory over the schedule")
    plot.focus()
    peak = int(nb.ask("print(view.memory().peak_step)"))
    expect(plot).to_have_attribute("aria-valuenow", str(peak + 1))
    page.keyboard.press("Home")
    expect(plot).to_have_attribute("aria-valuenow", "1")
    expect(view.get_by_text("alive at instruction 1", exact=True)).to_be_visible()
    page.keyboard.press("p")
    expect(plot).to_have_attribute("aria-valuetext", re.compile("^Peak "))
    page.keyboard.press("c")
    expect(grid).to_be_visible()
    assert page.locator(".jp-Cell").count() == 2


def test_what_cannot_be_shown_or_run_is_said_and_the_last_view_stays(jupyter, new_page):
    page = new_page(viewport={"width": 1400, "height": 1000})
    pod = """
    pod = sw.tpu_mesh("v5e:2x4", ("x", "y"))
    shape = jax.ShapeDtypeStruct((64, 64), "float32", sharding=NamedSharding(pod, P("x", "y")))
    sw.CompiledProgram(product, shape, shape)
    """
    nb = Notebook(jupyter, page, "lab", jupyter.write(SETUP, FUNCTIONS + SHOW, pod))
    nb.run_all()
    expect(views(page)).to_have_count(2)
    on_pod = views(page).nth(1)
    expect(on_pod.get_by_text("compiled for TPU v5e 2×4")).to_be_visible()
    on_pod.get_by_role("button", name="Time it").click()
    expect(on_pod.get_by_text("compiled for TPU v5 lite, which this machine does not have")).to_be_visible()
    expect(on_pod.get_by_role("button", name="Time it")).to_be_enabled()

    for call, words in {
        "CompiledProgram(product, put('x'))": "TypeError: product() missing 1 required positional argument: 'b'",
        "CompiledProgram(product, put('x'), put('y'), mesh=pod)": "ValueError: the program is compiled for 8 × cpu",
        "CompiledProgram.compare({})": "ValueError: there are no programs to compare",
        "tpu_mesh('v9z:4x4', ('x', 'y'))": "ValueError: libtpu refuses the topology 'v9z:4x4'",
    }.items():
        assert nb.ask(f"sw.{call}").startswith(words)
    view = views(page).first
    count = int(nb.ask("print(len(view.document.collectives))"))
    nb.ask(f"view.selection = {{'collective': {count - 1}}}")
    expect(line(view, count - 1)).to_have_attribute("aria-selected", "true")


@pytest.mark.parametrize("width", [1240, 480])
def test_a_saved_page_sorts_and_plays_without_a_kernel(open_saved, width):
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)

    def put(*spec):
        return jax.device_put(np.ones((64, 64), np.float32), NamedSharding(mesh, P(*spec)))

    widget = sw.CompiledProgram(lambda a, b: a @ b, put("x", "y"), put("y", None))
    page = open_saved(widget, viewport={"width": width, "height": 900})
    view = views(page)
    line(view, 0).click()
    view.get_by_role("button", name="ring", exact=True).click()
    expect(view).to_have_attribute("data-sw-phase", "1")
    expect(view.get_by_role("button", name="Time it")).to_have_count(0)
    view.get_by_role("button", name="memory", exact=True).click()
    expect(view.get_by_role("listbox", name="alive at the peak").get_by_role("option").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


COLLECTIVES = """%%collectives
g = jax.jit(jax.grad(loss, argnums=(0, 1)))(put("x", "y"), put("y", None))
for spec in (("x", "y"), (None, "y")):
    h = jax.jit(product)(put(*spec), put("y", None))
doubled = jax.jit(lambda a: 2 * a)(h)
"""


def test_a_cell_shows_the_collectives_of_all_that_it_compiles(jupyter, new_page):
    page = new_page(viewport={"width": 1400, "height": 1000})
    load = f"{SETUP}{FUNCTIONS}\nget_ipython().run_line_magic('load_ext', 'shardwidget')"
    Notebook(jupyter, page, "lab", jupyter.write(load, COLLECTIVES)).run_all()
    expect(views(page)).to_have_count(1)
    for name in ("loss", "product", "product (2)"):
        expect(views(page).get_by_role("row", name=name, exact=False).first).to_be_visible()
    said = page.locator(".jp-OutputArea-output", has_text="compiled in this cell")
    expect(said).to_contain_text("product 1 time. a: P('x', 'y') before, P(None, 'y') now")
    expect(said).to_contain_text("cell 2, line 4")
