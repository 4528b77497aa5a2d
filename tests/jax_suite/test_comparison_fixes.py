"""Fixes of programs that stop on an Explicit mesh: each is pasted into the source, runs, and sends what it says."""

import importlib
import linecache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

from shardwidget import _jax, read
from tests.once import once

MESH = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2, devices=jax.devices()[:8])


def array(shape, *spec, dtype=np.float32):
    values = np.arange(np.prod(shape)).reshape(shape) % 5
    return jax.device_put(values.astype(dtype), NamedSharding(MESH, P(*spec)))


def load(text, name=""):
    """The function of a program as text, whose lines tracebacks can read."""
    name = name or f"<program {abs(hash(text))}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    space: dict[str, Any] = {"jax": jax, "jnp": jnp, "P": P, "__name__": "program"}
    exec(compile(text, name, "exec"), space)
    return space["f"]


PROGRAMS = {
    "parts of a product": ("def f(a, b):\n    return jnp.sin(a) @ b\n", [((8, 8), "x", "y"), ((8, 8), "y", None)]),
    "an einsum that turns its result": (
        "def f(a, b):\n    c = jnp.einsum('ij,jk->ki', a, b)\n    return c * 2\n",
        [((8, 8), "x", "y"), ((8, 4), "y", None)],
    ),
    "sharded data and weights": (
        "def f(x, w):\n    h = jax.nn.relu(x @ w['in'])\n    return h\n",
        [((8, 8), "x", None), {"in": ((8, 16), None, "x")}],
    ),
    "unlike operands": ("def f(a, b):\n    return (a + 1) * b\n", [((8, 8), "x", None), ((8, 8), None, "x")]),
    "blocks side by side": (
        "def f(a, b):\n    return jnp.concatenate([a, b])\n",
        [((8, 8), "x", None), ((8, 8), None, None)],
    ),
    "a square": ("def f(x):\n    return jnp.dot(x, x)\n", [((8, 8), "x", "y")]),
    "rows of a table": (
        "def f(table, i):\n    return jnp.take(table, i, axis=0)\n",
        [((16, 8), "x", None), ((8,), "y", np.int32)],
    ),
    "sums so far": ("def f(a):\n    return jnp.cumsum(a, axis=0) + 1\n", [((8, 8), "x", None)]),
    "a loop's carry": (
        "def f(x, w):\n    jax.lax.scan(lambda _, row: ((), None), (), w)\n"  # This loop gives nothing.
        "    return jax.lax.scan(lambda h, _: (h @ w, None), x, None, length=3)[0]\n",
        [((8, 8), "x", None), ((8, 8), None, "y")],
    ),
    "a loop along a split dimension": (
        "def f(ws, x):\n    def step(c, w):\n        return c * w, None\n    end, _ = jax.lax.scan(step, x, ws)\n"
        "    return end\n",
        [((8, 8), "x", None), ((8,), None)],
    ),
}


PROGRAMS |= {
    "a method of an array": ("def f(x, w):\n    return x.dot(w)\n", [((8, 8), "x", "y"), ((8, 8), "y", None)]),
    "a product with a transposed matrix": (
        "def f(x, w):\n    return x @ w.T\n",
        [((4, 8, 8), "x", None, "y"), ((8, 8), "y", "x")],
    ),
    "a sum of matrices split the other way round": (
        "def f(a, b):\n    return a + b\n",
        [((8, 8), "x", "y"), ((8, 8), "y", "x")],
    ),
    "positions in order": ("def f(a):\n    return jnp.argsort(a, axis=1)\n", [((16, 16), "x", "y")]),
    "rows by number": ("def f(table, i):\n    return table[i]\n", [((16, 32), "y", None), ((8,), "x", np.int32)]),
    "a convolution whose filters are split": (
        "def f(x, w):\n    return jax.lax.conv_general_dilated(x, w, (1,), 'SAME')\n",
        [((4, 8, 8), "x", "y", None), ((8, 8, 3), None, "y", None)],
    ),
    "a cache that is split along time": (
        "def f(cache, new):\n    return jax.lax.dynamic_update_slice(cache['k'], new, (0, 3, 0))\n",
        [{"k": ((4, 8, 4), "x", "y", None)}, ((4, 1, 4), "x", None, "y")],
    ),
    "what a function of the user's returned": (
        "def twice(a):\n    return 2 * a\n\n\ndef f(x, w):\n    h = twice(x)\n    return jnp.add(h, w)\n",
        [((8, 8), "x", "y"), ((8, 8), "y", "x")],
    ),
    "a product in a loop": (
        "def f(x, w):\n    def step(h, _):\n        return jnp.tanh(h @ w), None\n"
        "    return jax.lax.scan(step, x, None, length=5)[0]\n",
        [((8, 8), None, "x"), ((8, 8), "x", None)],
    ),
}
"""Each also without the changes that have no place in the source."""
NOT_IN_09 = {"sums so far"}  # JAX 0.9 adds along a split dimension.
NAMES = [name for name in PROGRAMS if not (jax.__version_info__ < (0, 10) and name in NOT_IN_09)]


