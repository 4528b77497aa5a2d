"""How a function and its arguments are given, in readers and widgets alike, and the messages about wrong ones."""

import re
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import shardwidget as sw

MESH = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
X = jax.device_put(jnp.arange(64.0).reshape(8, 8), NamedSharding(MESH, P("x", "y")))


@partial(jax.jit, static_argnames=("times",))
def summed(a, *, scale, times):
    body = jax.shard_map(
        lambda b: jax.lax.psum(b * scale, "x") * times, mesh=MESH, in_specs=P("x", "y"), out_specs=P(None, "y")
    )
    return body(a)


@partial(jax.jit, static_argnums=2)
def laid_out(a, b, spec):
    return jax.lax.with_sharding_constraint(a @ b, NamedSharding(MESH, spec))


KWARGS = {"scale": 2.0, "times": np.int32(3)}


@pytest.mark.parametrize("engine", [None, "host"])
def test_a_trace_of_keyword_and_static_arguments(engine):
    trace = sw.read.trace(summed, X, kwargs=KWARGS | {"scale": jnp.float32(2)}, engine=engine)
    np.testing.assert_array_equal(trace.outputs, summed(X, **KWARGS))
    assert {"a", "scale"} <= {v.name for v in trace.variables}
    assert trace.engine == (engine or "mesh")


def test_a_comparison_of_keyword_and_static_arguments():
    arguments, *_ = sw.read.comparison(summed, X, kwargs=KWARGS | {"scale": jnp.float32(2)}).rows
    assert [value.name for value in arguments.values] == ["a", "scale"]


@pytest.mark.parametrize("spec", [P("x"), P("x", "y")])
def test_a_static_spec_is_not_taken_for_a_layout(spec):
    arguments, *rows = sw.read.comparison(laid_out, X, X, spec).rows
    assert [value.name for value in arguments.values] == ["a", "b"]
    concrete = rows[-1].values[0].concrete
    assert concrete is not None
    assert concrete.text == str(spec).replace("PartitionSpec", "P") or concrete.text == "P('x', None)"
    assert sw.read.program(laid_out, X, X, spec).collectives


def test_arguments_that_are_triples_stand_for_arrays():
    triple = ((8, 8), "float32", P("x", "y"))
    arguments, *_ = sw.read.comparison(lambda a, b, c: a @ b + c, triple, triple, triple, mesh=MESH).rows
    assert len(arguments.values) == 3


def test_a_program_of_keyword_and_static_arguments():
    one = sw.read.program(summed, X, kwargs=KWARGS)
    assert [c.kind for c in one.collectives] == ["all-reduce"]
    lowered = summed.lower(X, **KWARGS)
    both = sw.read.programs({"f": (summed, X), "lowered": lowered}, kwargs=KWARGS).programs
    assert [len(p.collectives) for p in both] == [1, 1]
    assert sw.read.time_program(summed, (X,), kwargs=KWARGS, n=1).runs == 1
    with pytest.raises(TypeError, match=r"already lowered for its arguments; it was given 2 more"):
        sw.read.program(lowered, kwargs=KWARGS)


def test_python_values_as_keywords_of_a_function_that_is_not_jitted():
    program = sw.read.program(lambda a, *, how: a.sum() if how == "sum" else a, X, kwargs={"how": "sum"})
    assert program.collectives


@pytest.mark.parametrize("widget", [sw.ShardMapStepper, sw.ShardingComparison, sw.CompiledProgram, sw.show])
def test_widgets_pass_keyword_arguments_on(widget):
    view = widget(summed, X, kwargs=KWARGS)
    assert "summed" in repr(view)
    if isinstance(view, sw.CompiledProgram):
        view.time(n=1)


def test_programs_side_by_side_are_measured_with_their_keyword_arguments():
    both = sw.CompiledProgram.compare({"one": (summed, X)}, kwargs=KWARGS)
    assert list(both.time(n=1)) == ["one"]  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("widget", [sw.ShardMapStepper, sw.ShardingComparison, sw.CompiledProgram, sw.show])
def test_a_keyword_meant_for_the_function_is_sent_to_kwargs(widget):
    hint = r"no argument 'scale'\..* To pass scale on to summed, give kwargs=\{'scale': …\}\."
    with pytest.raises(TypeError, match=hint):
        widget(summed, X, scale=2.0)


def test_a_function_of_nothing_on_a_mesh_shows_what_it_is_compiled_to():
    view = sw.show(jnp.matmul, jnp.ones((8, 8)), jnp.ones((8, 8)))
    assert isinstance(view, sw.CompiledProgram)
    assert view.page == "memory"
    with pytest.raises(ValueError, match="there is no mesh"):  # A comparison was asked for.
        sw.show(jnp.matmul, jnp.ones((8, 8)), jnp.ones((8, 8)), compiled="auto")


def test_an_object_without_a_call_takes_no_arguments():
    with pytest.raises(TypeError, match="show takes one object, or a function and its arguments"):
        sw.show(X, kwargs={"a": 1})


def widgets():
    exercise = sw.Exercise.write_spec((8, 8), MESH, gives=P("x"))
    return {
        "ArrayView": partial(sw.ArrayView, X),
        "ShardMapStepper": partial(sw.ShardMapStepper, summed, X, kwargs=KWARGS),
        "ShardingComparison": partial(sw.ShardingComparison, X),
        "CompiledProgram": partial(sw.CompiledProgram, sw.read.program(summed, X, kwargs=KWARGS)),
        "CompiledProgram.compare": partial(
            sw.CompiledProgram.compare, {"f": sw.read.program(summed, X, kwargs=KWARGS)}
        ),
        "SpecPlayground": partial(sw.SpecPlayground, X),
        "Exercise": partial(sw.Exercise.write_spec, (8, 8), MESH, gives=P("x")),
        "ExerciseSet": partial(sw.ExerciseSet, [exercise], name="set", progress=False),
    }


@pytest.mark.parametrize("name", widgets())
def test_every_widget_takes_the_traits_of_an_ipywidget_and_refuses_what_nobody_knows(name):
    make = widgets()[name]
    view = make(layout={"width": "50%"}, tooltip="hello")
    assert (view.layout.width, view.tooltip) == ("50%", "hello")
    with pytest.raises(TypeError, match=rf"{name}(\.__init__)? has no argument 'layuot'\. Did you mean 'layout'\?"):
        make(layuot={})


@pytest.mark.parametrize("name", widgets())
def test_a_misspelt_attribute_is_refused_with_the_name_that_was_meant(name):
    view = widgets()[name]()
    words = re.escape(f"{type(view).__name__} has no attribute 'tootlip'. Did you mean 'tooltip'?")
    with pytest.raises(AttributeError, match=words):
        view.tootlip = "x"
    view.tooltip = "x"


def test_the_attribute_that_was_meant_is_named():
    view = sw.ArrayView(X)
    with pytest.raises(AttributeError, match=r"Did you mean 'array'"):
        view.aray = X


def test_the_bytes_kept_are_chosen_at_the_widget():
    large = jnp.ones((128, 32))  # Blocks of 32 rows and 16 columns: more than the corner that is always there.
    assert "keep= allows 64 bytes" in sw.ShardMapStepper(summed, large, kwargs=KWARGS, keep=64).document.note
    assert not sw.ShardMapStepper(summed, X, kwargs=KWARGS, keep=64).document.note
