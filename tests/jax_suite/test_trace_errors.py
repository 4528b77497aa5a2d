"""Programs that stop: the trace leads up to the value that causes it, and every fix that it offers makes it run."""

import dataclasses
import functools
import gc
import linecache
import re
import weakref
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import traitlets
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

import shardwidget as sw
from shardwidget import read

traced: Any = read.trace

AUTO = "mesh = jax.make_mesh((4, 2), ('x', 'y'), axis_types=(jax.sharding.AxisType.Auto,) * 2)"
EXPLICIT = AUTO.replace("Auto", "Explicit")


class Case:
    """A program as text, so that a fix can be pasted into it."""

    def __init__(self, kind, text, variable, axes=(), mesh=AUTO, arguments="jnp.arange(16.)", first=""):
        self.kind, self.variable, self.axes = kind, variable, axes
        self.first = first
        """The line with the first fix, where it is certain what was meant."""
        self.text = f"{mesh}\nargs = ({arguments},)\n{text.strip()}\n"

    def run(self, text):
        name = f"<program {abs(hash(text))}>"
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        space = {"jax": jax, "jnp": jnp, "np": np, "P": P, "lax": jax.lax}
        exec(compile(text, name, "exec"), space)
        return space["f"], space["args"]


CASES = {
    "out_specs": Case(
        "out_specs",
        """
@jax.shard_map(mesh=mesh, in_specs=P('x'), out_specs=P())
def f(v):
    w = jnp.sin(v) * v
    return w
""",
        "w",
        ("x",),
    ),
    "out_specs of one of two results": Case(
        "out_specs",
        """
@jax.shard_map(mesh=mesh, in_specs=P(('x', 'y')), out_specs=(P(('x', 'y')), P('x')))
def f(v):
    w = v + 1
    return v, w
""",
        "w",
        ("y",),
    ),
    "out_specs after a gather": Case(
        "out_specs",
        """
@jax.shard_map(mesh=mesh, in_specs=P('x'), out_specs=P())
def f(v):
    w = lax.all_gather(v, 'x', tiled=True)
    return w
""",
        "w",
        ("x",),
    ),
    "scan carry gains an axis": Case(
        "scan_carry",
        """
@jax.shard_map(mesh=mesh, in_specs=(P('x'), P()), out_specs=(P('x'), P('x')))
def f(u, v):
    w = v + 1

    def body(carry, _):
        one, two = carry
        return (two, one), ()

    carry, _ = lax.scan(body, (u, w), (), length=2)
    return carry
""",
        "w",
        ("x",),
        arguments="jnp.arange(16.), jnp.arange(4.)",
    ),
    "fori_loop": Case(
        "scan_carry",
        """
@jax.shard_map(mesh=mesh, in_specs=P('x'), out_specs=P('x'))
def f(u):
    total = jnp.zeros(4)
    total = lax.fori_loop(0, 3, lambda i, t: t + u, total)
    return total
""",
        "total",
        ("x",),
    ),
    "while_loop": Case(
        "scan_carry",
        """
@jax.shard_map(mesh=mesh, in_specs=P('x'), out_specs=P('x'))
def f(u):
    total = jnp.zeros(4)
    total = lax.while_loop(lambda t: lax.psum(t.sum(), 'x') < 9, lambda t: t + u + 1, total)
    return total
""",
        "total",
        ("x",),
    ),
    "shape": Case(
        "shape",
        """
@jax.shard_map(mesh=mesh, in_specs=(P('x', 'y'), P('x', None)), out_specs=P('x', 'y'))
def f(a, b):
    c = a + b
    return c
""",
        "a",
        ("y",),
        arguments="jnp.ones((8, 4)), jnp.ones((8, 4))",
    ),
    "shape of a product": Case(
        "shape",
        """
@jax.shard_map(mesh=mesh, in_specs=(P('x', 'y'), P(None, 'y')), out_specs=P('x', 'y'))
def f(a, b):
    c = a @ b
    return c
""",
        "a",
        ("y",),
        arguments="jnp.ones((8, 4)), jnp.ones((4, 8))",
    ),
    "shape of a product of like matrices": Case(
        "shape",
        """
@jax.shard_map(mesh=mesh, in_specs=(P('x', 'y'), P('x', 'y')), out_specs=P('x', 'y'))
def f(a, b):
    c = a @ b
    return c
""",
        None,
        (),
        arguments="jnp.ones((8, 8)), jnp.ones((8, 8))",
    ),
    "indivisible": Case(
        "indivisible",
        """
g = jax.shard_map(lambda a: a * 2, mesh=mesh, in_specs=(P('x', None),), out_specs=P('x'))
def f(a):
    return g(a)
""",
        "a",
        ("x",),
        arguments="jnp.ones((7, 3))",
    ),
    "in_specs": Case(
        "in_specs",
        """
g = jax.shard_map(lambda a: a * 2, mesh=mesh, in_specs=(P('x'),), out_specs=P('x'))
def f(a):
    return g(a)
""",
        "a",
        ("y",),
        mesh=EXPLICIT,
        arguments="jax.device_put(jnp.ones((8, 4)), jax.NamedSharding(mesh, P('x', 'y')))",
    ),
    "sharding_type": Case(
        "sharding_type",
        """
g = jax.shard_map(lambda c: c * 2, mesh=mesh, in_specs=(P('x', None),), out_specs=P('x', None))
def f(a, b):
    c = a @ b
    return g(jax.device_put(c, jax.NamedSharding(mesh, P('x'))))
""",
        "a",
        ("x", "y"),
        mesh=EXPLICIT,
        arguments="jax.device_put(jnp.ones((8, 4)), jax.NamedSharding(mesh, P('x', 'y'))), "
        "jax.device_put(jnp.ones((4, 8)), jax.NamedSharding(mesh, P('y', None)))",
    ),
    "two sharding types": Case(
        "sharding_type",
        """
def f(table, i, w):
    x = table["rows"][i]
    return x @ w
""",
        "table['rows']",
        ("y", "x"),
        mesh=EXPLICIT,
        arguments="{'rows': jax.device_put(jnp.ones((8, 4, 8)), jax.NamedSharding(mesh, P('y', None, None)))}, "
        "jax.device_put(jnp.arange(4), jax.NamedSharding(mesh, P('x'))), "
        "jax.device_put(jnp.ones((8, 8)), jax.NamedSharding(mesh, P('y', None)))",
    ),
    "a part of a cache": Case(
        "sharding_type",
        """
def written(cache, new):
    return lax.dynamic_update_slice(cache, new, (0, 3))
def f(k, new):
    return written(k, new)
""",
        "k",
        ("x", "y"),
        mesh=EXPLICIT,
        arguments="jax.device_put(jnp.ones((8, 8)), jax.NamedSharding(mesh, P('x', 'y'))), "
        "jax.device_put(jnp.ones((8, 1)), jax.NamedSharding(mesh, P('y', None)))",
    ),
    "out_specs of a scalar": Case(
        "out_specs",
        """
@jax.shard_map(mesh=mesh, in_specs=P('x'), out_specs=P('x'))
def f(v):
    w = v.sum()
    return w
""",
        "w",
        ("x",),
    ),
    "axis_name of a spec": Case(
        "axis_name",
        """
g = jax.shard_map(lambda a: a * 2, mesh=mesh, in_specs=(P('q'),), out_specs=P(('x', 'y')))
def f(a):
    return g(a)
""",
        None,
        ("q",),
    ),
    "out_specs below jit": Case(
        "out_specs",
        """
@jax.jit
@jax.shard_map(mesh=mesh, in_specs=P('x'), out_specs=P())
def f(v):
    w = v * 2
    return w
""",
        "w",
        ("x",),
    ),
    "out_specs of a nested region": Case(
        "out_specs",
        """
@jax.jit
@jax.shard_map(mesh=mesh, in_specs=P('x'), out_specs=P('x'), axis_names={'x'})
def f(v):
    def inner(a):
        w = a * 2
        return w
    return jax.shard_map(inner, in_specs=P('y'), out_specs=P(), axis_names={'y'})(v)
""",
        "w",
        ("y",),
    ),
    "axis_name": Case(
        "axis_name",
        """
@jax.shard_map(mesh=mesh, in_specs=P(('x', 'y')), out_specs=P(('x', 'y')))
def f(v):
    w = v * 2
    return lax.all_gather(w, 'z', tiled=True)
""",
        "w",
        ("z",),
    ),
    "branches": Case(
        "branches",
        """
@jax.shard_map(mesh=mesh, in_specs=P('x'), out_specs=P('x'))
def f(v):
    w = jnp.zeros(4)
    return lax.cond(v[0] > 3, lambda a: a * 2, lambda a: w, v)
""",
        "w",
        ("x",),
    ),
    "branches, the first the same": Case(
        "branches",
        """
@jax.shard_map(mesh=mesh, in_specs=P(('x', 'y')), out_specs=P(('x', 'y')))
def f(v):
    w = lax.psum(v, ('x', 'y'))
    return lax.cond(v[0] > 3, lambda: (v, w), lambda: (v, v))[1]
""",
        "w",
        ("x", "y"),
    ),
    "branches of a switch": Case(
        "branches",
        """
@jax.shard_map(mesh=mesh, in_specs=P('x'), out_specs=P('x'))
def f(v):
    def zero(a):
        out = jnp.zeros(4)
        return out
    return lax.switch(lax.axis_index('x'), [jnp.sin, zero, jnp.cos], v)
""",
        None,
        ("x",),
    ),
    "if": Case(
        "traced_value",
        """
@jax.shard_map(mesh=mesh, in_specs=P('x'), out_specs=P('x'))
def f(v):
    w = v.sum() > 3
    if w:
        u = v * 2
    else:
        u = v
    return u
""",
        "w",
    ),
    "if without else": Case(
        "traced_value",
        """
@jax.shard_map(mesh=mesh, in_specs=P('x'), out_specs=P('x'))
def f(v):
    if v[0] > 3:
        v += 1
    return v
""",
        None,
    ),
    "if with several statements": Case(
        "traced_value",
        """
@jax.shard_map(mesh=mesh, in_specs=P('x'), out_specs=P('x'))
def f(v):
    s = lax.psum(v.sum(), 'x')
    if s > 3:
        w = v * 2
        w += 1
        v = w - v
    else:
        w = v
    return v + w
""",
        None,
        first="w, v = jax.lax.cond(s > 3, lambda: (v * 2 + 1, v * 2 + 1 - v), lambda: (v, v))",
    ),
    "if with a return": Case(
        "traced_value",
        """
@jax.shard_map(mesh=mesh, in_specs=P('x'), out_specs=P('x'))
def f(v):
    w = v.sum() > 3
    if w:
        return v * 2
    return v
""",
        "w",
    ),
    "a choice in one line": Case(
        "traced_value",
        """
@jax.shard_map(mesh=mesh, in_specs=P('x'), out_specs=P('x'))
def f(v):
    w = v.sum() > 3
    u = v * 2 if w else v
    return u
""",
        "w",
    ),
    "while": Case(
        "traced_value",
        """
@jax.shard_map(mesh=mesh, in_specs=P('x'), out_specs=P('x'))
def f(v):
    while v.sum() < 30:
        v = v + 1
    return v
""",
        None,
    ),
    "axis_name of a sum": Case(
        "axis_name",
        """
@jax.shard_map(mesh=mesh, in_specs=P(('x', 'y')), out_specs=P(('x', 'y')))
def f(v):
    w = v * 2
    return lax.psum(w, 'row')
""",
        "w",
        ("row",),
    ),
}
TWO = "jnp.arange(32.).reshape(8, 4), jnp.arange(32.).reshape(4, 8)"
CASES |= {
    "a product's parts are returned": Case(
        "out_specs",
        """
@jax.shard_map(mesh=mesh, in_specs=(P('x', 'y'), P('y', None)), out_specs=P('x', None))
def f(a_block, b_block):
    return a_block @ b_block
""",
        None,
        ("y",),
        arguments=TWO,
        first="return jax.lax.psum(a_block @ b_block, 'y')",
    ),
    "a mean's parts, in a dict beside others": Case(
        "out_specs",
        """
def block(v, w):
    loss = v.mean()
    return {'w': w * 2, 'loss': loss, 'most': -v.max()}
f = jax.jit(jax.shard_map(block, mesh=mesh, in_specs=P('x'), out_specs={'loss': P(), 'most': P(), 'w': P('x')}))
""",
        "loss",
        ("x",),
        arguments="jnp.arange(16.), jnp.arange(16.)",
        first="return {'w': w * 2, 'loss': jax.lax.pmean(loss, 'x'), 'most': jax.lax.pmin(-v.max(), 'x')}",
    ),
    "a lambda's result": Case(
        "out_specs",
        """
f = jax.shard_map(lambda v: (v * 2).max(), mesh=mesh, in_specs=(P('x'),), out_specs=P())
""",
        None,
        ("x",),
        first="f = jax.shard_map(lambda v: jax.lax.pmax((v * 2).max(), 'x'), "
        "mesh=mesh, in_specs=(P('x'),), out_specs=P())",
    ),
    "a scan from zero": Case(
        "scan_carry",
        """
def add(total, row):
    return total + row.sum(), total

@jax.shard_map(mesh=mesh, in_specs=P('x'), out_specs=P('x'))
def f(block):
    total, _ = lax.scan(add, 0.0, block)
    return total[None]
""",
        None,
        ("x",),
        first="total, _ = lax.scan(add, jax.lax.pcast(0.0, 'x', to='varying'), block)",
    ),
    "two carries of a dict": Case(
        "scan_carry",
        """
@jax.shard_map(mesh=mesh, in_specs=P('x'), out_specs=P('x'))
def f(block):
    start = {'n': jnp.zeros(()), 'sum': jnp.zeros(()), 'most': block[0]}
    def step(c, v):
        return {'n': c['n'] + v, 'sum': c['sum'] * v, 'most': c['most']}, None
    end, _ = lax.scan(step, start, block)
    return end['most'][None]
""",
        None,
        ("x",),
    ),
    "a carry that a body sums": Case(
        "scan_carry",
        """
def step(c, v):
    return lax.psum(c + v, 'x'), None

@jax.shard_map(mesh=mesh, in_specs=P('x'), out_specs=P('x'))
def f(block):
    return lax.scan(step, block[0], block)[0][None]
""",
        None,
        ("x",),
        first="return jax.lax.pcast(lax.psum(c + v, 'x'), 'x', to='varying'), None",
    ),
    "a fori_loop over a pair": Case(
        "scan_carry",
        """
@jax.shard_map(mesh=mesh, in_specs=P('x'), out_specs=P('x'))
def f(block):
    return lax.fori_loop(0, 3, lambda i, c: (c[0] + block, c[1] * block), (jnp.zeros(4), block))[0]
""",
        None,
        ("x",),
    ),
    "a branch of a library": Case(
        "branches",
        """
@jax.shard_map(mesh=mesh, in_specs=(P('x'), P()), out_specs=P('x'))
def f(v, w):
    return lax.cond(v[0] > 3, jnp.sin, lambda a: v, w)
""",
        "w",
        ("x",),
        arguments="jnp.arange(16.), jnp.arange(4.)",
    ),
    "one of two results of a branch": Case(
        "branches",
        """
@jax.shard_map(mesh=mesh, in_specs=P('x'), out_specs=P('x'))
def f(v):
    return lax.cond(v[0] > 3, lambda a: (a * 2, a), lambda a: (a, jnp.zeros(4)), v)[1]
""",
        None,
        ("x",),
        first="return lax.cond(v[0] > 3, lambda a: (a * 2, a), "
        "lambda a: (a, jax.lax.pcast(jnp.zeros(4), 'x', to='varying')), v)[1]",
    ),
    "a product under vmap": Case(
        "shape",
        """
@jax.shard_map(mesh=mesh, in_specs=(P(None, None, 'x'), P()), out_specs=P(None, None, 'x'))
def f(a, b):
    return jax.vmap(lambda u: u + b)(a)
""",
        None,
        ("x",),
        arguments="jnp.ones((3, 2, 8)), jnp.ones((2, 8))",
        first="return jax.vmap(lambda u: jax.lax.all_gather(u, 'x', axis=1, tiled=True) + b)(a)",
    ),
    "a sum over one axis more": Case(
        "axis_name",
        """
@jax.shard_map(mesh=mesh, in_specs=(P('x'), P()), out_specs=P())
def f(x, w):
    loss = ((x @ w) ** 2).sum()
    return lax.psum(loss, axis_name=('x', 'y'))
""",
        "loss",
        ("y",),
        arguments="jnp.ones((8, 4)), jnp.ones((4, 3))",
        first="return lax.psum(loss, axis_name='x')",
    ),
    "pieces of more than one element": Case(
        "shape",
        """
@jax.shard_map(mesh=mesh, in_specs=P(None, 'x'), out_specs=P('x'))
def f(v):
    return lax.psum_scatter(v, 'x')
""",
        "v",
        ("x",),
        arguments="jnp.ones((8, 8))",
        first="return lax.psum_scatter(v, 'x', tiled=True)",
    ),
    "only lax is imported": Case(
        "out_specs",
        """
from jax import lax as l
@jax.shard_map(mesh=mesh, in_specs=P('x'), out_specs=P())
def f(v):
    return (v *
            2).sum()
""",
        None,
        ("x",),
    ),
}
NOT_IN_09 = {"in_specs"}  # JAX 0.9 reshards the argument itself.
OLD = jax.__version_info__ < (0, 10)