def made(argument):
    if isinstance(argument, dict):
        return {key: made(value) for key, value in argument.items()}
    shape, *spec = argument
    dtype = next((s for s in spec if isinstance(s, type)), np.float32)
    return array(shape, *(s for s in spec if not isinstance(s, type)), dtype=dtype)


def bytes_of(program):
    return sum(c.bytes_per_device * (c.times or 1) for c in program.collectives)


@pytest.mark.parametrize("name", NAMES)
def test_every_fix_runs_when_it_is_pasted_and_sends_what_it_says(name):
    text, given = PROGRAMS[name]
    arguments = [made(a) for a in given]
    comparison = read.comparison(load(text), *arguments)
    (at,) = [k for k, row in enumerate(comparison.rows) if row.error]
    fixes = comparison.rows[at].fixes
    assert fixes
    wanted = load(text)(*jax.tree.map(np.asarray, arguments))
    assert fixes[0].line
    priced = [fix.bytes_per_device for fix in fixes if fix.line]
    assert priced == sorted(priced)
    for k, fix in enumerate(fixes):
        if not fix.line:
            continue
        fixed = load(fix.applied(text))
        with jax.set_mesh(MESH):
            out = once(fixed)(*arguments)
            program = read.program(jax.jit(fixed), *arguments)
        np.testing.assert_allclose(out, wanted, rtol=1e-5)
        chosen = read.comparison(load(text), *arguments, choices={at: k})
        assert chosen.rows[-1].explicit == jax.typeof(out).str_short(short_dtypes=True), fix
        assert chosen.program is not None
        assert (chosen.compiled_from, bytes_of(chosen.program)) == ("Explicit", bytes_of(program)), fix
        assert sorted(c.kind for c in chosen.program.collectives) == sorted(c.kind for c in program.collectives)
        assert fix.bytes_per_device == bytes_of(program), fix
        assert (fix.communication == "none") == (not program.collectives)
        assert {k for row in chosen.rows for k in row.collectives} == set(range(len(program.collectives)))


