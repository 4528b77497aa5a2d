"""Programs that JAX refuses: the first fix gives what the function gives on the whole array, and none is said to that
does not."""

import linecache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import PartitionSpec as P

from shardwidget import read
from tests.once import once

MESH = "mesh = jax.make_mesh((4, 2), ('x', 'y'), axis_types=(jax.sharding.AxisType.Auto,) * 2)"
SPACE = {"jax": jax, "jnp": jnp, "lax": jax.lax, "P": P}
VECTOR = "v", "jnp.arange(16.) - 5", "P('x')", "P()"
MATRIX = "m", "jnp.arange(32.).reshape(8, 4) / 9 - 1", "P('x', 'y')", "P()"
PRODUCT = (
    "a, w",
    "jnp.arange(32.).reshape(8, 4) / 9 - 1, jnp.arange(32.).reshape(4, 8) / 7 - 2",
    "(P('x', 'y'), P('y', None))",
    "P()",
)
ROWS = (*PRODUCT[:3], "P('x')")
BLOCKS = (*VECTOR[:3], "P('x')")
SEVEN = "v", "jnp.arange(7.) - 9", "P('x')", "P()"

REFUSED: list[tuple[tuple[str, ...], str, str]] = [
    # Arguments and specs, what is mapped, the same on the whole array where it is written otherwise.
    *((VECTOR, body, "") for body in (
        "v.sum()", "v.mean()", "jnp.sum(v * v)", "v.max()", "v.min()", "-v.max()", "v.max() * -2", "v.max() - v.min()",
        "v.sum() * (1 / v.size)", "v.sum() / v.size", "jnp.linalg.norm(v)", "jnp.std(v)", "v.var()", "v.prod()",
        "jax.nn.logsumexp(v)", "jnp.argmax(v)", "jnp.argmin(v)", "jnp.any(v > 9)", "jnp.all(v > -9)", "(v > -9).all()",
        "jnp.sqrt((v ** 2).sum())", "jnp.tanh(v.sum())", "jax.nn.relu(v.sum() - 3)", "jnp.exp(v.mean())",
        "v.max() + 1", "(v > 0).sum()", "jnp.abs(v).max()", "v.sum() + 1", "v.sum() ** 2", "jnp.median(v)",
        "jnp.log(jnp.exp(v).sum())", "v * 2", "v - v.mean()", "v / v.sum()", "jax.nn.softmax(v)", "jnp.sin(v) * v",
        "(v.max(), v.mean())", "{'a': v.sum(), 'b': v.min()}", "jnp.dot(v, v)", "v @ v", "jnp.average(v)",
        "jnp.linalg.norm(v, ord=jnp.inf)", "v.sum() / v.max()", "jnp.ptp(v)", "jnp.cumsum(v)[-1]",
    )),
    *((MATRIX, body, "") for body in ("m.mean()", "jnp.max(m)", "m.sum(axis=0).max()", "jnp.linalg.norm(m)")),
    ((*MATRIX[:3], "P('y')"), "m.sum(axis=0)", ""),
    ((*MATRIX[:3], "P('x')"), "m.mean(axis=1)", ""),
    ((*MATRIX[:3], "P('x')"), "jnp.exp(m).max(axis=1) - 1", ""),
    *((ROWS, body, "") for body in (
        "a @ w", "a @ w + 1", "jax.nn.relu(a @ w)", "jnp.tanh(a @ w)", "jnp.dot(a, w) * 2", "(a @ w) ** 2",
        "jnp.einsum('ij,jk->ik', a, w)", "jax.nn.softmax(a @ w)", "jnp.where(a @ w > 0, 1.0, -1.0)",
    )),
    ((*PRODUCT[:3], "P(None, 'x')"), "(a @ w).T", ""),
    *((PRODUCT, body, "") for body in (
        "((a @ w) ** 2).mean()", "(a @ w).sum()", "jnp.abs(a @ w).max()", "jax.nn.relu(a @ w + 1).sum()",
        "jnp.linalg.norm(a @ w)",
    )),
    (PRODUCT, "(lax.psum(a @ w, 'y') ** 2).mean()", "((a @ w) ** 2).mean()"),
    ((*PRODUCT[:2], "(P('x'), P())", "P()"), "-(a @ w).mean()", ""),
    (VECTOR, "lax.scan(lambda c, r: (c + r, None), 0.0, v)[0]", ""),
    (VECTOR, "lax.fori_loop(0, 3, lambda i, t: t + v.sum(), 0.0)", ""),
    (
        VECTOR,
        "lax.psum(lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] + v.sum()), (0, 0.0))[1], 'x')",
        "v.sum() * 3",
    ),
    (BLOCKS, "lax.cond(lax.pmax(v.max(), 'x') > 3, lambda a: a * 2, lambda a: jnp.ones(a.shape), v)", "v * 2"),
    (VECTOR, "lax.psum(v.sum(), 'X')", "v.sum()"),
    (VECTOR, "lax.pmean(v.mean(), 'row')", "v.mean()"),
    (("v", VECTOR[1], "P('Y')", "P('y')"), "v * 2", ""),
    (("a, b", "jnp.ones((8, 4)), jnp.arange(32.).reshape(8, 4)", "(P('x', 'y'), P('x'))", "P('x', 'y')"), "a + b", ""),
    (SEVEN, "lax.pmax(v.max(), 'x')", "v.max()"),
    (SEVEN, "lax.psum(v.sum(), 'x')", "v.sum()"),
    (SEVEN, "lax.pmean(v.mean(), 'x')", "v.mean()"),
    ((*SEVEN[:3], "P('x')"), "v * 2", ""),
    ((*SEVEN[:3], "P('x')"), "jnp.exp(v) - 1", ""),
    ((*MATRIX[:2], "P('x', None)", "P()"), "(m - m.mean(0)).T @ (m - m.mean(0)) / m.shape[0]", ""),
    (VECTOR, "jnp.sqrt((v ** 2).sum() / v.shape[0])", ""),
    # Specs with more entries than there are dimensions.
    *((BLOCKS, body, "") for body in ("v.sum()", "jnp.sqrt(jnp.mean(v ** 2))", "v.max() - v.min()")),
    ((*VECTOR[:3], "(P('x'), P('x'))"), "(v * 2, v.mean())", ""),
    (
        (*VECTOR[:3], "{'a': P('x', 'y'), 'b': P()}"),
        "{'a': v * 2, 'b': lax.psum(v.sum(), 'x')}",
        "{'a': v * 2, 'b': v.sum()}",
    ),
    ((*MATRIX[:3], "P('x', 'y')"), "jnp.sin(m).sum(axis=0)", ""),
    ((*MATRIX[:3], "P('x', 'y')"), "m.max(axis=1)", ""),
    ((*MATRIX[:3], "P('x')"), "lax.psum(m, 'x').mean()", "m.mean() * 4"),
    (("v, s", "jnp.arange(16.), jnp.float32(3)", "(P('x'), P('x'))", "P('x')"), "v * s", ""),
    # A loop whose end depends on the values.
    (VECTOR, "lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] + v.max()), (0, 0.0))[1]", "v.max() * 3"),
    (BLOCKS, "v * 2 if lax.psum(v.sum(), 'x') > 3 else v", "v * 2"),
    (BLOCKS, "v * 2 if v.sum() > 3 else v", "v * 2"),
]  # fmt: skip