@functools.cache
def stopped(name):
    case = CASES[name]
    f, args = case.run(case.text)
    with pytest.raises(Exception) as caught:  # noqa: PT011
        jax.make_jaxpr(lambda *a: f(*a))(*args)
    return traced(f, *args), caught.value


NAMES = [name for name in CASES if not (OLD and name in NOT_IN_09)]


@pytest.mark.parametrize("name", NAMES)
def test_the_trace_leads_up_to_the_value(name):
    case = CASES[name]
    trace, error = stopped(name)
    failure = trace.error
    assert (failure.kind, failure.error, failure.message) == (case.kind, type(error).__name__, str(error))
    assert failure.axes == case.axes
    if case.variable is not None:
        assert trace.variables[failure.variable].name == case.variable
        assert trace.variables[failure.variable] in trace.steps[-1].inputs
    last = trace.steps[-1]
    assert last.primitive == "error"
    assert last.sentence == "The program stops here."
    assert trace.outputs is None
    # The steps before it ran: their values are there.
    assert trace.engine == "mesh"
    assert all(v.window is not None for step in trace.steps for v in step.outputs)


@pytest.mark.parametrize("name", NAMES)
def test_every_fix_makes_it_run(name):
    case = CASES[name]
    trace, _ = stopped(name)
    assert trace.error.fixes
    for fix in trace.error.fixes:
        text = fix.applied(case.text)
        assert text != case.text
        f, args = case.run(text)
        fixed = traced(f, *args)
        assert fixed.error is None, (fix, fixed.error.message, text)
        jax.block_until_ready(f(*args))


