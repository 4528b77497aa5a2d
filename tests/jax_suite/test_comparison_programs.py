"""`read.comparison` of calls as people make them: what it says about them is what `jax.jit` does."""

import re
from collections import Counter

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

from shardwidget import read
from shardwidget.read._entries import entries
from tests.examples import examples
from tests.jax_suite.corpus import GLOBAL, PROGRAMS
from tests.jax_suite.test_comparison import AUTO, EXPLICIT, OPERATIONS, SPECS, array, shape
from tests.jax_suite.test_corpus import PLACEHOLDER


def equations(comparison):
    return [row for row in comparison.rows if row.primitive not in ("arguments", "outputs")]


def program_of(comparison):
    assert comparison.program is not None
    return comparison.program


def placed(value):
    assert value.concrete is not None
    return value.concrete


def sent(program):
    return Counter((c.kind, c.axes, c.shapes, c.times) for c in program.collectives)


def check(f, *args, mesh=None, **kwargs):
    """The comparison of a call, after checking that its ends and its collectives are those of the call."""
    comparison = read.comparison(f, *args, mesh=mesh, kwargs=kwargs)
    jitted = f if hasattr(f, "trace") else jax.jit(f)
    found = jax.tree.leaves(jitted.lower(*args, **kwargs).compile().output_shardings)
    results = jax.tree.leaves(jitted(*args, **kwargs))
    (outputs,) = [row for row in comparison.rows if row.primitive == "outputs"]
    assert outputs is comparison.rows[-1]
    assert len(outputs.values) == len(results) == len(found)
    for value, result in zip(outputs.values, results, strict=True):
        assert (value.shape, value.dtype) == (result.shape, str(result.dtype))
        assert value.concrete
        if isinstance(result.sharding, NamedSharding):
            spec = result.sharding.spec
            assert value.concrete.dims is not None, placed(value).text
            assert tuple(dim.axes for dim in value.concrete.dims) == entries(spec, result.ndim)
            assert set(value.concrete.unreduced) == set(spec.unreduced)
    assert sent(program_of(comparison)) == sent(read.program(f, *args, mesh=mesh, kwargs=kwargs))
    assert not re.search(PLACEHOLDER, " ".join(messages(comparison)))
    return comparison


def messages(comparison):
    """Everything that a comparison says in words."""
    yield comparison.note
    for row in comparison.rows:
        yield row.remark
        yield from (value.note for value in row.values)
        yield from (text for fix in row.fixes for text in (fix.title, fix.code, fix.communication))
        yield row.error.explanation if row.error else ""


def test_a_stop_speaks_of_expressions_and_never_of_placeholders():
    def short(x, w, v):
        return jax.nn.gelu(x @ w) @ v

    def long(x, w, v):
        return jnp.tanh(jnp.sin(jnp.cos(x @ w) + 1.0) * 2.0 + 3.0 * (x @ w)) @ v

    arguments = shape(AUTO, (8, 8), "x"), shape(AUTO, (8, 8), None, "y"), shape(AUTO, (8, 8), "y")
    for f, operand in ((short, "gelu(x @ w)"), (long, "the first operand of dot_general")):
        comparison = read.comparison(f, *arguments)
        (stop,) = [row for row in comparison.rows if row.error]
        assert stop.error
        assert stop.error.explanation.startswith(f"{operand} and v are both split over y")
        assert f"lay {operand} out as P('x', None) first" in [fix.title for fix in stop.fixes]
        assert not re.search(PLACEHOLDER, " ".join(messages(comparison)))


def test_a_stop_speaks_of_an_index_in_the_users_words():
    def take(t, ids):
        return jnp.take(t, ids + 1, axis=0)

    ids = shape(AUTO, (8,), "y", dtype=jnp.int32)
    (stop,) = [row for row in read.comparison(take, shape(AUTO, (16, 8), "x", "y"), ids).rows if row.error]
    assert stop.error
    assert stop.error.explanation.startswith("t is f32[16@x,8@y], ids + 1 is i32[8@y]: the types do not say")


