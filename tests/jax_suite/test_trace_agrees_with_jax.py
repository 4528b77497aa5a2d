"""Random bodies of collectives and arithmetic: both engines agree with JAX, value for value and type for type."""

from typing import Any

import jax
import numpy as np
import pytest
from hypothesis import given
from jax.sharding import AxisType, PartitionSpec

from shardwidget import read
from shardwidget.document import Window
from tests.examples import examples
from tests.jax_suite.bodies import programs
from tests.once import once

traced: Any = read.trace


def same(found, expected, exact: bool) -> None:
    if exact:
        np.testing.assert_array_equal(found, expected)
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-4)


def block_of(window: Window, at: int) -> np.ndarray:
    blocks = np.frombuffer(window.data, window.format.replace("b1", "?")).reshape(-1, *window.shape)
    return blocks[window.block.array()[at]]


def as_returned(variable, trace):
    """The value as the body returned it: where out_specs asks for more, JAX types it as varying."""
    made = {out.id: step for step in trace.steps for out in step.outputs}[variable.id]
    return made.inputs[0] if made.implicit else variable


@examples(40)
@given(programs())
def test_integers(program):
    check(program, exact=True)


@examples(25)
@given(programs(dtype="float32", longest=4))
def test_floats(program):
    check(program, exact=False)


def check(program, exact: bool) -> None:
    mesh = program.mesh()
    f, args = program.f(mesh), program.arguments()
    expected = once(f)(*args)
    types = program.types[-1]
    for engine in (None, "host"):
        trace = traced(f, *args, engine=engine)
        assert (trace.error, trace.engine) == (None, engine or "mesh")
        for found, wanted in zip(trace.outputs, expected, strict=True):
            same(found, wanted, exact)
        last = trace.steps[-1]
        assert last.primitive == "out_specs"
        # The operands of out_specs are what the body returned; JAX's own array has the block of each device as a shard.
        assert [as_returned(v, trace).type for v in last.inputs] == types
        for variable, array in zip(last.inputs, expected, strict=True):
            for at, shard in enumerate(sorted(array.addressable_shards, key=lambda s: s.device.id)):
                same(variable.value(shard.device.id), shard.data, exact)
                corner = np.asarray(shard.data)[tuple(slice(0, size) for size in variable.window.shape)]
                same(block_of(variable.window, at), corner, exact)
        for variable, array in zip(last.outputs, expected, strict=True):
            for device in mesh.devices.flat:  # Outside a region both engines have the whole array.
                same(variable.value(device.id), array, exact)


@pytest.mark.parametrize("engine", [None, "host"])
@pytest.mark.parametrize("shape", [(8, 0), (0,), (0, 8)])
def test_arrays_without_elements(shape, engine):
    mesh = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Auto,))

    def body(a):
        return jax.lax.psum(a, "x"), a.sum(), jax.lax.all_gather(a, "x"), jax.lax.ppermute(a, "x", [(0, 1)])

    rows = PartitionSpec("x")
    specs = (PartitionSpec(), PartitionSpec(), rows, rows)
    f = jax.shard_map(body, mesh=mesh, in_specs=rows, out_specs=specs, check_vma=False)
    trace = traced(f, np.zeros(shape, "float32"), engine=engine)
    for found, wanted in zip(trace.outputs, jax.jit(f)(np.zeros(shape, "float32")), strict=True):
        assert found.shape == wanted.shape
        same(found, wanted, exact=True)


@pytest.mark.parametrize("engine", [None, "host"])
def test_every_value_of_every_step(engine):
    """Each equation's values, against a shard_map that returns exactly that value."""
    mesh = jax.make_mesh((2, 4), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
    P = PartitionSpec  # noqa: N806
    x = np.arange(32, dtype="int32").reshape(8, 4)

    def values(a):
        found = [a * 3]
        found.append(jax.lax.psum(found[0], "x"))
        found.append(jax.lax.all_gather(found[1], "y", axis=1, tiled=True))
        found.append(jax.lax.psum_scatter(found[2], "y", scatter_dimension=1, tiled=True))
        found.append(jax.lax.ppermute(found[3], "y", [(0, 2), (2, 1)]))
        found.append(
            jax.lax.all_to_all(found[2], "y", 0, 1, tiled=True) if found[2].shape[0] % 4 == 0 else found[4] + 1
        )
        return found

    trace = traced(
        jax.shard_map(lambda a: values(a)[-1], mesh=mesh, in_specs=P("x", "y"), out_specs=P("x", "y")),
        x,
        engine=engine,
    )
    typing = ("in_specs", "pvary", "convert_element_type", "out_specs")
    made = [v for step in trace.steps if step.primitive not in typing for v in step.outputs]
    assert len(made) == 6
    for number, variable in enumerate(made):
        alone = jax.shard_map(
            lambda a, number=number: values(a)[number][None],
            mesh=mesh,
            in_specs=P("x", "y"),
            out_specs=P(("x", "y")),
        )
        for shard in jax.jit(alone)(x).addressable_shards:
            np.testing.assert_array_equal(variable.value(shard.device.id), shard.data[0])
