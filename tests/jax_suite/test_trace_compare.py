"""Where two traces begin to differ, and where a trace first has a NaN or an Inf."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import AbstractMesh, AxisType
from jax.sharding import PartitionSpec as P

from shardwidget import read

traced: Any = read.trace

AUTO = (AxisType.Auto,) * 2
MESH = jax.make_mesh((4, 2), ("x", "y"), axis_types=AUTO)
ONE = jax.make_mesh((1, 1), ("x", "y"), axis_types=AUTO, devices=jax.devices()[:1])
X = jnp.arange(2048.0).reshape(16, 128) / 64


def on(mesh, f, **options):
    return jax.shard_map(f, mesh=mesh, in_specs=P("x", "y"), out_specs=P("x", "y"), **options)


def looped(factor):
    def f(a):
        def body(i, h):
            g = jnp.sin(h)
            return g * (1 + (i == 2) * (factor - 1))

        return lax.fori_loop(0, 4, body, a)

    return f


def test_a_difference_is_told_in_a_few_lines():
    mine, other = (traced(on(MESH, looped(factor)), X) for factor in (1.0, 1.5))
    found = mine.compare(other)
    assert (found.iteration, found.source.text) == ((2,), "return g * (1 + (i == 2) * (factor - 1))")
    assert mine.steps[found.step].primitive == found.primitive
    text = str(found)
    assert len(text.splitlines()) <= 10
    assert f"step {found.step}, " in text
    assert ", iteration 2, on device 0\n" in text
    assert f"test_trace_compare.py:{found.source.line}  return g" in text


def test_the_element_that_differs_most_is_named():
    def f(at):
        return on(MESH, lambda a: a.at[1, 3].add(at), check_vma=False)

    found = traced(f(0.0), X).compare(traced(f(0.25), X))
    assert found.at in {(), (1, 3)}
    assert found.largest == 0.25


@pytest.mark.parametrize(
    ("mine", "other", "largest", "count"),
    [
        ([1.0, 2.0], [1.0, 2.5], 0.5, 1),
        ([1.0, np.nan], [1.0, 2.5], np.inf, 1),
        ([np.inf, np.nan], [np.inf, np.nan], None, 0),
        ([np.inf, 1.0], [-np.inf, 1.0], np.inf, 1),
        ([1 + 2j, 0], [1 + 1j, 0], 1.0, 1),
        ([True, False], [True, True], 1.0, 1),
        ([3, 2**30], [1, 2**30], 2.0, 1),
    ],
)
def test_differences_of_every_kind(mine, other, largest, count):
    f = jax.shard_map(lambda a: a, mesh=MESH, in_specs=P(), out_specs=P())
    found = traced(f, jnp.asarray(mine)).compare(traced(f, jnp.asarray(other)))
    if largest is None:
        assert found is None
        return
    assert found.largest == largest
    assert f"{count} of 2 elements differ" in str(found)


def local(a):
    h = jnp.sin(a)
    return h + 1


@pytest.mark.parametrize("reference", [ONE, AbstractMesh((1, 1), ("x", "y"), axis_types=AUTO)])
def test_a_reference_on_one_device_is_compared_by_global_values(reference):
    mine, right = traced(on(MESH, local), X), traced(on(reference, local), X)
    assert mine.compare(right) is None
    wrong = traced(on(reference, lambda a: local(a).at[9, 100].add(0.5)), X)
    found = mine.compare(wrong)
    assert (found.at, found.largest, found.device) == ((9, 100), 0.5, 0)
    assert found.mine.shape == X.shape


def test_a_reference_without_global_values_of_these_shapes_is_refused():
    mine, other = traced(on(MESH, local), X), traced(on(ONE, local), X[:8])
    with pytest.raises(ValueError, match="meshes of other devices, where only global values can be compared"):
        mine.compare(other)


def divided(a):
    b = a - a[0, 0]
    c = jnp.log(b)
    return jnp.exp(c)


def in_a_loop(a):
    return lax.fori_loop(0, 4, lambda i, h: jnp.where(i == 3, h / 0, h + 1), a)


NOT_FINITE = {
    "an infinity": (divided, {}, "log", -np.inf, ()),
    "no NaN": (divided, {"inf": False}, None, None, ()),
    "a NaN": (lambda a: jnp.sqrt(a - 5), {}, "sqrt", np.nan, ()),
    "in an iteration": (in_a_loop, {"nan": False}, "div", np.inf, (0,)),
    "on one device": (lambda a: jnp.where(lax.axis_index("x") == 2, jnp.nan, a), {}, "select_n", np.nan, ()),
    "narrow": (lambda a: a.astype(jnp.bfloat16) * 1e38 * 10, {}, "mul", np.inf, ()),
    "complex": (lambda a: jnp.real(a * (1j * jnp.nan)), {}, "mul", np.nan, ()),
    "integers": (lambda a: a.astype(jnp.int32) // 7, {}, None, None, ()),
}


@pytest.mark.parametrize("program", NOT_FINITE)
@pytest.mark.parametrize("engine", [None, "host"])
def test_the_first_value_that_is_not_finite(program, engine):
    f, options, primitive, value, iteration = NOT_FINITE[program]
    trace = traced(on(MESH, f), X, engine=engine)
    found = trace.first(**options)
    if primitive is None:
        assert found is None
        return
    step = trace.steps[found.step]
    assert (found.primitive, found.iteration) == (step.primitive, iteration)
    assert found.primitive == primitive or program in {"on one device", "complex"}
    made = {v.name: v for v in (*step.inputs, *step.outputs)}[found.name]
    assert not np.isfinite(made.value(found.device)[found.at])
    if program not in {"complex"}:
        np.testing.assert_equal(np.float32(found.value), np.float32(value))
    assert len(str(found).splitlines()) <= 10
    for earlier in trace.steps[: found.step]:
        for v in earlier.outputs:
            assert options or v.type[0] != "f" or np.all(np.isfinite(v.value(found.device).astype(float)))


def test_operands_are_named_with_their_ranges():
    text = str(traced(on(MESH, divided), X).first())
    assert text.startswith("c[0, 0] is -inf, first at step 4, log, on device 0\n")
    assert "c = jnp.log(b)" in text
    assert "b  f32[4,64]{V:(x,y)}  0 to " in text


def test_an_argument_that_is_not_finite_is_found_before_what_is_made_from_it():
    found = traced(on(MESH, local), X.at[3, 4].set(jnp.nan)).first()
    assert (found.name, found.step, found.at) == ("a", 0, (3, 4))
