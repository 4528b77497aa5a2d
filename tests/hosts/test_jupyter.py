"""JupyterLab and Notebook 7: run, point, click; Python sees it; nothing is left behind."""

from __future__ import annotations

from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.hosts import heap
from tests.hosts.jupyter import SETUP, JupyterServer, Notebook
from tests.hosts.page import ARRAY, MESH, Panel, drawings, views, wait_frames

KEPT = Path(__file__).with_name("kept.js")


LAB = pytest.mark.parametrize("notebook", ["lab"], indirect=True)
"""For what is the front end's own, whatever is around it."""


@pytest.fixture(params=["lab", "notebook"])
def notebook(request, jupyter: JupyterServer, new_page: Callable[..., Page]) -> Callable[..., Notebook]:
    """Opens a notebook with a widget in its last cell, and runs it."""

    def notebook(*cells: str, **options) -> Notebook:
        page = new_page(**options)
        page.add_init_script(path=KEPT)
        opened = Notebook(jupyter, page, request.param, jupyter.write(SETUP, *cells))
        opened.run_all()
        expect(views(page).last).to_be_visible()
        return opened

    return notebook


def test_python_and_the_browser_share_the_selection(notebook):
    nb = notebook("view = sw.show(x)\nview")
    view = views(nb.page)
    array, mesh = Panel(view, ARRAY), Panel(view, MESH)

    place = mesh.spot(2, 1)
    nb.page.mouse.move(*place)
    array.says("x[4:6, 8:16]")
    expect(view).to_contain_text("values 72.0 … 95.0")

    nb.page.mouse.click(*place)
    mesh.pinned()
    nb.ask_until("print(view.selection)", "{'device': 5, 'tile': [2, 1]}")

    nb.page.mouse.move(0, 0)
    nb.ask("view.selection = {'device': 2}")
    mesh.says("device 2")
    mesh.pinned()
    nb.ask("view.selection = None")
    mesh.pinned(False)

    error = nb.ask("view.selection = {'device': 99}")
    assert error.startswith("TraitError: no device 99 to select")
    nb.ask_until("print(view.selection)", "None")


@LAB
def test_another_array_in_the_same_place(notebook):
    nb = notebook("view = sw.show(x)\nview")
    view = views(nb.page)
    before = drawings(view)
    nb.ask("view.array = y")
    expect(view).to_contain_text("f32[8,16@x]")
    expect(view).not_to_have_attribute("data-sw-ready", str(before))
    Panel(view, MESH).walk(3, 0)
    Panel(view, ARRAY).says("y[:, 12:16]", "2 copies")
    expect(view).to_contain_text("values 12.0 … 127.0")

    assert "cannot read a builtins.int" in nb.ask("view.array = 3")
    expect(view).to_contain_text("f32[8,16@x]")
    assert nb.ask("x.delete(); view.array = x; print(view.document.state)") == "deleted"
    expect(view).to_contain_text("deleted")


@LAB
def test_options_go_both_ways(notebook):
    nb = notebook("view = sw.show(x, color_by='device')\nview")
    view = views(nb.page)
    view.get_by_text("values", exact=True).click()
    nb.ask_until("print(view.color_by)", "values")
    before = drawings(view)
    nb.ask("view.color_by = 'position'; view.row_dim = 1")
    expect(view).not_to_have_attribute("data-sw-ready", str(before))
    Panel(view, ARRAY).walk(0, 1)
    Panel(view, ARRAY).says("x[2:4, 0:8]")


def test_keys_stay_in_the_widget(notebook):
    nb = notebook("sw.show(x)")
    cells = nb.page.locator(".jp-Cell").count()
    Panel(views(nb.page), ARRAY).walk(1, 1)
    for key in ("a", "b", "x", "d", "d", "Enter", "g"):
        nb.page.keyboard.press(key)
    assert nb.page.locator(".jp-Cell").count() == cells
    expect(views(nb.page)).to_be_visible()


@pytest.mark.parametrize(
    ("notebook", "cell"), [("lab", "sw.show(x)"), ("notebook", "view")], indirect=["notebook"], ids=["new", "same"]
)
def test_twenty_runs_leave_nothing_behind(notebook, cell):
    nb = notebook("view = sw.show(x)", cell)
    page = nb.page
    wait_frames(page)
    kept, canvases = page.evaluate("kept()"), _live(page, "HTMLCanvasElement")
    for _ in range(20):
        views(page).evaluate("view => { view.dataset.old = '' }")
        nb.run_last()
        expect(page.locator("[data-sw-ready]:not([data-old])")).to_have_count(1)
        expect(page.locator("[data-old]")).to_have_count(0)
    Panel(views(page), MESH).walk(1, 1)
    wait_frames(page)
    asked = page.evaluate("framesAsked()")
    wait_frames(page)
    assert page.evaluate("framesAsked()") == asked
    assert page.evaluate("kept()") == kept
    # A browser may hold the last thing that had the focus, and releases the others at its own pace, within some frames.
    for _ in range(100):
        if _live(page, "HTMLCanvasElement") <= 2 * canvases:
            break
        wait_frames(page)
    assert _live(page, "HTMLCanvasElement") <= 2 * canvases


