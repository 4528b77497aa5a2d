"""The saved page in Chromium: from disk, with every request refused, and with damaged files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import jax
import pytest
from playwright.sync_api import Page, expect

import shardwidget as sw
from tests.hosts.page import ARRAY, MESH, Panel, drawings, views, wait_frames
from tests.models import typed
from tests.reshards import example

AXE = Path(__file__).parents[2] / "js" / "node_modules" / "axe-core" / "axe.min.js"


@pytest.fixture
def saved(new_page, tmp_path) -> Callable[..., Page]:
    """Opens a view's saved page from disk, and waits for the picture."""

    def saved(view: sw.ArrayView | sw.ReshardPlanView, edit: Callable[[str], str] = str, **options) -> Page:
        path = tmp_path / "saved.html"
        path.write_text(edit(view.to_html()), encoding="utf-8")
        page = new_page(**options)
        page.goto(path.as_uri())
        page.wait_for_selector("[data-ready]")
        return page

    return saved


def edit_state(change: Callable[[dict], object]) -> Callable[[str], str]:
    """Changes the state in a saved page."""

    def edit(text: str) -> str:
        pattern = re.compile(r'(data-sw="state">)(.*?)(</script>)')
        match = pattern.search(text)
        assert match
        state = json.loads(match[2])
        change(state)
        return text[: match.start(2)] + json.dumps(state) + text[match.end(2) :]

    return edit


def test_it_draws_and_hides_the_table(saved, put):
    page = saved(sw.ArrayView(put("x", "y"), name="x"))
    expect(views(page)).to_have_count(1)
    expect(page.locator("[data-sw=fallback]")).to_be_hidden()
    expect(page).to_have_title(re.compile(r"x: f32\[8@x,16@y\]\s+P\('x', 'y'\)"))
    for name, count in (ARRAY, "8"), (MESH, "8"):
        expect(Panel(views(page), name).option).to_have_attribute("aria-setsize", count)


def test_without_scripts_the_table_is_shown(new_page, tmp_path, put):
    path = tmp_path / "saved.html"
    sw.ArrayView(put("x", "y")).to_html(path)
    page = new_page(java_script_enabled=False)
    page.goto(path.as_uri())
    expect(page.locator("[data-sw=fallback] td")).to_have_text(list("01234567"))
    expect(page.locator("[data-sw=fallback] td").first).to_be_visible()


def test_hover_links_tile_and_device_both_ways_and_shows_values(saved, put):
    page = saved(sw.ArrayView(put("x", "y"), name="x"))
    array, mesh = Panel(views(page), ARRAY), Panel(views(page), MESH)
    device, tile = mesh.spot(2, 1), array.spot(1, 0)

    page.mouse.move(*device)
    mesh.says("device 5")
    array.says("x[4:6, 8:16]")
    expect(views(page)).to_contain_text("values 72.0 … 95.0")

    page.mouse.move(*tile)
    array.says("x[2:4, 0:8]")
    mesh.says("device 2")
    expect(views(page)).to_contain_text("values 32.0 … 55.0")


def test_a_click_pins_and_a_second_lets_go(saved, put):
    page = saved(sw.ArrayView(put("x", None)))
    array, mesh = Panel(views(page), ARRAY), Panel(views(page), MESH)
    place = mesh.spot(3, 1)
    page.mouse.click(*place)
    page.mouse.move(0, 0)
    array.says("[6:8, :]", "2 copies")
    mesh.says("device 7")
    mesh.pinned()
    page.mouse.click(*place)
    mesh.pinned(False)


def test_a_plan_steps_and_plans_again_without_a_kernel(saved):
    page = saved(sw.ReshardPlanView(example(), chunk=1))
    view = views(page)
    expect(view).to_contain_text("chunk 2 of 2")
    view.get_by_role("listbox").press(",")
    expect(view).to_contain_text("chunk 1 of 2")
    view.get_by_role("slider", name="threshold").press("Home")
    expect(view).to_contain_text("chunk 1 of 3")


