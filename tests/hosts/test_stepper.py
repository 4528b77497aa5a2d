"""The stepper where it is used: JupyterLab with a kernel, a saved page without one, marimo."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import jax
import numpy as np
import pytest
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P
from playwright.sync_api import Locator, Page, expect

import shardwidget as sw
from tests.hosts.jupyter import SETUP, JupyterServer, Notebook
from tests.hosts.page import drawings, views, wait_frames

KEPT = Path(__file__).with_name("kept.js")

PROGRAM = """
import numpy as np
mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)

@jax.shard_map(mesh=mesh, in_specs=(P("x", "y"), P("y", None)), out_specs=P("x", None))
def f(a, b):
    p = a @ b
    return jax.lax.psum(p, "y")

a, b = np.arange(32.0, dtype="float32").reshape(8, 4), np.arange(16.0, dtype="float32").reshape(4, 4)
"""
PSUM = 3
LAST = 4


def at(view: Locator, step: int) -> None:
    """Waits until a step is shown."""
    expect(view).to_have_attribute("data-sw-step", str(step))


def scrub(view: Locator, to: float) -> None:
    """Moves the scrubber, as a drag does."""
    view.get_by_role("slider", name="step").evaluate(
        "(e, to) => { e.value = to; e.dispatchEvent(new Event('input', { bubbles: true })) }", to
    )


def python_sees(nb: Notebook, step: int) -> None:
    """Waits until the kernel has the step: a front end sends one message at a time, after the answer to the last."""
    for _ in range(50):
        if nb.ask("print(stepper.step)") == str(step):
            return
    raise AssertionError(f"Python never saw step {step}; it has {nb.ask('print(stepper.step)')}")


def picture(view: Locator) -> str:
    """What the canvas shows."""
    return view.locator("canvas").first.evaluate("c => c.toDataURL()")


@pytest.fixture
def notebook(jupyter: JupyterServer, new_page: Callable[..., Page]) -> Callable[..., Notebook]:
    """Opens a notebook with a stepper in its last cell, and runs it."""

    def notebook(*cells: str, app: str = "lab", **options) -> Notebook:
        page = new_page(viewport={"width": 1400, "height": 1000}, **options)
        page.add_init_script(path=KEPT)
        opened = Notebook(jupyter, page, app, jupyter.write(SETUP, PROGRAM, *cells))
        opened.run_all()
        expect(views(page).last).to_be_visible()
        return opened

    return notebook


@pytest.mark.parametrize("app", ["lab", "notebook"])
def test_step_play_scrub_and_keys_reach_python_and_back(notebook, app):
    nb = notebook("stepper = sw.ShardMapStepper(f, a, b)\nstepper", app=app)
    view = views(nb.page)
    at(view, PSUM)
    view.get_by_role("button", name=re.compile("^dot_general")).click()
    at(view, PSUM - 1)
    python_sees(nb, PSUM - 1)
    view.get_by_role("button", name=re.compile("^psum")).click()
    at(view, PSUM)
    expect(view).to_contain_text("result[0,1] on device 0:")
    python_sees(nb, PSUM)

    nb.ask("stepper.step = 1")
    at(view, 1)
    expect(view).to_contain_text("0 B sent per device")
    assert nb.ask("stepper.step = 99").startswith(f"TraitError: step must be 0 to {LAST}; got 99")
    at(view, 1)

    frames = drawings(view)
    view.get_by_role("button", name="play").click()
    at(view, LAST)
    expect(view.get_by_role("button", name="play")).to_be_visible()
    assert drawings(view) - frames > 2 * LAST
    python_sees(nb, LAST)

    scrub(view, PSUM + 0.4)
    at(view, PSUM)
    half = picture(view)
    scrub(view, PSUM + 1 - 1e-9)
    assert picture(view) != half
    python_sees(nb, PSUM)

    view.get_by_role("listbox", name="mesh").focus()
    for key, step in ("Home", 0), ("End", LAST), (",", LAST - 1), (".", LAST):
        nb.page.keyboard.press(key)
        at(view, step)
    python_sees(nb, LAST)
    assert nb.page.locator(".jp-Cell").count() == 3

    nb.ask("stepper.watch = ['p']")
    assert nb.ask("stepper.watch = ['q']").startswith("TraitError: no variable of this trace is called 'q'")


@pytest.mark.parametrize("app", ["lab", "notebook"])
def test_space_in_command_mode_plays_what_is_in_view_and_scrolls_elsewhere(notebook, app):
    nb = notebook("sw.ShardMapStepper(f, a, b)", "for i in range(90): print(i)", "1", app=app)
    page, view = nb.page, views(nb.page)
    scroller = page.locator(".jp-WindowedPanel-outer")

    def scrolled() -> int:
        wait_frames(page)
        return scroller.evaluate("e => e.scrollTop")

    # Shift+Enter runs the stepper's cell and selects the next.
    view.evaluate("view => { view.dataset.old = '' }")
    page.locator(".jp-Cell").nth(2).locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    expect(page.locator("[data-sw-ready]:not([data-old])")).to_have_count(1)
    view.scroll_into_view_if_needed()
    at = scrolled()
    page.keyboard.press("Space")
    expect(view.get_by_role("button", name="pause")).to_be_visible()
    page.keyboard.press("Space")
    expect(view.get_by_role("button", name="play")).to_be_visible()
    assert scrolled() == at

    # Out of view it is JupyterLab's own, and in an editor a space.
    scroller.evaluate("e => { e.scrollTop = e.scrollHeight - e.clientHeight - 200 }")
    at = scrolled()
    page.keyboard.press("Space")
    page.wait_for_function("at => document.querySelector('.jp-WindowedPanel-outer').scrollTop > at", arg=at)
    editor = page.locator(".jp-Cell").nth(4).locator(".cm-content")
    editor.click()
    page.keyboard.press("End")
    page.keyboard.type(" + 1")
    expect(editor).to_have_text("1 + 1")
    expect(view.get_by_role("button", name="play")).to_be_attached()


def test_python_stops_a_play(notebook):
    nb = notebook("stepper = sw.ShardMapStepper(f, a, b, step=0)\nstepper")
    view = views(nb.page)
    view.get_by_label("speed").select_option("0.25")
    view.get_by_role("button", name="play").click()
    at(view, 1)
    nb.ask(f"stepper.step = {LAST}")
    at(view, LAST)
    expect(view.get_by_role("button", name="play")).to_be_visible()
    before = drawings(view)
    wait_frames(nb.page)
    assert drawings(view) == before
    # Its module is another trait, and is loaded now.
    view.get_by_role("button", name="space-time").click()
    expect(view.get_by_label("steps and their blocks").locator("li")).to_have_count(3)


def test_twenty_runs_leave_nothing_behind(notebook):
    nb = notebook("sw.ShardMapStepper(f, a, b)")
    page = nb.page
    wait_frames(page)
    kept = page.evaluate("kept()")
    for _ in range(20):
        views(page).get_by_role("button", name="play").click()
        views(page).evaluate("view => { view.dataset.old = '' }")
        nb.run_last()
        expect(page.locator("[data-sw-ready]:not([data-old])")).to_have_count(1)
        expect(page.locator("[data-old]")).to_have_count(0)
    wait_frames(page)
    asked = page.evaluate("framesAsked()")
    wait_frames(page)
    assert page.evaluate("framesAsked()") == asked
    assert page.evaluate("kept()") == kept


def test_a_program_that_stops_is_a_lesson(notebook):
    nb = notebook(
        "bad = jax.shard_map(lambda v: 2 * v, mesh=mesh, in_specs=P('x', 'y'), out_specs=P())\n"
        "stepper = sw.ShardMapStepper(bad, a)\nstepper"
    )
    view = views(nb.page)
    view.get_by_role("button", name=re.compile("^ValueError")).click()
    expect(view.get_by_role("alert")).to_contain_text("ValueError")
    expect(view.get_by_role("alert")).to_contain_text("out_specs=P('x', 'y')")
    nb.ask_until("print(stepper.document.error.kind)", "out_specs")


@pytest.fixture
def stepper() -> sw.ShardMapStepper:
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)

    def f(a, b):
        p = a @ b
        return jax.lax.psum(p, "y")

    mapped = jax.shard_map(f, mesh=mesh, in_specs=(P("x", "y"), P("y", None)), out_specs=P("x", None))
    a, b = np.arange(32, dtype=np.float32).reshape(8, 4), np.arange(16, dtype=np.float32).reshape(4, 4)
    return sw.ShardMapStepper(mapped, a, b, step=1)


@pytest.mark.parametrize("width", [1240, 480])
def test_a_saved_page_steps_and_plays_with_every_request_refused(stepper, open_saved, width):
    page = open_saved(stepper, viewport={"width": width, "height": 900})
    view = views(page)
    at(view, 1)
    seen = {picture(view)}
    view.get_by_role("button", name="forward").click()
    at(view, 2)
    expect(view.get_by_role("button", name="play")).to_be_visible()
    seen.add(picture(view))
    view.get_by_role("button", name="play").click()
    at(view, LAST)
    expect(view.get_by_role("button", name="play")).to_be_visible()
    seen.add(picture(view))
    for to in PSUM + 0.2, PSUM + 0.6:
        scrub(view, to)
        at(view, PSUM)
        wait_frames(page, 2)
        seen.add(picture(view))
    assert len(seen) == 5
    view.get_by_role("listbox", name="mesh, 8 devices").focus()
    page.keyboard.press("a")  # The smallest cards leave out buttons that have a key.
    expect(view).to_contain_text("2 of 2")
    page.keyboard.press("ArrowDown")
    expect(view.locator(".tip")).to_contain_text("varies over x; 2 copies, also on 1")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    view.get_by_role("button", name="space-time").click()
    expect(view.get_by_label("steps and their blocks").locator("li")).to_have_count(3)


def test_a_saved_page_says_what_is_wrong_with_its_file(stepper, new_page, tmp_path):
    path = tmp_path / "f.html"
    for old, new, said in ('"version":1', '"version":99', "version 99"), ('"steps":{', '"steps":0,"was":{', "no steps"):
        path.write_text(stepper.to_html().replace(old, new), encoding="utf-8")
        page = new_page()
        page.goto(path.as_uri())
        expect(page.get_by_role("alert")).to_contain_text(said)


MARIMO = """
import marimo