@pytest.mark.parametrize("name", NAMES)
def test_with_a_fix_the_same_call_is_traced(name):
    case = CASES[name]
    trace, _ = stopped(name)
    fixed = trace.with_fix(0)
    assert fixed.error is None
    assert fixed.changed == trace.error.fixes[0]
    f, args = case.run(trace.error.fixes[0].applied(case.text))
    wanted = jax.tree.leaves(f(*args))
    for gotten, out in zip(jax.tree.leaves(fixed.outputs), wanted, strict=True):
        np.testing.assert_allclose(np.asarray(gotten), np.asarray(out), rtol=1e-5)
    if row := fixed.changed.row:
        first = np.asarray(wanted[0])
        first = first[(0,) * (first.ndim - 1)] if first.ndim > 1 else first.reshape(-1)
        np.testing.assert_allclose([float(x) for x in row], first[:4].astype(float), rtol=1e-3)
        assert fixed.changed.row_size == first.size
    line = fixed.changed.line
    shown = [text for one in fixed.listings if 0 <= line - one.first_line < len(one.lines) for text in one.lines]
    new = [text.strip() for text in fixed.changed.code.split("\n")]
    assert not line or not shown or any(text.strip() in new for text in shown)
    with pytest.raises(IndexError, match="the fixes of this trace are 0"):
        trace.with_fix(99)


@pytest.mark.parametrize("name", [name for name in NAMES if CASES[name].first])
def test_the_first_fix_gives_what_was_meant(name):
    fix = stopped(name)[0].error.fixes[0]
    assert fix.code == CASES[name].first


def said(text, *args):
    """The failure of a program as text, and what it gives with each fix."""
    f, args = CASES["out_specs"].run(text)
    failure = traced(f, *args).error
    outs = []
    for fix in failure.fixes:
        fixed, _ = CASES["out_specs"].run(fix.applied(text))
        outs.append(jax.tree.map(np.asarray, fixed(*args)))
    return failure, outs