def test_keyboard_alone(saved, put):
    page = saved(sw.ArrayView(put("x", "y")))
    array, mesh = Panel(views(page), ARRAY), Panel(views(page), MESH)
    for panel in (array, mesh):
        while not panel.list.evaluate("e => e.getRootNode().activeElement === e"):
            page.keyboard.press("Tab")
            assert page.evaluate("document.activeElement !== document.body"), "Tab left the page"
        panel.pinned(False)
        for key in ("Home", "ArrowDown", "ArrowRight"):
            page.keyboard.press(key)
        panel.says("[2:4, 8:16]", "device 3")
        assert panel.list.get_attribute("aria-activedescendant") == panel.option.get_attribute("id")
        page.keyboard.press("Enter")
        panel.pinned()
        page.keyboard.press("Escape")
        panel.pinned(False)
        page.keyboard.press("End")
        panel.says("[6:8, 8:16]", "device 7")


def test_colourings_change_the_picture(saved, put):
    page = saved(sw.ArrayView(put("x", "y")))
    canvas = views(page).locator("canvas").first
    seen = set()
    for name in ("position", "values", "device id"):
        before = drawings(views(page))
        views(page).get_by_role("button", name=name).click()
        if name != "position":
            expect(views(page)).not_to_have_attribute("data-sw-ready", str(before))
        seen.add(canvas.evaluate("c => c.toDataURL()"))
    assert len(seen) == 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1100, 480])
def test_axe_finds_nothing(saved, put, scheme, width):
    x = sw.ArrayView(put("x", None), selection={"device": 3})
    page = saved(x, color_scheme=scheme, viewport={"width": width, "height": 900})
    page.add_script_tag(path=AXE)
    found = page.evaluate("() => axe.run()")
    assert [(v["id"], [n["target"] for n in v["nodes"]]) for v in found["violations"]] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_two_on_one_page(new_page, tmp_path, put):
    one = sw.ArrayView(put("x", "y"), mode="html")._repr_mimebundle_()[0]["text/html"]
    two = sw.ArrayView(put(None, "x"), mode="html")._repr_mimebundle_()[0]["text/html"]
    path = tmp_path / "two.html"
    path.write_text(f"<!doctype html><meta charset=utf-8>{one}{two}{one}", encoding="utf-8")
    page = new_page()
    page.goto(path.as_uri())
    expect(views(page)).to_have_count(3)
    meshes = [Panel(views(page).nth(i), MESH) for i in range(3)]
    page.mouse.click(*meshes[1].spot(2, 1))
    meshes[1].pinned()
    for other in (0, 2):
        meshes[other].walk(2, 1)
        meshes[other].pinned(False)


def test_what_the_user_named_comes_out_as_text(saved):
    hostile = "\"><img src=x onerror='document.title=`owned`'><script>document.title='owned'</script>"
    mesh = jax.sharding.AbstractMesh((4, 2), (hostile, "y"))
    spec = jax.sharding.PartitionSpec(hostile, "y")
    x = jax.ShapeDtypeStruct((8, 16), "float32", sharding=jax.sharding.NamedSharding(mesh, spec))
    page = saved(sw.ArrayView(x, name=hostile))
    expect(views(page)).to_contain_text("<img src=x")
    assert page.locator("img").count() == 0
    assert page.title() != "owned"


def test_an_axis_name_of_10000_characters(saved):
    name = "a" * 10_000
    mesh = jax.sharding.AbstractMesh((4, 2), (name, "y"))
    spec = jax.sharding.PartitionSpec(name, "y")
    x = jax.ShapeDtypeStruct((8, 16), "float32", sharding=jax.sharding.NamedSharding(mesh, spec))
    page = saved(sw.ArrayView(x))
    expect(views(page)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (edit_state(lambda state: state["_document"].update(version=99)), r"version 99"),
        (edit_state(lambda state: state["_document"].pop("mesh")), r"damaged"),
        (edit_state(lambda state: state["_document"].update(kind="trace")), r"trace"),
        (edit_state(dict.clear), r"has no document"),
        (lambda text: re.sub(r'(data-sw="state">.{200}).*?(</script>)', r"\1\2", text), r"damaged"),
        (lambda text: re.sub(r'(data-sw="front-end">).*?(</script>)', r"\1\2", text), r"damaged"),
    ],
    ids=["newer version", "no mesh", "another kind", "empty state", "cut-short state", "no front end"],
)
def test_a_file_that_cannot_be_drawn_says_so(saved, put, edit, message):
    page = saved(sw.ArrayView(put("x", "y")), edit)
    expect(page.locator("[data-sw=view]")).to_contain_text(re.compile(message))


