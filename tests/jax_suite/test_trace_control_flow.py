"""Control flow is entered: calls, branches, loops; nested and partly manual regions; whole-array steps between them."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

from shardwidget import read
from tests.once import once

traced: Any = read.trace

MESH = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
EXPLICIT = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
BOTH = pytest.mark.parametrize("engine", [None, "host"])


ROWS: Any = P("x")


def region(f, in_specs=ROWS, out_specs=ROWS, mesh=MESH, **kwargs):
    return jax.shard_map(f, mesh=mesh, in_specs=in_specs, out_specs=out_specs, **kwargs)


def agrees(f, args, engine=None):
    trace = traced(f, *args, engine=engine)
    assert trace.error is None
    for found, wanted in zip(jax.tree.leaves(trace.outputs), jax.tree.leaves(once(f)(*args)), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-6)
    return trace


def path(trace, step):
    """Kinds and names of the scopes around a step, outermost first."""
    found, at = [], step.scope
    while at >= 0:
        scope = trace.scopes[at]
        found.insert(0, f"{scope.kind} {scope.name}")
        at = scope.parent
    return found


def find(trace, primitive):
    return [step for step in trace.steps if step.primitive == primitive]


@BOTH
def test_called_functions_are_scopes(engine):
    @jax.jit
    def jitted(a):
        return jnp.sin(a)

    def plain(a):
        with jax.named_scope("inside"):
            return jnp.cos(a)

    @jax.custom_jvp
    def custom(a):
        return jnp.tan(a)

    custom.defjvp(lambda primals, tangents: (custom(*primals), tangents[0]))

    def f(a):
        s = jitted(a)
        c = plain(s)
        t = custom(c)
        return jax.checkpoint(jnp.exp)(t)

    trace = agrees(region(f), (jnp.arange(8.0),), engine)
    paths = {p: path(trace, find(trace, p)[0]) for p in ("sin", "cos", "tan", "exp")}
    assert paths["sin"] == ["region f", "function jitted"]
    assert paths["cos"] == ["region f", "function plain", "named_scope inside"]
    assert paths["tan"] == ["region f", "function custom"]
    assert paths["exp"][0] == "region f"
    assert [find(trace, p)[0].outputs[0].name for p in ("sin", "cos", "tan")] == ["s", "c", "t"]


@BOTH
def test_which_branch_each_device_takes(engine):
    def f(a):
        return lax.switch(lax.axis_index("x"), [lambda a: a, lambda a: a + 10, lambda a: a * 5], a)

    trace = agrees(region(f), (jnp.arange(8),), engine)
    add, mul = find(trace, "add")[0], find(trace, "mul")[0]
    assert [path(trace, step)[-1] for step in (add, mul)] == ["branch cond branch 1", "branch cond branch 2"]
    assert (add.active.array().tolist(), mul.active.array().tolist()) == ([2, 3], [4, 5, 6, 7])
    np.testing.assert_array_equal(add.outputs[0].value(3), [12, 13])
    np.testing.assert_array_equal(mul.outputs[0].value(6), [30, 35])
    first, last = find(trace, "cond")
    assert first.sentence == (
        "Devices 0 and 1 take branch 0, devices 2 and 3 take branch 1 and devices 4, 5, 6 and 7 take branch 2."
    )
    assert [last.outputs[0].value(d).tolist() for d in (0, 2, 4)] == [[0, 1], [12, 13], [20, 25]]


@BOTH
def test_a_branch_that_no_device_takes_has_no_steps(engine):
    trace = agrees(region(lambda a: lax.cond(True, jnp.sin, jnp.cos, a)), (jnp.arange(8.0),), engine)
    assert (len(find(trace, "sin")), len(find(trace, "cos"))) == (1, 0)
    assert find(trace, "sin")[0].active is None


@BOTH
def test_a_scan_by_iteration(engine):
    def f(a, rows):
        def body(total, row):
            total = total + row.sum()
            return total, row * 2

        return lax.scan(body, a, rows)

    args = (jnp.arange(8), jnp.arange(24).reshape(8, 3))
    trace = agrees(region(f, in_specs=(P("x"), P("x")), out_specs=(P("x"), P("x"))), args, engine)
    begins = find(trace, "scan")
    assert [s.sentence for s in begins] == [
        "Iteration 1 of 2 carries total and takes slice 1 as row.",
        "Iteration 2 of 2 carries total and takes slice 2 as row.",
        f"The loop ends after 2 iterations; {begins[-1].outputs[1].name} stacks what the iterations returned.",
    ]
    np.testing.assert_array_equal(begins[1].outputs[1].value(2), [9, 10, 11])
    np.testing.assert_array_equal(begins[1].outputs[0].value(2), [2 + 21, 3 + 21])
    assert [trace.scopes[s.scope].iteration for s in find(trace, "reduce_sum")] == [0, 1]


@BOTH
@pytest.mark.parametrize("reverse", [False, True])
def test_a_long_loop_shows_its_first_iterations_and_its_last(engine, reverse):
    def f(a):
        return lax.scan(lambda c, k: (c + k, c * 1), a, jnp.arange(100), reverse=reverse)

    trace = agrees(region(f, out_specs=(P("x"), P(None, "x"))), (jnp.arange(8),), engine)
    scopes = [trace.scopes[s.scope] for s in find(trace, "add")]
    assert [s.iteration for s in scopes] == [0, 1, 2, 3, 4, 5, 6, 7, 99]
    assert {s.times for s in scopes} == {100}
    last = find(trace, "add")[-1].outputs[0]
    np.testing.assert_array_equal(last.value(0), [4950, 4951])
    sentences = [s.sentence for s in find(trace, "scan")]
    slice_ = 1 if reverse else 100
    assert sentences[8] == f"Iteration 100 of 100 (91 before it are not shown) carries c and takes slice {slice_} as k."


@BOTH
def test_devices_leave_a_while_loop_one_by_one(engine):
    def f(a):
        return lax.while_loop(lambda s: s[0] < lax.axis_index("x"), lambda s: (s[0] + 1, s[1] * 2), (a[0] * 0, a))[1]

    trace = agrees(region(f), (jnp.arange(8) + 1,), engine)
    doublings = find(trace, "mul")[-3:]
    assert [s.active.array().tolist() for s in doublings] == [[2, 3, 4, 5, 6, 7], [4, 5, 6, 7], [6, 7]]
    assert {trace.scopes[s.scope].times for s in doublings} == {3}
    np.testing.assert_array_equal(doublings[1].outputs[0].value(4), [20, 24])
    assert find(trace, "while")[-1].sentence.startswith("The loop ends after 0 to 3 iterations")


@BOTH
def test_the_last_iteration_of_a_long_while_loop_is_each_devices_own(engine):
    def f(a):
        most = 10 + 5 * lax.axis_index("x")
        return lax.while_loop(lambda s: s[0] < most, lambda s: (s[0] + 1, s[1] + 1), (a[0] * 0, a))[1]

    trace = agrees(region(f), (jnp.zeros(8, int),), engine)
    last = [s for s in find(trace, "add") if s.outputs[0].shape == (2,)][-1].outputs[0]
    assert [last.value(d).tolist() for d in (0, 2, 4, 6)] == [[10] * 2, [15] * 2, [20] * 2, [25] * 2]


@BOTH
def test_loops_in_loops_and_branches(engine):
    def f(a):
        def inner(k, c):
            return lax.cond(k == 0, lambda c: c + k, lambda c: c * 2, c)

        def outer(c, k):
            return lax.fori_loop(0, k + 1, inner, c), c.sum()

        return lax.scan(outer, a, jnp.arange(4))

    trace = agrees(region(f, out_specs=(P("x"), P("x"))), (jnp.arange(8),), engine)
    deepest = max(trace.steps, key=lambda s: len(path(trace, s)))
    assert [p.split()[0] for p in path(trace, deepest)] == ["region", "iteration", "iteration", "branch"]


@BOTH
def test_several_regions_with_whole_arrays_between(engine):
    g = region(lambda a: lax.psum(a, "y"), in_specs=P("x", "y"))

    def f(a):
        b = g(a)
        c = b * 2
        return g(jnp.concatenate([c, c], axis=1)).sum()

    a = jnp.arange(32.0).reshape(8, 4)
    trace = agrees(f, (a,), engine)
    assert [r.name for r in trace.regions] == ["<lambda>"] * 2
    assert [s.region for s in trace.steps if s.collective] == [0, 1]
    (c,) = find(trace, "mul")[0].outputs
    assert (c.name, c.region) == ("c", -1)
    np.testing.assert_array_equal(c.value(5), jax.jit(lambda a: g(a) * 2)(a))


@BOTH
def test_regions_in_global_loops_and_branches(engine):
    g = region(lambda a: lax.psum(a, "y") + lax.axis_index("x"), in_specs=P("x", "y"))

    def f(a):
        def body(c, _):
            s = g(c)
            return jnp.concatenate([s, s], 1), s.sum()

        a, sums = lax.scan(body, a, None, length=12)
        return lax.cond(sums[0] > 1e9, lambda a: a, lambda a: jnp.concatenate([g(a)] * 2, 1), a)

    trace = agrees(f, (jnp.arange(32).reshape(8, 4),), engine)
    sums = [s for s in trace.steps if s.collective]
    assert len(sums) == 9 + 1
    assert all(s.outputs[0].window is not None for s in sums)


@BOTH
def test_partly_manual_and_nested(engine):
    def outer(a):
        b = a + 1

        def inner(c):
            return lax.psum(c, "y") * 3

        return jax.shard_map(inner, in_specs=P(None, "y"), out_specs=P(None, None), axis_names={"y"})(b) * 2

    f = jax.jit(region(outer, in_specs=P("x", None), out_specs=P("x", None), axis_names={"x"}))
    trace = agrees(f, (jnp.arange(32).reshape(8, 4),), engine)
    assert [(r.name, r.manual, r.parent) for r in trace.regions] == [("outer", ("x",), -1), ("inner", ("y",), 0)]
    (total,) = (s for s in trace.steps if s.collective)
    assert total.collective.groups == ((0, 1), (2, 3), (4, 5), (6, 7))
    assert total.inputs[0].type == "i32[2,2]{V:(x,y)}"
    np.testing.assert_array_equal(total.outputs[0].value(5), [[36, 38], [44, 46]])


@BOTH
def test_explicit_axes(engine):
    a = jax.device_put(jnp.arange(32).reshape(8, 4), NamedSharding(EXPLICIT, P("x", "y")))
    g = region(lambda a: lax.psum(a, "y"), in_specs=P("x", "y"), mesh=EXPLICIT)

    def f(a):
        b = a * 2
        return lax.scan(lambda c, _: (c + g(a).sum(), c.sum()), g(b), None, length=10)

    trace = agrees(f, (a,), engine)
    b = find(trace, "mul")[0].outputs[0]
    assert b.type == "i32[8@x,4@y]"
    assert [dim.axes for dim in b.dims] == ([("x",), ("y",)] if engine is None else [(), ()])


def test_smap_takes_the_mesh_that_is_set():
    f = jax.smap(lambda b: lax.psum(b, "x"), in_axes=0, out_axes=None, axis_name="x")
    with jax.set_mesh(MESH):
        trace = agrees(f, (jnp.arange(8.0),))
    assert (trace.engine, trace.mesh.device_ids.array().tolist()) == ("mesh", list(range(8)))


@BOTH
def test_closed_over_arrays_keys_and_donation(engine):
    w = jnp.arange(8.0)

    @jax.jit
    def inner(a):
        return a * w[:2]

    def f(key, a):
        noise = jax.random.normal(jax.random.fold_in(key, lax.axis_index("x")), (2,))
        return inner(a) + noise + w[:2]

    f = jax.jit(region(f, in_specs=(P(), P("x"))), donate_argnums=1)
    key, a = jax.random.key(3), jnp.ones(8)
    trace = traced(f, key, a, engine=engine)
    assert not a.is_deleted()
    np.testing.assert_allclose(trace.outputs, f(key, a + 0), rtol=1e-6)
    keys = find(trace, "random_fold_in")[0].outputs[0]
    assert (keys.type, keys.value(0).dtype, keys.value(0).shape) == ("key<fry>[]{V:x}", np.uint32, (2,))


@BOTH
def test_what_is_printed_stands_at_its_step(engine, capsys):
    def f(a):
        jax.debug.print("a is {} at {i}", a, i=lax.axis_index("x"))
        jax.debug.callback(lambda a: print("called"), a)
        return a * 2

    trace = traced(region(f), jnp.arange(4), engine=engine)
    jax.effects_barrier()
    assert capsys.readouterr().out == ""
    assert find(trace, "debug_print")[0].printed.splitlines() == [
        f"devices {2 * k}, {2 * k + 1}: a is [{k}] at {k}" for k in range(4)
    ]
    assert find(trace, "debug_callback")[0].sentence.endswith("here it is not run.")


@BOTH
@pytest.mark.parametrize("check_vma", [True, False])
def test_grad_and_vmap(engine, check_vma):
    g = region(lambda w, a: lax.psum((a @ w).sum(), "x"), in_specs=(P(), P("x")), out_specs=P(), check_vma=check_vma)
    args = (jnp.ones((4, 2)), jnp.arange(32.0).reshape(8, 4))
    agrees(jax.value_and_grad(g), args, engine)
    agrees(jax.vmap(g, in_axes=(None, 0)), (args[0], jnp.stack([args[1], -args[1]])), engine)


@BOTH
def test_without_the_check_every_value_may_differ(engine):
    f = region(lambda a: lax.psum(a, "x"), out_specs=P(), check_vma=False)
    trace = agrees(f, (jnp.arange(8),), engine)
    total = next(s for s in trace.steps if s.collective)
    assert total.primitive == "psum"
    assert (total.outputs[0].type, total.outputs[0].varying) == ("i32[2]", ("x", "y"))
    assert total.outputs[0].window.block.array().tolist() == list(range(8))


def test_a_mesh_of_one_device_and_values_that_are_not_finite():
    mesh = jax.make_mesh((1,), ("x",), axis_types=(AxisType.Auto,))
    trace = traced(region(lambda a: lax.psum(a / 0.0, "x"), out_specs=P(), mesh=mesh), jnp.array([0.0, 1.0]))
    total = next(s for s in trace.steps if s.collective)
    assert total.collective.bytes_per_device == 0
    np.testing.assert_array_equal(total.outputs[0].value(0), [np.nan, np.inf])


def test_static_arguments_and_keywords():
    @functools.partial(jax.jit, static_argnums=1)
    def f(a, mode):
        return region(lambda a: lax.psum(a, "x") if mode == "sum" else a, out_specs=P())(a)

    trace = traced(f, jnp.arange(8), "sum")
    np.testing.assert_array_equal(trace.outputs, [12, 16])