def refused(f, *sizes):
    """What is said of a function of blocks along x that JAX refuses."""
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
    return traced(jax.shard_map(f, mesh=mesh, in_specs=P("x"), out_specs=P("x")), *map(jnp.ones, sizes)).error


def test_a_sum_over_an_axis_along_which_nothing_varies_says_which():
    explanation = refused(lambda v: jax.lax.psum(v.sum(), ("x", "y")), 8).explanation
    assert explanation.startswith("v.sum() varies over x and is the same along y: a collective takes axes over which ")


@pytest.mark.parametrize(
    "f",
    [
        lambda v: jax.lax.all_to_all(v, "x", 1, 0, tiled=True),
        lambda v: jax.lax.psum_scatter(v, "x", scatter_dimension=1, tiled=True),
    ],
)
def test_pieces_that_are_not_equal_are_counted(f):
    assert refused(f, (8, 6)).explanation == (
        "v is to be cut into 4 equal pieces, one for each device, along a dimension of 6 elements; 6 = 4·1 + 2. Inside "
        "shard_map a function sees blocks: v is f32[2,6]{V:x}."
    )


def test_untiled_pieces_are_of_one_element():
    failure = refused(lambda v: jax.lax.all_to_all(v, "x", 1, 0), (8, 6))
    assert failure.explanation.startswith(
        "v is to be cut into 4 pieces of one element, one for each device, along a dimension of 6 "
    )
    assert not failure.fixes  # Four do not divide six.


@pytest.mark.parametrize(
    ("perm", "words"),
    [
        ([(0, 1), (2, 1)], r"2 blocks go to device 1 \(0 → 1 and 2 → 1\)"),
        ([(0, k) for k in range(3)], r"device 0 sends 3 times \(0 → 0, 0 → 1 and 0 → 2\)"),
    ],
)
def test_a_permutation_that_is_none_is_refused_with_its_line(perm, words):
    with pytest.raises(ValueError, match=rf"^test_trace_errors\.py, line \d+: ppermute: {words}"):
        refused(lambda v: jax.lax.ppermute(v, "x", perm), 8)


def test_specs_that_are_no_tree_like_the_arguments_are_told_so():
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
    one = jax.shard_map(lambda v, w: v @ w, mesh=mesh, in_specs=(P("x"),), out_specs=P("x"))
    v, w = jnp.ones((8, 4)), jnp.ones((4, 2))
    words = (
        "in_specs must be one spec for each argument, a tree of specs where the argument is a tree, or one spec for all"
    )
    with pytest.raises(TypeError, match=f"{words}.* JAX finds different lengths of tuple"):
        traced(one, v, w)
    assert traced(lambda v: one(v, w), v).error.explanation.startswith(words)
    two = jax.shard_map(lambda v: (v, v), mesh=mesh, in_specs=P("x"), out_specs=(P("x"),))
    assert "out_specs must be one spec for each result" in traced(lambda v: two(v), v).error.explanation


@pytest.mark.skipif(OLD, reason="JAX 0.9 reshards the argument itself")
@pytest.mark.parametrize("make", [lambda f: f, jax.jit])
def test_arguments_that_no_line_passes_are_resharded_before_the_call(make):
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
    numbers = np.arange(32.0, dtype="float32").reshape(8, 4)
    here: dict[str, Any] = {"jax": jax, "P": P}
    for name, spec in {"a": P("x", "y"), "b": P(None, "x"), "c": P("x")}.items():
        here[name] = jax.device_put(numbers, jax.NamedSharding(mesh, spec))
    f = make(jax.shard_map(lambda a, b, c: a * 2 + b + c, mesh=mesh, in_specs=(P("x"),) * 3, out_specs=P("x")))
    trace = traced(f, here["a"], here["b"], here["c"])
    fix = trace.error.fixes[0]
    assert (fix.title, fix.value, fix.communication) == ("Reshard a and b before the call", "same", "")
    exec(fix.code, here)
    np.testing.assert_array_equal(f(here["a"], here["b"], here["c"]), trace.with_fix(0).outputs)


@pytest.mark.skipif(OLD, reason="JAX 0.9 reshards the argument itself")
@pytest.mark.parametrize("given", [np.asarray, jnp.asarray, lambda x: {"w": jnp.asarray(x)}])
def test_arguments_on_no_mesh_are_resharded_before_the_call(given):
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
    a = given(np.arange(32.0, dtype="float32").reshape(8, 4))
    f = jax.shard_map(
        lambda a: jax.tree.map(lambda x: x * 2, a), mesh=mesh, in_specs=P("x", "y"), out_specs=P("x", "y")
    )
    with pytest.raises(ValueError, match="does not match the specs"):
        f(a)
    for engine in (None, "host"):
        error = traced(f, a, engine=engine).error
        assert error.explanation.endswith(" before the call.")
        assert error.fixes[0].value == "same"
        here: dict[str, Any] = {"jax": jax, "P": P, "a": a, "mesh": mesh}
        exec(error.fixes[0].code, here)
        jax.tree.map(np.testing.assert_array_equal, f(here["a"]), jax.tree.map(lambda x: x * 2, a))


TREES = {
    "a spec for a tree": (lambda a, b, c: ({"w": a, "v": (b,)}, c), (P("x"), P("x"))),
    "a spec for a tuple": (lambda a, b, c: ((c, [a]), b), (P("x"), P(None, "x"))),
    "a tree of specs": (lambda a, b, c: ({"w": b, "v": (c,)}, a), ({"w": P("x"), "v": P("x")}, P("x", "y"))),
    "one spec for all": (lambda a, b, c: ({"w": c}, {"v": [b, a]}), P("x")),
}


@pytest.mark.skipif(OLD, reason="JAX 0.9 reshards the argument itself")
@pytest.mark.parametrize("name", TREES)
def test_a_tree_of_arguments_is_resharded_as_its_specs_say(name):
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
    numbers = np.arange(32.0, dtype="float32").reshape(8, 4)
    specs = P("x", "y"), P(None, "x"), P("x")
    arrays = [jax.device_put(numbers + k, jax.NamedSharding(mesh, spec)) for k, spec in enumerate(specs)]
    make, in_specs = TREES[name]
    first, second = make(*arrays)
    f = jax.shard_map(lambda t, s: jax.tree.map(lambda a: a.sum(), (t, s)), mesh=mesh, in_specs=in_specs,
                      out_specs=P(), check_vma=False)  # fmt: skip
    with pytest.raises(ValueError, match="does not match the specs"):
        f(first, second)
    fix = traced(f, first, second).error.fixes[0]
    here: dict[str, Any] = {"jax": jax, "P": P, "t": first, "s": second}
    exec(fix.code, here)
    assert jax.tree.leaves(f(here["t"], here["s"]))


PASSED = {
    "a tree with a spec for each array": (
        "({'w': P('x'), 'v': P(None, 'y')},)",
        "g(dict(w=a, v=a))",
        "return g(jax.reshard(dict(w=a, v=a), "
        "jax.tree.map(lambda spec: jax.NamedSharding(mesh, spec), {'v': P(None, 'y'), 'w': P('x')})))",
    ),
    "a tree with one spec": (
        "(P('x'), P('x', 'y'))",
        "g((a * 2, [a]), a)",
        "return g(jax.reshard((a * 2, [a]), jax.NamedSharding(mesh, P('x'))), a)",
    ),
    "two trees": (
        "P('x')",
        "g({'w': a}, (a,))",
        "return g(jax.reshard({'w': a}, jax.NamedSharding(mesh, P('x'))), "
        "jax.reshard((a,), jax.NamedSharding(mesh, P('x'))))",
    ),
}


