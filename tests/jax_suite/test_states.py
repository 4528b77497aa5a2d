"""Arrays in every state and of every dtype; none of their data is touched, none is kept alive."""

import dataclasses
import gc
import tracemalloc
import weakref

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AbstractMesh, AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

from shardwidget import read
from shardwidget.read._values import sampled

MESH = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)


def ones(spec: P, **kwargs) -> jax.Array:
    return jax.device_put(np.ones((8, 16), "float32"), NamedSharding(MESH, spec, **kwargs))


@pytest.mark.parametrize("end", ["deleted", "donated"])
def test_an_array_without_data_reads_as_before(end):
    x = ones(P("x", "y"))
    before = read.placement(x)
    if end == "deleted":
        x.delete()
    else:
        jax.jit(lambda a: a + 1, donate_argnums=0)(x).block_until_ready()
    assert read.placement(x) == dataclasses.replace(before, state="deleted")
    assert sampled(x, [0]).note == "the array was deleted or donated; its values are gone"


def test_values_that_were_read_do_not_hinder_donation():
    x = ones(P("x", "y"))
    sampled(x, range(8))
    buffers = [shard.data.unsafe_buffer_pointer() for shard in x.addressable_shards]
    y = jax.jit(lambda a: a + 1, donate_argnums=0)(x)
    assert x.is_deleted()
    assert [shard.data.unsafe_buffer_pointer() for shard in y.addressable_shards] == buffers


def test_an_array_is_not_kept_alive():
    x = ones(P("x", "y"))
    read.placement(x)
    sampled(x, range(8))
    seen = weakref.ref(x)
    del x
    gc.collect()
    assert seen() is None


def test_sixteen_gibibytes_cost_nothing():
    # The first use of JAX in a process imports its compiler, which is not the array's cost.
    read.placement(jnp.zeros(1))
    mesh = AbstractMesh((64, 64), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
    x = jax.ShapeDtypeStruct((2**16, 2**16), "float32", sharding=NamedSharding(mesh, P("x", "y")))
    tracemalloc.start()
    try:
        p = read.placement(x)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert p.nbytes == 2**34
    assert peak < 2**20


def test_unreduced_from_a_matmul():
    a, b = ones(P(None, "x")), jax.device_put(np.ones((16, 4), "float32"), NamedSharding(MESH, P("x", None)))
    out = NamedSharding(MESH, P(None, None, unreduced=frozenset("x")))
    x = jax.jit(lambda a, b: jnp.dot(a, b, out_sharding=out))(a, b)
    p = read.placement(x)
    assert (p.type, p.unreduced, p.reduced, p.agreement) == ("f32[8,4]{U:x}", ("x",), (), "same")
    assert (p.tiles, p.partials, p.copies, p.replicated_axes) == (1, 4, 2, ("y",))
    assert (p.total_bytes, p.wasted_bytes) == (8 * 128, 4 * 128)
    assert p.shardy.endswith('[{}, {}], unreduced={"x"}>')
    block = sampled(x, [0]).blocks[0]
    assert set(np.frombuffer(block.data, "<f4")) == {4.0}  # A quarter of the sum: x has 4 devices, 16 terms.


def test_reduced():
    p = read.placement(ones(P("x", reduced=frozenset("y"))))
    assert (p.type, p.reduced, p.unreduced, p.partials, p.copies) == ("f32[8@x,16]{R:y}", ("y",), (), 1, 2)


@pytest.mark.parametrize(
    ("kind", "type_"),
    [("device", "f32[8@x,16]"), ("pinned_host", "f32<host>[8@x,16]"), ("unpinned_host", "f32[8@x,16]")],
)
def test_memory_kinds(kind, type_):
    x = ones(P("x"), memory_kind=kind)
    p = read.placement(x)
    assert (p.memory_kind, p.type) == (kind, type_)
    assert set(np.frombuffer(sampled(x, [0]).blocks[0].data, "<f4")) == {1.0}


@pytest.mark.parametrize(
    ("dtype", "short"),
    [
        ("bfloat16", "bf16"),
        ("float16", "f16"),
        ("float8_e4m3fn", "f8_e4m3fn"),
        ("float8_e5m2", "f8_e5m2"),
        ("float4_e2m1fn", "f4_e2m1fn"),
        ("int2", "i2"),
        ("int4", "i4"),
        ("uint4", "u4"),
        ("int8", "i8"),
        ("uint32", "u32"),
        ("bool", "bool"),
        ("complex64", "c64"),
    ],
)
def test_dtypes_count_the_bytes_that_jax_counts(dtype, short):
    x = jax.device_put(jnp.zeros((8, 16), dtype), NamedSharding(MESH, P("x")))
    p = read.placement(x)
    assert (p.dtype, p.type) == (dtype, f"{short}[8@x,16]")
    assert p.nbytes == x.nbytes
    assert p.bytes_per_device == x.addressable_shards[0].data.nbytes


@pytest.mark.parametrize(("dtype", "short"), [("int64", "i64"), ("float64", "f64"), ("complex128", "c128")])
def test_wide_dtypes(dtype, short):
    with jax.enable_x64(True):
        x = jax.device_put(jnp.zeros((8, 16), dtype), NamedSharding(MESH, P("x")))
        inside = read.placement(x)
    p = read.placement(x)
    assert p == inside
    assert (p.dtype, p.type, p.nbytes) == (dtype, f"{short}[8@x,16]", x.nbytes)


def test_random_keys():
    keys = jax.device_put(jax.random.split(jax.random.key(0), 8), NamedSharding(MESH, P("x")))
    p = read.placement(keys)
    assert (p.dtype, p.type, p.slices(7)) == ("key<fry>", "key<fry>[8@x]", (slice(6, 8),))
    assert (p.nbytes, p.bytes_per_device) == (keys.nbytes, keys.nbytes // 4)
    assert sampled(keys, [0]).note == (
        "random keys are opaque and hold no numbers; jax.random.key_data(x) gives their bits"
    )


def test_texts_of_a_long_device_order_are_cut_and_say_so():
    mesh = AbstractMesh((2048,), ("x",))
    order = tuple(np.random.RandomState(0).permutation(2048).tolist())
    p = read.placement(((2048,), "int8", NamedSharding(mesh, P("x"), _logical_device_ids=order)))
    full = f"{{devices=[2048]{','.join(map(str, order))}}}"
    assert p.hlo == f"{full[:4096]} … ({len(full)} characters)"
    assert p.shardy.endswith(" characters)")


def test_a_text_that_jax_cannot_give_is_empty(monkeypatch):
    # Stands for a future JAX that renames these: the picture must not depend on them.
    def gone(*args):
        raise AttributeError("renamed")

    x = ones(P("x"))
    before = read.placement(x)
    monkeypatch.setattr(NamedSharding, "_to_xla_hlo_sharding", gone)
    monkeypatch.setattr(NamedSharding, "_to_sdy_sharding", gone)
    assert read.placement(x) == dataclasses.replace(before, hlo="", shardy="")
