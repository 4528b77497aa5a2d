"""What is kept, what is sent, what is compiled again: the limits of a trace."""

import gc
import json
import math
import re
import weakref
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas
from jax.sharding import AbstractMesh, AxisType
from jax.sharding import PartitionSpec as P

from shardwidget import read
from shardwidget.document import to_wire

traced: Any = read.trace

MESH = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)


TILES: Any = P("x", "y")


def region(f, in_specs=TILES, out_specs=TILES, mesh: Any = MESH):
    return jax.shard_map(f, mesh=mesh, in_specs=in_specs, out_specs=out_specs)


@pytest.mark.parametrize("engine", [None, "host"])
def test_small_values_are_kept_and_great_ones_shown(engine):
    def f(a):
        b = a + 1
        return b, b.sum(0, keepdims=True)

    a = jnp.arange(256 * 256.0).reshape(256, 256)
    trace = traced(region(f), a, engine=engine, keep=2**17)
    assert re.fullmatch(
        r"of 2 of \d values only the corner that is shown is kept: all take 1 MiB, and keep= allows 131072 bytes",
        trace.note,
    )
    named = {v.name: v for v in trace.variables if v.region >= 0}
    b = named["b"]
    with pytest.raises(ValueError, match="the value of b was not kept"):
        b.value(0)
    blocks = np.frombuffer(b.window.data, "<f4").reshape(-1, 8, 8)
    np.testing.assert_array_equal(blocks[b.window.block.array()[5]], (a + 1)[128:136, 128:136])
    total = next(s for s in trace.steps if s.primitive == "reduce_sum").outputs[0]
    np.testing.assert_allclose(total.value(5), (a + 1)[128:192, 128:].sum(0), rtol=1e-6)
    np.testing.assert_array_equal(trace.outputs[0], a + 1)


def test_no_intermediate_is_returned_whole_beyond_the_limit():
    def f(a):
        for _ in range(8):
            a = jnp.sin(a)
        return a

    a = jnp.ones((1024, 1024))
    before = live_bytes()
    trace = traced(region(f), a, keep=0)
    assert live_bytes() - before <= trace.outputs.nbytes + 2**16


def live_bytes():
    gc.collect()
    # An array on one device may be a shard of another one, made when that was looked at.
    return sum(x.nbytes for x in jax.live_arrays() if len(x.devices()) > 1)


@pytest.mark.parametrize("packed", [False, True])
def test_corners_packed_on_the_devices_are_those_read_from_values(packed, monkeypatch):
    """An accelerator packs all corners, so that one transfer per device fetches them; the host reads what it holds."""
    monkeypatch.setattr(jax, "default_backend", lambda: "tpu" if packed else "cpu")

    def f(a, k):
        b = (a * 3).astype("int8")
        c = jax.lax.psum(b[:, :3].astype("bfloat16"), "y") > 4
        d = jax.lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * 2.5), (0, a[0]))[1]
        return b[None], c, d, jax.random.key_data(k)

    f = region(f, in_specs=(P("x", "y"), P()), out_specs=(P(None, "x", "y"), P("x"), P(("x", "y")), P()))
    trace = traced(f, jnp.arange(1024.0).reshape(32, 32), jax.random.key(1))
    for variable in trace.variables:
        if variable.region < 0:
            continue
        window = variable.window
        blocks = np.frombuffer(window.data, window.format.replace("b1", "?")).reshape(-1, *window.shape)
        for at, device in enumerate(range(8)):
            whole = variable.value(device)
            corner = whole[tuple(slice(0, size) for size in window.shape)]
            np.testing.assert_array_equal(blocks[window.block.array()[at]], corner.astype(window.format))
            assert math.prod(window.shape) <= 64
    assert {v.window.format for v in trace.variables if v.region >= 0} == {"f4", "i4", "b1", "u4"}


def test_replicas_share_a_block():
    trace = traced(region(lambda a: jax.lax.psum(a, "y"), out_specs=P("x")), jnp.arange(32.0).reshape(8, 4))
    total = next(s for s in trace.steps if s.collective).outputs[0]
    assert total.window.block.array().tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert len(total.window.data) == 4 * 2 * 2 * 4


def test_a_value_of_few_elements_travels_whole_whatever_its_shape():
    def f(a):
        return a.reshape(2, 32) + a.reshape(16, 4)[:2, :1], a.reshape(1, 64).T

    trace = traced(region(f, in_specs=P(), out_specs=(P(), P())), jnp.arange(64.0))
    assert {v.window.shape for v in trace.variables if len(v.shape) == 2} >= {(2, 32), (16, 4), (64, 1)}


