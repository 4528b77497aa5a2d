"""The comparison where it is used: JupyterLab with a kernel, and a saved page without one."""

from __future__ import annotations

import linecache
import re
from typing import cast

import jax
import numpy as np
import pytest
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P
from playwright.sync_api import Locator, expect

import shardwidget as sw
from tests.hosts.jupyter import SETUP, Notebook
from tests.hosts.page import views

PROGRAM = """
def layer(x, w, scale):
    h = jax.numpy.sin(x)
    y = h @ w
    return y * scale

auto = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
put = lambda shape, *spec: jax.device_put(jnp.ones(shape), NamedSharding(auto, P(*spec)))
view = sw.ShardingComparison(layer, put((8, 16), "x", "y"), put((16, 4), "y", None), put((4,), None))
view
"""
STOP = 2


def row(view: Locator, primitive: str) -> Locator:
    return (
        view.get_by_role("row")
        .filter(has=view.page.get_by_role("gridcell", name=re.compile(rf"\b{primitive}\b")))
        .first
    )


def used(view: Locator) -> Locator:
    return view.get_by_role("listitem").filter(has_text="used below").locator("code")


def test_a_choice_and_a_selection_go_to_python_and_back(jupyter, new_page):
    page = new_page(viewport={"width": 1400, "height": 1000})
    nb = Notebook(jupyter, page, "lab", jupyter.write(SETUP, PROGRAM))
    nb.run_all()
    view = views(page)
    expect(view).to_contain_text("Contracting dimensions are sharded")
    fixes = nb.ask(f"print('\\n'.join(m.code for m in view.document.rows[{STOP}].fixes))").splitlines()
    first = fixes.index(used(view).inner_text())

    other = 1 if first == 0 else 0
    view.get_by_role("listitem").filter(has_text=fixes[other]).get_by_role("button").click()
    expect(used(view)).to_have_text(fixes[other])
    expect(row(view, "mul").get_by_role("gridcell").nth(1)).to_contain_text(
        nb.ask("print(view.document.rows[-1].explicit)")
    )
    nb.ask_until("print(view.choices)", str({STOP: other}))

    nb.ask(f"view.choices = {{{STOP}: {first}}}")
    expect(used(view)).to_have_text(fixes[first])
    assert nb.ask("view.choices = {0: 0}").startswith("TraitError: row 0 has no fix to choose")

    row(view, "sin").get_by_role("gridcell").last.click()
    expect(row(view, "sin")).to_have_attribute("aria-selected", "true")
    nb.ask_until("print(view.selection)", "{'row': 1}")
    nb.ask("view.selection = {'row': 0}")
    expect(row(view, "arguments")).to_have_attribute("aria-selected", "true")

    view.get_by_role("treegrid").focus()
    for key in ("Home", "ArrowDown", "Enter", "b"):
        page.keyboard.press(key)
    expect(row(view, "sin")).to_have_attribute("aria-selected", "true")
    assert page.locator(".jp-Cell").count() == 2


@pytest.mark.parametrize("width", [1240, 480])
def test_a_saved_page_goes_on_below_another_choice(open_saved, width):
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)

    def put(shape, *spec):
        return jax.device_put(np.ones(shape, np.float32), NamedSharding(mesh, P(*spec)))

    widget = sw.ShardingComparison(lambda a, b: (a @ b) * 2, put((8, 16), "x", "y"), put((16, 4), "y", None))
    page = open_saved(widget, viewport={"width": width, "height": 900})
    view = views(page)
    before = row(view, "mul").get_by_role("gridcell").nth(1).inner_text()
    stop = next(k for k, r in enumerate(widget.document.rows) if r.error)
    way = view.get_by_role("listitem").filter(has=page.locator("code")).filter(has=page.get_by_role("button")).first
    code = way.locator("code").inner_text()
    way.get_by_role("button").click()
    expect(used(view)).to_have_text(code)
    choice = [m.code for m in widget.document.rows[stop].fixes].index(code)
    widget.choices = {stop: choice}
    after = row(view, "mul").get_by_role("gridcell").nth(1)
    expect(after).to_contain_text(widget.document.rows[-1].explicit)
    assert after.inner_text() != before
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


BLOCK = """
def block(x, w_in, w_out):
    h = jax.nn.gelu(x @ w_in)
    h = jax.lax.with_sharding_constraint(h, NamedSharding(auto, P("data", "model")))
    y = h @ w_out
    return x + y

auto = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
shape = lambda *sizes, spec: jax.ShapeDtypeStruct(sizes, "float32", sharding=NamedSharding(auto, spec))
args = shape(512, 256, spec=P("data")), shape(256, 1024, spec=P()), shape(1024, 256, spec=P(None, "model"))
view = sw.ShardingComparison(block, *args)
view.selection = {"row": next(k for k, row in enumerate(view.document.rows) if row.values[0].name == "y")}
view
"""


def test_what_would_be_otherwise_is_compiled_and_compared(jupyter, new_page):
    page = new_page(viewport={"width": 1366, "height": 768})
    nb = Notebook(jupyter, page, "lab", jupyter.write(SETUP, BLOCK))
    nb.run_all()
    why = views(page).get_by_role("region", name="why")
    why.get_by_role("button", name="Compile it otherwise").click()
    lines = why.get_by_role("row")
    expect(lines).to_have_count(4)
    expect(lines.nth(2)).to_contain_text("had line 3 won: w_out: P('model', None) gives y P('data', None)")
    expect(lines.nth(3)).to_contain_text("without line 3")
    lines.nth(3).get_by_role("button", name="Compare").click()
    expect(why.get_by_role("region", name="what differs")).to_contain_text("−1 all-gather over model")


def test_a_saved_page_has_what_was_compiled_otherwise_and_opens_the_differences(open_saved):
    names = {"sw": sw, "jax": jax, "P": P, "AxisType": AxisType, "NamedSharding": NamedSharding}
    linecache.cache["block.py"] = (len(BLOCK), None, list[str](BLOCK.splitlines(keepends=True)), "block.py")
    exec(compile(BLOCK, "block.py", "exec"), names)
    view = cast(sw.ShardingComparison, names["view"])
    y = view.selection["row"]
    lost = next(k for k, reason in enumerate(view.document.reasons) if (reason.row, reason.dim) == (y, 1))
    view._try = {"n": 1, "reason": lost}
    why = views(open_saved(view, viewport={"width": 1240, "height": 900})).get_by_role("region", name="why")
    expect(why.get_by_role("button", name="Compile it otherwise")).to_have_count(0)
    why.get_by_role("row").nth(3).get_by_role("button", name="Compare").click()
    expect(why.get_by_role("region", name="what differs")).to_contain_text("−1 all-gather over model")
