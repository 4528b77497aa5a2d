"""Each collective's meaning, and the rounds of each of its algorithms, against JAX on real devices."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.extend.core import Literal
from jax.sharding import AxisType, Mesh
from jax.sharding import PartitionSpec as P

from shardwidget.collectives import Call, apply, call_of, execute, plans
from tests.once import once

# JAX 0.11 stopped sorting the groups of a ppermute, and added this option for programs to which that matters.
SORTS_PPERMUTE = not hasattr(jax.config, "jax_raise_on_ppermute_sort_diff")

Body = Callable[..., Any]
Run = Callable[[Call, Any], Any]


def make_mesh(**sizes: int) -> Mesh:
    devices = np.array(jax.devices()[: int(np.prod([*sizes.values()]))]).reshape([*sizes.values()])
    return Mesh(devices, tuple(sizes), axis_types=(AxisType.Auto,) * len(sizes))


def sharded(body: Body, mesh: Mesh, check_vma: bool = True) -> Body:
    """``body`` on blocks; operands and results have the blocks of all devices one after another in dimension 0."""
    every = P(mesh.axis_names)
    return jax.shard_map(body, mesh=mesh, in_specs=every, out_specs=every, check_vma=check_vma)


def stacked(array: Any, mesh: Mesh) -> np.ndarray:
    """``[devices * size, ...]`` as ``[devices, size, ...]``."""
    return np.asarray(array).reshape(mesh.size, -1, *array.shape[1:])


def simulate(body: Any, mesh: Mesh, x: jax.Array, run: Run) -> np.ndarray:
    """The blocks that a jaxpr returns, where ``run`` does the collectives and ``jax.vmap`` everything else."""
    values = dict(zip(body.invars, [stacked(x, mesh)], strict=True))
    for equation in body.eqns:
        operands = tuple(
            np.full((mesh.size, *np.shape(v.val)), v.val, jax.typeof(v.val).dtype)
            if isinstance(v, Literal)
            else values[v]
            for v in equation.invars
        )
        call = call_of(
            equation.primitive.name,
            equation.params,
            mesh.axis_names,
            mesh.devices.shape,
            ppermute_in_mesh_order=SORTS_PPERMUTE,
        )
        if call is None:
            bind = functools.partial(equation.primitive.bind, **equation.params)
            result = np.asarray(jax.vmap(bind)(*operands))
        else:
            result = run(call, operands[0] if len(operands) == 1 else operands)
        (out,) = equation.outvars
        assert result.shape == (mesh.size, *out.aval.shape), equation
        assert result.dtype == out.aval.dtype, equation
        values[out] = result
    (out,) = body.outvars
    return values[out]


def traced(f: Body, x: jax.Array) -> Any:
    """The jaxpr of the one ``shard_map`` in a function."""
    (equation,) = jax.make_jaxpr(f)(x).eqns
    return equation.params["jaxpr"]


def algorithm(name: str) -> Run:
    """Runs a collective by the rounds of an algorithm, or by meaning where it has no such algorithm."""

    def run(call: Call, blocks: Any) -> Any:
        found = [plan for plan in plans(call) if plan.algorithm == name]
        return execute(found[0], call, blocks) if found and found[0].rounds else apply(call, blocks)

    return run


def bodies(axes: Any, n: int) -> dict[str, Body]:
    """Every collective in every form, over a group of n ranks, on a block ``x`` of shape ``[2n, n, 2n, 3]``.

    A first dimension of 2n in each result lets ``sharded`` concatenate it.
    """
    forms: dict[str, Body] = {
        "psum": lambda x: lax.psum(x, axes),
        "psum of scalars": lambda x: lax.psum(x.sum(), axes)[None],
        "psum in uneven chunks": lambda x: lax.psum(x[:1, :1, :1], axes),
        "psum of floats": lambda x: lax.psum(x.astype("float32"), axes),
        "pmax": lambda x: lax.pmax(x, axes),
        "pmin": lambda x: lax.pmin(x, axes),
        "ppermute ring": lambda x: lax.ppermute(x, axes, [(i, (i + 1) % n) for i in range(n)]),
        "ppermute with zeros": lambda x: lax.ppermute(x, axes, [(i, i // 2) for i in range(0, n, 2)]),
        "ppermute of nothing": lambda x: lax.ppermute(x, axes, []),
        "pshuffle": lambda x: lax.pshuffle(x, axes, [*range(1, n), 0][::-1]),
        "pswapaxes": lambda x: lax.pswapaxes(x, axes, 1),
        "axis_index": lambda x: lax.axis_index(axes)[None],
        "pcast": lambda x: lax.pcast(jnp.zeros(2), axes, to="varying"),
        "psum of unreduced": lambda x: lax.psum(lax.pcast(x, axes, to="unreduced"), axes),
        "psum_scatter of unreduced": lambda x: lax.psum_scatter(lax.pcast(x, axes, to="unreduced"), axes, tiled=True),
        "all_gather to reduced": lambda x: lax.pcast(
            lax.all_gather(x, axes, to="reduced", tiled=True), axes, to="varying"
        ),
        "pcast to reduced": lambda x: lax.pcast(lax.pcast(lax.psum(x, axes), axes, to="reduced"), axes, to="varying"),
    }
    if "invarying" in (inspect.getdoc(lax.all_gather) or ""):  # JAX 0.9 has it under a private name alone
        forms["all_gather to invarying"] = lambda x: lax.all_gather(x, axes, to="invarying", tiled=True)
    for d in range(4):
        forms[f"all_gather axis={d} tiled"] = lambda x, d=d: lax.all_gather(x, axes, axis=d, tiled=True)
    for d in range(5):
        forms[f"all_gather axis={d}"] = lambda x, d=d: lax.all_gather(x, axes, axis=d)
    for d in range(3):
        forms[f"psum_scatter {d} tiled"] = lambda x, d=d: lax.psum_scatter(x, axes, scatter_dimension=d, tiled=True)
        for c in range(4):
            forms[f"all_to_all {d} {c} tiled"] = lambda x, d=d, c=c: lax.all_to_all(x, axes, d, c, tiled=True)
    forms["psum_scatter 0"] = lambda x: lax.psum_scatter(x[:n], axes, scatter_dimension=0)
    forms["psum_scatter 1"] = lambda x: lax.psum_scatter(x, axes, scatter_dimension=1)
    for c in range(4):
        forms[f"all_to_all 0 {c}"] = lambda x, c=c: lax.all_to_all(x[:n], axes, 0, c)
        forms[f"all_to_all 1 {c}"] = lambda x, c=c: lax.all_to_all(x, axes, 1, c)
    return forms


def block(mesh: Mesh, n: int, dtype: str = "int32") -> jax.Array:
    """Blocks of ``[2n, n, 2n, 3]``, no two elements alike before they are narrowed to the dtype."""
    shape = (mesh.size * 2 * n, n, 2 * n, 3)
    return jnp.asarray(np.random.default_rng(0).permutation(int(np.prod(shape))).reshape(shape), dtype)


@functools.cache
def traced_and_run(n: int) -> dict[str, tuple[Any, np.ndarray]]:
    """Every form on n devices: its jaxpr, and what JAX returns. One compile for all."""
    mesh, forms = make_mesh(x=n), bodies("x", n)
    x = block(mesh, n)
    results = once(sharded(lambda x: {name: body(x) for name, body in forms.items()}, mesh))(x)
    return {name: (traced(sharded(body, mesh), x), stacked(results[name], mesh)) for name, body in forms.items()}


@contextlib.contextmanager
def allow_any_ppermute() -> Iterator[None]:
    """From JAX 0.11 on a ppermute over axes in another order than the mesh's must be asked for."""
    if not SORTS_PPERMUTE:
        jax.config.update("jax_raise_on_ppermute_sort_diff", False)
    try:
        yield
    finally:
        if not SORTS_PPERMUTE:
            jax.config.update("jax_raise_on_ppermute_sort_diff", True)