PLACES = {
    "under vmap, without its dimension": (
        "def f(x, w):\n    return jax.vmap(lambda a, b: a @ b)(x, w)\n",
        [((4, 8, 8), None, "x", "y"), ((4, 8, 8), None, "y", None)],
        "return jax.vmap(lambda a, b: jnp.matmul(a, b, out_sharding=P('x', None)))(x, w)",
    ),
    "under vmap over a split dimension": (
        "def f(x, w):\n    return jax.vmap(lambda a: a @ w)(x)\n",
        [((8, 8, 8), "x", None, "y"), ((8, 8), "y", None)],
        "return jax.vmap(lambda a: jnp.matmul(a, w, out_sharding=P(None, None)))(x)",
    ),
    "a lambda's own parameter": (
        "def f(x, i):\n    return jax.tree.map(lambda a: a[i], x)\n",
        [((8, 8), "x", "y"), ((4,), None, np.int32)],
        "return jax.tree.map(lambda a: a.at[i].get(out_sharding=P(None, 'y')), x)",
    ),
    "fewer dimensions than the equation": (
        "def f(x):\n    return jnp.median(x, axis=0)\n",
        [((8, 8), "x", "y")],
        "return jax.sharding.auto_axes(lambda x: jnp.median(x, axis=0), out_sharding=P('y'))(x)",
    ),
    "a bias that is split like the batch": (
        "def f(h, b):\n    h = jnp.tanh(h)\n    return h + b\n",
        [((16, 8), "x", "y"), ((8,), "x")],
        "return h + jax.reshard(b, P(None))",
    ),
    "a bias of another dtype": (
        "def f(h, b):\n    return h * b\n",
        [((16, 8), "x", "y"), ((8,), "x", np.int32)],
        "return h * jax.reshard(b, P(None))",
    ),
    "an index into each row": (
        "def f(x, i):\n    return x[jnp.arange(16), i]\n",
        [((16, 32), "x", None), ((16,), "x", np.int32)],
        "return jax.vmap(lambda row, at: row[at])(x, i)",
    ),
    "indices into all rows": (
        "def f(x, i):\n    return x[jnp.arange(16), i]\n",
        [((16, 16), "x", None), ((16, 16), "x", None, np.int32)],
        "return x.at[jnp.arange(16), i].get(out_sharding=P('x', None))",
    ),
    "rows of a table that is split the other way": (
        "def f(table, i):\n    return table[i]\n",
        [((16, 32), None, "y"), ((8,), "x", np.int32)],
        "return table.at[i].get(out_sharding=P('x', 'y'))",
    ),
    "a method": (
        "class Layer:\n    def __init__(self, w):\n        self.w = w\n\n"
        "    @property\n    def product(self):\n        return lambda x: self.of(x)\n\n"
        "    def of(self, x):\n        return x @ self.w\n\n"
        "def f(x, w):\n    return Layer(w).product(x)\n",
        [((8, 8), "x", "y"), ((8, 8), "y", None)],
        "return jnp.matmul(x, self.w, out_sharding=P('x', None))",
    ),
    "a method of a module of equinox": (
        "import equinox\n\nclass Layer(equinox.Module):\n    w: jax.Array\n\n"
        "    def __call__(self, x):\n        return x @ self.w\n\n"
        "def f(x, w):\n    return Layer(w)(x)\n",
        [((8, 8), "x", "y"), ((8, 8), "y", None)],
        "return jnp.matmul(x, self.w, out_sharding=P('x', None))",
    ),
    "a method of a module of flax.nnx": (
        "from flax import nnx\n\nclass Layer(nnx.Module):\n"
        "    def __init__(self, w):\n        self.w = nnx.Param(w)\n\n"
        "    def __call__(self, x):\n        return x @ self.w[...]\n\n"
        "def f(x, w):\n    return Layer(w)(x)\n",
        [((8, 8), "x", "y"), ((8, 8), "y", None)],
        "return jnp.matmul(x, self.w[...], out_sharding=P('x', None))",
    ),
    "a method of a module of flax.linen": (
        "import flax.linen as nn\n\nclass Layer(nn.Module):\n    @nn.compact\n    def __call__(self, x, w):\n"
        "        return x @ w\n\nlayer = Layer()\n\ndef f(x, w):\n    return layer.apply({}, x, w)\n",
        [((8, 8), "x", "y"), ((8, 8), "y", None)],
        "return jnp.matmul(x, w, out_sharding=P('x', None))",
    ),
}


if jax.__version_info__ < (0, 10):  # There two equations of the median stop, and neither alone is what was written.
    del PLACES["fewer dimensions than the equation"]


@pytest.mark.parametrize("name", PLACES)
def test_a_fix_is_written_where_it_runs(name):
    text, given, first = PLACES[name]
    arguments = [made(a) for a in given]
    wanted = load(text)(*jax.tree.map(np.asarray, arguments))
    rows = [row for row in read.comparison(load(text), *arguments).rows if row.error]
    assert rows[-1].fixes[0].code.replace("jax.P(", "P(").replace("jax.numpy.", "jnp.") == first
    for fix in (fix for row in rows for fix in row.fixes if fix.line):
        with jax.set_mesh(MESH):
            out = once(load(fix.applied(text)))(*arguments)
        np.testing.assert_allclose(out, wanted, rtol=1e-5)