def test_ninety_widgets_that_were_cleared_hold_no_front_end(jupyter, new_page):
    """Some 0.05 MiB each: what the notebook's manager keeps of a model. With a front end it was 0.9."""
    first, *_, last = heap.held(Notebook(jupyter, new_page(), "lab", heap.write(jupyter)), 3)
    assert last - first < 2 * heap.WIDGETS * 0.2


@LAB
def test_a_page_that_has_lost_the_front_end_is_sent_it(notebook):
    nb = notebook("view = sw.show(x)", "view")
    nb.ask("for source in view._sources.values(): source.close()")
    nb.run_last()
    nb.ask_until("print(view._alone)", "True")
    expect(views(nb.page)).to_have_count(1)
    Panel(views(nb.page), MESH).walk(1, 0)
    nb.page.keyboard.press("Enter")
    nb.ask_until("print(view.selection)", "{'device': 2, 'tile': [1, 0]}")


def test_two_views_in_one_notebook(notebook):
    nb = notebook("a = sw.show(x)\na", "b = sw.show(y)\nb")
    expect(views(nb.page)).to_have_count(2)
    second = Panel(views(nb.page).nth(1), MESH)
    nb.page.mouse.click(*second.spot(2, 0))
    second.pinned()
    nb.ask_until("print(a.selection, b.selection)", "None {'device': 4, 'tile': [0, 2]}")


@LAB
def test_reduced_motion_jumps_to_the_new_picture(notebook):
    repaint = """(canvas) => {
      window.cleared = 0;
      const { clearRect } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.clearRect = function (...box) {
        if (this.canvas === canvas) window.cleared += 1;
        return clearRect.apply(this, box);
      };
    }"""
    for motion, moves in ("reduce", False), ("no-preference", True):
        nb = notebook("view = sw.show(x)\nview", reduced_motion=motion)
        view = views(nb.page)
        before = drawings(view)
        view.locator("canvas").first.evaluate(repaint)
        nb.ask("view.array = y")
        expect(view).not_to_have_attribute("data-sw-ready", str(before))
        wait_frames(nb.page)
        drawn = drawings(view) - before
        assert (nb.page.evaluate("cleared") > drawn) == moves


def test_a_change_of_theme_repaints(jupyter, new_page):
    page = new_page()
    nb = Notebook(jupyter, page, "lab", jupyter.write(SETUP, "sw.show(x)"))
    nb.run_all()
    card = page.get_by_role("region", name="array")
    expect(card).to_have_css("background-color", "rgb(255, 255, 255)")
    before = drawings(views(page))
    try:
        nb.command("apputils:change-theme", theme="JupyterLab Dark")
        expect(card).not_to_have_css("background-color", "rgb(255, 255, 255)")
        expect(views(page)).not_to_have_attribute("data-sw-ready", str(before))
    finally:
        nb.command("apputils:change-theme", theme="JupyterLab Light")
    expect(card).to_have_css("background-color", "rgb(255, 255, 255)")


def test_doctor_sees_the_server(jupyter, new_page):
    nb = Notebook(jupyter, new_page(), "lab", jupyter.write("import shardwidget as sw"))
    nb.run_all()
    nb.ask("facts = dict(sw.doctor().facts)")
    nb.ask_until("print(facts['anywidget in the server'])", metadata.version("anywidget"))
    assert nb.ask("print(facts['front end'])").startswith("a Jupyter front end")


def test_no_data_and_bad_data_leave_the_kernel_alive(notebook):
    nb = notebook("view = sw.show(((8, 16), 'bfloat16', x.sharding))\nview")
    expect(views(nb.page)).to_contain_text("bf16[8@x,16@y]")
    nb.ask("view._document = {'kind': 'placement', 'version': 99}")
    expect(nb.page.get_by_role("alert")).to_contain_text("version 99")
    assert nb.ask("print(1 + 1)") == "2"
    nb.ask("view.array = x")
    expect(nb.page.get_by_role("alert")).to_have_count(0)
    expect(views(nb.page)).to_contain_text("f32[8@x,16@y]")


def _live(page: Page, prototype: str) -> int:
    """Objects of a class that the page still holds, after a collection."""
    session = page.context.new_cdp_session(page)
    handle = session.send("Runtime.evaluate", {"expression": f"{prototype}.prototype"})["result"]["objectId"]
    objects = session.send("Runtime.queryObjects", {"prototypeObjectId": handle})["objects"]["objectId"]
    count = {"objectId": objects, "functionDeclaration": "function () { return this.length }", "returnByValue": True}
    found = session.send("Runtime.callFunctionOn", count)["result"]["value"]
    session.detach()
    return found
