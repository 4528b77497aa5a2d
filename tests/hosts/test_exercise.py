"""Exercises where they are used: a teacher writes a set, a student answers it in JupyterLab, progress lasts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from jax.sharding import PartitionSpec as P
from playwright.sync_api import Locator, Page, expect

import shardwidget as sw
from tests.hosts.jupyter import SETUP, JupyterServer, Notebook
from tests.hosts.page import axis, drag, slot, views

TEACHER = """
import numpy as np

def rows(draw):
    n = draw.choice([8, 16, 32])
    return sw.Exercise.write_spec((n, 16), mesh, local_shape=(n // 2, 4), copies=1, hints=["Divide.", "Multiply."])

def holders(draw):
    x = jax.ShapeDtypeStruct((8, 16), "float32", sharding=NamedSharding(mesh, P("x", None)))
    return sw.Exercise.read_placement(x, "devices of element (5, 3)")

@jax.shard_map(mesh=mesh, in_specs=P("x", "y"), out_specs=P("x"))
def row_sums(a):
    return jax.lax.psum(a, "y")

a = jax.device_put(np.arange(16.0, dtype="float32").reshape(4, 4), NamedSharding(mesh, P("x", "y")))
sums = sw.Exercise.fill_block(row_sums, a, device=3, name="sums")

def broken(a, b):
    return a @ b

w = jax.device_put(np.ones((4, 2), "float32"), NamedSharding(mesh, P("y", None)))
fix = sw.Exercise.repair(broken, a, w, gives=lambda a, w: jnp.matmul(a, w, out_sharding=P("x")), name="fix")

lab = sw.ExerciseSet([rows, holders, sums, fix], name="{name}", student="ada")
lab
"""

CHECK = """
for exercise in lab:
    exercise.check()
lab.check()
print("all", lab.passed)
"""


def number(view: Locator, current: int) -> None:
    """Waits until an exercise is on screen."""
    expect(view).to_have_attribute("data-sw-step", str(current))


def says(view: Locator, *words: str) -> None:
    """Waits until the card says something: beside the place to work, or in a narrow one within it."""
    for word in words:
        expect(view).to_contain_text(word)


def dot(view: Locator, name: str) -> Locator:
    return view.get_by_role("button", name=name)


def answer(view: Locator, *axes: str) -> None:
    """Drags an axis onto each dimension, and has that checked."""
    for dim, name in enumerate(axes):
        drag(view.page, axis(view, name), slot(view, dim))
    view.get_by_role("button", name="Check").click()


@pytest.fixture
def lab(
    jupyter: JupyterServer, new_page: Callable[..., Page], request: pytest.FixtureRequest
) -> Callable[..., Notebook]:
    """Opens a teacher's notebook, with a set of a name of its own, and runs it."""

    def lab(*cells: str, name: str = request.node.name, app: str = "lab", page: Page | None = None) -> Notebook:
        cells = SETUP, TEACHER.replace("{name}", name), *cells
        page = page or new_page(viewport={"width": 1280, "height": 1000})
        opened = Notebook(jupyter, page, app, jupyter.write(*cells))
        opened.run_all()
        expect(views(page).first).to_be_visible()
        return opened

    return lab


@pytest.mark.parametrize("app", ["lab", "notebook"])
def test_a_student_goes_from_the_first_exercise_to_check(lab, app):
    nb = lab(app=app, name=f"path {app}")
    view = views(nb.page)
    assert "0 of 4 exercises are passed" in nb.ask("lab.check()")

    # A wrong try is told what it gives; hints come in order; then the right answer.
    size = int(nb.ask("print(lab['rows'].document.questions[0].playground.draft.shape[0])"))
    answer(view, "x", "y")
    says(view, "last try", f"{size} rows over x=4 leave {size // 4}", "What cuts", "1 attempt")
    view.get_by_role("button", name="Hint").click()
    says(view, "Divide.")
    slot(view, 0).press("Delete")
    slot(view, 0).press("y")
    expect(view.locator(".band.error")).to_contain_text("DuplicateSpecError")
    for _ in range(2):
        nb.page.keyboard.press("Control+z")
    expect(view.locator(".editor h2")).to_have_text(f"f32[{size}@x,16@y]")
    slot(view, 0).press("Delete")
    slot(view, 1).press("Delete")
    answer(view, "y", "x")
    says(view, "Right.", "2 attempts, passed")
    expect(dot(view, "exercise 1 of 4, passed")).to_have_attribute("aria-current", "step")
    nb.ask_until("print(lab['rows'].passed, lab['rows'].attempts, lab['rows'].answer == P('y', 'x'))", "True 2 True")

    view.get_by_role("button", name="Next", exact=True).click()
    number(view, 1)
    for device in (4, 1):
        view.get_by_role("button", name=re.compile(f"^device {device} at")).click()
    view.get_by_role("button", name="Check").click()
    says(view, "Partly right.", "Device 1 holds 0:2 of dim 0, and 5 is not in it.")
    expect(view.get_by_role("button", name="device 4 at x=2, y=0, right")).to_be_visible()
    view.get_by_role("button", name=re.compile("^device 1 at")).click()
    view.get_by_role("button", name=re.compile("^device 5 at")).click()
    view.get_by_role("button", name="Check").click()
    says(view, "Right.")

    dot(view, "exercise 3 of 4").click()
    number(view, 2)
    for cell, value in (("row 0, column 0", "10"), ("row 0, column 1", "12")):
        view.get_by_label(cell).fill(value)
    view.get_by_label("row 0, column 1").press("Enter")
    says(view, "Right.")
    nb.ask_until("print(lab.current)", "2")

    # The last is answered by a cell, and the page shows the result.
    dot(view, "exercise 4 of 4").click()
    nb.ask("lab['fix'].answer = broken")
    says(view, "It still stops in the same way.")
    expect(view).to_contain_text("ShardingTypeError raised by JAX")
    assert "fix: not yet, after 1 attempt" in nb.ask("lab['fix'].check()")
    nb.ask("lab['fix'].answer = lambda a, b: jnp.matmul(a, b, out_sharding=P('x', None))")
    says(view, "Right.", "2 attempts, passed")
    expect(view).to_contain_text("4 of 4 passed")
    assert nb.ask(CHECK) == "all 4"


def test_progress_survives_run_all_a_reload_and_another_kernel(lab, jupyter):
    nb = lab('lab["holders"].answer = {4, 5}')
    view = views(nb.page).first
    answer(view, "x", "y")
    says(view, "1 attempt")
    file = jupyter.root / "test_progress_survives_run_all_a_reload_and_another_kernel-ada-exercises.json"
    record = json.loads(file.read_text())
    assert [e["attempts"] for e in record["exercises"]] == [1, 1, 0, 0]

    nb.run_all()
    view = views(nb.page).first
    says(view, "last try", "leave", "1 attempt")
    expect(view).to_contain_text("1 of 4 passed")
    assert json.loads(file.read_text()) == record

    # A page that is loaded again finds the same kernel, and continues.
    nb.command("docmanager:save")
    nb.page.reload()
    view = views(nb.page).first
    says(view, "last try", "1 attempt")
    view.get_by_role("button", name="Hint").click()
    says(view, "Divide.")
    record["exercises"][0]["hints"] = 1
    assert json.loads(nb.ask("import json; print(json.dumps(lab.record()))")) == record
    again = lab(name=record["set"])
    says(views(again.page).first, "last try", "1 attempt")
    again.ask_until("print(lab.passed, lab['holders'].answer == {4, 5})", "1 True")


def test_the_keyboard_alone_passes_an_exercise(lab):
    nb = lab()
    view, keys = views(nb.page), nb.page.keyboard
    dot(view, "exercise 1 of 4").focus()
    keys.press("ArrowRight")
    for _ in range(3):
        keys.press("Tab")
    keys.press("Enter")
    number(view, 3)
    dot(view, "exercise 2 of 4").focus()
    keys.press("Enter")
    number(view, 1)
    view.get_by_role("button", name=re.compile("^device 0 at")).focus()
    for key in ("ArrowDown", "ArrowDown", "Enter", "ArrowRight", "Space"):
        keys.press(key)
    check = view.get_by_role("button", name="Check")
    check.focus()
    keys.press("Enter")
    says(view, "Right.")
    nb.ask_until("lab['holders'].check(); print('passed')", "passed")


def test_a_saved_page_shows_what_was_done_and_asks_nothing(mesh, open_saved):
    exercises = [sw.Exercise.write_spec((8, 16), mesh, local_shape=(4, 4), name=name) for name in ("one", "two")]
    lab = sw.ExerciseSet(exercises, name="Lab", progress=False)
    lab["one"].answer = P("x", "y")
    view = views(open_saved(lab, viewport={"width": 1000, "height": 900}))
    says(view, "last try", "1 attempt")
    expect(view.get_by_role("button", name="Check")).to_be_disabled()
    expect(view).to_contain_text("answers are checked where the notebook runs")
    view.get_by_role("button", name="Next", exact=True).click()
    number(view, 1)