@pytest.mark.parametrize("called", ["Layer(w)", "Layer(w).__call__"])
def test_a_model_of_a_plain_class_with_arrays_on_auto_axes_has_fixes_where_they_run(called):
    """It is no pytree: what is left to the compiler closes over it."""
    text = (
        "class Layer:\n    def __init__(self, w):\n        self.w = w\n\n"
        "    def __call__(self, x):\n        return x @ self.w\n\n"
        f"def f(w):\n    return {called}\n"
    )
    auto = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2, devices=jax.devices()[:8])
    x, w = array((8, 8), "x", "y"), array((8, 8), "y", None)
    given = jax.device_put(np.asarray(w), NamedSharding(auto, P("y", None)))
    (error,) = (row.error for row in read.comparison(load(text)(given), x).rows if row.error)
    assert error.fixes
    for fix in error.fixes:
        assert fix.line == 6
        assert "auto_axes(lambda x: x @ self.w, " in fix.code
        with jax.set_mesh(MESH):
            out = jax.jit(load(fix.applied(text))(given))(x)
        np.testing.assert_allclose(out, np.asarray(x) @ np.asarray(w), rtol=1e-5)


LOOP = "    return jax.lax.while_loop(lambda s: s[0] < 3, body, {})\n"
REFUSED = {
    "repeated rows": ("def f(x):\n    h = x * 2\n    return jnp.repeat(h, 2, axis=0)\n", [((8, 8), "x", "y")]),
    "repeated rows of what is laid out": (
        "def f(x):\n    h = jax.reshard(x, P('x', 'y'))\n    return jnp.repeat(h, 2, axis=0) + 1\n",
        [((8, 8), "x", None)],
    ),
    "repeated within an expression": (
        "def f(x):\n    return jnp.sin(jnp.repeat(jax.reshard(x, P('y')) + 1, repeats=2, axis=0)).sum(axis=1)\n",
        [((8, 8), "x", None)],
    ),
    "repeated over several lines": (
        "def f(x):\n    y = jnp.repeat(\n        jnp.tanh(x),\n        3,\n        axis=1,\n    )\n    return y.T\n",
        [((8, 8), "x", "y")],
    ),
    "a carry that the body lays out": (
        "def f(x):\n    return jax.lax.scan(lambda h, _: (jax.reshard(h, P(None, 'y')), None), x, None, length=3)[0]\n",
        [((8, 8), "x", None)],
    ),
    "a carry and what is stacked": (
        "def f(x):\n    def step(h, _):\n        h = jax.reshard(jnp.sin(h), P('y'))\n        return h, h.sum()\n"
        "    end, sums = jax.lax.scan(step, x, None, length=3)\n    return end * sums[0]\n",
        [((8, 8), "x", None)],
    ),
    "a carry of a while_loop": (
        "def f(x):\n    def body(s):\n        i, h = s\n        return i + 1, jax.reshard(h, P(None, 'y'))\n"
        + LOOP.format("(0, x)")[:-1]
        + "[1]\n",
        [((8, 8), "x", None)],
    ),
    "a carry with a name": (
        "def f(x):\n    start = (0, x)\n    def body(s):\n        i, h = s\n"
        "        return i + 1, jax.reshard(h, P(('x', 'y')))\n" + LOOP.format("start")[:-1] + "[1]\n",
        [((8, 8), "x", None)],
    ),
    "a carry of a dict": (
        "def f(x):\n    def step(c, _):\n        h = jax.reshard(c['h'], P(None, 'x'))\n"
        "        return {'h': h, 'n': c['n'] + 1}, None\n"
        "    return jax.lax.scan(step, {'h': x, 'n': 0.0}, None, length=2)[0]['h']\n",
        [((8, 8), "x", "y")],
    ),
    "a carry of a fori_loop": (
        "def f(x):\n    def body(i, h):\n        return jax.reshard(jnp.tanh(h), P('y', 'x'))\n"
        "    return jax.lax.fori_loop(0, 3, body, x)\n",
        [((8, 8), "x", None)],
    ),
    "two carries": (
        "def f(x, y):\n    def step(c, _):\n        a, b = c\n"
        "        return (jax.reshard(a + 1, P('y')), jax.reshard(b, P('x'))), None\n"
        "    a, b = jax.lax.scan(step, (x, y), None, length=2)[0]\n    return a, b\n",
        [((8, 8), "x", None), ((8, 8), "y", None)],
    ),
}
"""Calls that JAX refuses before there is an equation."""


