"""Every function of the tutorials: on devices, simulated, and without any device of the mesh."""

from typing import Any

import jax
import numpy as np
import pytest

from shardwidget import read
from tests.jax_suite.tutorial import PROGRAMS, abstract, concrete, counted
from tests.once import once

traced: Any = read.trace


@pytest.mark.parametrize("name", PROGRAMS)
def test_outputs_are_those_of_the_function(name):
    f, args = PROGRAMS[name](concrete)
    expected = jax.tree.leaves(once(f)(*args))
    g, _ = PROGRAMS[name](abstract)
    for engine, trace in [
        ("mesh", traced(f, *args)),
        ("host", traced(f, *args, engine="host")),
        ("host", traced(g, *args)),
    ]:
        assert (trace.engine, trace.error) == (engine, None)
        for found, wanted in zip(jax.tree.leaves(trace.outputs), expected, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
        assert jax.tree.structure(trace.outputs) == jax.tree.structure(jax.eval_shape(f, *args))


@pytest.mark.parametrize("name", PROGRAMS)
def test_both_engines_write_the_same_steps_and_values(name):
    f, args = PROGRAMS[name](concrete)
    mesh, host = traced(f, *args), traced(f, *args, engine="host")
    assert [step.primitive for step in mesh.steps] == [step.primitive for step in host.steps]
    ids = mesh.mesh.device_ids.array().tolist()
    for one, other in zip(mesh.variables, host.variables, strict=True):
        assert (one.name, one.type, one.varying) == (other.name, other.type, other.varying)
        if "float0" in one.dtype:
            continue
        active = [step.active for step in mesh.steps if one in step.outputs]
        for device in ids if active == [None] else [ids[at] for a in active if a for at in a.array()]:
            np.testing.assert_allclose(one.value(device), other.value(device), rtol=1e-5, atol=1e-6)


def steps_of(name):
    f, args = PROGRAMS[name](concrete)
    return traced(f, *args).steps


def test_matmul_in_full():
    first, vary, dot, total, last = steps_of("matmul_basic")
    assert [step.primitive for step in (first, vary, dot, total, last)] == [
        "in_specs", "pvary", "dot_general", "psum_invariant", "out_specs",
    ]  # fmt: skip
    assert [f"{v.name}:{v.type}" for v in first.outputs] == ["a:f32[2,8]{V:(row,col)}", "b:f32[8,4]{V:col}"]
    assert vary.implicit
    assert [f"{v.name}:{v.type}" for v in (*vary.outputs, *dot.outputs)] == [
        "b:f32[8,4]{V:(row,col)}", "partial_sum:f32[2,4]{V:(row,col)}",
    ]  # fmt: skip
    assert (dot.source.text, dot.source.function) == ("partial_sum = jnp.dot(a, b)", "f")
    collective = total.collective
    assert (collective.kind, collective.axes, collective.bytes_per_device) == ("psum", ("col",), 32)
    assert collective.groups == ((0, 1), (2, 3), (4, 5), (6, 7))
    assert collective.arithmetic == "2·V·(N−1)/N, V = 32 B, N = 2"
    a, b = counted(8, 16), counted(16, 4)
    np.testing.assert_array_equal(total.outputs[0].value(4), (a @ b)[4:6])
    np.testing.assert_array_equal(dot.outputs[0].value(5), a[4:6, 8:] @ b[8:])
    assert [dim.axes for dim in last.outputs[0].dims] == [("row",), ()]


def test_the_gather_stays_varying_and_its_pvary_is_the_users_own():
    gather = next(s for s in steps_of("all_gather_tiled") if s.collective)
    assert "stays in V" in gather.sentence
    assert [s.implicit for s in steps_of("explicit_pvary") if s.primitive == "pvary"] == [False]


def test_a_psum_is_a_scatter_and_a_gather():
    scatter, gather = (s.collective for s in steps_of("psum_as_scatter_and_gather") if s.collective)
    (total,) = (s.collective for s in steps_of("psum_in_one_dimension") if s.collective)
    assert (scatter.kind, gather.kind, total.kind) == ("reduce_scatter", "all_gather", "psum")
    assert scatter.bytes_per_device + gather.bytes_per_device == 2 * total.bytes_per_device  # of a block twice as long


def test_the_ring_gives_what_psum_scatter_gives():
    f, args = PROGRAMS["psum_scatter_as_a_ring"](concrete)
    trace = traced(f, *args)
    np.testing.assert_array_equal(trace.outputs, args[0].reshape(4, 4).sum(0))
    assert [s.collective.kind for s in trace.steps if s.collective] == ["ppermute"] * 3
