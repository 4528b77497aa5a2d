"""Pictures where a browser has a part in them: the menu in JupyterLab, WebM, printing."""

from __future__ import annotations

import base64
import math
from collections.abc import Callable
from pathlib import Path

import jax
from jax.sharding import PartitionSpec as P
from playwright.sync_api import Page, expect

import shardwidget as sw
from shardwidget import pipeline
from tests.hosts.jupyter import SETUP, JupyterServer, Notebook
from tests.hosts.page import views


def test_a_card_in_jupyterlab_saves_what_it_shows(jupyter: JupyterServer, new_page: Callable[..., Page]):
    page = new_page()
    cell = "from shardwidget import pipeline\nview = sw.PipelineView(pipeline.gpipe(2, 2))\nview"
    nb = Notebook(jupyter, page, "lab", jupyter.write(SETUP, cell))
    nb.run_all()
    view = views(page)
    view.click(position={"x": 5, "y": 5})
    menu = view.get_by_role("combobox", name="save a picture")
    for kind, starts in (("PNG", b"\x89PNG"), ("GIF", b"GIF89a")):
        with page.expect_download() as download:
            menu.select_option(kind)
        assert download.value.suggested_filename == f"GPipe.{kind.lower()}"
        assert Path(download.value.path()).read_bytes().startswith(starts)
        expect(menu).to_be_enabled()
    nb.ask_until("print(view._picture)", "{}")


def test_an_array_in_jupyterlab_prints_its_values(jupyter: JupyterServer, new_page: Callable[..., Page]):
    page = new_page()
    nb = Notebook(jupyter, page, "lab", jupyter.write(SETUP, "view = sw.ArrayView(x)\nview"))
    nb.run_all()
    view = views(page)
    values = view.locator(".values")
    expect(values.locator("figcaption")).to_have_count(8)
    expect(values).to_be_hidden()
    page.emulate_media(media="print")
    expect(values).to_be_visible()
    assert sorted(map(float, values.locator("td").all_inner_texts())) == list(range(128))
    # All of the notebook is on the sheets, and the card is within their width.
    assert page.pdf(format="A4", print_background=True).startswith(b"%PDF")
    nb.ask("view.array = y; view.selection = {'device': 3}")
    expect(values.locator("figcaption")).to_have_text("y[0:8, 4:8] on device 3")


def test_a_webm_plays(new_page: Callable[..., Page]):
    data = sw.PipelineView(pipeline.gpipe(2, 2)).to_webm(width=480, speed=2)
    assert isinstance(data, bytes)
    page = new_page()
    played = page.evaluate(
        """async (data) => {
          const video = document.createElement("video");
          video.muted = true;
          video.src = "data:video/webm;base64," + data;
          await new Promise((done, fail) => { video.onended = done; video.onerror = fail; video.play(); });
          return [video.videoWidth, video.currentTime];
        }""",
        base64.b64encode(data).decode(),
    )
    assert played[0] == 480
    assert played[1] > 1


def test_a_card_on_paper_is_light_and_covers_nothing(open_saved: Callable[..., Page]):
    page = open_saved(sw.PipelineView(pipeline.gpipe(2, 2)), color_scheme="dark")
    # Chromium writes a canvas as drawing commands: a layer that was cleared by hand would hide the one below in white.
    page.evaluate(
        """() => {
          window.cleared = 0;
          const clear = CanvasRenderingContext2D.prototype.clearRect;
          CanvasRenderingContext2D.prototype.clearRect = function (...box) {
            window.cleared++;
            clear.apply(this, box);
          };
          addEventListener("afterprint", () => { window.printed = window.cleared; });
          addEventListener("beforeprint", () => { window.cleared = 0; }, { capture: true });
        }"""
    )
    assert page.pdf(format="A4", print_background=True).startswith(b"%PDF")
    assert page.evaluate("window.printed") == 0
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    expect(views(page).get_by_role("button", name="play")).to_be_hidden()
    expect(views(page).get_by_text("Point at a task")).to_be_hidden()


def test_a_stepper_on_paper_lists_all_its_steps(
    open_saved: Callable[..., Page], mesh: jax.sharding.Mesh, put: Callable[..., jax.Array]
):
    @jax.shard_map(mesh=mesh, in_specs=P("x", "y"), out_specs=P("x"))
    def total(v):
        return jax.lax.psum(v, "y")

    stepper = sw.ShardMapStepper(total, put("x", "y"))
    page = open_saved(stepper)
    steps = views(page).locator(".paper .steps li").filter(has_text="line")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(steps).to_have_count(len(stepper.document.steps))
    expect(steps.filter(has_text="psum").first).to_be_visible()
    expect(page.locator("[data-sw=fallback]")).to_be_hidden()


def test_an_array_on_paper_has_its_values(open_saved: Callable[..., Page], put: Callable[..., jax.Array]):
    view = sw.ArrayView(put("x", "y"), selection={"device": 3})
    page = open_saved(view)
    values, folded = views(page).locator(".values"), views(page).get_by_text("Shardy", exact=True)
    expect(values).to_be_hidden()
    expect(folded).to_be_hidden()
    page.emulate_media(media="print")
    expect(values).to_be_visible()
    expect(folded).to_be_visible()
    expect(values).to_contain_text("on device 3")
    expect(values.locator("td")).to_have_count(math.prod(view.document.shard_shape))
    right = page.evaluate(
        """Math.max(...[...document.querySelector('.shardwidget').shadowRoot.querySelectorAll('td')]
          .map((d) => d.getBoundingClientRect().right))"""
    )
    assert right <= page.evaluate("innerWidth")
    # What explains on screen would hide what is under it.
    expect(views(page).locator(".tip")).to_be_hidden()
