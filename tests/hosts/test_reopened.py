"""A saved notebook that is reopened without its kernel: trusted, untrusted, and as a page made by nbconvert."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest
from playwright.sync_api import expect

import shardwidget as sw
from shardwidget.export import bundle, html
from tests.hosts.jupyter import SETUP, JupyterServer, Notebook
from tests.hosts.page import ARRAY, MESH, Panel, views
from tests.hosts.server import LONGEST


def jupyter_command(server: JupyterServer, *arguments: str, **environment: str) -> None:
    command = [sys.executable, "-m", "jupyter", *arguments]
    here = server.environment() | environment
    done = subprocess.run(command, env=here, cwd=server.root, capture_output=True, text=True, timeout=LONGEST)
    assert done.returncode == 0, done.stderr


def saved_notebook(server: JupyterServer, view: sw.ArrayView) -> str:
    """A notebook with the output that displaying a view leaves in it."""
    data, metadata = view._repr_mimebundle_()
    output = {"output_type": "execute_result", "execution_count": 1, "data": data, "metadata": metadata}
    return server.write("view", outputs=[output])


@pytest.mark.parametrize("app", ["lab", "notebook"])
def test_html_mode_in_a_trusted_notebook_is_alive(app, jupyter, new_page, put):
    name = saved_notebook(jupyter, sw.ArrayView(put("x", "y"), name="x", mode="html"))
    jupyter_command(jupyter, "trust", name)
    page = Notebook(jupyter, new_page(), app, name).page
    expect(views(page)).to_have_count(1)
    expect(page.locator("[data-sw=fallback]")).to_be_hidden()
    array, mesh = Panel(views(page), ARRAY), Panel(views(page), MESH)
    page.mouse.click(*mesh.spot(2, 1))
    mesh.pinned()
    array.says("x[4:6, 8:16]")
    expect(views(page)).to_contain_text("values 72.0 … 95.0")


@pytest.mark.parametrize("app", ["lab", "notebook"])
@pytest.mark.parametrize("mode", ["widget", "html"])
def test_an_untrusted_notebook_shows_the_table(app, mode, jupyter, new_page, put):
    name = saved_notebook(jupyter, sw.ArrayView(put("x", None), name="x", mode=mode))
    page = Notebook(jupyter, new_page(), app, name).page
    output = page.locator(".jp-OutputArea-output")
    tiles = output.locator("td")
    expect(tiles).to_have_text(["0=1", "2=3", "4=5", "6=7"])
    colors = tiles.evaluate_all("tiles => tiles.map((tile) => getComputedStyle(tile).backgroundColor)")
    assert len(set(colors)) == 4
    expect(views(page)).to_have_count(0)
    expect(output.locator("script")).to_have_count(0)
    if mode == "widget":
        picture = output.get_by_role("img", name="x: f32[8@x,16]")
        expect(picture).to_be_visible()
        assert picture.evaluate("img => img.naturalWidth") > 300


FALLBACK = '<img src="data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22/%3E" alt="picture">'

CONTROLS = "input, button.play, .tools > :not(.dims, .forms), .transport, .segments, footer, .save"


def test_a_notebook_run_by_nbconvert_opens_offline_and_prints(jupyter, new_page):
    """As nbconvert's webpdf prints it too: the same page, in Chromium, as a PDF."""
    sums = (
        "step = jax.shard_map(lambda b: jax.lax.psum(b, 'y'), mesh=mesh, in_specs=P('x', 'y'), out_specs=P('x', None))"
    )
    shown = [
        "sw.show(x)",
        "sw.show(y, color_by='values')",
        "sw.show(step, x)",
        "sw.CompiledProgram(step, x)",
    ]
    name = jupyter.write(SETUP + sums, *shown)
    jupyter_command(jupyter, "nbconvert", "--to", "html", "--execute", name)
    path = (jupyter.root / name).with_suffix(".html")
    keys = re.findall('data-sw-source="(\\w+)"', path.read_text(encoding="utf-8"))
    assert len(keys) == len(set(keys)) > 0
    page = new_page(may_ask=True)
    page.goto(path.as_uri())
    expect(views(page)).to_have_count(len(shown))
    mesh = Panel(views(page).nth(1), MESH)
    page.mouse.click(*mesh.spot(1, 1))
    mesh.pinned()
    expect(views(page).nth(1)).to_contain_text("y[:, 4:8]")
    page.emulate_media(media="print")
    for view in views(page).all():
        seen = [
            control.evaluate("e => e.outerHTML") for control in view.locator(CONTROLS).all() if control.is_visible()
        ]
        assert seen == []
        card, output = (
            view.locator(".card").bounding_box(),
            view.evaluate("e => e.closest('.jp-OutputArea-output').clientWidth"),
        )
        assert card is not None
        assert 0 < card["width"] <= output
    assert page.pdf(format="A4", print_background=True).startswith(b"%PDF")