@pytest.mark.skipif(OLD, reason="JAX 0.9 reshards the argument itself")
@pytest.mark.parametrize("name", PASSED)
def test_a_tree_is_resharded_where_it_is_passed(name):
    in_specs, call, wanted = PASSED[name]
    given = "jax.device_put(jnp.ones((8, 4)), jax.NamedSharding(mesh, P('x', 'y')))"
    region = "g = jax.shard_map(lambda *trees: jax.tree.map(lambda x: jax.lax.psum(x.sum(), ('x', 'y')), trees),"
    text = f"{region} mesh=mesh, in_specs={in_specs}, out_specs=P(), check_vma=False)\ndef f(a):\n    return {call}\n"
    case = Case("in_specs", text, "a", mesh=EXPLICIT, arguments=given)
    f, args = case.run(case.text)
    fix = traced(f, *args).error.fixes[0]
    assert (fix.code, fix.line) == (wanted, 5)
    fixed, args = case.run(fix.applied(case.text))
    assert jax.tree.leaves(fixed(*args))


UNEVEN_TREES = {
    "one spec for all": (P("x"), "({'v': P(None), 'w': P('x')}, P('x'))"),
    "a spec for a tree": ((P("x"), P()), "({'v': P(None), 'w': P('x')}, P())"),
    "a tree of specs": (({"w": P(), "v": P("x")}, P()), "({'v': P(None), 'w': P()}, P())"),
}


@pytest.mark.parametrize("name", UNEVEN_TREES)
def test_a_spec_of_a_tree_becomes_one_for_each_array_where_one_is_uneven(name):
    in_specs, wanted = UNEVEN_TREES[name]
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
    f = jax.shard_map(lambda t, s: jax.tree.map(lambda a: a.sum(), (t, s)), mesh=mesh, in_specs=in_specs,
                      out_specs=P(), check_vma=False)  # fmt: skip
    failure = traced(f, {"w": jnp.ones((8, 4)), "v": jnp.ones(7)}, jnp.ones(8)).error
    assert failure.explanation.startswith("Dimension 0 of t['v'] has 7 elements")
    assert f"in_specs={wanted}" in failure.fixes[0].code.replace("jax.P(", "P(")


def one_cut(x):
    return x * 2


@pytest.mark.parametrize("spoil", ["unreduced", "weak", "a Ref"])
def test_arguments_without_a_copy_leave_fixes_that_are_pasted(spoil):
    kind = AxisType.Explicit if spoil == "unreduced" else AxisType.Auto
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(kind,) * 2)
    x = jax.device_put(np.arange(8.0, dtype="float32"), jax.NamedSharding(mesh, P("x")))
    more = {
        "unreduced": lambda: jnp.dot(
            *(
                jax.device_put(np.ones((8, 8), "float32"), jax.NamedSharding(mesh, spec))
                for spec in (P(None, "y"), P("y"))
            ),
            out_sharding=jax.NamedSharding(mesh, P(None, None, unreduced=frozenset({"y"}))),
        ),
        "weak": lambda: jnp.asarray(2.0),
        "a Ref": lambda: jax.new_ref(jnp.ones(8)),
    }[spoil]()
    mapped = jax.shard_map(one_cut, mesh=mesh, in_specs=P("x"), out_specs=P())
    trace = traced(lambda x, more: mapped(x), x, more)
    assert trace.error.kind == "out_specs"
    assert trace.error.fixes
    with pytest.raises(ValueError, match="or paste the fix"):
        trace.with_fix(0)


def test_what_traces_it_with_a_fix_holds_no_array():
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
    x = jax.device_put(np.arange(8.0, dtype="float32"), jax.NamedSharding(mesh, P("x")))
    f = jax.shard_map(one_cut, mesh=mesh, in_specs=P("x"), out_specs=P())
    stepper = sw.ShardMapStepper(f, x)
    stepper._settle()
    held = weakref.ref(x)
    del x
    gc.collect()
    assert held() is None
    stepper.used = 0
    np.testing.assert_array_equal(stepper.document.variables[-1].value(0), 2 * np.arange(8.0))


def test_bytes_are_those_of_all_turns_and_of_the_branch_that_sends_most():
    mesh = jax.make_mesh((4,), ("i",), devices=jax.devices()[:4], axis_types=(AxisType.Auto,))

    def looped(x):
        return jax.lax.scan(lambda c, _: (jax.lax.pmean(c, "i") + c, None), x, None, length=5)[0]

    def branched(x):
        return jax.lax.cond(x.sum() > 0, lambda x: jax.lax.ppermute(x, "i", [(0, 1)]), lambda x: x, x)

    def unknown(x):
        return jax.lax.while_loop(lambda c: c.sum() < 100, lambda c: c + jax.lax.psum(c, "i"), x)

    sent = []
    for f in (looped, branched, unknown):
        trace = traced(jax.shard_map(f, mesh=mesh, in_specs=P("i"), out_specs=P()), jnp.ones(16))
        joined = next(fix for fix in trace.error.fixes if fix.title.startswith("Concatenate"))
        sent.append((joined.communication, joined.bytes_per_device))
    # A ring of four sends 2 · 3/4 of 16 B in each of five turns; a permutation sends the block.
    assert sent == [("psum over i", 120), ("ppermute over i", 16), ("", 0)]


INDEXED = f"""{AUTO}
args = (jnp.arange(16.),)
@jax.shard_map(mesh=mesh, in_specs=P('x'), out_specs=P())
def f(v):
    return v.sum() + lax.axis_index('x')
"""


def test_where_the_value_is_not_known_that_is_said():
    failure, _ = said(INDEXED)
    assert {fix.value for fix in failure.fixes} == {"unknown"}
    assert "were not compared: the function asks for its position on the mesh" in failure.explanation
    # Blocks of four are written into the function.
    failure, _ = said(INDEXED.replace("lax.axis_index('x')", "jnp.arange(4.)[:4] @ v"))
    assert {fix.value for fix in failure.fixes} == {"unknown"}
    assert "does not run on the whole array" in failure.explanation


def test_where_no_fix_gives_the_value_that_is_said():
    text = INDEXED.replace("v.sum() + lax.axis_index('x')", "lax.psum(v.mean(), 'x') + v[0]")
    failure, _ = said(text)
    assert {fix.value for fix in failure.fixes} == {"other"}
    assert all(fix.effect for fix in failure.fixes)
    assert failure.explanation.endswith("each says what it gives.")


@pytest.mark.parametrize("limit", ["LARGEST", "WORK", "EQUATIONS"])
def test_a_large_program_is_not_run_for_its_fixes(limit, monkeypatch):
    monkeypatch.setattr(f"shardwidget.read._trace._failures.trials.{limit}", 10)
    failure, _ = said(INDEXED.replace("lax.axis_index('x')", "1"))
    assert {fix.value for fix in failure.fixes} == {"unknown"}
    assert "too large to be run for each" in failure.explanation


