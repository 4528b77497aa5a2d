"""Two traces step by step: where they part, who holds what there."""

import jax
import numpy as np
import pytest
from jax import lax
from jax.sharding import AbstractMesh, AxisType
from jax.sharding import PartitionSpec as P

import shardwidget as sw
from shardwidget import read
from tests.diffs import halos

U = np.arange(32, dtype=np.float32).reshape(8, 4)


def trace(f, size: int = 4):
    mesh = AbstractMesh((size,), ("x",), (AxisType.Auto,))
    return read.trace(jax.shard_map(f, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False), U)


def scaled(u):
    total = lax.psum(u.sum(), "x")
    return u / total


def local(u):
    total = u.sum()
    return u / total


def test_the_first_step_that_differs_with_its_devices_and_lines():
    diff = halos()
    step = diff.steps[diff.first]
    assert (step.primitive, step.name, step.devices) == ("ppermute", "halo", (0, 1, 2, 3))
    assert all(not one.parted for one in diff.steps[: diff.first])
    line = diff.mine.other[0]
    assert "(i - 1)" in diff.mine.lines[line - diff.mine.first_line]
    assert diff.verdict == (
        f"halo differs first: step {step.step}, ppermute, on all 4 devices; "
        f"line {line} is another than line {diff.reference.other[0]} of the reference"
    )


def test_cells_are_those_of_the_values_and_say_who_sent_them():
    diff = halos()
    first = diff.steps[diff.first].cells
    u = np.arange(32).reshape(8, 4) * 7 % 10
    for cells in first:
        back, on = (cells.device + 1) % 4, (cells.device - 1) % 4
        assert cells.mine == tuple(map(str, u[2 * back + 1]))
        assert cells.reference == tuple(map(str, u[2 * on + 1]))
        assert cells.origins == cells.senders == (back, on)
        assert cells.count == len(cells.parted) == np.sum(u[2 * back + 1] != u[2 * on + 1])


def test_it_agrees_with_compare():
    mine, reference = trace(scaled), trace(local)
    found = mine.compare(reference)
    diff = mine.diff(reference)
    assert found is not None
    step = diff.steps[diff.first]
    assert (step.step, step.name) == (found.step, found.name)
    assert found.device in step.devices
    assert step.total == 4
    assert mine.diff(mine).first == -1
    assert mine.diff(mine).verdict.startswith("no difference in ")


def test_tolerances_are_those_of_compare():
    near = trace(lambda u: u * np.float32(1.00001))
    other = trace(lambda u: u * np.float32(1))
    assert near.diff(other, rtol=1e-3).first == near.diff(other, rtol=1e-3).first == -1
    assert near.compare(other, rtol=1e-7) is not None
    diff = near.diff(other, rtol=1e-7)
    assert diff.first >= 0


def test_a_value_has_the_name_that_each_of_both_gives_it():
    diff = trace(lambda u: u * np.float32(2)).diff(trace(lambda u: u * np.float32(3)))
    step = diff.steps[diff.first]
    assert (step.name, step.counterpart) == ("u * float32(2)", "u * float32(3)")


def test_on_other_meshes_global_values_are_compared():
    diff = trace(scaled, 4).diff(trace(lambda u: u / u.sum(), 1))
    assert all(cells.device == -1 for step in diff.steps for cells in step.cells)
    one = AbstractMesh((1,), ("x",), (AxisType.Auto,))
    doubled = read.trace(jax.shard_map(lambda v: v * 2, mesh=one, in_specs=P("x"), out_specs=P("x")), U[:4])
    with pytest.raises(ValueError, match="where only global values can be compared"):
        trace(scaled, 4).diff(doubled)


def test_text_widget_picture_and_page():
    diff = halos()
    text = repr(diff).splitlines()
    assert text[0].startswith("mine_halo → reference_halo: halo differs first: step ")
    assert text[1].startswith("halo, device 0: mine ")
    view = sw.show(diff)
    assert isinstance(view, sw.DiffView)
    assert "<svg" in view.to_svg()
    view.selection = 0
    with pytest.raises(Exception, match="selection must be -1 for the first row, or 0 to"):
        view.selection = 99
    assert sw.load(view.to_html()) == diff
    with pytest.raises(TypeError, match="DiffView shows what differs between two documents"):
        sw.DiffView(trace(scaled))  # pyright: ignore[reportArgumentType]


def test_a_reference_that_stops_is_said_to():
    def wrong(u):
        return lax.psum(u, "y")

    said = trace(scaled).diff(trace(wrong)).verdict
    assert said.startswith("wrong stops at step 1: NameError; no difference in 1 step")