@pytest.mark.parametrize("name", REFUSED)
def test_a_call_that_is_refused_before_there_is_an_equation_has_fixes_that_run(name):
    text, given = REFUSED[name]
    arguments = [made(a) for a in given]
    with jax.set_mesh(MESH), pytest.raises((TypeError, ValueError), match=r"out_sharding|carry"):
        jax.jit(load(text)).lower(*arguments)
    stopped = [row for row in read.comparison(load(text), *arguments).rows if row.error]
    assert len(stopped) == 1
    fixes = stopped[0].fixes
    assert len({fix.type for fix in fixes}) == len(fixes) > 1
    fixed = [load(fix.applied(text)) for fix in fixes]
    with jax.set_mesh(MESH):
        outs = [once(f)(*arguments) for f in fixed]
        programs = [read.program(f, *arguments) for f in fixed]
    # Nothing else in these functions communicates.
    sent = [sum(c.bytes_per_device * (c.times or 1) for c in program.collectives) for program in programs]
    assert [fix.bytes_per_device for fix in fixes] == sent == sorted(sent)
    assert all(fix.communication for fix in fixes)
    whole = load(text.replace("jax.reshard", "(lambda a, spec: a)"))(*jax.tree.map(np.asarray, arguments))
    for out in outs:
        jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5), out, whole)
    assert all(read.comparison(f, *arguments).rows[-1].error is None for f in fixed)


@pytest.mark.parametrize("name", REFUSED)
def test_the_rows_after_a_refused_call_are_those_of_the_chosen_fix(name):
    text, given = REFUSED[name]
    arguments = [made(a) for a in given]
    first: Any = read.comparison(load(text), *arguments)
    (row,) = [k for k, row in enumerate(first.rows) if row.error]
    assert first.rows[row].error.chosen == 0
    for way, fix in enumerate(first.rows[row].fixes):
        found: Any = read.comparison(load(text), *arguments, choices={row: way})
        assert (found.rows[row].error.chosen, found.compiled_from) == (way, "Explicit")
        with jax.set_mesh(MESH):
            out = once(load(fix.applied(text)))(*arguments)
            alone: Any = read.comparison(load(fix.applied(text)), *arguments)
        types = [str(jax.typeof(a)).replace("float", "f") for a in jax.tree.leaves(out)]
        values = found.rows[-1].values
        assert [v.explicit.text for v in values] == types == [v.explicit.text for v in alone.rows[-1].values]
        assert all(v.agreement == "same" for v in values)
        if "operations are compiled as typed" in found.verdict:
            done = [r for r in found.rows if r.primitive not in ("arguments", "error", "outputs")]
            assert f"all {len(done)} operations" in found.verdict
        ways = [
            sorted((c.kind, c.axes, c.bytes_per_device, c.times) for c in p.program.collectives) for p in (found, alone)
        ]
        assert ways[0] == ways[1]
        assert {r.source.line for r in found.rows if r.source} <= set(range(1, text.count("\n") + 1))
    both = read.comparison(load(text), *arguments, continuations=True)
    assert [(c.row, c.choice) for c in both.continuations] == [(row, k) for k in range(1, len(first.rows[row].fixes))]