def test_what_is_traced_again_leaves_the_program_as_it_was():
    f, args = CASES["out_specs"].run(INDEXED.replace("lax.axis_index('x')", "1"))
    before = f.__wrapped__.__code__
    assert traced(f, *args).error.fixes[0].value == "same"
    assert f.__wrapped__.__code__ is before
    with pytest.raises(ValueError, match="out_specs"):
        jax.jit(f)(*args)


def test_what_a_program_prints_is_not_printed_for_its_fixes(capfd):
    text = INDEXED.replace(
        "    return v.sum() + lax.axis_index('x')", "    jax.debug.print('here')\n    return v.sum()"
    )
    failure = traced(*flat(CASES["out_specs"].run(text))).error
    jax.effects_barrier()
    assert failure.fixes[0].value == "same"
    assert "here" not in capfd.readouterr().out


def test_a_product_of_blocks_is_then_the_product():
    case = CASES["a product's parts are returned"]
    f, (a, b) = case.run(stopped("a product's parts are returned")[0].error.fixes[0].applied(case.text))
    np.testing.assert_allclose(f(a, b), a @ b)


def test_values_that_python_cannot_ask_for():
    def stops(body):
        f = jax.shard_map(body, mesh=mesh(), in_specs=P("x"), out_specs=P("x"))
        return traced(f, jnp.arange(8.0)).error

    for body, words in {
        lambda v: v[: int(v.sum())]: "Python needs the number in ",
        lambda v: np.asarray(v): "NumPy needs the numbers in v: jax.numpy",
        lambda v: v[v > 0]: "How many elements a mask picks",
        lambda v: [1, 2][v.astype(int)[0]]: "Python needs .* as a whole number",
    }.items():
        failure = stops(body)
        assert failure.kind == "traced_value"
        assert re.match(words, failure.explanation)
        assert "a type without a number, which may differ on each device" in failure.explanation
        assert failure.fixes == ()


def test_a_statement_of_no_plain_form_is_not_rewritten():
    @jax.shard_map(mesh=mesh(), in_specs=P("x"), out_specs=P("x"))
    def f(v):
        if v[0] > 3:
            w = v * 2
            v = w + 1
        return v

    failure = traced(f, jnp.arange(8.0)).error
    assert (failure.kind, failure.fixes) == ("traced_value", ())
    assert "jax.lax.cond(condition, f, g, *operands)" in failure.explanation


def test_an_eager_function_is_offered_the_same():
    case = Case(
        "traced_value",
        """
total = jax.shard_map(lambda v: lax.psum(v.sum(), 'x'), mesh=mesh, in_specs=P('x'), out_specs=P())
def f(v):
    s = total(v)
    if s > 3:
        v = v / s
        s = s - 1
    return v * s
""",
        None,
    )
    f, args = case.run(case.text)
    (fix,) = traced(f, *args).error.fixes
    assert fix.code == "v, s = jax.lax.cond(s > 3, lambda: (v / s, s - 1), lambda: (v, s))"
    fixed, _ = case.run(fix.applied(case.text))
    np.testing.assert_allclose(traced(fixed, *args).outputs, f(*args), rtol=1e-6)


def asks_if(sizes, scale):
    return scale if sizes["k"] > 2 else -scale


def asks_int(sizes, scale):
    return scale * int(sizes["k"])


def returns_text(sizes, scale):
    return "text"


@pytest.mark.parametrize("f", [asks_if, asks_int, returns_text])
def test_messages_name_the_users_function_and_argument(f):
    args = {"k": jnp.array(3), "static": None}, jnp.ones(8)
    with pytest.raises(TypeError) as compared:
        read.comparison(f, *args)
    messages = [str(compared.value)]
    if f is returns_text:
        with pytest.raises(TypeError) as refused:
            traced(f, *args)
        messages.append(str(refused.value))
        assert "returns arrays" in messages[-1]
        assert "Give read.trace" not in messages[-1]
    else:
        failure = traced(f, *args).error
        messages += [failure.message, failure.traceback]
    for message in messages:
        assert f"{f.__name__} at {__file__}:{f.__code__.co_firstlineno}" in message
        assert f is returns_text or "the value of the argument sizes['k']." in message


def test_a_gather_is_offered_where_it_is_certain():
    def gathers(f, *args, out=()):
        g = jax.shard_map(f, mesh=mesh(), in_specs=(P(("x", "y")), P()), out_specs=P(*out))
        codes = [m.code for m in traced(g, *args).error.fixes]
        found = [re.search(r"jax.lax.all_gather\(.*?tiled=True(?:, to='invarying')?\) \+ b", code) for code in codes]
        return list(dict.fromkeys(one[0].replace(", to='invarying'", "") for one in found if one))

    a, b = jnp.ones(16), jnp.ones(16)
    assert gathers(lambda a, b: a + b, a, b) == ["jax.lax.all_gather(a, ('x', 'y'), axis=0, tiled=True) + b"]
    assert gathers(lambda a, b: a + b, a, b[:4], out=("x",)) == ["jax.lax.all_gather(a, 'y', axis=0, tiled=True) + b"]
    # Blocks that differ along x alone are not next to each other.
    assert gathers(lambda a, b: a + b, a, b[:8], out=("x",)) == []

    def computed(a, b):
        c = jnp.sin(a) * 2
        return c + b

    assert gathers(computed, a, b) == ["jax.lax.all_gather(c, ('x', 'y'), axis=0, tiled=True) + b"]

    def turned(a, b):
        c = a[::-1]
        return c + b

    assert gathers(turned, a, b) == []


def test_the_origin_is_where_the_value_began_to_vary():
    case = CASES["out_specs"]
    trace, _ = stopped("out_specs")
    assert trace.steps[trace.error.origin].primitive == "in_specs"
    text = case.text.replace("jnp.sin(v) * v", "lax.psum(v, 'x') + lax.axis_index('x')")
    trace = traced(*flat(case.run(text)))
    assert trace.steps[trace.error.origin].primitive == "axis_index"
    assert "axis_index (line 5: w = lax.psum(v, 'x') + lax.axis_index('x'))" in trace.error.explanation


def flat(run):
    f, args = run
    return f, *args


def test_equal_blocks_are_offered_what_keeps_them():
    trace, _ = stopped("out_specs after a gather")
    assert [m.code for m in trace.error.fixes if "equal" in m.title] == [
        "return jax.lax.pmax(w, 'x')",
        "@jax.shard_map(mesh=mesh, in_specs=P('x'), out_specs=P(), check_vma=False)",
    ]
    trace, _ = stopped("out_specs")
    assert not any("equal" in m.title for m in trace.error.fixes)


def mesh():
    return jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)


