"""Pictures from Python: PNG, GIF and SVG that plays, without a browser."""

import base64
import io
import re
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from functools import partial
from typing import Any

import jax
import numpy as np
import pytest
from jax.sharding import AbstractMesh, NamedSharding
from jax.sharding import PartitionSpec as P
from PIL import Image

import shardwidget as sw
from shardwidget import pipeline
from shardwidget.export import images, svg

A, B = np.arange(32, dtype=np.float32).reshape(8, 4), np.arange(16, dtype=np.float32).reshape(4, 4)


@pytest.fixture(scope="module")
def stepper():
    mesh = AbstractMesh((4, 2), ("x", "y"))

    def product(a, b):
        return jax.lax.psum(a @ b, "y")

    f = jax.shard_map(product, mesh=mesh, in_specs=(P("x", "y"), P("y", None)), out_specs=P("x", None))
    return sw.ShardMapStepper(f, A, B, step=3)


@pytest.fixture(scope="module")
def schedule():
    return sw.PipelineView(pipeline.gpipe(2, 2))


def opened(data: bytes) -> Any:
    return Image.open(io.BytesIO(data))


def test_a_png_is_the_svg_in_pixels(stepper, tmp_path):
    size = opened(stepper.to_png(width=480)).size
    found = re.search(r'width="(\d+)" height="(\d+)"', stepper.to_svg(width=480))
    assert found
    assert size == (2 * int(found[1]), 2 * int(found[2]))
    assert stepper.to_png(tmp_path / "f.png", width=480, scale=0.5) == str(tmp_path / "f.png")
    picture = opened((tmp_path / "f.png").read_bytes())
    assert picture.size == (int(found[1]) // 2, int(found[2]) // 2)
    light, dark = (
        np.asarray(opened(stepper.to_png(width=480, scale=0.5, theme=theme)).convert("L"))
        for theme in ("light", "dark")
    )
    assert light[-6, -6] == 255
    assert dark[-6, -6] < 40


@pytest.mark.parametrize("family", ['"DejaVu Sans Condensed", system-ui, sans-serif', "ui-monospace, monospace"])
def test_text_of_both_faces_is_drawn(family):
    text = '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="20">{}</svg>'
    word = f"<text x='2' y='15' font-family='{family}'>word</text>"
    assert images.png(text.format(word)) != images.png(text.format(""))


def test_a_machine_without_fonts_is_told(monkeypatch):
    monkeypatch.setattr(images, "_SANS", ("No Such Face",))
    monkeypatch.setattr(images, "_drawn", partial(images._drawn, skip_system_fonts=True))
    with pytest.raises(RuntimeError, match="no font to draw text with: none of No Such Face"):
        images.png('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')


def test_an_installed_font_comes_before_the_one_that_the_renderer_falls_back_to(monkeypatch):
    installed = images._font(images._SANS)
    monkeypatch.setattr(images, "_drawn", partial(images._drawn, serif_family=installed))
    assert images._font(("No Such Face", installed)) == installed
    assert images._font(("No Such Face", "Nor This One")) == "No Such Face"


def test_a_gif_shows_the_film_from_the_first_picture_to_the_last(stepper):
    data = stepper.to_gif(width=480, speed=0.5, rate=6)
    assert len(data) < 1_500_000
    movie = opened(data)
    assert movie.n_frames > 5
    assert movie.info["loop"] == 0
    times = []
    for k in range(movie.n_frames):
        movie.seek(k)
        times.append(movie.info["duration"])
    # Two devices add: 2,200 ms, at half speed, and the pauses around it.
    assert sum(times) == pytest.approx(500 + 2 * 2200 + 1200, abs=10)
    end = np.asarray(movie.convert("RGB"), int)
    still = np.asarray(opened(stepper.to_png(width=480, scale=1)).convert("RGB"), int)
    # The still picture leaves room for the highest step; both end in a margin and the frame.
    still = still[: len(end) - 20]
    end = end[: len(still)]
    assert np.abs(end - still).mean() < 1
    # What covers large areas has its own colours.
    assert (np.abs(end - still).max(-1) > 24).mean() < 0.01


def test_a_moving_svg_is_small_and_plays_without_a_script(stepper, tmp_path):
    text = stepper.to_svg(animate=True)
    assert len(text) < 150_000
    root = ET.fromstring(text)
    assert "script" not in text
    names = set(re.findall(r"@keyframes ([\w-]+)", text))
    assert names
    assert names == set(re.findall(r"[:,]([\w-]+) [\d.]+ms", text))
    classes = {e.get("class") for e in root.iter("{http://www.w3.org/2000/svg}g")}
    assert classes <= set(re.findall(r"\.(sw[\w-]+)\{", text))
    assert stepper.to_svg(tmp_path / "f.svg", animate=True, width=480) == str(tmp_path / "f.svg")


def test_several_steps_play_one_after_another(stepper):
    one, all_of_them = (
        svg.frames(stepper._state(complete=False), width=640, theme="light", speed=1, rate=5, steps=s)
        for s in ((3, 3), (0, 4))
    )
    assert one
    assert all_of_them
    assert sum(all_of_them.times) > sum(one.times) + 1000
    assert "0/4" in all_of_them.first
    assert "4/4" in all_of_them.parts[-1]


def test_a_schedule_moves(schedule):
    assert "@keyframes" in schedule.to_svg(animate=True)
    assert opened(schedule.to_gif(width=480, rate=5)).n_frames > 2


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"animate": True, "steps": range(3, 9)}, ValueError, "within range(5); got range(3, 9)"),
        ({"animate": True, "steps": range(0, 4, 2)}, ValueError, "steps that follow one another"),
        ({"animate": True, "steps": [1, 2]}, ValueError, "must be a range of steps"),
        ({"steps": range(1)}, ValueError, "steps= needs animate=True"),
        ({"animate": True, "speed": 0}, ValueError, "speed must be 0.05 to 20"),
        ({"animate": True, "width": 10}, ValueError, "width must be 200 to 10000"),
        ({"animate": True, "theme": "blue"}, ValueError, "theme must be 'light' or 'dark'"),
    ],
)
def test_options_that_are_not_legal_are_named(stepper, options, error, words):
    with pytest.raises(error, match=re.escape(words)):
        stepper.to_svg(**options)