def test_an_output_whose_front_end_is_gone_shows_its_picture(new_page, tmp_path, put):
    """And plays once an output with the front end comes to the page."""
    on_page = html.Page()
    first, second = (sw.ArrayView(put(*spec), name="x")._page_within(on_page, FALLBACK) for spec in (("x",), ("y",)))
    path = tmp_path / "page.html"
    path.write_text(f"<!doctype html><meta charset=utf-8>{second}", encoding="utf-8")
    page = new_page()
    page.goto(path.as_uri())
    expect(page.locator("[data-sw=view]")).to_contain_text("Run the cell again")
    expect(page.get_by_role("img", name="picture")).to_be_visible()
    page.evaluate("html => document.body.append(document.createRange().createContextualFragment(html))", first)
    expect(views(page)).to_have_count(2)
    expect(page.get_by_role("img", name="picture")).to_have_count(0)


def test_a_widget_run_by_nbconvert_leaves_its_table(jupyter, new_page):
    name = jupyter.write(SETUP, "sw.show(x)")
    state = "--ExecutePreprocessor.store_widget_state=False"
    jupyter_command(jupyter, "nbconvert", "--to", "html", "--execute", state, name, SHARDWIDGET_MODE="widget")
    page = new_page(may_ask=True)
    page.goto((jupyter.root / name).with_suffix(".html").as_uri())
    table = page.locator(".jp-OutputArea-output td")
    expect(table).to_have_text(list("01234567"))
    expect(page.get_by_role("img", name="x: f32[8@x,16@y]")).to_be_visible()
    expect(table.first).to_be_hidden()
    # JupyterLab's File → Print is this page on paper.
    page.emulate_media(media="print")
    expect(table.first).to_be_visible()
    expect(page.get_by_text("x[6:8, 8:16] on device 7")).to_be_visible()
    expect(page.get_by_text("104 105 106 107 108 109 110 111")).to_be_visible()


def test_a_widget_is_drawn_again_when_its_page_is_reloaded(jupyter, new_page):
    name = jupyter.write(SETUP, "view = sw.show(x)\nview")
    nb = Notebook(jupyter, new_page(), "lab", name)
    nb.run_all()
    expect(views(nb.page)).to_be_visible()
    nb.command("docmanager:save")
    assert json.loads((jupyter.root / name).read_text())["cells"][-1]["outputs"]
    again = Notebook(jupyter, nb.page, "lab", name)
    expect(views(again.page)).to_be_visible()
    Panel(views(again.page), MESH).walk(1, 0)
    again.page.keyboard.press("Enter")
    again.ask_until("print(view.selection)", "{'device': 2, 'tile': [1, 0]}")


def test_a_picture_stands_in_for_a_widget_whose_kernel_is_gone(jupyter, new_page):
    """Also for several widgets of one cell; as long as they live nothing but them is seen."""
    name = jupyter.write(SETUP, "from IPython.display import display\ndisplay(sw.show(x), sw.show(y))")
    nb = Notebook(jupyter, new_page(), "lab", name)
    nb.run_all()
    expect(views(nb.page)).to_have_count(2)
    pictures = nb.page.locator(".jp-OutputArea-output [role=img][class^=shardwidget-]")
    expect(pictures).to_have_count(2)
    assert [picture.is_visible() for picture in pictures.all()] == [False, False]
    children = nb.page.locator(".jp-OutputArea-child")
    assert [child.is_visible() for child in children.all()] == [True, False, True, False]
    nb.command("docmanager:save")
    jupyter.end_kernels()
    for app in ("lab", "notebook"):
        page = Notebook(jupyter, new_page(), app, name).page
        for title in ("x: f32[8@x,16@y]", "y: f32[8,16@x]"):
            picture = page.get_by_role("img", name=title)
            expect(picture).to_be_visible()
            drawn = picture.evaluate(
                "e => { const s = getComputedStyle(e, '::before'); return [s.backgroundImage, s.width, s.height]; }"
            )
            assert drawn[0].startswith('url("data:image/svg+xml;base64,')
            assert [float(size.removesuffix("px")) > 300 for size in drawn[1:]] == [True, True]
        for lost in page.get_by_text("model not found").all():
            expect(lost).to_be_hidden()


def test_pictures_outlive_their_kernel(jupyter, new_page):
    """In mode "html" always; as widgets where JupyterLab saves the state of widgets. It draws nothing else of them."""
    name = jupyter.write(SETUP, 'sw.show(x, mode="html")', "sw.show(x)", "sw.show(y)")
    jupyter.settings("plugin", {"saveState": True}, of="@jupyter-widgets/jupyterlab-manager")
    try:
        nb = Notebook(jupyter, new_page(), "lab", name)
        nb.run_all()
        expect(views(nb.page)).to_have_count(3)
        nb.command("docmanager:save")
        jupyter.end_kernels()
    finally:
        jupyter.settings("plugin", {"saveState": False}, of="@jupyter-widgets/jupyterlab-manager")
    saved = json.loads((jupyter.root / name).read_text())["metadata"]["widgets"]
    assert json.dumps(saved).count(json.dumps(bundle.read("array.js"))) == 1
    again = Notebook(jupyter, new_page(), "lab", name)
    expect(views(again.page)).to_have_count(3)
    for view in views(again.page).all():
        mesh = Panel(view, MESH)
        again.page.mouse.click(*mesh.spot(2, 1))
        mesh.pinned()
