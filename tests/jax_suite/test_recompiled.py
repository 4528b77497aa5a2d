"""What JAX compiled during a call and why: against JAX's own count of what it compiled."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import shardwidget as sw
from shardwidget import read
from tests.examples import examples


@pytest.fixture(scope="module")
def put():
    mesh = jax.make_mesh((4,), ("data",), axis_types=(AxisType.Auto,))
    return lambda a, *spec: jax.device_put(a, NamedSharding(mesh, P(*spec)))


def causes(found):
    return [[(c.what, c.path, c.before, c.now, c.more) for c in call.causes] for call in found.calls]


def test_each_cause_names_the_argument_and_what_it_was(put):
    def fresh():
        return jax.jit(lambda state, x, n=1: ({"w": state["w"] + x.sum() * n}, x * 2), static_argnames="n")

    w, x = put(np.ones((8, 8), np.float32), "data"), np.ones(4, np.float32)

    def against(*second, **named):
        step = fresh()
        found = read.recompiled(lambda: (step({"w": w}, x), step({"w": w}, x), step(*second, **named)))
        assert [call.function for call in found.calls] == ["<lambda>", "<lambda>"]
        assert [call.again for call in found.calls] == [False, True]
        assert not found.calls[0].causes
        return causes(found)[1]

    other = jax.device_put(w, NamedSharding(jax.make_mesh((2,), ("data",), axis_types=(AxisType.Auto,)), P("data")))
    path = "state['w']"
    assert against({"w": put(w, None, "data")}, x) == [("sharding", path, "P('data')", "P(None, 'data')", 0)]
    assert against({"w": np.asarray(w)}, x)[0] == ("sharding", path, "P('data')", "not committed to a device", 0)
    assert against({"w": other}, x) == [("mesh", path, "data=4 (Auto), devices 0–3", "data=2 (Auto), devices 0, 1", 0)]
    assert against({"w": w}, np.ones(5, np.float32)) == [("shape", "x", "(4,)", "(5,)", 0)]
    assert against({"w": w}, x.astype(np.int32)) == [("dtype", "x", "float32", "int32", 0)]
    assert against({"w": w}, x, n=3) == [("static", "n", "", "3", 0)]
    assert against({"w": w, "b": w}, x)[0][0] == "structure"


def test_a_function_that_is_made_anew_each_time(put):
    w = put(np.ones((8, 8), np.float32), "data")

    def train():
        for _ in range(3):
            jax.jit(lambda v: v * 2)(w)

    found = read.recompiled(train)
    assert [call.again for call in found.calls] == [False, True, True]
    assert causes(found)[1:] == [[("function", "", "", "", 0)]] * 2
    assert "make the function once" in str(found)
    assert str(found).startswith("train: compiled again: <lambda> 2 times. another function object")
    assert found.calls[0].file == "test_recompiled.py"


def test_options_and_contexts(put):
    w = put(np.ones((8, 8), np.float32), "data")

    def double(v):
        return v * 2

    def train():
        jax.jit(double)(w)
        jax.jit(double)(w)
        jax.jit(double, donate_argnums=0)(w + 0)
        with jax.default_matmul_precision("highest"):
            jax.jit(double)(w)

    found = read.recompiled(train)
    assert [[c.what for c in call.causes] for call in found.calls] == [[], ["options"], ["context"]]


_SHAPES = st.sampled_from([(4,), (8,), ()])
_CALL = st.tuples(_SHAPES, st.sampled_from(["float32", "int32"]), st.sampled_from([None, "data", "number"]))


@examples(20)
@given(st.lists(_CALL, min_size=1, max_size=4))
def test_compiled_as_often_as_jax_says(put, calls):
    step: Any = jax.jit(lambda x: x + 1)

    def argument(shape, dtype, how):
        if how == "number":
            return 1.5 if dtype == "float32" else 1
        array = np.ones(shape, dtype)
        return put(array, how) if how and shape else array

    arguments = [argument(*call) for call in calls]
    found = read.recompiled(lambda: [step(x) for x in arguments])
    assert len(found.calls) == step._cache_size()
    assert all(call.causes and all(c.what != "unknown" for c in call.causes) for call in found.again)


def test_what_is_not_a_function_is_refused():
    with pytest.raises(TypeError, match="give a function that makes the calls to compare"):
        read.recompiled("step")  # pyright: ignore[reportArgumentType]


def test_it_is_shown_and_written(put):
    w = put(np.ones((8, 8), np.float32), "data")
    step = jax.jit(jnp.sin)
    found = read.recompiled(lambda: (step(w), jnp.zeros(3) + 1))
    assert sw.load(found.to_json()) == found
    assert "none again" in str(found)
    assert "<table" in found._repr_html_()
    assert found.operations >= 1
    assert sw.show(found).document == found
