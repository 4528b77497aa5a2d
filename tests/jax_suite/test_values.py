"""``read.values`` returns the true numbers, few of them, and reports what it left out."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

from shardwidget import read
from shardwidget.document import Block
from shardwidget.read._values import sampled
from tests.examples import examples
from tests.jax_suite.strategies import filled

MESH = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)


def numbers(block: Block) -> np.ndarray:
    return np.frombuffer(block.data, f"<{block.format}").reshape(block.shape)


def one(x, **kwargs) -> Block:
    values = sampled(jnp.asarray(x), [0], **kwargs)
    assert values.note == ""
    return values.blocks[0]


@examples(60)
@given(filled(sums=True), st.integers(16, 2000))
def test_blocks_are_samples_of_the_shards(x, limit):
    shards = {shard.device.id: np.asarray(shard.data) for shard in x.addressable_shards}
    values = sampled(x, shards, limit=limit)
    for block in values.blocks:
        shard = shards[block.device_id]
        wide = shard.astype(block.format)
        np.testing.assert_array_equal(numbers(block), wide[tuple(slice(None, None, step) for step in block.steps)])
        assert block.exact
        if shard.size:
            size = np.abs(wide) if np.iscomplexobj(wide) else wide
            assert (block.low, block.high) == (size.min(), size.max())
    assert sum(len(block.data) for block in values.blocks) <= limit
    left_out = set(shards) - {block.device_id for block in values.blocks}
    assert bool(left_out) == ("left out" in values.note)
    assert any(max(b.steps, default=1) > 1 for b in values.blocks) == ("sampled as" in values.note)


@pytest.mark.parametrize("spec", [P("x", "y"), P(None, "y", unreduced=frozenset("x"))])
@pytest.mark.parametrize("set_mesh", [False, True])
def test_a_great_shard_is_sampled_on_its_device(monkeypatch, spec, set_mesh):
    sharding = NamedSharding(MESH, spec)
    shard = np.arange(math.prod(sharding.shard_shape((4096, 2048))), dtype="float32")
    shard = shard.reshape(sharding.shard_shape((4096, 2048)))
    x = jax.make_array_from_single_device_arrays(
        (4096, 2048), sharding, [jax.device_put(shard + k, d) for k, d in enumerate(MESH.devices.flat)]
    )
    fetched = []
    device_get = jax.device_get
    monkeypatch.setattr(jax, "device_get", lambda a: fetched.append(a.nbytes) or device_get(a))
    if set_mesh:
        with jax.set_mesh(MESH):
            values = sampled(x, [6, 1])
    else:
        values = sampled(x, [6, 1])
    assert [block.device_id for block in values.blocks] == [6, 1]
    for block in values.blocks:
        assert math.prod(block.shape) <= 64 * 64
        assert not block.exact
        truth = (shard + block.device_id)[:: block.steps[0], :: block.steps[1]]
        np.testing.assert_array_equal(numbers(block), truth)
        assert (block.low, block.high) == (truth.min(), truth.max())
    assert fetched == [len(block.data) for block in values.blocks]
    assert values.note.startswith("shards are sampled as [::")


def test_only_the_devices_asked_for_are_fetched(monkeypatch):
    x = jax.device_put(np.ones((8, 16), "float32"), NamedSharding(MESH, P("x", "y")))
    fetched = []
    device_get = jax.device_get
    monkeypatch.setattr(jax, "device_get", lambda a: fetched.append(a.device.id) or device_get(a))
    sampled(x, [5, 2, 5])
    assert fetched == [5, 2]


def test_a_device_that_is_not_the_arrays():
    with pytest.raises(KeyError, match="the array is not on device 9; it is on device 0"):
        sampled(jax.device_put(1.0, jax.devices()[0]), [9])


@pytest.mark.parametrize(
    ("x", "what"),
    [
        (MESH, "a mesh holds no values"),
        (((8,), "int8", NamedSharding(MESH, P("x"))), "an abstract array holds no values"),
    ],
)
def test_no_data(x, what):
    values = sampled(x, [0])
    assert (values.blocks, values.note) == ((), what)


def test_nans_and_infinities_are_counted_and_left_out_of_the_range():
    block = one(np.array([np.nan, 2, np.inf, -1, -np.inf, np.nan], "float32"))
    assert (block.low, block.high, block.low_text, block.high_text) == (-1.0, 2.0, "-1.0", "2.0")
    assert (block.nans, block.infs) == (2, 2)
    np.testing.assert_array_equal(numbers(block), np.array([np.nan, 2, np.inf, -1, -np.inf, np.nan], "float32"))


@pytest.mark.parametrize("x", [np.zeros((0, 3), "float32"), np.full(2, np.nan, "float32")])
def test_no_finite_value(x):
    block = one(x)
    assert (block.low, block.high, block.low_text, block.high_text) == (0.0, 0.0, "", "")


@pytest.mark.parametrize(("dtype", "format_"), [("int64", "i8"), ("uint64", "u8")])
def test_wide_integers_are_exact(dtype, format_):
    top = np.iinfo(dtype).max
    with jax.enable_x64(True):
        x = jnp.array([0, top - 1, top], dtype)
    block = sampled(x, [0]).blocks[0]
    assert (block.format, block.low_text, block.high_text) == (format_, "0", str(top))
    assert numbers(block).tolist() == [0, top - 1, top]


@pytest.mark.parametrize(
    ("dtype", "format_", "text"),
    [
        ("bfloat16", "f4", "0.333984"),
        ("float16", "f4", "0.3333"),
        ("float8_e4m3fn", "f4", "0.34375"),
        ("float32", "f4", "0.33333334"),
    ],
)
def test_floats_print_as_their_dtype(dtype, format_, text):
    x = jnp.full(3, 1 / 3, dtype)
    block = one(x)
    assert (block.format, block.low_text, block.high_text) == (format_, text, text)
    assert set(numbers(block).tolist()) == {float(np.asarray(x)[0])}


@pytest.mark.parametrize(
    ("x", "dtype", "format_", "low", "high"),
    [
        ([-8, 7], "int4", "i4", "-8", "7"),
        ([0, 15], "uint4", "u4", "0", "15"),
        ([-128, 127], "int8", "i4", "-128", "127"),
        ([0, 2**32 - 1], "uint32", "u4", "0", "4294967295"),
        ([False, True], "bool", "b1", "False", "True"),
        ([3 + 4j, 0], "complex64", "c8", "0.0", "5.0"),
    ],
)
def test_other_numbers(x, dtype, format_, low, high):
    block = one(np.array(x, jnp.dtype(dtype)))
    assert (block.format, block.low_text, block.high_text) == (format_, low, high)
    assert numbers(block).tolist() == x


def test_one_bad_shard_hides_no_other(monkeypatch):
    x = jax.device_put(np.ones((8, 16), "float32"), NamedSharding(MESH, P("x", "y")))
    device_get = jax.device_get

    def fail_on_two(a):
        if a.device.id == 2:
            raise RuntimeError("INTERNAL: the chip is hot")
        return device_get(a)

    monkeypatch.setattr(jax, "device_get", fail_on_two)
    values = sampled(x, [1, 2, 3])
    assert [block.device_id for block in values.blocks] == [1, 3]
    assert values.note == "device 2 could not be read: RuntimeError: INTERNAL: the chip is hot"


def test_an_interrupt_passes(monkeypatch):
    def interrupt(a):
        raise KeyboardInterrupt

    monkeypatch.setattr(jax, "device_get", interrupt)
    with pytest.raises(KeyboardInterrupt):
        sampled(jnp.ones(3), [0])


def test_whole_shards_as_numpy_arrays():
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
    x = np.arange(64, dtype="float32").reshape(8, 8)
    placed = jax.device_put(x, jax.NamedSharding(mesh, jax.P("x")))
    held = read.values(placed)
    assert {device: shard.tolist() for device, shard in held.items()} == {
        shard.device.id: np.asarray(shard.data).tolist() for shard in placed.addressable_shards
    }
    assert list(read.values(placed, [3, 0])) == [3, 0]
    with pytest.raises(KeyError, match="the array is not on device 99"):
        read.values(placed, [99])
    with pytest.raises(TypeError, match="an abstract array holds no values"):
        read.values(jax.ShapeDtypeStruct((8, 8), "float32", sharding=placed.sharding))
    placed.delete()
    with pytest.raises(ValueError, match="deleted or donated"):
        read.values(placed)
