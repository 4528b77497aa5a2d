"""A search that goes on in JupyterLab: it grows, what is chosen reaches Python, a candidate opens below it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from shardwidget import _jax
from tests.hosts.jupyter import SETUP, Notebook
from tests.hosts.page import views

pytestmark = pytest.mark.skipif(not _jax.ENTERS_FUNCTIONS, reason="Shardy of JAX 0.9 leaves called functions out")

STEP = """
mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))

def loss(w, x):
    return ((jnp.tanh(x @ w["up"]) @ w["down"]) ** 2).mean()

@jax.jit
def train_step(w, x):
    return jax.tree.map(lambda p, g: p - 0.1 * g, w, jax.grad(loss)(w, x))

w = jax.device_put({"up": jnp.ones((64, 256)), "down": jnp.ones((256, 64))}, NamedSharding(mesh, P()))
x = jax.device_put(jnp.ones((128, 64)), NamedSharding(mesh, P("data")))
"""
SHOW = "view = sw.SearchView(train_step, w, x, compiled=1)\nview"


@pytest.mark.parametrize("what", ["program", "difference to now", "arrays"])
def test_a_candidate_is_opened(jupyter, new_page, what: str):
    page = new_page(viewport={"width": 1366, "height": 768})
    nb = Notebook(jupyter, page, "lab", jupyter.write(SETUP, STEP + SHOW))
    nb.run_all()
    view = views(page).first
    nb.ask_until("print(repr(view.running), sum(c.compiled is not None for c in view.document.candidates))", "'' 2")

    rows = view.get_by_role("listbox")
    rows.focus()
    page.keyboard.press("End")
    last = int(nb.ask("print(len(view.document.candidates))")) - 1
    nb.ask_until("print(view.candidate)", str(last))
    assert "P(" in nb.ask("print(*view.selection.values())")

    if what == "program":
        page.keyboard.press("Enter")
    else:
        view.get_by_role("button", name=what).click()
    opened = view.get_by_label("the candidate, opened")
    title = {"program": "train_step", "difference to now": "after", "arrays": "w"}[what]
    expect(opened.get_by_text(title).first).to_be_visible(timeout=60_000)
    expect(opened.locator(".fault")).to_have_count(0)
    view.get_by_role("button", name="close").click()
    expect(opened).to_have_count(0)


def test_an_interrupt_of_the_kernel_ends_with_what_is_known(jupyter, new_page):
    cell = """
    from shardwidget import read

    def seen(search):
        if len(search.candidates) == 3:
            print("three are known", flush=True)

    found = read.search(train_step, w, x, mesh="v5p:4096", compiled=0, most_axes=5, progress=seen)
    print("ended:", repr(found))
    """
    nb = Notebook(jupyter, new_page(viewport={"width": 1366, "height": 768}), "lab", jupyter.write(SETUP, STEP, cell))
    nb.run(0)
    nb.run(1)
    nb.begin(2)
    output = nb.page.locator(".jp-OutputArea-output").last
    expect(output).to_contain_text("three are known", timeout=60_000)
    nb.command("notebook:interrupt-kernel")
    expect(output).to_contain_text("then stopped", timeout=60_000)
    answer = next(line for line in output.inner_text().splitlines() if line.startswith("ended:"))
    assert re.match(r"ended: Stopped early: .+: \d.* a step", answer), answer
    assert nb.ask("print(found.ended, 3 <= len(found.candidates) < found.planned)") == "interrupted True"