REFUSED_AGAIN = {
    "one after another": "def f(x):\n    y = jnp.repeat(x, 2, axis=0) * 2\n    return jnp.repeat(y, 3, axis=0)\n",
    "on an Explicit mesh alone": (
        "def f(x):\n    y = jnp.repeat(jax.reshard(x, P('y')), 2, axis=0) * 2\n    return jnp.repeat(y, 3, axis=0)\n"
    ),
    "in one line": "def f(x):\n    return jnp.repeat(x, 2, axis=0) + jnp.repeat(jnp.sin(x), 2, axis=0)\n",
    "one within the other": "def f(x):\n    return jnp.repeat(jnp.repeat(x, 2, axis=0), 2, axis=1)\n",
    "in two functions, over several lines": (
        "def g(x):\n    y = jnp.repeat(\n        x,\n        2,\n        axis=0,\n    )\n    return y\n\n"
        "def f(x):\n    y = g(x)\n    z = jnp.repeat(y, 2, axis=1)\n    return jnp.repeat(z, 3, axis=0)\n"
    ),
    "two loops": (
        "def f(x):\n    def step(h, _):\n        return jax.reshard(jnp.sin(h), P('y')), None\n"
        "    a = jax.lax.scan(step, x, None, length=3)[0]\n"
        "    b = jax.lax.scan(step, x * 2, None, length=2)[0]\n    return a + b\n"
    ),
}


@pytest.mark.parametrize("name", REFUSED_AGAIN)
def test_each_of_several_refused_calls_has_fixes(name):
    text, x = REFUSED_AGAIN[name], made(((8, 8), "x", "y"))
    wanted = load(text.replace("jax.reshard", "(lambda v, _: v)"))(np.asarray(x))
    first: Any = read.comparison(load(text), x)
    stopped = [k for k, row in enumerate(first.rows) if row.error]
    assert len(stopped) == text.count("jnp.repeat") + text.count("lax.scan")
    assert all(first.rows[row].fixes for row in stopped)
    # The first fix of each, and then the second of one of them.
    for row in (None, *(row for row in stopped if len(first.rows[row].fixes) > 1)):
        found: Any = first if row is None else read.comparison(load(text), x, choices={row: 1})
        # A later fix of the same lines holds the earlier one.
        errors = [r.error for r in found.rows if r.error]
        fixes = {fix.line: fix for fix in (error.fixes[error.chosen] for error in errors)}
        changed = text
        for line in sorted(fixes, reverse=True):
            changed = fixes[line].applied(changed)
        with jax.set_mesh(MESH):
            out = once(load(changed))(x)
        np.testing.assert_allclose(out, wanted, rtol=1e-5)
        assert found.rows[-1].values[0].explicit.text == str(jax.typeof(out)).replace("float", "f")
        assert found.program is not None


def test_what_stays_the_same_in_a_loop_is_sent_once():
    text, given = PROGRAMS["a product in a loop"]
    comparison = read.comparison(load(text), *map(made, given))
    fixes = next(row.fixes for row in comparison.rows if row.error)
    # w is laid out before the loop, h in each of its five turns.
    assert [(fix.code.partition(",")[0], fix.bytes_per_device) for fix in fixes if "reshard(w" in fix.code] == [
        ("return jnp.tanh(h @ jax.reshard(w", 1008)
    ]
    assert all(fix.communication.endswith(", 5 times") for fix in fixes if "out_sharding" in fix.code)


def test_a_gather_in_a_loop_is_counted_as_often_as_it_runs():
    text, given = PROGRAMS["a loop's carry"]
    comparison = read.comparison(load(text), *map(made, given))
    (fix,) = next(row.fixes for row in comparison.rows if row.error)
    assert fix.communication.endswith(", 3 times")
    assert fix.bytes_per_device > 0


def test_lines_that_stop_in_the_same_library_function_have_fixes_of_their_own():
    # JAX traces jnp.where once for both lines, and the second would only repeat what the first was fixed with.
    text = "def f(a, b):\n    c = jnp.where(a > 0, a, b)\n    d = jnp.where(a < 1, a, b)\n    return c + d\n"
    comparison = read.comparison(load(text), array((8, 8), "x"), array((8, 8), "y"))
    stopped = [row for row in comparison.rows if row.error]
    assert [(row.primitive, row.source and row.source.line) for row in stopped] == [
        ("select_n", 2),
        ("select_n", 3),
    ]
    assert [{fix.line for fix in row.fixes} for row in stopped] == [{2}, {3}]


