"""``read.remedies``: what is offered was compiled, and lowers the peak as it says."""

import jax
import jax.numpy as jnp
import pytest
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

import shardwidget as sw
from shardwidget import read
from tests.models import eight

MESH = eight()


def typed(shape, *spec):
    return jax.ShapeDtypeStruct(shape, "float32", sharding=NamedSharding(MESH, P(*spec)))


def step(w, x):
    return w - 0.1 * jnp.tanh(x @ w).sum(axis=0), x.sum()


W, X = typed((256, 256), None, "model"), typed((64, 256), "data")


def test_a_donation_is_offered_with_the_peak_that_it_gives():
    found = {remedy.code: remedy for remedy in read.remedies(step, W, X)}
    remedy = found["jax.jit(step, donate_argnums=0)"]
    assert remedy.before == read.memory(step, W, X).peak_bytes
    assert remedy.after == read.memory(jax.jit(step, donate_argnums=0), W, X).peak_bytes < remedy.before


def test_another_spec_is_offered_with_the_peak_that_it_gives():
    (remedy,) = (r for r in read.remedies(step, W, X) if r.what == "split argument 0")
    assert remedy.code == "argument 0: P('data', 'model')"
    assert remedy.after == read.memory(step, typed((256, 256), "data", "model"), X).peak_bytes < remedy.before


def test_what_is_donated_already_stays_so_and_is_not_offered():
    donating = jax.jit(step, donate_argnums=0)
    found = read.remedies(donating, W, X)
    assert all("donate argument 0" not in remedy.what for remedy in found)
    assert all(remedy.before == read.memory(donating, W, X).peak_bytes for remedy in found)


def test_nothing_is_offered_where_nothing_helps():
    told = []
    x = typed((8,), ("data", "model"))
    assert read.remedies(lambda x: x.sum(), x, progress=lambda *at: told.append(at)) == ()
    assert told == [(0, 1)]


def test_what_is_no_function_is_refused():
    with pytest.raises(TypeError, match="this is a Lowered"):
        read.remedies(jax.jit(step).lower(W, X))  # pyright: ignore[reportArgumentType]


def test_the_widget_asks_for_its_function_and_says_where_there_is_none():
    view = sw.CompiledProgram(step, W, X)
    assert view.remedies() == read.remedies(step, W, X)
    with pytest.raises(ValueError, match="give it and its arguments"):
        sw.CompiledProgram(jax.jit(step).lower(W, X)).remedies()