def apply_in_jit(call: Call, blocks: Any) -> np.ndarray:
    return np.asarray(once(lambda blocks: apply(call, blocks, jnp))(blocks))


ALGORITHMS = ["meaning", "ring", "bidirectional ring", "halving-doubling"]
RUNS: dict[str, Run] = {"numpy": apply, "jit": apply_in_jit} | {name: algorithm(name) for name in ALGORITHMS}


def check(body: Body, mesh: Mesh, x: jax.Array, check_vma: bool = True) -> None:
    """Compares JAX with ``apply`` on numpy and in ``jax.jit``, and with every algorithm."""
    f = sharded(body, mesh, check_vma)
    jaxpr, expected = traced(f, x), stacked(once(f)(x), mesh)
    for name, run in RUNS.items():
        np.testing.assert_array_equal(simulate(jaxpr, mesh, x, run), expected, err_msg=name, strict=True)


@pytest.mark.parametrize("name", ["apply", *ALGORITHMS])
@pytest.mark.parametrize("n", range(1, 9))
def test_every_form_by_every_algorithm(n: int, name: str):
    mesh = make_mesh(x=n)
    for form, (body, expected) in traced_and_run(n).items():
        result = simulate(body, mesh, block(mesh, n), apply if name == "apply" else algorithm(name))
        np.testing.assert_array_equal(result, expected, err_msg=form, strict=True)