@pytest.mark.parametrize("entry", GLOBAL, ids=lambda e: e.name)
def test_its_results_and_collectives_are_those_of_the_program(entry):
    f, args = entry.make()
    comparison = check(f, *args)
    placed = Counter(k for row in comparison.rows for k in row.collectives)
    assert placed == Counter(range(len(program_of(comparison).collectives)))


@pytest.mark.parametrize("entry", PROGRAMS[::6], ids=lambda e: e.name)
def test_a_region_names_its_mesh(entry):
    f, args = entry.make()
    check(f, *args)


@examples(15)
@given(names=st.lists(st.sampled_from(sorted(OPERATIONS)), min_size=1, max_size=4), draw=st.data())
def test_results_of_random_programs_are_where_jax_returns_them(names, draw):
    one, two = (array(AUTO, (8, 8), *draw.draw(st.sampled_from(SPECS))) for _ in range(2))

    def f(a, b):
        out = []
        for name in names:
            out.append(a := OPERATIONS[name](a, b))
        return out

    check(f, one, two)


def test_places_that_inspections_changed_are_marked():
    x = array(AUTO, (8, 8), "x")
    rolled = check(lambda x: x - jnp.roll(x, 1, 0), x)
    assert [(c.kind, c.bytes_per_device) for c in program_of(rolled).collectives] == [("collective-permute", 32)]
    assert {row.primitive for row in rolled.rows if row.inspected} >= {"slice", "concatenate"}
    assert not any(row.inspected for row in check(lambda x: x.sum(0), x).rows)


def test_a_result_that_jit_cannot_split_evenly_says_so():
    rows = NamedSharding(AUTO, P("x", None))

    def f(a):
        b = a * 2
        return jax.lax.with_sharding_constraint(b, rows)

    comparison = check(f, array(AUTO, (9, 4)))
    (value,) = comparison.rows[-1].values
    assert placed(value).text == "P(None, None)"
    assert "Dim 0 has 9 elements, which 4 devices along x cannot share evenly" in value.note
    assert [program_of(comparison).collectives[k].kind for k in comparison.rows[-1].collectives] == ["all-gather"]


def test_a_whole_result_names_the_line_that_made_it_whole():
    def f(a):
        b = a * 2
        c = b.sum(0)
        return c + 1

    (value,) = check(f, array(AUTO, (8, 8), "x")).rows[-1].values
    line = f.__code__.co_firstlineno + 2
    assert f"Replicated since line {line}, because its all-reduce over x" in value.note


def test_shardings_that_the_function_was_jitted_with():
    def s(*spec):
        return NamedSharding(AUTO, P(*spec))

    f = jax.jit(lambda a, b: (a @ b, a + 1), in_shardings=(s("x"), None), out_shardings=(s("y"), None))
    comparison = check(f, np.ones((8, 8), np.float32), np.ones((8, 8), np.float32), mesh=AUTO)
    assert comparison.rows[0].concrete == "P('x', None), P(None, None)"
    assert comparison.rows[-1].concrete.startswith("P('y', None), ")


def test_memory_that_is_given_away():
    f = jax.jit(lambda a: a * 2, donate_argnums=0)
    comparison = read.comparison(f, shape(AUTO, (8, 8), "x"))
    assert getattr(program_of(comparison).memory, "aliased", None) == 64


@pytest.mark.parametrize("make", [np.ones, jnp.ones], ids=["numpy", "uncommitted"])
def test_what_is_committed_nowhere_lies_where_jit_puts_it(make):
    w = make((8, 8), np.float32)
    comparison = check(lambda x, w: x @ w, array(AUTO, (8, 8), "x", "y"), w)
    assert placed(comparison.rows[0].values[1]).text == "P('y', None)"


