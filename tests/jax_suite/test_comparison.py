"""`read.comparison` against JAX: types as JAX traces them, places as it compiles, fixes that run."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jax.sharding import AbstractMesh, AxisType, NamedSharding, auto_axes, explicit_axes
from jax.sharding import PartitionSpec as P

from shardwidget import _jax, read
from shardwidget.document import Comparison, Failure, Layout, Row
from tests.examples import examples

EXPLICIT = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2, devices=jax.devices()[:8])
AUTO = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2, devices=jax.devices()[:8])


def shape(mesh, dims, *spec, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(dims, dtype, sharding=NamedSharding(mesh, P(*spec)))


def array(mesh, dims, *spec):
    values = jnp.asarray(np.arange(np.prod(dims), dtype=np.float32).reshape(dims) % 7)
    return jax.device_put(values, NamedSharding(mesh, P(*spec)))


def rows(comparison: Comparison, primitive: str) -> list[Row]:
    return [row for row in comparison.rows if row.primitive == primitive]


def equations(comparison: Comparison) -> list[Row]:
    return [row for row in comparison.rows if row.primitive not in ("arguments", "outputs")]


def text_of(layout: Layout | None) -> str:
    assert layout is not None
    return layout.text


def stop_of(row: Row) -> Failure:
    assert row.error is not None
    return row.error


def layer(x, w1, w2, scale):
    h = x @ w1
    r = jax.nn.relu(h)
    y = r @ w2
    z = y * scale
    mu = z.mean(0)
    return z - mu


def layer_arguments(make, mesh):
    return (
        make(mesh, (128, 64), "x", None),
        make(mesh, (64, 256), None, "y"),
        make(mesh, (256, 16), "y", None),
        make(mesh, (16,), "y"),
    )


# ── Placements ────────────────────────────────────────────────────────────────────────────────────────────────────────

OPERATIONS = {
    "sin": lambda a, b: jnp.sin(a),
    "add": lambda a, b: a + b,
    "matmul": lambda a, b: a @ b,
    "transpose": lambda a, b: a.T,
    "sum": lambda a, b: a - a.sum(0),
    "reshape": lambda a, b: a.reshape(4, 2, 8).reshape(8, 8),
    "concatenate": lambda a, b: jnp.concatenate([a, b])[4:12],
    "flip": lambda a, b: a[::-1],
    "scan": lambda a, b: jax.lax.scan(lambda c, r: (c + r, c), jnp.zeros(8), a @ b)[1],
}
SPECS = [P(), P("x"), P("y"), P(None, "x"), P("x", "y"), P("y", "x"), P(("x", "y")), P(None, ("y", "x"))]


@examples(24)
@given(names=st.lists(st.sampled_from(sorted(OPERATIONS)), min_size=1, max_size=4), specs=st.data())
def test_a_value_is_where_the_compiled_program_puts_it(names, specs):
    one, two = (shape(AUTO, (8, 8), *specs.draw(st.sampled_from(SPECS))) for _ in range(2))

    def values(a, b):
        out = []
        for k, name in enumerate(names):
            with jax.named_scope(f"operation{k}"):
                a = OPERATIONS[name](a, b)
            out.append(a)
        return out

    k = specs.draw(st.integers(0, len(names) - 1))

    def f(a, b):
        out = values(a, b)
        return out[-1], out[k]

    wanted = jax.jit(f).lower(one, two).compile().output_shardings[1].devices_indices_map((8, 8))
    comparison = read.comparison(f, one, two)
    last = [row for row in comparison.rows if f"operation{k}" in _scopes(comparison, row)][-1]
    spec = eval(text_of(last.values[-1].concrete), {"P": P})
    assert NamedSharding(AUTO, spec).devices_indices_map((8, 8)) == wanted


def _scopes(comparison: Comparison, row: Row) -> set[str]:
    found, at = set(), row.scope
    while at >= 0:
        found.add(comparison.scopes[at].name)
        at = comparison.scopes[at].parent
    return found


def test_a_loop_body_and_branches_have_places_too():
    def f(x, ws, k):
        def body(h, w):
            return jnp.tanh(h @ w), None

        h, _ = jax.lax.scan(body, x, ws)
        return jax.lax.cond(k > 0, lambda h: h + 1, lambda h: h * 2, h)

    comparison = read.comparison(f, shape(AUTO, (64, 64), "x"), shape(AUTO, (3, 64, 64), None, None, "y"), jnp.int32(1))
    (tanh,) = rows(comparison, "tanh")
    assert tanh.concrete == "P('x', 'y')"
    scopes = {e.kind: e for e in comparison.scopes}
    assert scopes["loop"].times == 3
    assert "scan" in _scopes(comparison, tanh)
    assert {e.name for e in comparison.scopes if e.kind == "branch"} == {"cond branch 0", "cond branch 1"}
    assert all(row.concrete for row in comparison.rows[1:])


def test_a_collective_stands_at_the_equation_that_it_was_put_in_for():
    comparison = read.comparison(layer, *layer_arguments(shape, AUTO))
    program = comparison.program
    assert program is not None
    placed = {
        row.primitive: [program.collectives[k] for k in row.collectives] for row in comparison.rows if row.collectives
    }
    assert {name: [(c.kind, c.axes) for c in found] for name, found in placed.items()} == {
        "dot_general": [("all-reduce", ("y",))],
        "reduce_sum": [("all-reduce", ("x",))],
    }
    assert comparison.compiled_from == "Auto"
    # Their paths are JAX's own, without the names that tell equations apart.
    assert {c.op for c in program.collectives} == {"jit(layer)/dot_general", "jit(layer)/reduce_sum"}


def test_a_collective_of_a_gradient_stands_at_its_equation_too():
    def loss(w, x):
        return (jnp.tanh(x @ w) @ w.T).sum()

    comparison = read.comparison(jax.value_and_grad(loss), shape(AUTO, (8, 8), None, "y"), shape(AUTO, (8, 8), "x"))
    program = comparison.program
    assert program is not None
    placed = [k for row in comparison.rows for k in row.collectives]
    assert sorted(placed) == list(range(len(program.collectives)))
    assert {row.primitive for row in comparison.rows if row.collectives} <= {"dot_general", "reduce_sum"}
    assert [c.op for c in program.collectives if c.axes == ("x",)][-1].startswith("jit(loss)/transpose(jvp(")


def test_a_collective_for_an_argument_or_for_a_call_has_its_row():
    def f(a, b):
        return jnp.concatenate([a, b]).sum(0)

    comparison = read.comparison(f, shape(AUTO, (8, 8), "x", "y"), shape(AUTO, (8, 8), None, "y"))
    program = comparison.program
    assert program
    assert [program.collectives[k].op for k in comparison.rows[0].collectives] == ["a"]
    inner = jax.jit(jnp.sin, out_shardings=NamedSharding(EXPLICIT, P(None, None)))
    comparison = read.comparison(lambda a: inner(a), shape(EXPLICIT, (8, 8), "x"))
    program = comparison.program
    assert program
    assert [row.primitive for row in comparison.rows if row.collectives] == ["sin"]
    assert [c.kind for c in program.collectives] == ["all-gather"]


def test_a_sharding_that_is_no_spec_is_told_in_the_compilers_words():
    def merged(a):
        return a.reshape(4, 2, 8).reshape(8, 8)

    comparison = read.comparison(merged, shape(AUTO, (8, 8), ("y", "x")))
    first, second = (row.values[0].concrete for row in equations(comparison))
    assert first
    assert second
    assert first.dims is None
    assert first.text.startswith("{devices=[4,2,1]<=")
    assert second.text == "P(('y', 'x'), None)"

    def called_back(a):
        return a + jax.pure_callback(np.asarray, jax.ShapeDtypeStruct((), "float32"), a.sum())

    comparison = read.comparison(called_back, shape(AUTO, (8, 8), "x"))
    assert rows(comparison, "pure_callback")[0].concrete.startswith("{maximal")
    assert comparison.rows[-1].concrete == "P('x', None)"


def test_where_a_place_is_not_known_the_note_says_why():
    def f(a, key):
        b = jax.shard_map(lambda a: jax.lax.psum(a, "x"), mesh=AUTO, in_specs=P("x"), out_specs=P())(a)
        return b[:0] * 2, jax.random.split(key)

    comparison = read.comparison(f, shape(AUTO, (8, 8), "x"), jax.random.key(0))
    unknown = {row.primitive: row.values[0].note for row in comparison.rows[1:] if not row.concrete}
    assert "block of its own" in unknown["psum_invariant"]
    assert unknown["mul"] == "It has no bytes."
    assert "keys" in unknown["random_split"]
    assert all(note for note in unknown.values())


def test_one_device_and_axes_of_one_device_split_nothing():
    for sizes in ((1, 1), (8, 1)):
        mesh = jax.make_mesh(sizes, ("x", "y"), axis_types=(AxisType.Auto,) * 2, devices=jax.devices()[: sizes[0]])
        comparison = read.comparison(lambda a: jnp.sin(a) * 2, shape(mesh, (8, 8), "x", "y"))
        assert [row.values[0].agreement for row in equations(comparison)] == ["same", "same"]


# ── Types ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

RULES = {
    "elementwise": (lambda a, b: jnp.sin(a) * b, ("x", "y"), ("x", "y")),
    "elementwise, one whole": (lambda a, b: a + b, ("x", None), (None, None)),
    "elementwise, joined": (lambda a, b: a + b, ("x", None), (None, "y")),
    "outer axes": (lambda a, b: a @ b, ("x", None), (None, "y")),
    "reduction": (lambda a, b: a.sum(0), ("x", "y"), ()),
    "reduction of the other": (lambda a, b: a.max(1), ("x", "y"), ()),
    "transpose": (lambda a, b: a.T, ("x", "y"), ()),
    "broadcast": (lambda a, b: a + b[0], ("x", "y"), (None, "y")),
    "expand": (lambda a, b: a[:, None], ("x", "y"), ()),
    "merge": (lambda a, b: a.reshape(64), ("x", None), ()),
    "cast": (lambda a, b: a.astype(jnp.bfloat16), ("x", "y"), ()),
    "select": (lambda a, b: jnp.where(a > 1, a, b), ("x", "y"), ("x", "y")),
    "scan": (lambda a, b: jax.lax.scan(lambda c, r: (c, r * 2), 0.0, a.T)[1], ("x", None), ()),
    "vmap": (lambda a, b: jax.vmap(jnp.sort)(a), ("x", None), ()),
    "gradient": (lambda a, b: jax.grad(lambda a: (jnp.tanh(a) * b).sum())(a), ("x", "y"), ("x", "y")),
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("mesh", [EXPLICIT, AUTO], ids=["explicit", "auto"])
def test_a_type_is_what_jax_gives_it(rule, mesh):
    f, one, two = RULES[rule]
    comparison = read.comparison(f, shape(mesh, (8, 8), *one), shape(mesh, (8, 8), *two))
    with jax.set_mesh(EXPLICIT):
        result = jax.typeof(f(array(EXPLICIT, (8, 8), *one), array(EXPLICIT, (8, 8), *two)))
    last = comparison.rows[-1].values[-1]
    assert last.explicit is not None
    assert last.explicit.text == result.str_short(short_dtypes=True)
    assert "@" not in last.auto
    assert not any(row.error for row in comparison.rows)


def test_decisions_and_changes_of_axis_types_are_told():
    def f(x):
        y = auto_axes(lambda a: a @ a.T, out_sharding=P("x", None))(x)
        return jax.reshard(y, P(None, "x"))

    comparison = read.comparison(f, shape(EXPLICIT, (8, 8), "x", "y"))
    (inside,) = [e for e in comparison.scopes if e.kind == "auto_axes"]
    assert inside.axis_types == ("Auto", "Auto")
    (product,) = rows(comparison, "dot_general")
    assert product.values[0].agreement == "silent"
    assert [row.decision for row in rows(comparison, "reshard")] == ["", "", "reshard"]

    def g(x):
        y = jax.lax.with_sharding_constraint(x * 2, P(None, "y"))
        return explicit_axes(lambda a: a * 2, in_sharding=P("x", "y"))(y)

    comparison = read.comparison(g, shape(AUTO, (8, 8), "x"))
    assert rows(comparison, "sharding_constraint")[0].decision == "with_sharding_constraint"
    assert [e.axis_types for e in comparison.scopes if e.kind == "explicit_axes"] == [("Explicit", "Explicit")]


def test_out_sharding_is_the_users_and_not_that_of_a_gradient():
    def f(a, b):
        return jnp.matmul(a, b, out_sharding=P("x", None))

    one, two = shape(EXPLICIT, (8, 8), "x", "y"), shape(EXPLICIT, (8, 8), "y", None)
    assert rows(read.comparison(f, one, two), "dot_general")[0].decision == "out_sharding"
    gradient = read.comparison(jax.grad(lambda a, b: f(a, b).sum()), one, two)
    assert [row.decision for row in rows(gradient, "dot_general")][-1] == ""


def test_what_jax_lays_out_itself_is_no_decision():
    def f(a):
        mask = jax.reshard(jnp.ones((8, 8), bool), P(None, None))
        return jnp.where(mask, jnp.tanh(a), 0.0).mean()

    comparison = read.comparison(jax.grad(f), shape(EXPLICIT, (8, 8), "x"))
    lines = [row.source.text for row in rows(comparison, "reshard") if row.decision and row.source]
    assert lines == ["mask = jax.reshard(jnp.ones((8, 8), bool), P(None, None))"]
    assert len(rows(comparison, "reshard")) > 1
    assert all(row.source for row in equations(comparison))


def test_what_is_put_on_a_mesh_has_the_type_of_its_place():
    def f(a):
        b = jax.device_put(a * 2, NamedSharding(AUTO, P(None, "y")))
        return b + 1

    comparison = read.comparison(f, shape(AUTO, (8, 8), "x"))
    assert [row.explicit for row in equations(comparison)] == ["f32[8@x,8]", "f32[8,8@y]", "f32[8,8@y]"]


def test_axes_are_manual_in_a_shard_map():
    def f(a):
        return jax.shard_map(lambda a: jax.lax.pmean(a, "x"), in_specs=P("x"), out_specs=P(), axis_names={"x"})(a)

    for mesh, kept in ((AUTO, "Auto"), (EXPLICIT, "Explicit")):
        comparison = read.comparison(f, shape(mesh, (8, 8), "x"))
        assert [e.axis_types for e in comparison.scopes if e.kind == "region"] == [("Manual", kept)]


# ── Stops and fixes ───────────────────────────────────────────────────────────────────────────────────────────────────

STOPS = {
    "contraction": (lambda r, w: r @ w, ("x", "y"), ("y", None)),
    "contraction of three": (lambda r, w: jnp.einsum("ij,jk->ki", r, w), ("x", "y"), ("y", None)),
    "mismatch": (lambda a, b: a + b, ("x", None), (None, "x")),
    "concatenation": (lambda a, b: jnp.concatenate([a, b]), ("x", None), (None, None)),
    "merge": (lambda a, b: a.reshape(4, 2, 8).reshape(64), (None, "x"), ()),
}


@pytest.mark.parametrize("name", STOPS)
def test_a_stop_has_jax_s_words_and_fixes_that_jax_takes(name):
    f, one, two = STOPS[name]
    with jax.set_mesh(EXPLICIT), pytest.raises(Exception) as refused:  # noqa: PT011  whatever JAX raises
        f(array(EXPLICIT, (8, 8), *one), array(EXPLICIT, (8, 8), *two))
    comparison = read.comparison(f, shape(EXPLICIT, (8, 8), *one), shape(EXPLICIT, (8, 8), *two))
    (stop,) = [row for row in comparison.rows if row.error]
    assert stop.error is not None
    assert stop.error.error == type(refused.value).__name__
    assert stop_of(stop).message.splitlines()[0][:60] == str(refused.value).splitlines()[0][:60]
    assert stop.fixes, stop_of(stop).message
    assert 0 <= stop.error.chosen < len(stop.fixes)
    assert comparison.rows[-1].explicit


def contraction(r, w2):
    y = r @ w2
    return y  # noqa: RET504  the fix names it


def mismatch(a, b):
    c = a + b
    return c  # noqa: RET504


@pytest.mark.parametrize(
    ("f", "one", "two"), [(contraction, ("x", "y"), ("y", None)), (mismatch, ("x", None), (None, "x"))]
)
def test_the_code_of_a_fix_runs_and_gives_what_it_says(f, one, two):
    arguments = array(EXPLICIT, (8, 8), *one), array(EXPLICIT, (8, 8), *two)
    comparison = read.comparison(f, *arguments)
    (stop,) = [row for row in comparison.rows if row.error]
    names = f.__code__.co_varnames[:2]
    wanted = f(*(np.asarray(a) for a in arguments))
    for fix in stop.fixes:
        scope = {"jax": jax, "jnp": jnp, "P": P, **dict(zip(names, arguments, strict=True))}
        with jax.set_mesh(EXPLICIT):
            exec(fix.code, scope)
            out = scope[stop.values[0].name] if stop.values[0].name in scope else f(*(scope[n] for n in names))
        assert jax.typeof(out).str_short(short_dtypes=True) == fix.type
        np.testing.assert_allclose(np.asarray(out), wanted)


def embedded(e, i):
    out = jnp.take(e, i, axis=0)
    return out  # noqa: RET504


def test_a_fix_that_leaves_it_to_the_compiler_runs():
    table, index = array(EXPLICIT, (16, 8), "x"), jax.device_put(np.arange(8) % 5, NamedSharding(EXPLICIT, P("y")))
    comparison = read.comparison(embedded, table, index)
    (stop,) = [row for row in comparison.rows if row.error]
    assert stop.error
    fix = stop.fixes[stop.error.chosen]
    assert fix.type == "f32[8@y,8]"
    assert fix.communication == "all-reduce over x"
    scope = {"jax": jax, "jnp": jnp, "P": P, "e": table, "i": index}
    with jax.set_mesh(EXPLICIT):
        exec(fix.code, scope)
    assert jax.typeof(scope["out"]).str_short(short_dtypes=True) == fix.type
    np.testing.assert_allclose(np.asarray(scope["out"]), np.asarray(table)[np.asarray(index)])


def square(x):
    out = x @ x
    return out  # noqa: RET504


def test_a_fix_of_an_operand_that_comes_twice_changes_both():
    x = array(EXPLICIT, (8, 8), "x", "y")
    comparison = read.comparison(square, x)
    (stop,) = [row for row in comparison.rows if row.error]
    assert stop.fixes
    for fix in stop.fixes:
        scope = {"jax": jax, "jnp": jnp, "P": P, "x": x}
        with jax.set_mesh(EXPLICIT):
            exec(fix.code, scope)
            out = scope["out"] if "out" in scope else square(scope["x"])
        assert jax.typeof(out).str_short(short_dtypes=True) == fix.type


def test_another_choice_changes_what_is_below_and_nothing_else():
    arguments = layer_arguments(shape, EXPLICIT)
    first = read.comparison(layer, *arguments, continuations=True)
    (at,) = [k for k, row in enumerate(first.rows) if row.error]
    assert first.rows[at].fixes[stop_of(first.rows[at]).chosen].type == "f32[128@x,16@y]", "as the compiler does"
    whole = next(k for k, fix in enumerate(first.rows[at].fixes) if fix.type == "f32[128@x,16]")
    other = read.comparison(layer, *arguments, choices={at: whole})
    assert stop_of(other.rows[at]).chosen == whole
    assert other.rows[:at] == first.rows[:at]
    assert other.rows[at].explicit == "f32[128@x,16]"
    (known,) = [c for c in first.continuations if c.choice == whole]
    patched = list(first.rows)
    for k, row in zip(known.at, known.rows, strict=True):
        patched[k] = row
    assert tuple(patched) == other.rows


def test_where_and_differentiation_stop_no_more_than_jax_does():
    def loss(w, x):
        h = jnp.where(jnp.ones((8, 8), bool), x @ w, 0.0)
        return jax.nn.logsumexp(h, -1).sum() + h.max()

    arguments = shape(EXPLICIT, (8, 8)), shape(EXPLICIT, (8, 8), "x")
    alone = read.comparison(jax.grad(loss), *arguments)
    assert alone.compiled_from == "Explicit"
    assert not any(row.error for row in alone.rows)
    from_auto = read.comparison(jax.grad(loss), shape(AUTO, (8, 8)), shape(AUTO, (8, 8), "x"))
    assert not any(row.error for row in from_auto.rows)
    assert from_auto.rows[-1].explicit == alone.rows[-1].explicit


def test_a_loop_whose_carry_changes_its_type_offers_the_layout_that_it_ends_with():
    def f(x, w):
        return jax.lax.scan(lambda h, _: (h @ w, None), x, None, length=3)[0]

    comparison = read.comparison(f, shape(EXPLICIT, (8, 8), "x"), shape(EXPLICIT, (8, 8), None, "y"))
    (stop,) = [row for row in comparison.rows if row.error and row.primitive == "scan"]
    assert "carry" in stop_of(stop).message
    assert [fix.code for fix in stop.fixes] == [
        "return jax.lax.scan(lambda h, _: (h @ w, None), jax.reshard(x, P('x', 'y')), None, length=3)[0]"
    ]


def test_what_differentiation_makes_of_a_fix_is_no_stop():
    @jax.checkpoint
    def block(h, w):
        return h + jnp.tanh(h @ w[0]) @ w[1], None

    def loss(ws, x):
        return jax.lax.scan(block, x, ws)[0].sum()

    weights = [shape(AUTO, (2, 8, 16), None, None, "y"), shape(AUTO, (2, 16, 8), None, "y")]
    comparison = read.comparison(jax.grad(loss), weights, shape(AUTO, (4, 8), "x"))
    stops = [row for row in comparison.rows if row.error]
    assert {(row.primitive, row.values[0].shape) for row in stops} == {("dot_general", (4, 8))}
    assert len(rows(comparison, "dot_general")) > len(stops)
    assert all(row.explicit and row.source for row in equations(comparison))
    assert not any("jvp(" in e.name for e in comparison.scopes)
    assert not any(row.decision for row in comparison.rows)


def test_a_loop_along_a_split_dimension_offers_it_whole():
    def loss(ws, x):
        step = jax.checkpoint(lambda c, w: jnp.sin(c * w))
        return jax.lax.scan(lambda c, w: (step(c, w), None), x, ws)[0].sum()

    arguments = shape(EXPLICIT, (2, 8), "y"), shape(EXPLICIT, (8, 8), "x")
    comparison = read.comparison(jax.grad(loss), *arguments)
    forward, backward = [row for row in comparison.rows if row.error]
    assert "xs should be replicated" in stop_of(forward).message
    assert [fix.code for fix in forward.fixes] == [
        "return jax.lax.scan(lambda c, w: (step(c, w), None), x, jax.reshard(ws, P(None, None)))[0].sum()"
    ]
    assert [fix.code.count("jax.reshard") for fix in backward.fixes] == [2], "what it goes along, and what it carries"
    assert all(row.explicit for row in comparison.rows)


def test_a_constraint_is_an_assertion_that_a_fix_fulfils():
    def f(a):
        b = jax.lax.with_sharding_constraint(a * 2, NamedSharding(AUTO, P(None, "y")))
        return b + 1

    comparison = read.comparison(f, shape(AUTO, (8, 8), "x"))
    (stop,) = [row for row in comparison.rows if row.error]
    assert stop.primitive == "sharding_constraint"
    assert "acts as an assert" in stop_of(stop).message
    assert [fix.type for fix in stop.fixes] == ["f32[8,8@y]"]
    assert comparison.rows[-1].explicit == "f32[8,8@y]"


# ── Other forms ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_arrays_by_themselves():
    tree = {"w": array(EXPLICIT, (8, 8), "x", "y"), "b": array(AUTO, (8,), "y"), "s": jnp.float32(1)}
    comparison = read.comparison(tree)
    assert comparison.of == "arrays"
    by_name = {row.values[0].name: row.values[0] for row in comparison.rows}
    assert {name: v.agreement for name, v in by_name.items()} == {"['w']": "same", "['b']": "silent", "['s']": "silent"}
    assert text_of(by_name["['w']"].explicit) == jax.typeof(tree["w"]).str_short(short_dtypes=True)
    assert text_of(by_name["['b']"].concrete) == "P('y')"


def test_a_mesh_without_devices_gives_types_and_says_how_to_get_the_rest():
    mesh = AbstractMesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
    comparison = read.comparison(lambda a: a * 2, ((8, 8), "float32", P("x")), mesh=mesh)
    assert comparison.rows[-1].explicit == "f32[8@x,8]"
    assert comparison.rows[-1].concrete == ""
    assert comparison.program is None
    assert "AbstractMesh" in comparison.note
    assert "tpu_mesh" in comparison.note


def test_a_mixed_mesh_is_taken_as_it_is():
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit, AxisType.Auto), devices=jax.devices()[:8])
    comparison = read.comparison(lambda a: jnp.sin(a), shape(mesh, (8, 8), "x", "y"))
    assert comparison.compiled_from == "given"
    assert comparison.rows[-1].explicit == "f32[8@x,8@y]"
    assert comparison.rows[-1].concrete == "P('x', 'y')"


def test_a_closed_over_array_and_a_jitted_function():
    w = array(AUTO, (8, 8), None, "y")
    comparison = read.comparison(jax.jit(lambda a: a @ w), shape(AUTO, (8, 8), "x"))
    assert comparison.rows[-1].explicit == "f32[8@x,8@y]"


def test_a_program_that_only_explicit_axes_know_goes_on_over_its_stops():
    weight = array(EXPLICIT, (8, 8), "x", None)

    def f(a):
        c = jax.reshard(a, P(None, "x"))
        d = c @ weight
        return jnp.tanh(d).sum(0)

    comparison = read.comparison(f, shape(EXPLICIT, (8, 8), "x"), continuations=True)
    assert [row.primitive for row in equations(comparison)] == ["reshard", "dot_general", "tanh", "reduce_sum"]
    (stop,) = [row for row in comparison.rows if row.error]
    assert stop.source
    assert stop.source.text == "d = c @ weight"
    assert stop_of(stop).error == "ShardingTypeError"
    assert [row.explicit for row in comparison.rows[2:4]] == ["f32[8@x,8]", "f32[8@x,8]"]
    codes = [fix.code for fix in stop.fixes]
    whole = codes.index("d = jnp.matmul(c, weight, out_sharding=P(None, None))")
    assert "d = jnp.matmul(c, weight, out_sharding=P('x', None))" in codes
    assert comparison.compiled_from == "Explicit"
    assert comparison.program
    assert [comparison.program.collectives[k].axes for k in stop.collectives] == [("x",)]
    assert "Only its own mesh" in comparison.note
    other = read.comparison(f, shape(EXPLICIT, (8, 8), "x"), choices={2: whole})
    assert [row.explicit for row in equations(other)[1:]] == ["f32[8,8]", "f32[8,8]", "f32[8]"]


def test_what_was_compiled_over_a_stop_lies_as_its_fix_says():
    weight = array(EXPLICIT, (8, 8), "x", "y")

    def f(a):
        return jnp.sin(a @ weight)

    comparison = read.comparison(f, shape(EXPLICIT, (8, 8), None, "x"))
    assert comparison.rows[-1].explicit == "f32[8,8@y]"
    assert comparison.rows[-1].concrete == "P(None, 'y')"


def test_where_nothing_helps_the_last_row_says_where_it_ends():
    def f(a, b):
        c = a @ b
        return missing(c)  # type: ignore[name-defined]  # noqa: F821

    comparison = read.comparison(f, shape(EXPLICIT, (8, 8), "x", "y"), shape(EXPLICIT, (8, 8), "y"))
    product, end = comparison.rows[1:]
    assert product.fixes
    assert end.primitive == "error"
    assert stop_of(end).error == "NameError"
    assert end.source
    assert end.source.text.startswith("return missing(c)")
    assert end.source.function == "f"
    assert comparison.program is None
    assert "as far as it got" in comparison.note


def test_what_the_compiler_refuses_keeps_its_types():
    def f(a):
        return jax.ffi.ffi_call("nobody_registered_this", jax.ShapeDtypeStruct((8, 8), jnp.float32))(a) + 1

    comparison = read.comparison(f, shape(AUTO, (8, 8), "x"))
    assert comparison.rows[-1].auto == "f32[8,8]"
    assert comparison.program is None
    assert comparison.note.startswith("The compiler refuses the program")


def test_a_user_s_own_error_is_the_user_s():
    def f(a):
        raise KeyError("missing weight")

    for mesh in (AUTO, EXPLICIT):
        with pytest.raises(KeyError, match="missing weight") as raised:
            read.comparison(f, shape(mesh, (8, 8), "x"))
        assert raised.traceback[-1].name == "f"
    with pytest.raises(TypeError, match=r"got incompatible shapes|dot_general requires"):
        read.comparison(lambda a: a @ jnp.ones(3), shape(EXPLICIT, (8, 8), "x"))


def test_what_is_no_program_is_refused():
    with pytest.raises(ValueError, match="there is no mesh"):
        read.comparison(lambda a: a, jnp.ones(3))
    other = jax.make_mesh((8,), ("p",), axis_types=(AxisType.Auto,), devices=jax.devices()[:8])
    with pytest.raises(ValueError, match=r"^a is on the mesh x=4, y=2 .*; b is on the mesh p=8 .* is on one mesh"):
        read.comparison(lambda a, b: a + b, shape(AUTO, (8,), "x"), shape(other, (8,), "p"))
    with pytest.raises(ValueError, match=r"^b has spec .*'p'.*, and the mesh \(x=4, y=2\) has no axis 'p'\. All "):
        read.comparison(lambda a, b: a + b, shape(AUTO, (8,), "x"), shape(other, (8,), "p"), mesh=AUTO)
    with pytest.raises(TypeError, match="got str"):
        read.comparison("x")
    with pytest.raises(ValueError, match="compiled must be"):
        read.comparison(lambda a: a, shape(AUTO, (8,)), compiled="both")  # type: ignore[arg-type]


@pytest.mark.parametrize(("dtype", "short"), [(jnp.float32, "f32"), (jnp.bfloat16, "bf16")])
def test_a_constant_that_lies_somewhere_is_the_constant(dtype, short):
    def loss(a):
        return (jnp.tanh(a) ** 2).mean() + a.sum()

    comparison = read.comparison(jax.grad(loss), shape(AUTO, (8, 8), "x", "y", dtype=dtype))
    types = [v.explicit and v.explicit.text for row in comparison.rows for v in row.values]
    assert None not in types
    assert types[-1] == f"{short}[8@x,8@y]"


@pytest.mark.once
def test_comparisons_are_made_in_several_threads_at_once():
    functions = [layer, lambda *a: (a[0] @ a[1]).sum(0), lambda *a: jax.nn.softmax(a[0] @ a[1] @ a[2])] * 2
    arguments = layer_arguments(shape, AUTO)
    alone = [read.comparison(f, *arguments).rows for f in functions[:3]]
    with ThreadPoolExecutor(len(functions)) as threads:
        together = list(threads.map(lambda f: read.comparison(f, *arguments).rows, functions))
    assert together == alone * 2
    with pytest.raises(Exception, match="ambiguous"):  # JAX itself refuses as before.
        jax.eval_shape(layer, *layer_arguments(shape, EXPLICIT))


def test_what_the_function_itself_raises_on_an_explicit_mesh_is_said():
    def f(x):
        y = x * 2
        if jax.typeof(y).sharding.spec != P(None, None):
            raise RuntimeError("only whole arrays.")
        return y + 1

    comparison = read.comparison(f, shape(AUTO, (8, 8), "x"))
    assert comparison.note.startswith("On an Explicit mesh f itself raises RuntimeError: only whole arrays. The types")
    assert comparison.program
    explicit = read.comparison(f, shape(EXPLICIT, (8, 8), "x"))
    (stop,) = [stop_of(row) for row in explicit.rows if row.error]
    assert (stop.error, stop.message) == ("RuntimeError", "only whole arrays.")


def test_both_compiles_run_at_once(monkeypatch):
    both, compile_ = threading.Barrier(2), jax.stages.Lowered.compile

    def meeting(*args, **kwargs):
        both.wait(60)  # Raises where the other does not come.
        return compile_(*args, **kwargs)

    monkeypatch.setattr(jax.stages.Lowered, "compile", meeting)
    comparison = read.comparison(lambda x: jnp.sin(x).sum(0), shape(AUTO, (8, 8), "x"))
    assert comparison.program
    assert not comparison.note
    assert comparison.rows[1].concrete == "P('x', None)"


def test_what_is_being_compiled_is_left_alone(monkeypatch):
    contexts, ended, compile_, recorded = [], [], jax.stages.Lowered.compile, _jax.recorded

    def context_of(lowered: Any) -> Any:
        return lowered.compiler_ir().context

    def compiling(lowered, *args, **kwargs):
        contexts.append(context_of(lowered))
        compiled = compile_(lowered, *args, **kwargs)
        ended.append(lowered)
        return compiled

    def recording(lowered):
        assert lowered in ended  # One thread at a time may use a module.
        return recorded(lowered)

    monkeypatch.setattr(jax.stages.Lowered, "compile", compiling)
    monkeypatch.setattr(_jax, "recorded", recording)
    comparison = read.comparison(lambda x: jnp.sin(x).sum(0), shape(AUTO, (8, 8), "x"))
    assert comparison.why(1, 0)
    contexts.append(context_of(jax.jit(jnp.sin).lower(1.0)))
    assert len(set(contexts)) == len(contexts) == 3


def test_an_interrupt_passes_and_leaves_nothing_running(monkeypatch):
    compile_, done = jax.stages.Lowered.compile, []

    def compiled(*args, **kwargs):
        done.append(compile_(*args, **kwargs))
        return done[-1]

    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    before = threading.active_count()
    with monkeypatch.context() as patched:
        patched.setattr(jax.stages.Lowered, "compile", compiled)
        patched.setattr(_jax, "recorded", interrupted)  # While both are compiled.
        with pytest.raises(KeyboardInterrupt):
            read.comparison(lambda x: jnp.cos(x).sum(0), shape(AUTO, (8, 8), "x"))
    assert len(done) == 2
    assert threading.active_count() == before
    assert read.comparison(lambda x: jnp.cos(x).sum(0), shape(AUTO, (8, 8), "x")).program


def test_a_refusal_that_no_row_shows_stands_at_its_line():
    def f(x):
        y = x * 2
        return jax.vmap(jnp.linalg.inv)(y).sum(0)  # JAX refuses a gather within custom_linear_solve.

    with pytest.raises(Exception, match="gather") as refused:
        jax.eval_shape(f, shape(EXPLICIT, (8, 4, 4), "x"))
    comparison = read.comparison(f, shape(AUTO, (8, 4, 4), "x"))
    (stop,) = [row for row in comparison.rows if row.error]
    assert stop_of(stop).message == str(refused.value)
    assert stop.source
    assert stop.source.text.startswith("return jax.vmap(jnp.linalg.inv)(y)")
    at = comparison.rows.index(stop)
    assert comparison.rows[1].explicit == "f32[8@x,4,4]"
    assert all(row.explicit for row in comparison.rows[:at])
    assert stop.error
    assert stop.error.fixes[stop.error.chosen].code.startswith("return jax.sharding.auto_axes")
    assert comparison.rows[-1].explicit == "f32[4,4]"  # With that fix.
    assert all(row.concrete for row in comparison.rows)


def test_the_forward_pass_of_a_gradient_has_the_users_names():
    def loss(w, x):
        h = jnp.tanh(x @ w)
        s = jnp.exp(h).sum()
        return s * s

    for f in (loss, jax.grad(loss), jax.grad(jax.jit(loss)), jax.jit(jax.value_and_grad(loss))):
        comparison = read.comparison(f, shape(AUTO, (8, 8)), shape(AUTO, (8, 8), "x"))
        named = {v.name: row.primitive for row in comparison.rows for v in row.values if v.name in ("h", "s")}
        assert named == {"h": "tanh", "s": "reduce_sum"}
