"""What a newer JAX brings that is not known here: found on the newest JAX, before users meet it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax._src.lax import parallel  # noqa: TID251 JAX has no other list of the primitives that communicate.
from jax.extend.core import Primitive, jaxpr_as_fun
from jax.interpreters import mlir
from jax.sharding import PartitionSpec as P

import shardwidget as sw
from shardwidget import _jax
from shardwidget.collectives import statement_of

PACKAGE = Path(sw.__file__).parent
GONE = frozenset({"pgather"})
"""Not reached by any public function, and no longer there from JAX 0.10 on."""
LEAVING = re.compile(r"\bwith mesh:|lax\.(psend|precv)\(|\bpjit\.AUTO\b|\bshard_alike\(|\bcontrol_deps\(")
"""What JAX has announced to remove."""


def test_every_primitive_that_communicates_is_known() -> None:
    names = {one.name for one in vars(parallel).values() if isinstance(one, Primitive)}
    assert "psum" in names
    assert {name for name in names if statement_of(name) is None} <= _jax.ONE_SIDED | GONE


def test_nothing_here_uses_what_jax_is_about_to_remove() -> None:
    root = PACKAGE.parent
    files = [*PACKAGE.rglob("*.py"), *(root / "docs").rglob("*.md"), *(root / "docs" / "examples").glob("*.py")]
    files += (root / "notebooks").glob("*.ipynb")
    assert len(files) > 100
    for file in files:
        for line in file.read_text().splitlines():
            used = LEAVING.search(line)
            # `with mesh:` is read, in words only, where programs of users have it.
            assert used is None or "``" in line, f"{file.relative_to(root)}: {line.strip()}"


@pytest.mark.parametrize(
    "line",
    [
        "    with mesh:",
        "y = jax.lax.psend(x, 'x', perm)",
        "lax.precv(",
        "pjit.AUTO",
        "shard_alike(x, y)",
        "control_deps(",
    ],
)
def test_a_line_with_what_jax_removes_is_found(line: str) -> None:
    assert LEAVING.search(line)


def test_what_jax_deprecates_stops_these_tests() -> None:
    mesh = jax.make_mesh((2,), ("x",))
    if jax.__version_info__ >= (0, 12):
        with pytest.raises(DeprecationWarning, match="has been deprecated"), mesh:
            pass


def mapped(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    mesh = jax.make_mesh((4,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    return jax.shard_map(f, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False)


@pytest.fixture(scope="module")
def unknown() -> Primitive:
    """A primitive that enters a function, as one of a JAX to come may."""
    primitive = Primitive("enters")
    primitive.def_abstract_eval(lambda x, *, inner: x)
    run = mlir.lower_fun(lambda x, *, inner: jaxpr_as_fun(inner)(x)[0], multiple_results=False)
    mlir.register_lowering(primitive, run)
    return primitive


def test_collectives_in_what_is_not_known_are_not_called_nothing(unknown: Primitive) -> None:
    def f(x: Any) -> Any:
        def total(y: Any) -> Any:
            return lax.ppermute(y, "x", [(0, 1), (1, 0)]) + 1

        return unknown.bind(x, inner=jax.make_jaxpr(total)(x)) * 2

    x = jnp.arange(16.0)
    trace = sw.read.trace(mapped(f), x)
    step = next(step for step in trace.steps if step.primitive == "enters")
    assert "what it sends (ppermute) cannot be followed" in step.sentence
    assert "no collective: devices send nothing" not in str(trace)
    np.testing.assert_array_equal(np.asarray(trace.outputs), np.asarray(jax.jit(mapped(f))(x)))


def test_groups_of_shard_map_are_those_of_its_axes() -> None:
    # JAX 0.12 names mesh axes in the lowered module (ReplicaGroupV3) where others list devices.
    mesh = jax.make_mesh((2, 2, 2), ("x", "y", "z"), axis_types=(jax.sharding.AxisType.Auto,) * 3)

    def body(x: Any) -> Any:
        whole = lax.all_gather(x, "y", tiled=True)
        return lax.psum(whole, ("x", "z")) + lax.psum(x.sum(), "z")

    f = jax.shard_map(body, mesh=mesh, in_specs=P(("x", "y", "z")), out_specs=P(), check_vma=False)
    x = jnp.arange(16.0)
    program = sw.read.program(f, x, mesh=mesh)
    found = {(c.kind, c.axes, c.irregular, c.by_user) for c in program.collectives}
    assert found == {
        ("all-gather", ("y",), False, True),
        ("all-reduce", ("x", "z"), False, True),
        ("all-reduce", ("z",), False, True),
    }
    text = jax.jit(f).lower(x).as_text()
    assert ("replica_group_mesh_axes" in text) == (jax.__version_info__ >= (0, 12))


def test_an_abstract_mesh_has_the_types_that_jax_gives_it() -> None:
    mesh = jax.sharding.AbstractMesh((4, 2), ("x", "y"))
    types = [kind.name for kind in mesh.axis_types]
    sharding = jax.sharding.NamedSharding(mesh, P("x"))
    placement = sw.read.placement(jax.ShapeDtypeStruct((8, 16), "float32", sharding=sharding))
    assert [axis.type for axis in placement.mesh.axes] == types
    playground = sw.SpecPlayground((8, 16), mesh, spec=P(unreduced=frozenset({"x"})))
    # Parts of sums are for Explicit axes, which an AbstractMesh has by itself from JAX 0.12 on.
    assert (playground.error == "") == ("Explicit" in types)

    def body(x: Any) -> Any:
        return lax.psum(x, "x")

    f = jax.shard_map(body, mesh=mesh, in_specs=P("x"), out_specs=P())
    trace = sw.read.trace(f, jax.ShapeDtypeStruct((8, 16), "float32", sharding=sharding))
    assert trace.error is None
    assert [step.collective.axes for step in trace.steps if step.collective] == [("x",)]
