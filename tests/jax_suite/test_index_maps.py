"""Shardings that name no mesh are read by their own index map."""

import jax
import numpy as np
import pytest
from hypothesis import given
from jax._src.sharding_impls import GSPMDSharding  # noqa: TID251 - has no public name, and compiled programs return it
from jax.sharding import Sharding, SingleDeviceSharding

from shardwidget import read
from tests.jax_suite.oracle import index_map
from tests.jax_suite.strategies import placed


class ByHand(Sharding):
    """A sharding of the user's own: device ``k`` holds ``indices[k]``."""

    def __init__(self, *indices):
        self.indices = indices

    @property
    def device_set(self):
        return set(jax.devices()[: len(self.indices)])

    @property
    def memory_kind(self):
        return None

    def devices_indices_map(self, global_shape):
        return dict(zip(jax.devices(), self.indices, strict=False))

    def check_compatible_aval(self, aval_shape):
        pass


@given(placed())
def test_gspmd(x):
    devices = list(x.sharding.mesh.devices.flat)
    sharding = GSPMDSharding(devices, x.sharding._to_xla_hlo_sharding(len(x.shape)))
    named, p = read.placement(x), read.placement((x.shape, x.dtype, sharding))
    assert {device: p.slices(device) for device in p.device_ids} == index_map(x)
    assert (p.sharding, p.spec, p.agreement) == ("GSPMDSharding", None, "")
    assert (p.hlo, p.shard_shape, p.total_bytes) == (named.hlo, named.shard_shape, named.total_bytes)
    if np.prod(x.shape):  # Of an empty array an index map cannot tell the tiles apart.
        assert (p.tiles, p.copies, p.wasted_bytes) == (named.tiles, named.copies, named.wasted_bytes)


def test_one_device():
    device = jax.devices()[3]
    p = read.placement(jax.device_put(np.ones((4, 6), "float32"), device))
    assert p.device_ids == (3,)
    assert p.slices(3) == (slice(0, 4), slice(0, 6))
    assert (p.mesh.axes, p.mesh.shape, p.tiles, p.copies) == ((), (1,), 1, 1)
    assert (p.sharding, p.spec, p.type, p.hlo) == ("SingleDeviceSharding", None, "f32[4,6]", "{replicated}")
    assert read.placement(((4, 6), "float32", SingleDeviceSharding(device))).dims == p.dims


def test_uneven_parts():
    p = read.placement(((10, 3), "float32", ByHand(np.s_[0:4, :], np.s_[4:8, :], np.s_[8:10, :], np.s_[8:10, :])))
    assert [p.slices(k)[0] for k in range(4)] == [slice(0, 4), slice(4, 8), slice(8, 10), slice(8, 10)]
    assert (p.tiles, p.copies, p.shard_shape) == (3, 2, (4, 3))
    assert (p.bytes_per_device, p.total_bytes, p.wasted_bytes) == (48, 4 * 3 * (4 + 4 + 2 + 2), 4 * 3 * 2)
    assert p.hlo == p.shardy == ""


def test_an_integer_index_is_a_slice_of_one():
    p = read.placement(((2, 5), "int8", ByHand((0, slice(None)), (1, slice(None)))))
    assert [p.slices(k) for k in range(2)] == [(slice(0, 1), slice(0, 5)), (slice(1, 2), slice(0, 5))]


def test_a_strided_index_is_refused():
    with pytest.raises(ValueError, match=r"gives device 1 the index \(slice\(1, 4, 2\),\)\. Only contiguous slices"):
        read.placement(((4,), "int8", ByHand(np.s_[0:4:1,], np.s_[1:4:2,])))


def test_a_sharding_without_a_map_is_refused():
    class Mapless(ByHand):
        def devices_indices_map(self, global_shape):
            raise NotImplementedError("no map of mine")

    with pytest.raises(ValueError, match=r"Mapless.* does not say which device.*: no map of mine\nGive a jax.sharding"):
        read.placement(((4,), "int8", Mapless()))
