"""Functions that JAX refuses for a spec, and meshes that a region brings: rows up to there, in JAX's words."""

from __future__ import annotations

import re

import jax
import jax.numpy as jnp
import pytest
from jax.experimental import checkify
from jax.sharding import AbstractMesh, AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

from shardwidget import read

KINDS = {"Explicit": AxisType.Explicit, "Auto": AxisType.Auto}
DEVICES = jax.devices()[:8]
MESHES = {name: jax.make_mesh((2, 4), ("x", "y"), (kind,) * 2, devices=DEVICES) for name, kind in KINDS.items()}


def shape(mesh, dims, *spec, dtype="float32", **axes):
    return jax.ShapeDtypeStruct(dims, dtype, sharding=NamedSharding(mesh, P(*spec, **axes)))


def words_of_jit(f, *args) -> str:
    with pytest.raises(Exception, match=r".") as raised:
        jax.jit(f).lower(*args)
    return str(raised.value)


def asks(x, spec):
    """``reshard``, or on Auto axes what asks for a sharding there."""
    explicit = AxisType.Explicit in jax.typeof(x).sharding.mesh.axis_types
    return jax.reshard(x, spec) if explicit else jax.lax.with_sharding_constraint(x, spec)


ASKED = {
    "twice": (lambda x: asks(x, P("x", "x")), 0),
    "twice, below": (lambda x: jnp.cos(asks(jnp.sin(x), P("y", "y"))), 1),
    "unknown": (lambda x: asks(jnp.sin(x), P("z")) + 1, 1),
    "twice, einsum": (lambda x: jnp.einsum("ij,kj->ik", x, x, out_sharding=P("x", "x")), 0),
    "too long": (lambda x: asks(jnp.sin(x), P(None, None, "x")), 1),
}

UNEVEN = {
    "at once": (lambda x: jax.reshard(x, P("x", "y")), 0),
    "below": (lambda x: jnp.cos(jax.reshard(jnp.sin(x) * 2, P("x", "y"))), 2),
    "over y": (lambda x: jax.reshard(x, P(("y", "x"))), 0),
    "in a jitted function": (lambda x: jax.jit(lambda a: jax.reshard(jnp.sin(a), P("x")))(x) + 1, 1),
    "zeros": (lambda x: x + jnp.zeros((7, 4), out_sharding=P("x")), 0),
}

CASES = [(f, kept, name) for f, kept in ASKED.values() for name in KINDS]
CASES += [(f, kept, "Explicit") for f, kept in UNEVEN.values()]


@pytest.mark.parametrize(("f", "kept", "name"), CASES)
def test_a_spec_that_jax_refuses_ends_the_rows(f, kept, name):
    x = shape(MESHES[name], (7, 4))
    with jax.set_mesh(MESHES[name]):
        words = words_of_jit(f, x)
        comparison = read.comparison(f, x)
    first, *equations, last = comparison.rows
    assert (first.primitive, last.primitive) == ("arguments", "error")
    assert len(equations) == kept
    assert all(row.error is None for row in equations)
    assert last.error is not None
    assert last.error.message == words
    assert last.source
    assert last.source.function in ("<lambda>", "asks")


def test_a_refusal_in_a_loop_is_the_loop_s():
    def f(x):
        return jax.lax.scan(lambda c, _: (jax.reshard(jnp.sin(c), P("x")), None), x, None, length=3)[0]

    with jax.set_mesh(MESHES["Explicit"]):
        comparison = read.comparison(f, shape(MESHES["Explicit"], (7, 4)))
    assert [row.primitive for row in comparison.rows] == ["arguments", "sin", "scan", "error"]