def test_a_function_without_source_goes_on_with_the_same_types():
    text = "def f(table, tokens):\n    return table[tokens] * 2\n"
    args = array((16, 8)), jax.device_put(jnp.zeros((8, 4), jnp.int32), NamedSharding(MESH, P("x")))
    hidden: dict = {"jnp": jnp}
    exec(text, hidden)
    known, unknown = (read.comparison(f, *args) for f in (load(text), hidden["f"]))
    types = [[v.explicit and v.explicit.text for row in c.rows for v in row.values] for c in (known, unknown)]
    assert types[0] == types[1]
    assert "f32[8@x,4,8]" in types[0]
    (stopped,) = [row for row in unknown.rows if row.error]
    assert stopped.fixes[0].code.endswith("jax.sharding.auto_axes(..., out_sharding=P('x', None, None))(...)")


def test_without_devices_a_price_is_not_known():
    mesh = jax.sharding.AbstractMesh((64, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
    text, _ = PROGRAMS["parts of a product"]
    comparison = read.comparison(load(text), ((64, 8), "float32", P("x", "y")), ((8, 8), "float32", P("y")), mesh=mesh)
    (row,) = [row for row in comparison.rows if row.error]
    assert {(fix.communication, fix.bytes_per_device) for fix in row.fixes} == {("", 0)}


def test_a_fix_is_written_in_a_module_of_the_user_s(monkeypatch, tmp_path):
    file = tmp_path / "layers.py"
    file.write_text("import jax\nimport jax.numpy as jnp\n\n\ndef product(x, w):\n    return x @ w\n")
    monkeypatch.syspath_prepend(tmp_path)
    space: dict[str, Any] = {"layers": importlib.import_module("layers")}
    exec("def f(x, w):\n    return layers.product(x, w)\n", space)
    found = read.comparison(space["f"], array((8, 8), "x", "y"), array((8, 8), "y"))
    (row,) = [row for row in found.rows if row.error]
    assert (row.fixes[0].file, row.fixes[0].line) == ("layers.py", 6)


def test_a_library_s_line_is_not_rewritten():
    product = load("def f(a, b):\n    return a @ b\n", "/env/lib/site-packages/models/layer.py")
    comparison = read.comparison(lambda a, b: product(a, b), array((8, 8), "x", "y"), array((8, 8), "y"))
    (row,) = [row for row in comparison.rows if row.error]
    assert row.source is not None
    assert row.source.file == "test_comparison_fixes.py"
    assert row.library is not None
    assert (row.library.file, row.library.line, row.library.text) == ("layer.py", 2, "return a @ b")
    assert {fix.line for fix in row.fixes} == {0}
    with pytest.raises(ValueError, match="has no place in the source"):
        row.fixes[0].applied("")


def test_a_program_that_is_compiled_quickly_is_the_program():
    from shardwidget.read._comparison.concrete import quickly

    def loss(w, x):
        return jnp.tanh(jax.lax.scan(lambda h, v: (jnp.tanh(h @ v), None), x, w)[0]).sum()

    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2, devices=jax.devices()[:8])
    shapes = [((2, 8, 8), P(None, None, "y")), ((8, 8), P("x"))]
    args = [jax.ShapeDtypeStruct(s, jnp.float32, sharding=NamedSharding(mesh, spec)) for s, spec in shapes]
    lowered = jax.jit(jax.grad(loss)).lower(*args)
    plain, quick = lowered.compile(), lowered.compile(compiler_options=quickly(mesh))
    assert "all-reduce" in (plain.as_text() or "")
    assert quick.as_text() == plain.as_text()
    assert str(quick.memory_analysis()) == str(plain.memory_analysis())


WITHOUT_DEVICES = jax.sharding.AbstractMesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)


def stops(text, *given):
    """What stops on an Explicit mesh, without compiling anything."""
    shapes = [
        jax.ShapeDtypeStruct(dims, dtype, sharding=NamedSharding(WITHOUT_DEVICES, P(*spec)))
        for dims, dtype, *spec in given
    ]
    return [row.error for row in read.comparison(load(text), *shapes).rows if row.error]