@pytest.mark.filterwarnings("ignore:.*context manager has been deprecated")
def test_the_mesh_of_a_with_statement():
    def f(a):
        return jax.lax.with_sharding_constraint(a * 2, P(None, "y"))

    with AUTO:
        comparison = check(f, jnp.ones((8, 8)))
    assert dict(zip(("x", "y"), (4, 2), strict=True)) == {a.name: a.size for a in comparison.mesh.axes}
    assert comparison.rows[-1].concrete == "P(None, 'y')"


def test_arrays_that_are_made_on_a_sharding():
    s = NamedSharding(AUTO, P("y"))
    for f in (
        lambda x: x + jnp.array(np.ones((8, 8), np.float32), device=s),
        lambda x: x + jnp.zeros((8, 8), device=s),
        lambda x: x.astype(jnp.bfloat16, device=s),
    ):
        check(f, array(AUTO, (8, 8), "x"))


def test_a_cast_to_a_sharding_that_jax_takes_is_no_stop():
    x = array(AUTO, (8, 8), "x")
    comparison = check(lambda x: x.astype(jnp.bfloat16, device=NamedSharding(AUTO, P("x"))), x)
    assert not any(row.error for row in comparison.rows)


def test_a_result_whose_parts_are_still_to_be_added():
    f = jax.jit(
        lambda a, b: jnp.dot(a, b, out_sharding=NamedSharding(EXPLICIT, P(None, None, unreduced=frozenset({"y"}))))
    )
    comparison = check(f, array(EXPLICIT, (8, 8), None, "y"), array(EXPLICIT, (8, 8), "y"))
    product, outputs = comparison.rows[1:]
    for row in product, outputs:
        assert placed(row.values[0]).unreduced == ("y",)
        assert "unreduced={'y'}" in row.concrete


def test_references():
    def f(x):
        total = jax.new_ref(jnp.zeros(()))
        total[...] += x.sum()
        return total[...] + x

    comparison = check(f, array(AUTO, (8, 8), "x"))
    assert not comparison.note
    assert [row.concrete for row in equations(comparison) if row.primitive == "reduce_sum"] == ["P()"]


def test_a_partly_manual_region_agrees():
    for mesh in (EXPLICIT, AUTO):

        @jax.shard_map(mesh=mesh, in_specs=P("x"), out_specs=P("x"), axis_names={"x"})
        def region(a):
            return jnp.sin(a) * 2

        comparison = check(lambda a, region=region: region(a) + 1, array(mesh, (8, 8), "x", "y"))
        assert {v.agreement for row in equations(comparison) for v in row.values} <= {"same", "silent", ""}


def test_a_static_spec_is_an_argument():
    f = jax.jit(lambda a, spec: jax.lax.with_sharding_constraint(a, NamedSharding(AUTO, spec)), static_argnums=1)
    check(f, array(AUTO, (8, 8), "x"), P(None, "y"))
    comparison = read.comparison(
        lambda a, *, scale, mode: a * scale if mode else a, shape(AUTO, (8, 8), "x"), kwargs={"scale": 2.0, "mode": "x"}
    )
    assert comparison.rows[-1].concrete == "P('x', None)"


def test_an_explicit_mesh_that_is_set():
    with jax.set_mesh(EXPLICIT):
        check(lambda a: jnp.sin(a) + jnp.ones((8, 8)), array(EXPLICIT, (8, 8), "x"))
        comparison = read.comparison(lambda a: a * 2, array(AUTO, (8, 8), "x"))
        assert comparison.rows[-1].concrete == "P('x', None)"
        check(lambda a: a * 2, jnp.ones((8, 8)))