def test_it_stands_still_once_drawn(saved, put):
    page = saved(sw.ArrayView(put("x", "y")))
    expect(views(page)).to_be_visible()
    before = drawings(views(page))
    wait_frames(page)
    assert drawings(views(page)) == before


# What a notebook does with the output of a cell that is run again.
AGAIN = """
async (html) => {
  document.body.replaceChildren(document.createRange().createContextualFragment(html));
  while (!document.querySelector("[data-sw-ready], [data-ready=true] [data-sw-ready]"))
    await new Promise(requestAnimationFrame);
}
"""


def test_an_output_that_is_run_again_leaves_nothing_in_the_page(new_page, put):
    output = sw.ArrayView(put("x", "y"), mode="html")._repr_mimebundle_()[0]["text/html"]
    page = new_page()
    page.goto("about:blank")
    browser = page.context.new_cdp_session(page)
    nodes = []
    for _ in range(6):
        page.evaluate(AGAIN, output)
        browser.send("HeapProfiler.collectGarbage")
        nodes.append(browser.send("Memory.getDOMCounters")["nodes"])
    # The first runs may leave what the page itself needs; after that each takes the place of the one before.
    assert min(nodes[3:]) <= nodes[1] + 10


def test_any_card_of_a_saved_page_is_saved_as_a_png_offline(open_saved):
    page = open_saved(sw.PipelineView(sw.pipeline.gpipe(2, 2)))
    with page.expect_download() as download:
        views(page).get_by_role("button", name="PNG").click()
    assert download.value.suggested_filename == "pipeline-schedule-GPipe.png"
    assert Path(download.value.path()).read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1134), ("dark", 480)])
def test_a_model_of_1000_leaves_is_read_and_tried_by_keyboard_offline(open_saved, scheme, width):
    leaves = {f"l{k:03}": typed((5 + k, 8), dtype="float32") for k in range(1000)}
    view = sw.ModelView({"w": leaves}, name="params")
    page = open_saved(view, color_scheme=scheme, viewport={"width": width, "height": 900})
    tree = page.get_by_role("treegrid")
    expect(tree).to_have_accessible_name(re.compile(r"arrays of params, .* on each device"))
    row = tree.get_by_role("row", selected=True)
    tree.focus()
    expect(row).to_have_accessible_name(re.compile("^w, 1000 arrays"))
    # A thousand different leaves stay closed: the key opens them, and only those in view are in the page.
    tree.press("ArrowRight")
    expect(tree).to_have_attribute("aria-rowcount", "1001")
    assert tree.get_by_role("row").count() < 200
    tree.press("End")
    expect(row).to_have_accessible_name(re.compile(r"^l999, f32\[1004,8\]"))
    tree.press("/")
    page.keyboard.type("l77")
    expect(tree).to_have_attribute("aria-rowcount", "11")
    page.keyboard.press("Escape")
    expect(tree).to_have_attribute("aria-rowcount", re.compile("100[01]"))
    tree.focus()
    tree.press("w")
    page.keyboard.type("l077$ -> P(None, 'data')")
    what = page.get_by_role("region", name="what if: arrays of params")
    expect(what).to_contain_text("1 array, ×8 → ×2 copies")
    page.keyboard.press("Escape")
    expect(tree).to_be_focused()
    # A spec is tried for the last leaf, in a bundle that is loaded only now, and becomes a rule.
    tree.press("End")
    tree.press("e")
    opened = page.get_by_role("region", name="the array ['w']['l999']")
    opened.get_by_role("button", name="dim 1: None").press("m")
    opened.get_by_role("button", name="Use as a rule").press("Enter")
    expect(what.get_by_role("textbox")).to_have_value("l077$ -> P(None, 'data')\n^w/l999$ → P(None, 'model')")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