def test_what_does_not_move_says_so(schedule):
    mesh = jax.make_mesh((2,), ("x",))
    f = jax.jit(jax.shard_map(lambda a: a * 2, mesh=mesh, in_specs=P("x"), out_specs=P("x")))
    abstract = jax.ShapeDtypeStruct((8,), np.float32, sharding=jax.NamedSharding(mesh, P("x")))
    with pytest.raises(ValueError, match="nothing moves in what this CompiledProgram shows"):
        sw.CompiledProgram(f, abstract).to_gif()
    assert not hasattr(sw.ArrayView(abstract), "to_gif")
    with pytest.raises(ValueError, match="a PipelineView plays what it shows"):
        schedule.to_gif(steps=range(1))
    with pytest.raises(ValueError, match="rate must be 1 to 50"):
        schedule.to_gif(rate=100)
    with pytest.raises(ValueError, match=r"scale must be 0\.25 to 8"):
        schedule.to_png(scale=20)


@pytest.mark.parametrize(
    ("missing", "save", "words"),
    [
        ("resvg_py", "to_png", 'writing a PNG needs resvg-py.*pip install "shardwidget\\[images\\]"'),
        ("PIL", "to_gif", 'needs Pillow.*pip install "shardwidget\\[images\\]"'),
        ("playwright.sync_api", "to_webm", "pip install playwright.*to_gif"),
    ],
)
def test_what_is_missing_is_said(schedule, monkeypatch, missing, save, words):
    monkeypatch.setitem(sys.modules, missing, None)
    images._font.cache_clear()
    with pytest.raises(ImportError, match=words):
        getattr(schedule, save)()


def chosen(kind: str, **options: Any) -> tuple[Any, dict[str, Any]]:
    """A card that asked for a picture, and what it got."""
    view: Any = sw.PipelineView(replace(pipeline.gpipe(2, 2), name="two / ranks"))
    view.comm.from_browser(_wanted={"n": 7, "kind": kind, "width": 480, "theme": "dark", **options})
    return view, [state["_picture"] for state in view.comm.states if state.get("_picture")][-1]


@pytest.mark.parametrize(
    ("kind", "suffix", "starts"),
    [("svg", "svg", b"<svg "), ("playing", "svg", b"<svg "), ("png", "png", b"\x89PNG"), ("gif", "gif", b"GIF89a")],
)
def test_a_card_asks_for_a_picture_and_gets_it(kind, suffix, starts):
    view, answer = chosen(kind)
    assert (answer["n"], answer["name"], answer["error"]) == (7, f"two-ranks.{suffix}", "")
    assert bytes(answer["data"]).startswith(starts)
    assert (b"@keyframes" in bytes(answer["data"])) == (kind == "playing")
    view.comm.from_browser(_wanted={})
    # Nothing of it stays in the state that a notebook saves.
    assert view._picture == {}


