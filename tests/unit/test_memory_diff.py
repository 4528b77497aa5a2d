"""``Memory.diff``: what a change does to the memory of a program, matched by the user's lines."""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import shardwidget as sw


def step(w: jax.Array, x: jax.Array) -> jax.Array:
    hidden = jnp.tanh(x @ w)
    return jnp.sum(hidden @ w.T)


def read(weights: P) -> sw.Memory:
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
    w = jax.ShapeDtypeStruct((256, 512), jnp.float32, sharding=NamedSharding(mesh, weights))
    x = jax.ShapeDtypeStruct((1024, 256), jnp.float32, sharding=NamedSharding(mesh, P("x")))
    return sw.read.memory(jax.grad(step), w, x, name="step")


def test_a_change_of_sharding_is_said_by_argument_and_line():
    copied, split = read(P()), read(P("x", "y"))
    diff = copied.diff(split)
    assert diff.difference == split.peak_bytes - copied.peak_bytes
    (w,) = (change for change in diff.changes if change.name == "w")
    assert (w.before, w.after, w.status) == (256 * 512 * 4, 256 * 512 * 4 // 8, "shrank")
    assert w.types == ("f32[256,512]", "f32[64,256]")
    # What differs and what does not are all that is alive.
    assert diff.same_bytes + sum(change.before for change in diff.changes) == copied.peak_bytes
    assert diff.same_bytes + sum(change.after for change in diff.changes) == split.peak_bytes
    assert sw.load(diff.to_json()) == diff
    text = str(diff)
    assert text.startswith("step: ")
    assert "f32[256,512] → f32[64,256]" in text
    assert "f32[256,512]" in diff._repr_html_()
    back = split.diff(copied)
    assert back.difference == -diff.difference
    sizes = {(c.before, c.after) for c in diff.changes}
    assert {(c.after, c.before) for c in back.changes} == sizes


def test_nothing_changed():
    memory = read(P("x"))
    diff = memory.diff(memory)
    assert diff.changes == ()
    assert str(diff).endswith("The same lines have the same bytes at both peaks.")
