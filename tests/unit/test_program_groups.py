"""Who takes part: every notation of groups, what its ids count, and the mesh axes that are found in it."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shardwidget.read._program.axes import axes_of_groups, ranked
from shardwidget.read._program.groups import expand, groups_text, positions

SHAPES = [(8,), (4, 2), (2, 3), (2, 1, 4), (3, 2, 2), (2, 2, 2, 2)]


def mesh_groups(ids: np.ndarray, axes: tuple[int, ...]) -> list[list[int]]:
    """The groups over some axes, one coordinate after another."""
    others = [range(n) if k not in axes else [0] for k, n in enumerate(ids.shape)]
    inner = [range(ids.shape[k]) for k in axes]
    groups = []
    for outer in itertools.product(*others):
        group = []
        for coordinates in itertools.product(*inner):
            at = list(outer)
            for k, c in zip(axes, coordinates, strict=True):
                at[k] = c
            group.append(int(ids[tuple(at)]))
        groups.append(group)
    return groups


def sets(groups) -> set[frozenset[int]]:
    return {frozenset(group) for group in groups}


def subsets(shape):
    return st.permutations(range(len(shape))).flatmap(lambda p: st.integers(1, len(p)).map(lambda n: tuple(p[:n])))


meshes = st.sampled_from(SHAPES).flatmap(lambda shape: st.tuples(st.just(shape), subsets(shape)))


@given(meshes)
def test_written_out(case):
    shape, axes = case
    groups = mesh_groups(np.arange(math.prod(shape)).reshape(shape), axes)
    text = "{" + ",".join("{" + ",".join(map(str, group)) + "}" for group in groups) + "}"
    assert expand(text) == tuple(map(tuple, groups))
    assert expand(text.replace(",", ", ")) == tuple(map(tuple, groups))


@given(meshes)
def test_iota(case):
    shape, axes = case
    groups = mesh_groups(np.arange(math.prod(shape)).reshape(shape), axes)
    order = [k for k in range(len(shape)) if k not in axes] + list(axes)
    text = f"[{len(groups)},{len(groups[0])}]<=[{','.join(map(str, shape))}]T({','.join(map(str, order))})"
    assert expand(text) == tuple(map(tuple, groups))


@given(meshes, st.booleans())
def test_axes_of_a_mesh(case, quoted):
    shape, axes = case
    q = "'" if quoted else ""
    mesh = ",".join(f"{q}a{k}{q}={n}" for k, n in enumerate(shape))
    named = ",".join(f"{q}a{k}{q}" for k in axes)
    groups = expand(f"mesh[{mesh}] {{{named}}}")
    assert [list(g) for g in groups] == mesh_groups(np.arange(math.prod(shape)).reshape(shape), axes)


@given(meshes, st.randoms(use_true_random=False))
def test_axes_of_a_permuted_mesh(case, random):
    shape, axes = case
    ids = list(range(math.prod(shape)))
    random.shuffle(ids)
    mesh = ",".join(f"'a{k}'={n}" for k, n in enumerate(shape))
    named = ",".join(f"'a{k}'" for k in axes)
    groups = expand(f"mesh[{mesh}], device_ids=({','.join(map(str, ids))}) {{{named}}}")
    assert [list(g) for g in groups] == mesh_groups(np.array(ids).reshape(shape), axes)


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("[2,4]<=[8]", [[0, 1, 2, 3], [4, 5, 6, 7]]),
        ("[2,4]<=[4,2]T(1,0)", [[0, 2, 4, 6], [1, 3, 5, 7]]),
        # XLA's own case, xla/hlo/ir/replica_group_test.cc: IotaListToString2.
        ("[2,10]<=[4,5]T(1,0)", [[0, 5, 10, 15, 1, 6, 11, 16, 2, 7], [12, 17, 3, 8, 13, 18, 4, 9, 14, 19]]),
        ("mesh['a'=2,'b'=4], device_ids=([4,2]T(1,0)) {'b'}", [[0, 2, 4, 6], [1, 3, 5, 7]]),
        # Older spelling of the same.
        ("@mesh<a=2,b=4>(devices=[2,4]<=[4,2]T(1,0)) {b}", [[0, 2, 4, 6], [1, 3, 5, 7]]),
        ("@mesh<a=4>(devices=[4]3,1,0,2) {a}", [[3, 1, 0, 2]]),
        # Parts of an axis: 'a':(before)size.
        ("mesh['a'=8] {'a':(1)2}", [[0, 4], [1, 5], [2, 6], [3, 7]]),
        ("mesh['a'=8] {'a':(2)2}", [[0, 2], [1, 3], [4, 6], [5, 7]]),
        ("mesh['a'=8] {'a':(4)2}", [[0, 1], [2, 3], [4, 5], [6, 7]]),
        ("mesh['a'=8] {'a':(1)2,'a':(4)2}", [[0, 1, 4, 5], [2, 3, 6, 7]]),
        ("mesh['a'=8] {'a':(4)2,'a':(1)2}", [[0, 4, 1, 5], [2, 6, 3, 7]]),
        ("mesh['a'=4,'b'=2] {'b','a':(2)2}", [[0, 2, 1, 3], [4, 6, 5, 7]]),
        ("mesh['a'=4,'b'=2] {}", [[k] for k in range(8)]),
        ("{}", []),
    ],
)
def test_known_forms(text, groups):
    assert [list(g) for g in expand(text)] == groups


@pytest.mark.parametrize("text", ["[2,4]<=", "mesh['a'=8] {'a':(3)2}", "{{0,1}", "V2<8>", "mesh['a'=8] {'c'}"])
def test_unknown_forms_are_refused(text):
    with pytest.raises(ValueError, match="groups"):
        expand(text)


@pytest.mark.parametrize(
    ("attributes", "found"),
    [
        ("channel_id=1, replica_groups={{0,1},{2,3}}, dimensions={0}", "replica_groups={{0,1},{2,3}}"),
        ("replica_groups=[4,2]<=[8], use_global_device_ids=true", "replica_groups=[4,2]<=[8]"),
        ("replica_groups=[2,4]<=[4,2]T(1,0), to_apply=%add", "replica_groups=[2,4]<=[4,2]T(1,0)"),
        ("replica_groups=mesh['a'=4,'b'=2] {'a'}, dimensions={1}", "replica_groups=mesh['a'=4,'b'=2] {'a'}"),
        (
            "replica_groups=mesh['a'=8], device_ids=([4,2]T(1,0)) {'a':(2)2}, dimensions={1}",
            "replica_groups=mesh['a'=8], device_ids=([4,2]T(1,0)) {'a':(2)2}",
        ),
        ("replica_groups={}, to_apply=%add", "replica_groups={}"),
        ("source_target_pairs={{0,1},{1,0}}, metadata={}", "source_target_pairs={{0,1},{1,0}}"),
        ('{_xla_send_recv_source_target_pairs="{{0,1}}"}', "source_target_pairs={{0,1}}"),
        ("replica_groups=V3<8>, to_apply=%add", "replica_groups=V3<8>"),
        ("to_apply=%add", ""),
    ],
)
def test_the_attribute_as_it_is_written(attributes, found):
    assert groups_text(f"%c = f32[8] all-reduce(%p), {attributes}") == found


# Modes of XLA's GetCollectiveOpGroupMode, with 2 replicas of 4 partitions: position = 4 · replica + partition.
@pytest.mark.parametrize(
    ("groups", "channel", "flattened", "crosses", "expected"),
    [
        (((0, 5), (1, 4)), True, True, False, [[0, 5], [1, 4]]),
        ((), True, True, False, [[0, 1, 2, 3, 4, 5, 6, 7]]),
        (((0, 1), (2, 3)), True, False, True, [[0, 1], [2, 3], [4, 5], [6, 7]]),
        ((), True, False, True, [[0, 1, 2, 3], [4, 5, 6, 7]]),
        (((0, 1),), True, False, False, [[0, 1, 2, 3, 4, 5, 6, 7]]),
        (((0,), (1,)), True, False, False, [[0, 1, 2, 3], [4, 5, 6, 7]]),
        (((0, 1),), False, False, False, [[0, 4], [1, 5], [2, 6], [3, 7]]),
        ((), False, False, True, [[0, 4], [1, 5], [2, 6], [3, 7]]),
    ],
)
def test_what_ids_count(groups, channel, flattened, crosses, expected):
    found = positions(groups, 2, 4, channel=channel, flattened=flattened, crosses=crosses)
    assert [list(g) for g in found] == expected


@given(meshes, st.randoms(use_true_random=False))
def test_axes_are_found_in_groups_of_any_order(case, random):
    shape, axes = case
    names = [f"a{k}" for k in range(len(shape))]
    groups = mesh_groups(np.arange(math.prod(shape)).reshape(shape), axes)
    for group in groups:
        random.shuffle(group)
    random.shuffle(groups)
    found = axes_of_groups(tuple(map(tuple, groups)), names, shape)
    assert found.axes == tuple(name for k, name in enumerate(names) if k in axes and shape[k] > 1)
    assert not found.irregular
    assert found.within == ()


@pytest.mark.parametrize(
    ("groups", "shape", "within"),
    [
        (((0, 1), (2, 3), (4, 5), (6, 7)), (8,), ("a",)),
        (((0, 2), (4, 6), (1, 3), (5, 7)), (4, 2), ("a",)),
        (((0, 3), (1, 2), (4, 7), (5, 6)), (4, 2), ("a", "b")),
        (((0, 1, 2), (3,)), (4,), ("a",)),
        (((0, 1),), (2, 2), ("b",)),  # who is left out
        (((0, 1), (1, 0)), (2, 2), ("b",)),
    ],
)
def test_groups_of_no_axes_are_irregular(groups, shape, within):
    assert axes_of_groups(groups, ["a", "b"][: len(shape)], shape) == ((), True, within)


def test_devices_in_a_row_have_no_axes():
    assert axes_of_groups(((0, 1, 2, 3),), [], (4,)) == ((), True, ())
    assert axes_of_groups(((0,), (1,)), [], (2,)) == ((), False, ())


def test_a_ring_along_an_axis():
    pairs = [(0, 2), (2, 4), (4, 0), (1, 3), (3, 5), (5, 1)]
    assert ranked(pairs, (3, 2)) == (((0, 2, 4), (1, 3, 5)), ((0, 1), (1, 2), (2, 0)))


def test_an_exchange_over_two_axes():
    groups, ranks = ranked([(0, 3), (1, 2), (2, 1), (3, 0)], (2, 2, 1))
    assert (groups, ranks) == (((0, 1, 2, 3),), ((0, 3), (1, 2), (2, 1), (3, 0)))


def test_a_permutation_that_differs_from_group_to_group():
    groups, ranks = ranked([(0, 1), (5, 4)], (2, 4))
    assert (groups, ranks) == (((0, 1, 4, 5),), ((0, 1), (3, 2)))
    assert axes_of_groups(groups, ["a", "b"], (2, 4)).irregular