@pytest.mark.parametrize(
    ("kind", "options", "words"),
    [
        ("gif", {"width": 10}, "width must be 200 to 10000"),
        ("exe", {}, "a PipelineView cannot be saved as 'exe'"),
        ("svg", {"theme": "blue"}, "theme must be 'light' or 'dark'"),
    ],
)
def test_a_card_is_told_why_there_is_no_picture(kind, options, words):
    _, answer = chosen(kind, **options)
    assert words in answer["error"]
    assert answer["data"] is None


def test_an_exercise_is_drawn_with_its_question_and_what_came_of_an_answer(tmp_path):
    mesh = AbstractMesh((4, 2), ("x", "y"))
    exercise = sw.Exercise.write_spec((8, 16), mesh, local_shape=(4, 4), copies=1, name="halves")
    assert [kind for kind, _ in exercise._pictures] == ["svg", "png"]
    fresh = exercise.to_svg(width=480)
    for said in ("halves", "not answered yet"):
        assert said in fresh
    assert "[0:4, 0:4]" not in fresh
    exercise.answer = P("x", "y")
    assert {"Partly right. ", "not yet, 1 attempt"} <= set(ET.fromstring(exercise.to_svg(width=480)).itertext())
    exercise.to_png(tmp_path / "halves.png", width=480, scale=0.5, theme="dark")
    assert opened((tmp_path / "halves.png").read_bytes()).size[0] == 240


def test_a_set_is_drawn_as_it_is_on_screen_and_whole_where_nothing_can_be_opened():
    mesh = AbstractMesh((4, 2), ("x", "y"))
    one, two = (sw.Exercise.write_spec((8, 16), mesh, copies=n, name=f"copies {n}") for n in (1, 2))
    lab = sw.ExerciseSet([one, two], name="Lab", progress=False)
    lab.current = 1
    assert "copies 2" in lab.to_svg()
    assert "copies 1" not in lab.to_svg()
    lab["copies 1"].answer = P("x")
    html = lab._repr_mimebundle_()[0]["text/html"]
    pictures = [base64.b64decode(part.split('"')[0]).decode() for part in html.split("base64,")[1:]]
    assert [("1 of 2 · copies 1" in picture, "2 of 2 · copies 2" in picture) for picture in pictures] == [
        (True, False),
        (False, True),
    ]
    assert "not yet, 1 attempt" in pictures[0]
    whole: Any = lab._small_picture()
    for said in ("1 of 2 · copies 1", "2 of 2 · copies 2", "0 of 2 passed"):
        assert said in whole


@pytest.mark.parametrize("save", ["to_gif", "to_webm", "to_svg"])
def test_a_step_in_which_nothing_moves_says_so(stepper, save):
    still: Any = sw.ShardMapStepper(stepper.document, step=0)
    options = {"animate": True} if save == "to_svg" else {}
    with pytest.raises(ValueError, match=r"nothing moves in what this ShardMapStepper shows.*steps=range"):
        getattr(still, save)(width=480, **options)
    assert "@keyframes" in still.to_svg(width=480, animate=True, steps=range(2, 4))


def test_a_menu_offers_what_its_card_saves(stepper):
    assert [kind for kind, _ in stepper._pictures] == ["svg", "png", "playing", "gif", "webm"]
    still: Any = sw.ArrayView(AbstractMesh((2,), ("x",)))
    assert [kind for kind, _ in still._pictures] == ["svg", "png"]
    assert still._share


def test_a_menu_of_programs_offers_animations_where_one_plays():
    mesh = jax.make_mesh((2, 2), ("x", "y"))
    f = jax.shard_map(lambda a: jax.lax.psum(a, "y"), mesh=mesh, in_specs=P("x", "y"), out_specs=P("x"))
    program = sw.read.program(f, jax.ShapeDtypeStruct((4, 4), np.float32, sharding=NamedSharding(mesh, P("x", "y"))))
    both: Any = sw.CompiledProgram.compare({"one": program, "other": replace(program, name="other")})
    assert [kind for kind, _ in both._pictures] == ["svg", "png"]
    both.opened = 0
    assert [kind for kind, _ in both._pictures] == ["svg", "png", "playing", "gif", "webm"]
    assert "@keyframes" in both.to_svg(animate=True)
    both.page = "memory"
    assert [kind for kind, _ in both._pictures] == ["svg", "png"]
    groups: Any = sw.CompiledProgram("replica_groups={{0,1},{2,3}}", mesh=mesh)
    assert [kind for kind, _ in groups._pictures] == ["svg", "png"]
