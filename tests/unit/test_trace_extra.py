"""What one of two statements does and the other does not."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import AbstractMesh, AxisType
from jax.sharding import PartitionSpec as P

from shardwidget import read
from shardwidget.findings.trace_extra import extra, statement

MESH = AbstractMesh((4,), ("x",), (AxisType.Auto,))
RANDOM = np.random.default_rng(0)
Q, K, V = (RANDOM.normal(size=(8, 4)).astype(np.float32) for _ in range(3))


def made(text):
    found = statement(text.split("\n"), 1, 1)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("more", "less", "does"),
    [
        ("s = (q @ k.T) * scale", "s = q @ k.T", "multiply by scale"),
        ("s = 2 * q", "s = q", "multiply by 2"),
        ("y = lax.psum(p, 'x') / 4", "y = lax.psum(p, 'x')", "divide by 4"),
        ("p = jnp.exp(s - m[:, None])", "p = jnp.exp(s)", "subtract m[:, None]"),
        ("loss = jnp.log(z) + m - picked", "loss = jnp.log(z) - picked", "add m"),
        ("v = (c * c).mean()", "v = c.mean()", "square c"),
        ("v = c**2", "v = c", "square c"),
        ("y = y + y", "y = y", "double y"),
        ("return -x", "return x", "change the sign of x"),
        ("h = x @ w.T", "h = x @ w", "transpose w"),
        ("h = (x @ w) @ u", "h = x @ w", "multiply by the matrix u"),
        ("return loss.mean()", "return loss", "take the mean"),
        ("g = jax.nn.softmax(x @ w, axis=-1)", "g = x @ w", "apply jax.nn.softmax"),
        ("h = jnp.where(keep, h, 0)", "h = h", "apply jnp.where"),
        ("return a, b * 2", "return a, b", "multiply by 2"),
        ("s = (\n    q / n  # to\n)", "s = q", "divide by n"),
    ],
)
def test_one_operation_more(more, less, does):
    found = extra(made(more), made(less))
    assert found is not None
    assert found.does == does
    assert extra(made(less), made(more)) is None


@pytest.mark.parametrize(
    ("more", "less"),
    [
        ("s = jnp.exp(q - m) / z", "s = jnp.exp(q)"),
        ("s = q * a", "s = k"),
        ("s = a + b + c", "s = d + e"),
        ("s = m - q", "s = q"),
        ("s = q * 2", "s = q / 2"),
        ("s = q.astype(jnp.bfloat16)", "s = q"),
        ("s = q.sum(axis=1)", "s = q.sum()"),
        ("s = q[:2]", "s = q"),
    ],
)
def test_what_is_more_or_other_than_that_is_not_said(more, less):
    assert extra(made(more), made(less)) is None


def test_a_line_of_its_own_does_it_to_the_value_of_its_name():
    does = [extra(made(text), None) for text in ("h = jax.nn.relu(h)", "h /= 4", "h = jax.nn.relu(u)", "use(h)")]
    assert [way and way.does for way in does] == ["apply jax.nn.relu", "divide by 4", None, None]


@pytest.mark.parametrize("text", ["for i in range(n):", "def f(x):", "if x:"])
def test_what_makes_no_value_is_no_statement(text):
    assert statement([text, "    pass"], 1, 1) is None
    assert statement([text], 1, 1) is None


def attention(q, k, v):
    n = lax.axis_size("x")
    to = [(j, (j + 1) % n) for j in range(n)]
    o, z, m = jnp.zeros_like(q), jnp.zeros(q.shape[0]), jnp.full(q.shape[0], -jnp.inf)
    for _ in range(n):
        s = (q @ k.T) * q.shape[-1] ** -0.5
        new = jnp.maximum(m, s.max(-1))
        p = jnp.exp(s - new[:, None])
        old = jnp.exp(m - new)
        z = z * old + p.sum(-1)
        o = o * old[:, None] + p @ v
        m = new
        k, v = (lax.ppermute(t, "x", to) for t in (k, v))
    return o / z[:, None]


def unscaled(q, k, v):
    n = lax.axis_size("x")
    to = [(j, (j + 1) % n) for j in range(n)]
    o, z, m = jnp.zeros_like(q), jnp.zeros(q.shape[0]), jnp.full(q.shape[0], -jnp.inf)
    for _ in range(n):
        s = q @ k.T
        new = jnp.maximum(m, s.max(-1))
        p = jnp.exp(s - new[:, None])
        old = jnp.exp(m - new)
        z = z * old + p.sum(-1)
        o = o * old[:, None] + p @ v
        m = new
        k, v = (lax.ppermute(t, "x", to) for t in (k, v))
    return o / z[:, None]


def forgetful(q, k, v):
    n = lax.axis_size("x")
    to = [(j, (j + 1) % n) for j in range(n)]
    o, z, m = jnp.zeros_like(q), jnp.zeros(q.shape[0]), jnp.full(q.shape[0], -jnp.inf)
    for _ in range(n):
        s = (q @ k.T) * q.shape[-1] ** -0.5
        new = jnp.maximum(m, s.max(-1))
        p = jnp.exp(s - new[:, None])
        old = jnp.exp(m - new)
        z = z + p.sum(-1)
        o = o * old[:, None] + p @ v
        m = new
        k, v = (lax.ppermute(t, "x", to) for t in (k, v))
    return o / z[:, None]


def norm(x, g, _):
    mean = lax.pmean(x.mean(-1, keepdims=True), "x")
    c = x - mean
    del mean
    var = lax.pmean((c * c).mean(-1, keepdims=True), "x")
    return c * lax.rsqrt(var + 1e-6) * g


def uncentred(x, g, _):
    mean = lax.pmean(x.mean(-1, keepdims=True), "x")
    c = x
    del mean
    var = lax.pmean((c * c).mean(-1, keepdims=True), "x")
    return c * lax.rsqrt(var + 1e-6) * g


def unscaled_norm(x, g, _):
    mean = lax.pmean(x.mean(-1, keepdims=True), "x")
    c = x - mean
    del mean
    var = lax.pmean((c * c).mean(-1, keepdims=True), "x")
    return c * lax.rsqrt(var + 1e-6)


def entropy(logits, picked, _):
    m = lax.pmax(logits.max(), "x")
    z = lax.psum(jnp.exp(logits - m).sum(), "x")
    return jnp.log(z) + m - picked


def unshifted(logits, picked, _):
    m = lax.pmax(logits.max(), "x")
    z = lax.psum(jnp.exp(logits).sum(), "x")
    return jnp.log(z) + m - picked


def experts(x, w, _):
    sent = lax.all_to_all(x.repeat(2, 0), "x", 0, 0, tiled=True)
    h = sent @ w.T
    return lax.all_to_all(h, "x", 0, 0, tiled=True)


def activated(x, w, _):
    sent = lax.all_to_all(x.repeat(2, 0), "x", 0, 0, tiled=True)
    h = sent @ w.T
    h = jax.nn.relu(h)
    return lax.all_to_all(h, "x", 0, 0, tiled=True)


def scaled_later(q, k, v):
    n = lax.axis_size("x")
    to = [(j, (j + 1) % n) for j in range(n)]
    o, z, m = jnp.zeros_like(q), jnp.zeros(q.shape[0]), jnp.full(q.shape[0], -jnp.inf)
    for _ in range(n):
        s = q @ k.T
        s = s * 0.25
        new = jnp.maximum(m, s.max(-1))
        p = jnp.exp(s - new[:, None])
        old = jnp.exp(m - new)
        z = z * old + p.sum(-1)
        o = o * old[:, None] + p @ v
        m = new
        k, v = (lax.ppermute(t, "x", to) for t in (k, v))
    return o / z[:, None]


def traced(f):
    spec = P("x")
    return read.trace(jax.shard_map(f, mesh=MESH, in_specs=spec, out_specs=spec, check_vma=False), Q, K, V)


def at(f, n):
    return f.__code__.co_firstlineno + n


@pytest.mark.parametrize(
    ("mine", "reference", "said"),
    [
        (unscaled, attention, f"line {at(unscaled, 5)} does not multiply by q.shape[-1] ** -0.5, the reference does"),
        (attention, unscaled, f"line {at(attention, 5)} multiplies by q.shape[-1] ** -0.5, the reference does not"),
        (forgetful, attention, f"line {at(forgetful, 9)} does not multiply by old, the reference does"),
        (uncentred, norm, f"line {at(uncentred, 2)} does not subtract mean, the reference does"),
        (unscaled_norm, norm, f"line {at(unscaled_norm, 5)} does not multiply by g, the reference does"),
        (unshifted, entropy, f"line {at(unshifted, 2)} does not subtract m, the reference does"),
        (activated, experts, f"line {at(activated, 3)} applies jax.nn.relu, the reference does not"),
        (experts, activated, f"line {at(activated, 3)} of the reference applies jax.nn.relu, mine does not"),
        # It does so one line later.
        (scaled_later, attention, ""),
    ],
)
def test_a_step_that_one_of_two_programs_has(mine, reference, said):
    assert traced(mine).diff(traced(reference)).cause == said


FACTOR = 2


def twice(q, _k, _v):
    unused = q * 2
    del unused
    return q * FACTOR


def thrice(q, _k, _v):
    unused = q
    del unused
    return q * 3


def test_a_line_that_the_value_does_not_follow_from_is_no_cause():
    assert "multipl" not in traced(twice).diff(traced(thrice)).cause


def cast(q, _k, _v):
    s = q.astype(jnp.bfloat16) @ q.T.astype(jnp.bfloat16)
    return s * 2


def uncast(q, _k, _v):
    s = q @ q.T
    return s * 2


def test_a_cast_that_one_of_two_programs_has():
    assert traced(cast).diff(traced(uncast)).cause == f"line {at(cast, 1)} goes through bf16, the reference does not"