def test_many_values_are_shown_by_smaller_corners():
    mesh = AbstractMesh((64, 64), ("x", "y"), axis_types=(AxisType.Auto,) * 2)

    def f(a):
        for _ in range(20):
            a = a + 1
        return a

    trace = traced(region(f, mesh=mesh), jnp.ones((512, 512)), keep=2**30)
    # JAX 0.12 has more values.
    most = 2 if jax.__version_info__ < (0, 12) else 1
    assert trace.note == f"values are shown by their leading {most}×{most} elements"
    assert sum(len(v.window.data) for v in trace.variables if v.window) <= 2**21


def test_abstract_arguments_are_filled():
    a = jax.ShapeDtypeStruct((8, 4), "int32")
    trace = traced(region(lambda a: a * 2), a)
    np.testing.assert_array_equal(trace.outputs, 2 * np.arange(32).reshape(8, 4))
    assert trace.note == "abstract arguments are filled with 0, 1, 2 …"


@pytest.mark.parametrize("abstract", [True, False])
@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit, lambda f: lambda a, b: f(a, b) * 2])
def test_abstract_arguments_on_explicit_axes_are_cut_as_in_specs_says(wrap, abstract):
    kinds = (AxisType.Explicit,) * 2
    mesh = AbstractMesh((4, 2), ("x", "y"), axis_types=kinds) if abstract else jax.make_mesh((4, 2), ("x", "y"), kinds)
    f = region(lambda a, b: jax.lax.psum(a @ b, "y"), in_specs=(P("x", "y"), P("y")), out_specs=P("x"), mesh=mesh)
    trace = traced(wrap(f), jax.ShapeDtypeStruct((8, 4), "float32"), jax.ShapeDtypeStruct((4, 6), "float32"))
    assert (trace.error, trace.engine) == (None, "host" if abstract else "mesh")
    a, b = np.arange(32.0).reshape(8, 4), np.arange(24.0).reshape(4, 6)
    plain = wrap(lambda a, b: a @ b)
    np.testing.assert_allclose(trace.outputs, plain(a, b))
    if jax.__version_info__ >= (0, 10):  # JAX 0.9 reshards arguments itself.
        assert [v.type for v in next(s for s in trace.steps if s.primitive == "in_specs").inputs] == [
            "f32[8@x,4@y]",
            "f32[4@y,6]",
        ]
        assert trace.note.endswith("; those without a sharding are cut as in_specs asks")


def test_a_mesh_that_is_set_holds_abstract_arguments():
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
    with jax.set_mesh(mesh):
        f = jax.shard_map(lambda a: jax.lax.psum(a, "y"), in_specs=P("x", "y"), out_specs=P("x"))
        trace = traced(f, jax.ShapeDtypeStruct((8, 4), "float32"))
    assert (trace.error, trace.engine) == (None, "mesh")
    a = np.arange(32.0).reshape(8, 4)
    np.testing.assert_array_equal(trace.outputs, a[:, :2] + a[:, 2:])


def test_a_spec_that_is_too_long_for_an_abstract_argument():
    trace = traced(region(lambda a: a * 2), jax.ShapeDtypeStruct((8,), "float32"))
    assert trace.error.kind == "in_specs"
    assert trace.error.explanation == "A spec has at most one entry for each dimension, and a has 1."


def test_what_stops_before_an_abstract_mesh_is_simulated():
    mesh = AbstractMesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
    trace = traced(lambda a: region(lambda a: a * 2, mesh=mesh)(a + 1), jnp.ones((7, 4)))
    assert (trace.error.kind, trace.engine, trace.mesh.abstract) == ("indivisible", "host", True)


@pytest.mark.parametrize("engine", [None, "host"])
def test_too_great_to_fill_leaves_types(engine):
    a = jax.ShapeDtypeStruct((2**20, 2**20), "bfloat16")
    trace = traced(region(lambda a: jax.lax.psum(a, "y"), out_specs=P("x")), a, engine=engine)
    assert trace.engine == "types"
    assert trace.note.startswith("types only: filling the abstract arguments would take 2097152 MiB")
    assert trace.outputs == jax.ShapeDtypeStruct((2**20, 2**19), "bfloat16")
    assert [v.type for v in trace.steps[-1].inputs] == ["bf16[262144,524288]{V:x}"]
    with pytest.raises(ValueError, match="was not kept"):
        trace.steps[-1].inputs[0].value(0)


