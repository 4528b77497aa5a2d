"""A Placement agrees with JAX about any array on any mesh."""

import collections
import dataclasses
import math
import re

import jax
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from jax.sharding import NamedSharding

from shardwidget import read
from tests.examples import examples
from tests.jax_suite.oracle import index_map, without_sums
from tests.jax_suite.strategies import abstract_meshes, filled, placed


@given(placed())
def test_slices_are_those_of_the_index_map(x):
    p = read.placement(x)
    expected = index_map(x)
    assert p.device_ids == tuple(expected)
    assert {device: p.slices(device) for device in p.device_ids} == expected


@given(placed(sums=True))
def test_unreduced_and_reduced_axes_cut_nothing(x):
    p = read.placement(x)
    plain = NamedSharding(x.sharding.mesh, without_sums(x.sharding.spec))
    assert {device: p.slices(device) for device in p.device_ids} == index_map(x, plain)
    assert set(p.unreduced) == x.sharding.spec.unreduced
    assert set(p.reduced) == x.sharding.spec.reduced


@given(placed(), st.randoms())
def test_logical_device_ids_permute_the_mesh(x, random):
    order = list(range(x.sharding.mesh.size))
    random.shuffle(order)
    sharding = NamedSharding(x.sharding.mesh, x.sharding.spec, _logical_device_ids=tuple(order))
    x = jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=sharding)
    p = read.placement(x)
    assert {device: p.slices(device) for device in p.device_ids} == index_map(x)
    assert p.logical_device_ids is not None
    assert p.logical_device_ids.array().tolist() == order


@given(placed())
def test_tiles_cover_the_array_exactly_once(x):
    p = read.placement(x)
    covered = np.zeros(x.shape, int)
    slices_of_tile = {p.tile(device): p.slices(device) for device in p.device_ids}
    for slices in slices_of_tile.values():
        covered[slices] += 1
    assert (covered == 1).all()
    assert len(slices_of_tile) == p.tiles


@given(placed(sums=True))
def test_every_tile_has_the_same_number_of_holders(x):
    p = read.placement(x)
    holders = collections.Counter(p.tile(device) for device in p.device_ids)
    assert set(holders.values()) == {p.copies * p.partials}
    assert p.tiles * p.copies * p.partials == x.sharding.mesh.size


@examples(40)
@given(filled(sums=True))
def test_bytes_are_those_of_the_shards(x):
    p = read.placement(x)
    held = [shard.data.nbytes for shard in x.addressable_shards]
    assert set(held) == {p.bytes_per_device}
    assert p.total_bytes == sum(held)
    assert p.nbytes == x.nbytes
    assert p.wasted_bytes == sum(held) - x.nbytes * p.partials


@given(placed(sums=True))
def test_the_type_is_what_a_jaxpr_prints(x):
    jaxpr = str(jax.make_jaxpr(lambda a: a)(x))
    printed = re.fullmatch(r"\{ lambda ; a:(.*)\. let  in \(a,\) \}", jaxpr)
    assert printed is not None
    assert read.placement(x).type == printed[1]


@given(filled(sums=True, most_rank=3))
@examples(20)
def test_a_real_array_reads_as_an_abstract_one(x):
    like = read.placement(jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=x.sharding))
    assert (like.state, read.placement(x).state) == ("abstract", "live")
    assert dataclasses.replace(like, state="live") == read.placement(x)


@given(placed(mesh=abstract_meshes(), most_rank=4))
def test_an_abstract_mesh_of_thousands(x):
    p = read.placement(x)
    mesh = x.sharding.mesh
    assert p.mesh.abstract
    assert p.device_ids == tuple(range(mesh.size))
    assert p.shard_shape == x.sharding.shard_shape(x.shape)
    coordinate = dict(zip(mesh.axis_names, np.indices(mesh.axis_sizes).reshape(len(mesh.axis_sizes), -1), strict=True))
    for d, dim in enumerate(p.dims):
        sizes = [mesh.shape[axis] for axis in dim.axes]
        digits = [coordinate[axis] for axis in dim.axes]
        part = np.array(np.ravel_multi_index(digits, sizes)) if sizes else np.zeros(mesh.size, int)
        block = dim.size // math.prod(sizes)
        for device in {0, mesh.size // 2, mesh.size - 1}:
            assert p.slices(device)[d] == slice(part[device] * block, (part[device] + 1) * block)