def test_a_function_without_equations_on_an_auto_mesh_ends_in_jax_s_words():
    """Only on Explicit axes does it go wrong, and no row is left that could say so."""

    def f(x):
        if any(jax.typeof(x).sharding.spec):
            jnp.dot(x, x)
        return x

    comparison = read.comparison(f, shape(MESHES["Explicit"], (8, 8), "x", "y"))
    assert [row.primitive for row in comparison.rows] == ["arguments", "error"]
    error = comparison.rows[-1].error
    assert error is not None
    # JAX 0.12 says no more than that they are sharded.
    assert re.search("(?i)contracting dimensions (to have consistent sharding|are sharded)", error.message)


@pytest.mark.parametrize(
    ("f", "primitive", "args"),
    [
        (jnp.linalg.solve, "lu", [((8, 8), "x", "y"), ((8, 4), "x", "y")]),
        (jnp.linalg.inv, "lu", [((8, 8), "x", "y")]),
        (jnp.linalg.det, "lu", [((8, 8), "x", "y")]),
        (jnp.linalg.qr, "qr", [((8, 8), "x", "y")]),
        (jnp.linalg.eigh, "add", [((8, 8), "x", "y")]),
        (lambda e, t: e[t], "gather", [((8, 8), "x", "y"), ((8,), "y", "int32")]),
        (lambda e, t: e[t], "gather", [((8, 8), "x", "y"), ((2, 4), "x", "y", "int32")]),
        (lambda e, t: jnp.take(e, t, axis=0), "gather", [((8, 8), "x", "y"), ((8,), "y", "int32")]),
        (lambda e, t: e[t].sum(), "gather", [((8, 8), "x", "y"), ((8,), "y", "int32")]),
    ],
)
@pytest.mark.parametrize("name", KINDS)
def test_the_first_stop_has_the_words_that_jax_has(f, primitive, args, name):
    def on(mesh):
        dtypes = [spec[-1] == "int32" for _, *spec in args]
        return [
            shape(mesh, dims, *spec[: len(spec) - int_], dtype="int32" if int_ else "float32")
            for (dims, *spec), int_ in zip(args, dtypes, strict=True)
        ]

    stopped = next(row for row in read.comparison(f, *on(MESHES[name])).rows if row.error)
    assert stopped.primitive == primitive
    assert stopped.error is not None
    assert stopped.error.message == words_of_jit(f, *on(MESHES["Explicit"]))
    assert stopped.fixes


@pytest.mark.parametrize("f", [jnp.sin, lambda u: jnp.exp(u) + 1, lambda u: jax.nn.relu(u), lambda u: u * u])
def test_unreduced_values_have_jax_s_words(f):
    u = shape(MESHES["Explicit"], (8, 8), "x", unreduced={"y"})
    stopped = next(row for row in read.comparison(f, u).rows if row.error)
    assert stopped.error is not None
    assert stopped.error.message == words_of_jit(f, u)


# ── Regions with a mesh of their own ──────────────────────────────────────────────────────────────────────────────────


def _checked(a):
    checkify.check(jnp.all(a > -1), "negative")
    return jnp.sin(a)


def region(f, mesh):
    return jax.shard_map(f, mesh=mesh, in_specs=P("x"), out_specs=P("x"))


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize(
    "made",
    [
        lambda mesh: checkify.checkify(region(jnp.log, mesh), errors=checkify.float_checks),
        lambda mesh: checkify.checkify(jax.jit(region(jnp.log, mesh)), errors=checkify.float_checks),
        lambda mesh: checkify.checkify(region(_checked, mesh), errors=checkify.user_checks),
        lambda mesh: checkify.checkify(lambda y: region(jnp.log, mesh)(y * 2), errors=checkify.float_checks),
    ],
)
def test_a_region_that_is_checked(made, name):
    """``checkify`` makes equations of the region's Manual mesh, which no mesh in force may contradict."""
    f, y = made(MESHES[name]), shape(MESHES[name], (8,), "x")
    jax.jit(f).lower(y)
    comparison = read.comparison(f, y)
    (mapped,) = [row for row in comparison.rows if row.primitive == "shard_map"]
    assert mapped.values[-1].explicit
    assert mapped.values[-1].explicit.text == "f32[8@x]"
    assert comparison.rows[-1].primitive == "outputs"
    assert comparison.program is not None
    assert not any(row.error for row in comparison.rows)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("sizes", [(8,), (2, 4)])