def test_an_error_of_the_function_on_explicit_axes_has_its_row():
    def f(x):
        y = x * 2
        if AxisType.Explicit in jax.typeof(y).sharding.mesh.axis_types:
            raise NotImplementedError("Auto axes only")
        return y + 1

    comparison = read.comparison(f, shape(EXPLICIT, (8, 8), "x"))
    (stop,) = [row for row in comparison.rows if row.error]
    assert stop.error
    assert (stop.error.error, stop.error.message) == ("NotImplementedError", "Auto axes only")
    assert comparison.rows[-1].explicit == ""
    assert not any(row.error for row in read.comparison(f, shape(AUTO, (8, 8), "x")).rows)


def test_branches_that_differ_are_called_as_jax_calls_them():
    def f(x):
        return jax.lax.cond(x.sum() > 0, lambda a: a * 1.0, lambda a: a.T, x)

    x = array(EXPLICIT, (8, 8), "x")
    with pytest.raises(TypeError, match="branches must have equal output types") as refused:
        jax.jit(f)(x)
    (stop,) = [row for row in read.comparison(f, x).rows if row.error]
    assert stop.error
    assert stop.error.message == str(refused.value)


def test_an_array_in_the_memory_of_the_host_is_compared_as_one():
    sharding = NamedSharding(AUTO, P("x"), memory_kind="pinned_host")
    x = jax.ShapeDtypeStruct((8, 8), "float32", sharding=sharding)
    first, *_ = read.comparison(lambda x: jax.device_put(x, jax.memory.Space.Device) * 2, x).rows
    assert first.explicit == "f32<host>[8@x,8]"


def test_a_jitted_function_may_return_its_arguments():
    placed = NamedSharding(AUTO, P("x"))
    f = jax.jit(lambda w, x: (x + 1, w, x + 1), out_shardings=(NamedSharding(AUTO, P("y")), None, placed))
    comparison = check(f, array(AUTO, (8, 8), "x"), array(AUTO, (8, 8), "x"))
    assert not comparison.note


def twice(x):
    a = jnp.roll(x, 1, 0)
    b = jnp.cumsum(jnp.roll(x, 1, 0))
    return a, b, jnp.piecewise(x, [x > 0], [lambda v: 2 * v, lambda v: v - 1])


@pytest.mark.parametrize("mesh", [EXPLICIT, AUTO])
def test_a_function_of_jax_that_is_called_again_has_the_line_of_that_call(mesh):
    def lines(items):
        return [item.source.line - twice.__code__.co_firstlineno for item in items if item.source]

    x = array(mesh, (8, 16), "x", "y")
    rows = equations(read.comparison(twice, x))
    assert lines(rows) == sorted(lines(rows))
    assert lines(row for row in rows if row.primitive == "concatenate")[:2] == [1, 2]
    if mesh is EXPLICIT:
        assert {1, 2} <= set(lines(row for row in rows if row.error))


def test_a_library_function_with_static_arguments_may_stop():
    x = array(EXPLICIT, (4,), "x")
    assert any(row.error for row in read.comparison(lambda x: jnp.searchsorted(x, x, method="compare_all"), x).rows)
    assert read.comparison(lambda x: jnp.digitize(x, x), x).rows


def test_the_gradient_by_an_integer_has_no_elements():
    numbers = array(AUTO, (8, 1), "x").astype(jnp.int32)
    gradient = jax.grad(lambda numbers, x: (x * numbers).sum(), argnums=(0, 1), allow_int=True)
    outputs = read.comparison(gradient, numbers, array(AUTO, (8, 16), "x")).rows[-1]
    assert [value.shape for value in outputs.values] == [(8, 1), (8, 16)]
    assert "float0" in outputs.values[0].dtype


def test_a_function_that_uses_no_argument_is_compiled_for_one_device():
    x = array(AUTO, (8, 8), "x")
    assert len(jax.jit(lambda x: jnp.zeros((8, 8)) + 1)(x).devices()) == 1
    comparison = read.comparison(lambda x: jnp.zeros((8, 8)) + 1, x)
    assert comparison.note.startswith("The function uses no argument that is on the mesh")
