"""The saved page in Chromium: from disk, with every request refused, and with what goes wrong in files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import jax
import pytest
from playwright.sync_api import Locator, Page, expect

import shardwidget as sw
from tests.hosts.jupyter import option

AXE = Path(__file__).parents[2] / "js" / "node_modules" / "axe-core" / "axe.min.js"


@pytest.fixture
def saved(new_page, tmp_path) -> Callable[..., Page]:
    """Opens a view's saved page from disk, and waits for the picture."""

    def saved(view: sw.ArrayView, edit: Callable[[str], str] = str, **options) -> Page:
        path = tmp_path / "saved.html"
        path.write_text(edit(view.to_html()), encoding="utf-8")
        page = new_page(**options)
        page.goto(path.as_uri())
        page.wait_for_selector("[data-ready]")
        return page

    return saved


def root(page: Page) -> Locator:
    return page.locator("[data-sw-ready]")


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
    expect(root(page)).to_have_count(1)
    expect(page.locator("[data-sw=fallback]")).to_be_hidden()
    assert page.title() == "x: f32[8@x,16@y]  P('x', 'y')"
    expect(root(page).get_by_role("listbox", name="logical array").get_by_role("option")).to_have_count(8)
    expect(root(page).get_by_role("listbox", name="mesh").get_by_role("option")).to_have_count(8)


def test_without_scripts_the_table_is_shown(new_page, tmp_path, put):
    path = tmp_path / "saved.html"
    sw.ArrayView(put("x", "y")).to_html(path)
    page = new_page(java_script_enabled=False)
    page.goto(path.as_uri())
    expect(page.locator("[data-sw=fallback] td")).to_have_text(list("01234567"))
    expect(page.locator("[data-sw=fallback] td").first).to_be_visible()


def test_values_are_in_the_page(saved, put):
    page = saved(sw.ArrayView(put("x", "y"), selection={"device": 5}))
    expect(root(page)).to_contain_text("72")
    expect(root(page)).to_contain_text("95")


def test_hover_lights_the_counterpart(saved, put):
    page = saved(sw.ArrayView(put("x", "y")))
    option(root(page), "mesh", re.compile("device 5")).hover()
    expect(root(page)).to_contain_text("[4:6, 8:16]")


def test_keyboard_alone(saved, put):
    page = saved(sw.ArrayView(put("x", "y")))
    array = root(page).get_by_role("listbox", name="logical array")
    for _ in range(20):
        page.keyboard.press("Tab")
        if array.evaluate("e => e.getRootNode().activeElement === e"):
            break
    expect(array).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    active = array.get_attribute("aria-activedescendant")
    expect(array.locator(f"[id='{active}']")).to_have_attribute("aria-label", re.compile(r"2:4, 8:16"))
    page.keyboard.press("Enter")
    expect(array.get_by_role("option", selected=True)).to_have_attribute("aria-label", re.compile(r"2:4, 8:16"))
    page.keyboard.press("Escape")
    expect(array.get_by_role("option", selected=True)).to_have_count(0)


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
    expect(root(page)).to_have_count(3)
    option(root(page).nth(1), "mesh", re.compile("device 5")).click()
    expect(root(page).nth(1).get_by_role("option", selected=True)).not_to_have_count(0)
    for other in (0, 2):
        expect(root(page).nth(other).get_by_role("option", selected=True)).to_have_count(0)


def test_what_the_user_named_comes_out_as_text(saved):
    hostile = "\"><img src=x onerror='document.title=`owned`'><script>document.title='owned'</script>"
    mesh = jax.sharding.AbstractMesh((4, 2), (hostile, "y"))
    spec = jax.sharding.PartitionSpec(hostile, "y")
    x = jax.ShapeDtypeStruct((8, 16), "float32", sharding=jax.sharding.NamedSharding(mesh, spec))
    page = saved(sw.ArrayView(x, name=hostile))
    expect(root(page)).to_contain_text("<img src=x")
    assert page.locator("img").count() == 0
    assert page.title() != "owned"


def test_an_axis_name_of_10000_characters(saved):
    name = "a" * 10_000
    mesh = jax.sharding.AbstractMesh((4, 2), (name, "y"))
    spec = jax.sharding.PartitionSpec(name, "y")
    x = jax.ShapeDtypeStruct((8, 16), "float32", sharding=jax.sharding.NamedSharding(mesh, spec))
    page = saved(sw.ArrayView(x))
    expect(root(page)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (edit_state(lambda state: state["_document"].update(version=99)), r"version 99"),
        (edit_state(lambda state: state["_document"].pop("mesh")), r"damaged"),
        (edit_state(lambda state: state["_document"].update(kind="trace")), r"trace"),
        (edit_state(dict.clear), r"holds no document"),
        (lambda text: re.sub(r'(data-sw="state">.{200}).*?(</script>)', r"\1\2", text), r"damaged"),
        (lambda text: re.sub(r'(data-sw="front-end">).*?(</script>)', r"\1\2", text), r"damaged"),
    ],
    ids=["newer version", "no mesh", "another kind", "empty state", "cut-short state", "no front end"],
)
def test_a_file_that_cannot_be_drawn_says_so(saved, put, edit, message):
    page = saved(sw.ArrayView(put("x", "y")), edit)
    expect(page.locator("[data-sw=view]")).to_contain_text(re.compile(message))


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_it_stands_still_once_drawn(saved, put, motion):
    page = saved(sw.ArrayView(put("x", "y")), reduced_motion=motion)
    expect(root(page)).to_be_visible()
    ready = root(page).get_attribute("data-sw-ready")
    page.evaluate(
        """async () => {
          for (let i = 0; i < 30; i++) await new Promise((done) => requestAnimationFrame(done));
        }"""
    )
    assert root(page).get_attribute("data-sw-ready") == ready