def case(row: tuple[tuple[str, ...], str, str]) -> tuple[str, str]:
    """A program as text, and what it gives on the whole array as code."""
    (names, arguments, ins, outs), body, whole = row
    text = (
        f"{MESH}\nargs = ({arguments},)\n@jax.shard_map(mesh=mesh, in_specs={ins}, out_specs={outs})\n"
        f"def mapped({names}):\n    return {body}\n\ndef f({names}):\n    return mapped({names})\n"
    )
    return text, f"lambda {names}: {whole or body}"


def run(text: str) -> tuple[Any, tuple[Any, ...]]:
    name = f"<program {abs(hash(text))}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    space: dict[str, Any] = dict(SPACE)
    exec(compile(text, name, "exec"), space)
    return space["f"], space["args"]


def agree(one: Any, other: Any) -> bool:
    pairs = zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True)
    return all(np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=1e-4, atol=1e-4) for a, b in pairs)


@pytest.mark.parametrize("row", REFUSED, ids=lambda row: f"{row[1]} {row[0][2]} to {row[0][3]}")
def test_the_first_fix_is_right_and_the_others_say_what_they_give(row):
    text, whole = case(row)
    f, args = run(text)
    wanted = once(eval(whole, dict(SPACE)))(*args)
    error = read.trace(f, *args).error
    assert error is not None
    assert error.fixes
    for number, fix in enumerate(error.fixes):
        fixed, _ = run(fix.applied(text))
        is_right = agree(once(fixed)(*args), wanted)
        assert is_right or number, fix
        assert fix.value != "unknown", fix
        # Another value may happen to be the same for these arguments, and then it is not said to be.
        assert is_right or (fix.value, bool(fix.effect)) == ("other", True), fix


