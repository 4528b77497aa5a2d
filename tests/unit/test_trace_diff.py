"""Two traces step by step: where they part, who holds what there."""

import jax
import jax.numpy as jnp
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
    assert diff.verdict == f"halo differs first: step {step.step}, ppermute, on all 4 devices"
    assert diff.cause == f"line {line} sends to i \N{MINUS SIGN} 1, the reference to i + 1"


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


def test_devices_that_follow_one_another_are_named_as_a_range():
    def below(most):
        return trace(lambda u: u + (lax.axis_index("x") < most))

    assert below(3).diff(below(0)).verdict.endswith(", on devices 0 to 2")
    assert below(2).diff(below(0)).verdict.endswith(", on devices 0, 1")


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
    assert text[1] == diff.cause
    assert text[2].startswith("halo, device 0: mine ")
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


MESH = AbstractMesh((2, 4), ("x", "y"), (AxisType.Auto,) * 2)
X = np.arange(64, dtype=np.float32).reshape(8, 8) ** 2 / 7


def mapped(f, out=None, **given):
    specs = {"in_specs": P("x", "y"), "out_specs": P("x") if out is None else out}
    return read.trace(jax.shard_map(f, mesh=MESH, **specs, check_vma=False), X, **given)


def mean(x):
    part = x.sum(axis=1)
    total = lax.psum(part, "y")
    return total / 8


def no_sum(x):
    part = x.sum(axis=1)
    total = part
    return total / 8


def over_x(x):
    part = x.sum(axis=1)
    total = lax.psum(part, "x")
    return total / 8


def over_both(x):
    part = x.sum(axis=1)
    total = lax.psum(part, ("x", "y"))
    return total / 8


def twice(x):
    part = x.sum(axis=1)
    total = lax.psum(part, "y")
    total = lax.psum(total, "y")
    return total / 8


def nested(x):
    part = x.sum(axis=1)
    total = lax.psum(lax.psum(part, "y"), "y")
    return total / 8


def scale(x):
    part = x.sum(axis=1)
    total = lax.psum(part, "y")
    return total / 4


def greatest(x):
    part = x.sum(axis=1)
    total = lax.pmax(part, "y")
    return total / 8


def of_means(x):
    part = x.sum(axis=1)
    total = lax.pmean(part, "y")
    return total / 8


def coarse(x):
    part = x.astype(jnp.bfloat16).sum(axis=1)
    total = lax.psum(part, "y")
    return total / 8


def whole(x):
    part = x.sum(axis=1).astype(jnp.int32)
    total = lax.psum(part, "y")
    return total / 8


def renamed(x):
    p = x.sum(axis=1) * x[0, 0]
    total = lax.psum(p, "y")
    return total / 8


def line(f, n: int) -> int:
    return f.__code__.co_firstlineno + n


@pytest.mark.parametrize(
    ("f", "said"),
    [
        (no_sum, f"line {line(mean, 2)} of the reference has psum over y, mine has none"),
        (over_x, f"line {line(over_x, 2)} has psum over x, the reference over y"),
        (over_both, f"line {line(over_both, 2)} has psum over x and y, the reference over y"),
        (
            twice,
            f"psum over y is in lines {line(twice, 2)} and {line(twice, 3)}, "
            f"in the reference in line {line(mean, 2)} alone",
        ),
        (nested, f"psum over y is in line {line(nested, 2)} 2 times, in the reference in line {line(mean, 2)} alone"),
        (scale, f"line {line(scale, 3)} computes with 4, the reference with 8"),
        (greatest, f"line {line(greatest, 2)} has pmax over y, the reference psum over y"),
        (of_means, f"line {line(of_means, 2)} has pmean, the reference psum"),
        (coarse, f"line {line(coarse, 1)} goes through bf16, the reference does not"),
        (whole, f"line {line(whole, 1)} goes through i32, the reference does not"),
        (renamed, ""),
    ],
)
def test_what_is_done_otherwise_where_values_part(f, said):
    assert mapped(f).diff(mapped(mean)).cause == said


def test_what_the_reference_lacks_is_said_of_the_program():
    assert mapped(mean).diff(mapped(no_sum)).cause == (f"line {line(mean, 2)} has psum over y, the reference has none")


def test_another_format_is_named():
    coarse, fine = (trace(lambda u, to=to: u.astype(to) / 7) for to in (jnp.bfloat16, jnp.float16))
    assert coarse.diff(fine).cause.endswith(" computes in bf16, the reference in f16")


def test_a_line_that_is_only_called_otherwise_is_no_cause():
    diff = mapped(renamed).diff(mapped(mean))
    assert diff.cause == ""
    assert diff.verdict.endswith(f"; line {line(renamed, 1)} is another than line {line(mean, 1)} of the reference")


def test_specs_that_cut_another_way_are_named():
    def block(x):
        return x

    mesh, specs = MESH, (P("x", "y"), P("y", "x"))
    cut = [jax.shard_map(block, mesh=mesh, in_specs=spec, out_specs=P("x", "y")) for spec in specs]
    a, b = (read.trace(f, X) for f in cut)
    assert a.diff(b).cause == "in_specs has P('x', 'y'), in the reference P('y', 'x')"


def sent(pairs):
    return trace(lambda u: lax.ppermute(u, "x", pairs))


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ([(i, (i - 1) % 4) for i in range(4)], "i \N{MINUS SIGN} 1"),
        ([(i, (i + 2) % 4) for i in range(4)], "i + 2"),
        ([(i, i + 1) for i in range(3)], "i + 1, not round the end"),
        ([(i + 1, i) for i in range(3)], "i \N{MINUS SIGN} 1, not round the end"),
        ([(i, 3 - i) for i in range(4)], "3 \N{MINUS SIGN} i"),
        ([(i, i) for i in range(4)], "itself"),
    ],
)
def test_where_a_permutation_sends_to_is_a_rule(pairs, said):
    around = sent([(i, (i + 1) % 4) for i in range(4)])
    assert sent(pairs).diff(around).cause.endswith(f" sends to {said}, the reference to i + 1")


def test_a_permutation_without_a_rule_is_not_explained():
    around = sent([(i, (i + 1) % 4) for i in range(4)])
    assert "sends to" not in sent([(0, 1), (1, 0), (2, 3)]).diff(around).cause