def test_a_region_on_an_abstract_mesh_with_other_axes(name, sizes):
    mesh = jax.make_mesh((8,), ("z",), (KINDS[name],), devices=DEVICES)
    own = AbstractMesh(sizes, ("x", "y")[: len(sizes)], axis_types=(KINDS[name],) * len(sizes))
    y = shape(mesh, (8,), "z")
    comparison = read.comparison(region(jnp.sin, own), y)
    if jax.__version_info__ < (0, 10):  # It takes other axes for the same where the sizes fit.
        assert comparison.rows[-1].primitive == "outputs"
        return
    stopped = next(row for row in comparison.rows if row.error)
    assert stopped.error is not None
    if name == "Auto":  # jit passes; on Explicit axes it would not.
        jax.jit(region(jnp.sin, own)).lower(y)
        assert stopped.primitive == "shard_map"
        assert stopped.error.message.startswith("in_specs passed to shard_map: P('x',) does not match")
        assert comparison.rows[-1].primitive == "outputs"


@pytest.mark.parametrize("name", KINDS)
def test_a_region_on_an_abstract_mesh_with_the_same_axes(name):
    own = AbstractMesh((2, 4), ("x", "y"), axis_types=(KINDS[name],) * 2)
    comparison = read.comparison(region(jnp.sin, own), shape(MESHES[name], (8,), "x"))
    assert [row.primitive for row in comparison.rows] == ["arguments", "sin", "shard_map", "outputs"]
    assert not any(row.error for row in comparison.rows)


def mapped(body, in_specs=None, out_specs=None):
    both = P("x", "y")
    return jax.shard_map(body, mesh=MESHES["Explicit"], in_specs=in_specs or both, out_specs=out_specs or both)


X, LONG = (re.escape(str(P(*spec))) for spec in ("x", ("x", None, "y")))

SPECS = {
    "varies over one axis": (
        mapped(lambda a: (a, a), out_specs=(P("x"), P("x", "y"))),
        rf"out_specs\[0\] {X} says that a result is the same along y, and it may differ there.*'y'\) does",
    ),
    "varies over both": (
        mapped(lambda a: a, out_specs=P(None)),
        r"says that a result is the same along x and y.*jax.lax.psum\(…, \('x', 'y'\)\)",
    ),
    "too long": (
        mapped(lambda a: a.sum(), out_specs=P("x")),
        rf"out_specs {X} has 1 entry, and float32\[\] has no dimension: .*\. Give a shorter spec, or return",
    ),
    "too long for an argument": (
        mapped(lambda a: a, in_specs=P("x", None, "y")),
        rf"in_specs {LONG} has 3 entries, and float32\[8@x,4@y\] has 2 dimensions: .* pass a value with more",
    ),
    "unknown axis": (mapped(lambda a: a, out_specs=P("x", "q")), "out_specs names 'q', .* over x and y: name one"),
    "other structure": (
        mapped(lambda a: (a, a), out_specs=(P("x", "y"),) * 3),
        "out_specs is not a tree of the same form as what the function returns .*: give one spec",
    ),
    "no spec": (mapped(lambda a: a, out_specs="x"), r"out_specs is 'x', of type str: give .* as jax.P\('x'\)"),
    "a collective": (mapped(lambda a: jax.lax.psum(a, "q")), "no shard_map .*: name one|unbound axis name: q"),
}


@pytest.mark.parametrize("name", SPECS)
def test_the_first_line_says_which_spec_of_a_shard_map_is_refused_and_what_to_write(name):
    f, words = SPECS[name]
    with jax.set_mesh(MESHES["Explicit"]):
        found = read.comparison(lambda x: f(x), shape(MESHES["Explicit"], (8, 4), "x", "y"))
    assert re.search(f"stops on an Explicit mesh: .*({words})", found.verdict), found.verdict