def test_the_users_own_exception():
    def helper(a):
        b = a + 1
        raise RuntimeError(f"not today: {b.shape}")

    @jax.shard_map(mesh=mesh(), in_specs=P("x"), out_specs=P("x"))
    def f(a):
        c = a * 2
        return helper(c)

    trace = traced(f, jnp.arange(8.0))
    failure = trace.error
    assert (failure.kind, failure.error, failure.message) == ("user", "RuntimeError", "not today: (2,)")
    lines = failure.traceback.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[-1] == "RuntimeError: not today: (2,)"
    assert "    return helper(c)" in lines
    assert not any("/jax/" in line or "/shardwidget/read/" in line for line in lines)
    assert [s.primitive for s in trace.steps if s.primitive in ("mul", "add", "error")] == ["mul", "add", "error"]
    (b,) = next(s for s in trace.steps if s.primitive == "add").outputs
    np.testing.assert_array_equal(b.value(2), [5.0, 7.0])
    assert trace.steps[-1].source.text == 'raise RuntimeError(f"not today: {b.shape}")'


def test_a_function_that_jax_has_no_more_is_told_in_its_words():
    numpy: Any = jnp

    @jax.shard_map(mesh=mesh(), in_specs=P("x"), out_specs=P("x"))
    def f(a):
        return numpy.no_such_function(a * 2)

    error = traced(f, jnp.arange(8.0)).error
    assert (error.error, error.explanation) == ("AttributeError", error.message.partition("\n")[0])
    assert "no_such_function" in error.explanation


@pytest.mark.parametrize("wrap", [jax.jit, lambda f: lambda x: jax.grad(lambda x: f(x).sum())(x)])
def test_an_exception_below_jit_and_grad(wrap):
    @jax.shard_map(mesh=mesh(), in_specs=P("x"), out_specs=P("x"))
    def g(a):
        b = jnp.cos(a)
        raise ValueError(b)

    def f(x):
        y = x * 3
        return g(y)

    trace = traced(wrap(f), jnp.arange(8.0))
    assert (trace.error.kind, trace.error.error) == ("user", "ValueError")
    (b,) = next(s for s in trace.steps if s.primitive == "cos").outputs
    np.testing.assert_allclose(b.value(2), np.cos([6.0, 9.0]), rtol=1e-6)


def test_an_exception_before_any_region():
    def f(x):
        y = x * 3
        raise ValueError(f"early: {y.shape}")

    trace = traced(f, jnp.arange(8.0))
    assert (trace.error.kind, trace.error.message, trace.mesh.size) == ("user", "early: (8,)", 1)
    assert [s.primitive for s in trace.steps] == ["mul", "error"]


def test_an_exception_in_a_loop_keeps_the_steps_before_it():
    @jax.shard_map(mesh=mesh(), in_specs=P("x"), out_specs=P("x"))
    def f(a):
        b = a * 2

        def body(c, _):
            raise ValueError("in the loop")

        return jax.lax.scan(body, b, None, length=3)[0]

    trace = traced(f, jnp.arange(8.0))
    assert (trace.error.kind, trace.error.message) == ("user", "in the loop")
    assert "b" in [v.name for s in trace.steps for v in s.outputs]
    assert trace.steps[-1].source.text == 'raise ValueError("in the loop")'


def stops(c, b):
    d = c * 2 + b
    e = jax.lax.psum(d, "y")
    raise ValueError("stop", e)


BODIES = {
    "scan": (lambda b: jax.lax.scan(lambda c, x: stops(c, x), b, jnp.ones((3, 2)))[0], ["iteration scan 1 of 3"]),
    "scan in reverse": (
        lambda b: jax.lax.scan(lambda c, x: stops(c, x - 1), b, jnp.arange(3.0), reverse=True)[0],
        ["iteration scan 1 of 3"],
    ),
    "fori_loop": (lambda b: jax.lax.fori_loop(0, 3, lambda i, c: stops(c, i + 1.0), b), ["iteration scan 1 of 3"]),
    "while_loop": (lambda b: jax.lax.while_loop(lambda c: c.sum() < 9, lambda c: stops(c, 1), b), ["iteration while"]),
    "while_loop's test": (lambda b: jax.lax.while_loop(lambda c: stops(c, 1), lambda c: c, b), ["iteration while"]),
    "cond": (lambda b: jax.lax.cond(True, lambda c: stops(c, 1), lambda c: c, b), ["branch cond branch 1"]),
    "cond's other branch": (
        lambda b: jax.lax.cond(True, lambda c: c, lambda c: stops(c, 1), b),
        ["branch cond branch 0"],
    ),
    "switch": (lambda b: jax.lax.switch(1, [lambda c: c, lambda c: stops(c, 1)], b), ["branch cond branch"]),
    "jit": (lambda b: jax.jit(lambda c: stops(c, b * 0 + 1))(b), []),
    "checkpoint": (lambda b: jax.checkpoint(lambda c: stops(c, b * 0 + 1))(b), []),
    "loop in a loop, what is around closed over": (
        lambda b: jax.lax.scan(
            lambda c, _: (jax.lax.fori_loop(0, 2, lambda i, z: stops(z, c * 0 + b * 0 + 1), b), None), b, length=4
        )[0],
        ["iteration scan 1 of 4", "iteration scan 1 of 2"],
    ),
}


def within(trace, step):
    """The loops and branches around a step, outermost first."""
    found, at = [], step.scope
    while at >= 0:
        scope = trace.scopes[at]
        count = f" {scope.iteration + 1} of {scope.times}" if scope.kind == "iteration" and scope.times else ""
        if scope.kind in ("iteration", "branch"):
            found.insert(0, f"{scope.kind} {scope.name}{count}")
        at = scope.parent
    return found


@pytest.mark.parametrize("engine", [None, "host"])
@pytest.mark.parametrize("name", BODIES)
def test_the_steps_of_the_body_that_stops_are_kept(name, engine):
    body, around = BODIES[name]

    @jax.shard_map(mesh=mesh(), in_specs=P(("x", "y")), out_specs=P(("x", "y")))
    def f(a):
        return body(a + jnp.ones(2))

    trace = traced(f, jnp.arange(16.0), engine=engine)
    assert (trace.error.kind, trace.error.error, trace.note) == ("user", "ValueError", "")
    d, e = (next(v for v in trace.variables if v.name == name) for name in "de")
    a = np.arange(16.0).reshape(4, 2, 2) + 1
    np.testing.assert_array_equal([d.value(k) for k in range(8)], (2 * a + 1).reshape(8, 2))
    np.testing.assert_array_equal([e.value(k) for k in (4, 5)], [(2 * a + 1).sum(1)[2]] * 2)
    assert within(trace, trace.steps[-1]) == around
    assert trace.steps[-1].source.text == 'raise ValueError("stop", e)'


def test_a_body_under_vmap_is_left_out():
    """Its types do not have the dimension that vmap adds."""
    f = jax.shard_map(
        lambda a: jax.vmap(lambda b: jax.lax.scan(stops, b, jnp.ones(3))[0])(a * 2),
        mesh=mesh(),
        in_specs=P("x", "y"),
        out_specs=P("x", "y"),
    )
    trace = traced(f, jnp.arange(32.0).reshape(8, 4))
    assert (trace.error.kind, trace.note) == ("user", "")
    np.testing.assert_array_equal(
        next(s for s in trace.steps if s.primitive == "mul").outputs[0].value(0), [[0, 2], [8, 10]]
    )


