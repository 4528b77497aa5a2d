"""``RunView`` on the Python side: what it measures, takes, refuses and saves; ``CompiledProgram.profile``."""

import json
import re
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P
from traitlets import TraitError

import shardwidget as sw
from shardwidget.export import run as text
from shardwidget.export import svg
from tests.markup import Parsed
from tests.runs import RUNS, alone, compared, hostile, many, step


def put(*spec) -> jax.Array:
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2, devices=jax.devices()[:8])
    return jax.device_put(np.ones((8, 8), np.float32), NamedSharding(mesh, P(*spec)))


def product(a, b):
    return jnp.sin(a) @ b


INNER = put(None, "y"), put("y", None)


def test_a_function_is_measured_and_shown():
    view = sw.RunView(product, *INNER, n=2)
    run = view.document
    assert isinstance(run, sw.Run)
    assert [c.kind for c in run.collectives] == ["all-reduce"]
    assert len(run.seconds) == 2
    assert view._document["kind"] == "run"
    assert "Measured on 8 CPU devices, 2 calls" in repr(view)


def test_profile_of_a_compiled_program_is_a_run():
    view = sw.CompiledProgram(product, *INNER)
    run = view.profile(n=1)
    assert isinstance(run, sw.Run)
    assert run.collectives[0].axes == ("y",)
    several = sw.CompiledProgram.compare({"a": (product, *INNER), "b": jax.jit(product).lower(*INNER)})
    with_one = several.profile(n=1)
    assert isinstance(with_one, dict)
    assert list(with_one) == ["a"]


def test_what_cannot_be_called_is_not_profiled():
    with pytest.raises(ValueError, match="cannot be called"):
        sw.CompiledProgram(sw.read.program(product, *INNER)).profile()


def test_documents_are_shown_under_another_name():
    assert repr(sw.RunView(step(), name="mine")).startswith("mine: 5.8 % of the time is waiting")


def test_compare_measures_and_takes_runs():
    view = sw.RunView.compare({"old": step(), "new": (product, *INNER)}, n=1)
    assert repr(view).splitlines()[0] == "2 runs: old, new"


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ([step()], TypeError, "by name, in a dict.* got a list"),
        ({}, ValueError, "there are no runs to compare"),
        ({"a": 3}, TypeError, "'a' is a int"),
    ],
)
def test_compare_says_what_it_takes(given, error, words):
    with pytest.raises(error, match=words):
        sw.RunView.compare(given)


def test_traits_are_checked():
    view = sw.RunView(step(), call=1, selection={"collective": 1})
    with pytest.raises(TraitError, match="call must be None or a call, 0 to 1; got 2"):
        view.call = 2
    with pytest.raises(TraitError, match=r'selection must be None or \{"collective": 0 to 1\}; got 1'):
        view.selection = 1
    with pytest.raises(TraitError, match="call must be None: each run shows its median call"):
        sw.RunView(compared()).call = 0


def test_a_trace_for_perfetto(tmp_path):
    path = tmp_path / "step.json"
    assert sw.RunView(step()).to_trace(path) == str(path)
    events = json.loads(path.read_text())["traceEvents"]
    assert {"all-reduce over y", "waiting over y", "line 8"} <= {e["name"] for e in events}
    assert json.loads(sw.RunView(step()).to_trace())["traceEvents"] == events
    with pytest.raises(ValueError, match="several runs are shown"):
        sw.RunView(compared()).to_trace()


@pytest.mark.parametrize("name", RUNS)
def test_every_run_is_a_page_a_picture_a_table_and_text(name):
    view = sw.RunView(RUNS[name]())
    page = view.to_html()
    assert "<script>alert(1)</script>" not in page
    assert Parsed(view._table()).elements
    assert "alert(1)</script><script>" not in view._table()
    if svg.available():
        assert view.to_svg(width=600).startswith("<svg")


def test_words_say_who_is_waited_for():
    assert "Device 7 is waited for most often" in text.picture(step(slow=7))
    assert "Device 37 is waited for most often" in text.picture(many())
    assert "did not run" in text.picture(replace(step(), collectives=(replace(step().collectives[0], times=0),)))
    assert "<b>f</b>" not in text.table(hostile())


def test_the_first_line_says_what_takes_the_time():
    first = lambda run: text.picture(run).splitlines()[0]  # noqa: E731
    one = alone()
    assert first(one) == "alone: line 8 takes 47 % of 642 µs per call"
    assert first(step()) == "train_step: 5.8 % of the time is waiting for others: most in all-reduce over y, in line 8"
    sure = replace(step(), shares=replace(step().shares, waiting=0.04))
    assert first(sure) == "train_step: line 8 takes 34.4 % of 1.04 ms per call"
    slow = replace(step().collectives[0], call_s=600e-6)
    assert first(replace(sure, collectives=(slow,))).startswith("train_step: all-reduce over y in line 8 takes 57.7 %")
    idle = replace(one, shares=replace(one.shares, idle=0.6))
    assert first(idle) == "alone: 60 % of 642 µs per call has no event on a device; line 8 takes 47 %"


def test_a_program_without_collectives_lists_its_lines():
    lines = text.picture(alone()).splitlines()
    assert lines[2].split() == ["line", "computes/call", "of", "a", "call"]
    assert [line.split(":")[0] for line in lines[3:6]] == ["8", "9", "14"]
    assert "collectives" not in "".join(lines)
    assert "Computes, by line: 8 (34.4 %), 10 (14.4 %)." in text.picture(step())


def test_lines_of_several_files_have_their_file():
    one = alone()
    first, *others = one.lines
    several = replace(one, lines=(replace(first, source=replace(first.source, file="layers.py")), *others))
    said = text.picture(several).splitlines()
    assert said[0] == "alone: line 8 of layers.py takes 47 % of 642 µs per call"
    assert [line.split(": ")[0] for line in said[3:5]] == ["layers.py:8", f"{others[0].source.file}:9"]


def test_shares_are_of_the_seconds_that_are_said():
    one = alone()
    late = replace(one, seconds=(600e-6, 650e-6, 600e-6, 4 * 600e-6))
    said = re.match(r"alone: line 8 takes ([\d.]+) % of ([\d.]+) ms per call \(median 625 µs\)", text.picture(late))
    assert said
    share, took = float(said[1]) / 100, float(said[2]) * 1e-3
    assert took == pytest.approx(float(np.mean(late.seconds)), rel=0.01)
    assert share * took == pytest.approx(late.lines[0].call_s, rel=0.01)


def test_a_users_error_is_the_users():
    def fails(x):
        return lax.psum(x, "nowhere")

    with pytest.raises(NameError):
        sw.RunView(fails, 1.0)