def test_the_program_is_compiled_once(monkeypatch):
    compiled = []
    lower = jax.stages.Lowered.compile
    monkeypatch.setattr(jax.stages.Lowered, "compile", lambda self, *a: compiled.append(1) or lower(self, *a))

    def f(a):
        return jax.lax.psum(jnp.tanh(a), "x")

    g = region(f, out_specs=P(None, "y"))
    for k in range(3):
        a = jnp.arange(32.0).reshape(8, 4) + k
        np.testing.assert_allclose(traced(g, a).outputs, g(a), rtol=1e-6)
    assert len(compiled) == 1
    traced(g, jnp.ones((16, 4)))
    traced(g, jnp.ones((8, 4)), engine="host")
    assert len(compiled) == 3


def _scatters(factor):
    return lambda a: a.at[0].add(factor * a[1]) if factor > 2 else a.at[0].max(a[1])


def _runs_a_kernel(factor):
    def kernel(a, out):
        out[...] = a[...] * factor

    def f(a):
        rows = pallas.BlockSpec((1, a.shape[1]), lambda i: (i, 0))
        return pallas.pallas_call(
            kernel, jax.typeof(a), grid=a.shape[:1], in_specs=[rows], out_specs=rows, interpret=True
        )(a)

    return f


@pytest.mark.parametrize("program", [_scatters, _runs_a_kernel])
def test_programs_that_hold_jaxprs_are_compiled_once(program, monkeypatch):
    compiled = []
    lower = jax.stages.Lowered.compile
    monkeypatch.setattr(jax.stages.Lowered, "compile", lambda self, *a: compiled.append(1) or lower(self, *a))
    a = jnp.arange(32.0).reshape(8, 4)
    for factor in (2, 3, 2, 3):
        f = jax.shard_map(program(factor), mesh=MESH, in_specs=P("x"), out_specs=P("x"), check_vma=False)
        np.testing.assert_array_equal(traced(f, a).outputs, f(a))
    assert len(compiled) == 2


def test_what_a_function_reads_anew_is_read_anew():
    factor, offset = 2.0, jnp.ones(4)
    g = region(lambda a: a * factor + offset[:2], in_specs=P("x", "y"))
    a = jnp.ones((8, 4))
    np.testing.assert_array_equal(traced(g, a).outputs, 3 * a)
    factor, offset = 5.0, jnp.zeros(4)
    np.testing.assert_array_equal(traced(g, a).outputs, 5 * a)


def test_nothing_holds_the_users_arrays():
    def trace():
        w, a = jnp.arange(4.0), jnp.ones((8, 4))
        inner = jax.jit(lambda a: a * w[:2])
        outputs = traced(region(lambda a: inner(a) + w[:2]), a).outputs
        return [weakref.ref(x) for x in (w, a, outputs)]

    held = trace()
    jax.clear_caches()
    gc.collect()
    assert [ref() is None for ref in held] == [True] * 3


def test_a_value_of_a_device():
    trace = traced(region(lambda a: a * 2), jnp.arange(32.0).reshape(8, 4))
    (b,) = trace.steps[-1].inputs
    np.testing.assert_array_equal(b.value(3), [[20.0, 22.0], [28.0, 30.0]])
    with pytest.raises(KeyError, match="the mesh has no device 77"):
        b.value(77)


def test_the_wire_form_of_a_trace_of_twenty_equations():
    def f(a, w):
        w = w * 2
        for _ in range(4):
            a = jnp.tanh(a + w)
            a = a + jax.lax.ppermute(a, "x", [(i, (i + 1) % 4) for i in range(4)])
        return jax.lax.psum(a, ("x", "y"))

    f = region(f, in_specs=(P("x", "y"), P("x", "y")), out_specs=P())
    trace = traced(f, jnp.ones((32, 32)), jnp.ones((32, 32)))
    equations = [s for s in trace.steps if s.primitive not in ("in_specs", "out_specs")]
    assert len(equations) in (19, 20)  # JAX 0.12 converts the literal.
    buffers: list[bytes] = []
    text = json.dumps(to_wire(trace), default=lambda b: buffers.append(b) or "", separators=(",", ":"))
    assert len(text) + sum(map(len, buffers)) <= 50_000


@pytest.mark.parametrize("engine", [None, "host"])
def test_a_trace_where_the_users_own_calls_are_not_compiled(engine):
    f = jax.shard_map(lambda a: jax.lax.psum(jax.jit(jnp.sin)(a), "x"), mesh=MESH, in_specs=P("x"), out_specs=P())
    with jax.disable_jit():
        trace = traced(f, jnp.arange(8.0), engine=engine)
        assert jax.config.jax_disable_jit  # type: ignore[attr-defined]
    np.testing.assert_allclose(trace.outputs, f(jnp.arange(8.0)), rtol=1e-6)