app = marimo.App(width="full")


@app.cell
def _():
    {setup}
    import marimo as mo
    stepper = mo.ui.anywidget(sw.ShardMapStepper(f, a, b))
    stepper
    return mo, stepper


@app.cell
def _(mo, stepper):
    mo.md(f"at step: {{stepper.value['step']}}")
    return
"""


def test_marimo(marimo, new_page):
    page = new_page()
    page.goto(marimo(MARIMO.format(setup=(SETUP + PROGRAM).strip().replace("\n", "\n    "))))
    view = views(page)
    at(view, PSUM)
    view.get_by_role("button", name="back").click()
    at(view, PSUM - 1)
    expect(page.get_by_text(f"at step: {PSUM - 1}")).to_be_visible()
    view.get_by_role("button", name="play").click()
    at(view, LAST)
    expect(page.get_by_text(f"at step: {LAST}")).to_be_visible()
    scrub(view, PSUM + 0.5)
    expect(page.get_by_text(f"at step: {PSUM}")).to_be_visible()
    wait_frames(page)
    assert float(view.get_by_role("slider", name="step").input_value()) == PSUM + 0.5


STOPS = """
@jax.shard_map(mesh=mesh, in_specs=(P("x", "y"), P("y", None)), out_specs=P("x", None))
def g(a, b):
    return a @ b

stepper = sw.ShardMapStepper(g, a, b)
stepper
"""


def test_a_fix_is_used_and_undone(notebook):
    nb = notebook(STOPS)
    view = views(nb.page)
    fix = view.locator(".fix").first
    expect(fix.locator("mark").first).to_have_text("jax.lax.psum(")
    expect(fix.locator(".row")).to_have_text("56 62 68 74")
    expect(fix.locator(".sent")).to_have_text("32 B")
    fix.get_by_role("button", name="Use").click()
    expect(view.locator(".changed")).to_contain_text("line 3 changed: Sum the blocks along y")
    expect(view.locator(".source")).to_contain_text('return jax.lax.psum(a @ b, "y")'.replace('"', "'"))
    expect(view.locator(".fix")).to_have_count(0)
    at(view, PSUM)
    assert nb.ask("print(stepper.used, stepper.document.error, g.__wrapped__.__code__.co_names)") == "0 None ()"
    view.get_by_role("button", name="undo").click()
    expect(fix).to_be_visible()
    assert nb.ask("print(stepper.used, stepper.document.error.kind)") == "-1 out_specs"