@pytest.mark.parametrize("engine", [None, "host"])
def test_errors_need_no_devices(engine):
    abstract = jax.sharding.AbstractMesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)

    @jax.shard_map(mesh=abstract, in_specs=P("x"), out_specs=P())
    def f(v):
        return v * 2

    trace = traced(f, jnp.arange(8.0), engine=engine)
    assert (trace.error.kind, trace.engine) == ("out_specs", "host")
    np.testing.assert_array_equal(trace.variables[trace.error.variable].value(4), [8.0, 10.0])


def test_a_mesh_is_set_around_the_call():
    def f(a):
        with jax.set_mesh(mesh()):
            return jax.shard_map(lambda a: a * 2, in_specs=P("x"), out_specs=P("x"))(a)

    failure = traced(f, jnp.arange(8.0)).error
    assert failure.explanation.endswith("Set it around the call: with jax.set_mesh(mesh): ShardMapStepper(f, ...).")
    with jax.set_mesh(mesh()):
        inner = jax.shard_map(lambda a: a * 2, in_specs=P("x"), out_specs=P("x"))
        np.testing.assert_array_equal(traced(inner, jnp.arange(8.0)).outputs, 2 * np.arange(8.0))


def test_an_interrupt_passes():
    @jax.shard_map(mesh=mesh(), in_specs=P("x"), out_specs=P("x"))
    def f(v):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        traced(f, jnp.arange(8.0))


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((), "in_specs"),
        ((1.0, 2.0), "in_specs"),
        (("text",), "not a valid JAX type"),
    ],
)
def test_wrong_arguments(args, words):
    f = jax.shard_map(lambda a: a * 2, mesh=mesh(), in_specs=(P("x"),), out_specs=P("x"))
    with pytest.raises(TypeError, match=words) as caught:
        traced(f, *args)
    assert "Give read.trace the function and then its arguments" in str(caught.value)


def test_a_module_with_functions_in_it():
    model = {"w": jnp.ones((8, 8)), "activation": jnp.tanh}
    words = r"an argument holds something else: model\['activation'\] is a .*eqx\.partition"

    def body(model, x):
        return model["activation"](x @ model["w"])

    mapped = jax.shard_map(body, mesh=mesh(), in_specs=(P(), P("x")), out_specs=P("x"))
    with pytest.raises(TypeError, match=f"(?s){words}"):
        traced(mapped, model, jnp.ones((8, 8)))
    result = traced(lambda model, x: mapped(model, x) + 1, model, jnp.ones((8, 8)))
    assert re.search(words, result.error.explanation)


def test_no_shard_map():
    def plain(x):
        return x + 1

    trace = traced(plain, jnp.ones(3))
    assert (trace.regions, [s.primitive for s in trace.steps]) == ((), ["add"])
    assert np.array_equal(trace.steps[0].outputs[0].value(0), [2, 2, 2])
    assert repr(trace).startswith("plain: calls no shard_map: the compiler chooses what devices send")
    assert type(sw.show(trace)).__name__ == "TextView"
    words = r"plain calls no jax\.shard_map.*ShardingComparison\(plain, \*args\)"
    for given in ((plain, jnp.ones(3)), (trace,)):
        with pytest.raises(ValueError, match=words):
            sw.ShardMapStepper(*given)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("f", [lambda x: 3, lambda x: x, lambda x: None], ids=["a number", "its argument", "None"])
def test_a_function_without_a_step_is_printed(f):
    trace = read.trace(f, jnp.ones(8))
    assert not trace.steps
    assert "calls no shard_map" in repr(trace)
    assert "calls no shard_map" in trace._repr_html_()


def test_an_engine_that_is_not_there():
    with pytest.raises(ValueError, match=r"engine must be None.*got 'tpu'"):
        traced(jnp.sin, jnp.ones(3), engine="tpu")


def test_a_line_whose_text_is_not_known_is_named_by_its_number():
    made = {"jax": jax, "P": P, "mesh": jax.make_mesh((2,), ("i",), axis_types=(AxisType.Auto,))}
    code = "@jax.shard_map(mesh=mesh, in_specs=P('i'), out_specs=P())\ndef f(x):\n    return x * 2\n"
    exec(compile(code, "<no file>", "exec"), made)
    failure = read.trace(made["f"], jnp.arange(4.0)).error
    assert failure is not None
    assert "since step 0, in_specs" in failure.explanation
    assert ": )" not in failure.explanation


def test_a_fix_that_cannot_be_traced_any_more_is_offered_no_more():
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
    stepper = sw.ShardMapStepper(jax.shard_map(one_cut, mesh=mesh, in_specs=P("x"), out_specs=P()), jnp.ones(8))

    def retraced(number: int) -> None:
        raise RuntimeError("the function changed")

    stepper._given = dataclasses.replace(stepper.document, retraced=retraced)
    assert stepper._usable
    with pytest.raises(traitlets.TraitError, match="cannot be traced: the function changed"):
        stepper.used = 0
    assert (stepper.used, stepper._usable) == (-1, False)
    assert stepper.document.error is not None


def test_a_result_without_a_name_is_that_of_its_line():
    mesh = jax.make_mesh((4,), ("i",), devices=jax.devices()[:4], axis_types=(AxisType.Auto,))

    def unnamed(x):
        return jnp.mean((x - x.max() * 2.0 + 1.0) ** 2 + x * 3.0)

    def gathered(x):
        return jax.lax.all_gather(x, "i", tiled=True)

    said = [
        traced(jax.shard_map(f, mesh=mesh, in_specs=P("i"), out_specs=P()), jnp.arange(8.0)).error.explanation
        for f in (unnamed, gathered)
    ]
    lines = [f.__code__.co_firstlineno + 1 for f in (unnamed, gathered)]
    assert said[0].startswith(f"Along i, what line {lines[0]} computes is not the same block on all devices, but out_")
    assert said[1].startswith(f"Along i, what line {lines[1]} computes may differ by its type f32[8]{{V:i}}, but out_")


@pytest.mark.skipif(OLD, reason="JAX 0.9 reshards the argument itself")
@pytest.mark.parametrize("shape", [(0, 4), (8, 4)])
@pytest.mark.parametrize("transform", ["none", "vmap", "grad of vmap"])
def test_an_argument_that_is_refused_is_named_through_transformations(transform, shape):
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
    x = jax.device_put(np.ones(shape, "float32"), jax.NamedSharding(mesh, P(None, "y")))
    summed = jax.shard_map(lambda a: jax.lax.psum(a.sum(), "x"), mesh=mesh, in_specs=P("x"), out_specs=P())
    f = {
        "none": lambda t: summed(t),
        "vmap": lambda t: jax.vmap(summed, in_axes=1)(t),
        "grad of vmap": jax.grad(lambda t: jax.vmap(summed, in_axes=1)(t).sum()),
    }[transform]
    with pytest.raises(ValueError, match="does not match the specs"):
        f(x)
    failure = traced(f, x).error
    assert failure.kind == "in_specs"
    assert failure.explanation.startswith("t is f32[")