def test_each_of_several_loops_whose_carry_changes_says_so_and_has_a_fix_with_a_place():
    text = (
        "def f(x, v):\n"
        "    a = jax.lax.scan(lambda c, _: (c @ v, None), x, None, length=3)[0]\n"
        "    b = jax.lax.fori_loop(0, 3, lambda i, c: c * v, jnp.zeros((8, 8)))\n"
        "    return a, jax.lax.fori_loop(0, 3, lambda i, c: c + v, jnp.zeros((8, 8))), b\n"
    )
    found = stops(text, ((8, 8), "float32", "x", None), ((8, 8), "float32", None, "y"))
    places = [(error.fixes[0].line - found[0].fixes[0].line, error.fixes[0].code) for error in found]
    assert [line for line, _ in places] == [0, 1, 2]
    assert all("reshard(" in code and code.count("\n") == 0 for _, code in places)
    assert all("a carry keeps its type. Start the loop with the type" in error.explanation for error in found)


def test_an_operand_is_named_by_what_it_is_made_of():
    (taken,) = stops("def f(t, i):\n    return t[i]\n", ((8, 8), "float32", "x", "y"), ((8, 4), "int32", "x"))
    assert taken.explanation.startswith("t is f32[8@x,8@y], i is i32[8@x,4]: ")
    text = "def f(x, b):\n    return x + (b * 2 + 1)\n"
    (added,) = stops(text, ((8, 8), "float32", "x", "y"), ((8,), "float32", "x"))
    assert "b * 2 + 1 is f32[1,8@x]" in added.explanation
    assert {fix.title for fix in added.fixes} >= {"lay b * 2 + 1 out as P(None, None) first"}


def test_what_is_not_split_is_named_where_the_others_are_split_alike_and_a_constant_follows():
    text = "def f(m, x):\n    return jnp.where(m, x, 0.0)\n"
    (one,) = stops(text, ((8, 8), "bool", "x"), ((8, 8), "float32", "y"))
    assert one.explanation.startswith("m is bool[8@x,8], x is f32[8@y,8]: ")
    (fix,) = (fix for fix in one.fixes if "jnp.where(m, " in fix.code)
    assert "operand" not in fix.title
    text = "def f(m, x, y):\n    return jax.lax.select_n(m, x, y)\n"
    (other,) = stops(text, ((8, 8), "bool"), ((8, 8), "float32", "x"), ((8, 8), "float32", "x"))
    assert other.explanation.startswith("m is bool[8,8], x is f32[8@x,8], y is f32[8@x,8]: ")


def test_constants_are_nowhere_else_than_their_types_say():
    def f(x):
        return jnp.where(jnp.tril(jnp.ones((16, 16), bool)), x, -jnp.inf) + jnp.arange(16.0)

    found = read.comparison(f, array((16, 16), "x", "y"), compiled="auto")
    assert not [v for row in found.rows for v in row.values if v.agreement == "differs"]
    assert "All" in found.verdict
    assert any(v.note.startswith("A constant: ") for row in found.rows for v in row.values)


def test_a_comparison_that_is_made_again_compiles_its_program_alone(monkeypatch):
    text = "def f(a, b, c):\n    return (jnp.cos(a) @ b) * jnp.tanh(c)\n"
    f, args = load(text), [array(*one) for one in [((8, 8), "x", "y"), ((8, 8), "y", None), ((8, 8), None, "x")]]
    first = read.comparison(f, *args)
    ours, compiled = [], _jax.compiled

    def counted(*args, **kwargs):
        ours.append(args)
        return compiled(*args, **kwargs)

    monkeypatch.setattr(_jax, "compiled", counted)
    again = read.comparison(f, *args)
    assert again.rows == first.rows
    assert len(ours) == 2  # With inspections and without.
    moved = jax.make_mesh((2, 4), ("x", "y"), axis_types=(AxisType.Explicit,) * 2, devices=jax.devices()[:8])
    read.comparison(f, *(jax.device_put(np.asarray(x), NamedSharding(moved, x.sharding.spec)) for x in args))
    assert len(ours) > 4  # Prices are of one mesh.