@pytest.mark.parametrize(
    ("body", "fixed"),
    [
        ("jnp.any(v > 9)", "lax.psum(jnp.int32(jnp.any(v > 9)), 'x') > 0"),
        ("~jnp.any(v > 9)", "~(lax.psum(jnp.int32(jnp.any(v > 9)), 'x') > 0)"),
        ("(v > -9).all()", "lax.psum(jnp.int32(~(v > -9).all()), 'x') == 0"),
    ],
)
def test_a_fix_has_no_parentheses_that_it_does_not_need(body, fixed):
    text, _ = case((VECTOR, body, ""))
    f, args = run(text)
    error = read.trace(f, *args).error
    assert error is not None
    assert f"return {fixed}\n" in error.fixes[0].applied(text).replace("jax.lax.", "lax.")


@pytest.mark.parametrize("outside", ["mapped(v)", "mapped(v) + v.sum()", "(mapped(v * 2) + v) / 2"])
@pytest.mark.parametrize("where", ["mesh=mesh, ", ""])
@pytest.mark.parametrize("kind", ["Auto", "Explicit"])
def test_values_are_compared_on_every_kind_of_mesh_and_in_its_context(kind, where, outside):
    made = MESH.replace("Auto", kind)
    text = (
        f"{made}\nargs = (mesh,)\n@jax.shard_map({where}in_specs=P('x'), out_specs=P())\n"
        f"def mapped(v):\n    return jnp.std(v)\n\ndef f(v):\n    return {outside}\n"
    )
    f, (mesh,) = run(text)
    v = jax.device_put(jnp.arange(8.0) + 1, jax.NamedSharding(mesh, P("x")))
    with jax.set_mesh(mesh):
        error = read.trace(f, v).error
        assert error is not None
        assert error.fixes[0].value == "same"
        gotten = once(run(error.fixes[0].applied(text))[0])(v)
    assert np.allclose(gotten, eval(outside, {"mapped": np.std, "v": np.arange(8.0) + 1}))


def test_there_are_enough_of_them():
    assert len({case(row) for row in REFUSED}) >= 60


EXPLICIT = jax.make_mesh((4, 2), ("x", "y"), (jax.sharding.AxisType.Explicit,) * 2, devices=jax.devices()[:8])

ROWS_OF = {
    # Programs under jax.set_mesh: arguments, how they are cut, lines; and a change of the first fix.
    "a spec without a mesh": (
        "x, w",
        (("x", "y"), ("y", None)),
        ["def f(x, w):", "    h = jax.reshard(x, P('x', None)) * 2", "    return h + w"],
        "jax.reshard(h, P('y', None))",
    ),
    "five products": (
        "x, w",
        (("x", "y"), ("x", "y")),
        [
            "def f(x, w):",
            "    q = x @ w",
            "    k = x @ (w + 1)",
            "    s = jnp.tanh(q @ k.T)",
            "    return (s @ x) @ w",
        ],
        "q = jnp.matmul(x, w, out_sharding=P('x', 'y'))",
    ),
    "three regions": (
        "x, w",
        (("x",), (None,)),
        [
            "@jax.shard_map(in_specs=P('x'), out_specs=P())",
            "def one(a): return a.sum(0)",
            "@jax.shard_map(in_specs=P('x'), out_specs=P())",
            "def two(a): return a.max(0)",
            "@jax.shard_map(in_specs=P('x'), out_specs=P())",
            "def three(a): return a.min(0)",
            "def f(x, w): return one(jax.reshard(x, P('x'))) + two(x) * three(x)",
        ],
        "jax.lax.pmax(a.max(0), 'x')",
    ),
    "an argument, then blocks": (
        "x, w",
        (("y", "x"), ()),
        [
            "@jax.shard_map(in_specs=(P('x'), P()), out_specs=P('x'))",
            "def region(a, b): return a * b",
            "def f(x, w): return region(x, w)",
        ],
        "in_specs=(P('x'), P('x'))",
    ),
}


@pytest.mark.parametrize("name", ROWS_OF)
def test_fixes_under_a_mesh_that_is_set_get_past_every_stop_and_are_compared(name):
    _, specs, lines, change = ROWS_OF[name]
    file = f"<under a mesh, {name}>"
    linecache.cache[file] = (1, None, [f"{line}\n" for line in lines], file)
    space: dict[str, Any] = dict(SPACE)
    exec(compile("\n".join(lines), file, "exec"), space)
    numbers = np.arange(64, dtype=np.float32).reshape(8, 8) / 64
    args = [jax.device_put(numbers + k, jax.NamedSharding(EXPLICIT, P(*spec))) for k, spec in enumerate(specs)]
    with jax.set_mesh(EXPLICIT):
        error = read.trace(space["f"], *args).error
        assert error is not None
        first = error.fixes[0]
        assert (first.value, first.effect) == ("same", "")
        assert change in first.code
        assert "NamedSharding" not in first.code
        exec(compile(first.applied("\n".join(lines)), file, "exec"), space)
        space["f"](*args)