@pytest.mark.parametrize("axes", ["x", "y", ("x", "y"), ("y", "x"), ("z", "x"), ("y", "z", "x")], ids=str)
def test_every_form_on_a_mesh_of_three_axes(axes: Any):
    sizes = {"x": 2, "y": 3, "z": 2}
    mesh = make_mesh(**sizes)
    n = int(np.prod([sizes[a] for a in axes]))
    x = block(mesh, n, "uint8")
    forms = bodies(axes, n)
    with allow_any_ppermute():
        results = once(sharded(lambda x: {name: body(x) for name, body in forms.items()}, mesh))(x)
    for form, body in forms.items():
        result = simulate(traced(sharded(body, mesh), x), mesh, x, apply)
        np.testing.assert_array_equal(result, stacked(results[form], mesh), err_msg=form, strict=True)


GROUPS = [[0, 3], [2, 1]]
WITHOUT_VMA: dict[str, Body] = {
    "psum": lambda x: lax.psum(x, "y"),
    "psum of groups": lambda x: lax.psum(x, "y", axis_index_groups=GROUPS),
    "psum of uneven groups": lambda x: lax.psum(x, "y", axis_index_groups=[[0, 3, 1], [2]]),
    "pmax of uneven groups": lambda x: lax.pmax(x, "y", axis_index_groups=[[0], [3, 1, 2]]),
    "pmean of groups": lambda x: lax.pmean(x, "y", axis_index_groups=GROUPS),
    "psum with positions": lambda x: jax.vmap(lambda row: lax.psum(row, ("y", "v")), axis_name="v", in_axes=1)(x),
    "pmin with positions": lambda x: jax.vmap(lambda row: lax.pmin(row, ("v", "x")), axis_name="v", in_axes=2)(x),
    "psum of positions alone": lambda x: jax.vmap(lambda row: lax.psum(row, "v"), axis_name="v", in_axes=1)(x),
    "all_gather of groups": lambda x: lax.all_gather(x, "y", axis_index_groups=GROUPS),
    "psum_scatter of groups": lambda x: lax.psum_scatter(x, "y", axis_index_groups=GROUPS, tiled=True),
    "all_to_all of groups": lambda x: lax.all_to_all(x, "y", 0, 2, axis_index_groups=GROUPS, tiled=True),
}


@pytest.mark.parametrize("form", WITHOUT_VMA)
def test_without_vma_and_in_groups(form: str):
    mesh = make_mesh(x=2, y=4)
    check(WITHOUT_VMA[form], mesh, block(mesh, 2), check_vma=False)


DTYPES = ["bool", "int4", "int8", "uint32", "int64", "float8_e4m3fn", "bfloat16", "float16", "float32", "complex64"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(dtype: str):
    """Small whole numbers, so that no sum rounds and none depends on the order."""
    mesh = make_mesh(x=4)
    with jax.enable_x64(True):
        x = jnp.asarray(np.random.default_rng(0).integers(-1, 2, (16, 4)), dtype)
        for body in (
            lambda x: lax.psum(x, "x"),
            lambda x: lax.all_gather(x, "x", axis=1),
            lambda x: lax.ppermute(x, "x", [(0, 1), (3, 0)]),
        ):
            check(body, mesh, x)


def test_values_that_are_not_numbers():
    mesh = make_mesh(x=4)
    x = jnp.asarray([1, np.nan, 2, np.inf, -np.inf, 3, np.inf, np.inf], "float32")
    check(lambda x: lax.psum(x, "x"), mesh, x)
    check(lambda x: lax.ppermute(x, "x", [(0, 1)]), mesh, x)
    numbers = jnp.nan_to_num(x, posinf=np.inf, neginf=-np.inf)  # XLA's CPU loses a NaN in pmax and pmin
    check(lambda x: lax.pmax(x, "x"), mesh, numbers)
    check(lambda x: lax.pmin(x, "x"), mesh, numbers)


@pytest.mark.parametrize("source", [0, 5])
def test_pbroadcast_is_the_masked_psum_of_its_documentation(source: int):
    """JAX lowers pbroadcast only on GPU."""
    mesh = make_mesh(x=8)
    x = block(mesh, 1)
    masked = sharded(lambda x: lax.psum(jnp.where(lax.axis_index("x") == source, x, 0), "x"), mesh)
    body = traced(sharded(lambda x: lax.pbroadcast(x, "x", source), mesh), x)
    for name, run in RUNS.items():
        result = simulate(body, mesh, x, run)
        np.testing.assert_array_equal(result, stacked(masked(x), mesh), err_msg=name, strict=True)
