"""Plans of moving arrays to groups of a mesh, against JaxPP's own example and against what JAX really makes."""

from typing import Any

import jax
import numpy as np
import pytest
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

import shardwidget as sw
from tests.mpmd import FakeMpmdMesh, FakeMpmdSharding, mpmd_array, stages
from tests.mpmd import put as mpmd_put
from tests.reshards import EXAMPLE_SHAPES, EXAMPLE_SPECS, RESHARDS, back, eight, example, put, struct

MIB = 2**20


def test_jaxpps_example_has_its_numbers():
    plan = example(8 * MIB)
    assert [a.source_bytes for a in plan.arrays] == [2097152, 2097152, 1048576]
    assert plan.order == (0, 1, 2)
    assert plan.weights == (4194304, 4194304, 2097152)
    assert plan.chunks == ((0, 1), (2,))
    assert example(5 * MIB).chunks == ((0,), (1,), (2,))
    assert [a.target_bytes for a in plan.arrays] == [4194304, 4194304, 1048576]
    # The third is copied over the stages already: it weighs twice what it takes.
    assert plan.overweight == (2,)
    assert plan.chunk_bytes == (8 * MIB, MIB)
    assert plan.freed_bytes == 4 * (4 + 4 + 1) * MIB


def test_what_devices_hold_is_what_jax_makes():
    plan = example()
    mesh = Mesh(np.array(jax.devices()[:8]).reshape(2, 2, 2), ("stage", "fsdp", "tensor"))
    inside = [P("fsdp", "tensor"), P("tensor", "fsdp"), P("fsdp")]
    out = [NamedSharding(mesh, spec) for spec in inside]
    given = [
        jax.device_put(np.zeros(shape, np.float32), NamedSharding(mesh, spec))
        for shape, spec in zip(EXAMPLE_SHAPES, EXAMPLE_SPECS, strict=True)
    ]
    made = jax.jit(lambda *xs: xs, out_shardings=tuple(out))(*given)
    for array, x, source in zip(plan.arrays, made, given, strict=True):
        assert {s.data.nbytes for s in x.addressable_shards} == {array.target_bytes}
        assert {s.data.nbytes for s in source.addressable_shards} == {array.source_bytes}


def test_the_peak_counts_what_waits_what_moves_and_what_is_kept():
    # Chunk 0: 5 MiB of sources and 8 made; chunk 1: 1 of sources, 4 kept by either group, 1 made.
    assert example(8 * MIB).peak_bytes == (13 * MIB, 13 * MIB)
    # One by one: 5 + 4; then 3 + 4 kept by group 0 + 4.
    assert example(5 * MIB).peak_bytes == (11 * MIB, 9 * MIB)
    assert example(1).chunks == ((0,), (1,), (2,))


def test_another_threshold_is_the_plan_that_would_be_read_with_it():
    assert example(8 * MIB).with_threshold(5 * MIB) == example(5 * MIB)
    assert example(5 * MIB).held_bytes == ((9 * MIB, 9 * MIB), (11 * MIB, 7 * MIB), (6 * MIB, 6 * MIB))
    with pytest.raises(ValueError, match="threshold must be a number of bytes, 1 or more; got 0"):
        example().with_threshold(0)


def test_order_is_round_robin_over_groups_and_the_largest_first():
    mesh = stages(2, 2)
    sizes, groups = [8, 64, 16, 32, 8], [{1}, {0}, {0, 1}, {1}, set()]
    arrays = {
        str(i): jax.ShapeDtypeStruct((n,), np.float32, sharding=NamedSharding(mesh, P())) for i, n in enumerate(sizes)
    }
    fake = FakeMpmdMesh(mesh, "stage")
    targets = {str(i): FakeMpmdSharding(fake, ids, P("data")) for i, ids in enumerate(groups)}
    plan = sw.read.reshard_plan(arrays, targets, mesh, "stage", threshold=2**20)
    # Group 1 is named first; no groups mean group 0.
    assert plan.order == (3, 1, 0, 2, 4)
    assert plan.arrays[4].groups == (0,)
    assert plan.arrays[3].path == "3"
    assert plan.chunks == ((3, 1, 0, 2, 4),)


def test_words_name_chunks_bytes_and_collectives():
    lines = repr(example(compiled=True)).splitlines()
    assert lines[0] == "3 arrays to groups of stage in 2 chunks, threshold 8 MiB"
    assert lines[1:4] == [
        "24 MiB must move between devices, over stage, fsdp; the programs send 48 MiB.",
        "At most 13 MiB on a device, in stage 0.",
        "Made on all devices only to be freed: 36 MiB of blocks.",
    ]
    assert lines[4].endswith("so a chunk takes fewer than fit: 2.")
    assert lines[5].split("  ")[:2] == ["chunk", "of the threshold"]
    assert lines[6].split()[:8] == ["1", "8", "MiB", "8", "MiB", "13", "MiB", "in"]
    assert "0 → 0, 1 → 1  2 × collective-permute over stage, fsdp, 2 × all-gather over stage" in lines[6]
    assert lines[7].endswith("none")
    assert "nothing is compiled" in repr(example())
    assert "collectives" not in repr(example())
    assert repr(back()).startswith("3 arrays from groups of stage in 3 chunks")
    assert "1 ← 1" in repr(back())
    assert "embed → 0 and 3" in repr(RESHARDS["parameters"]())
    assert repr(put()).splitlines()[4].split() == ["0", "2", "512", "KiB"]
    assert "11 MiB in stage 0</td>" in example(5 * MIB)._repr_html_()
    assert "… 25 more chunks" in repr(RESHARDS["parameters"]().with_threshold(1))


def test_the_compiled_programs_of_jaxpps_example_are_the_documented_ones():
    plan = example(compiled=True)
    kinds = [c.kind for array in plan.arrays for c in array.collectives or ()]
    assert sorted(kinds) == ["all-gather"] * 2 + ["collective-permute"] * 2
    assert plan.arrays[2].collectives == ()
    assert plan.arrays[0].axes == ("stage", "fsdp")
    assert plan.arrays[2].axes == ()
    assert all(a.least_bytes <= (a.sent_bytes or 0) for a in plan.arrays)


def test_a_target_may_name_the_mpmd_axis_or_not():
    inside = (P("fsdp", "tensor"), P("tensor", "fsdp"), P("fsdp"))
    assert example(specs=inside).arrays == example().arrays


def test_equal_arrays_are_compiled_once():
    told = []
    mesh = eight()
    arrays = {str(k): struct((8, 8), mesh, P(("stage", "fsdp"))) for k in range(6)}
    arrays["other"] = struct((8, 16), mesh, P(("stage", "fsdp")))
    targets = dict.fromkeys(arrays, ({1}, P("fsdp")))
    found = sw.read.reshard_plan(
        arrays, targets, mesh, "stage", threshold=64, compiled=True, progress=lambda *at: told.append(at)
    )
    assert told == [(1, 2), (2, 2)]
    assert len({a.collectives for a in found.arrays[:6]}) == 1
    assert found.arrays[6].sent_bytes == 2 * (found.arrays[0].sent_bytes or 0) > 0


def test_a_plan_is_made_for_a_mesh_without_devices():
    made = RESHARDS["parameters"]()
    assert made.mesh.abstract
    assert [len(chunk) for chunk in made.chunks] == [1, 8, 8, 16, 8]
    mesh = jax.sharding.AbstractMesh((2, 2), ("stage", "data"))
    of = (struct((8,), mesh, P("stage")), ({1}, P()), mesh, "stage")
    assert "abstract mesh" in sw.read.reshard_plan(*of, threshold=8, compiled=True).note


def test_arrays_come_back_from_mpmd_arrays_and_from_plain_ones():
    mesh = stages(2, 2, 2)
    target = NamedSharding(mesh, P(("stage", "data"), "model"))
    plain = sw.read.reshard_plan(mpmd_put(mesh, 1), target, mesh, "stage", threshold=64)
    assert sw.read.reshard_plan(mpmd_array(mesh, {1}), target, mesh, "stage", threshold=64) == plain
    assert plain.direction == "mpmd_to_spmd"
    assert plain.arrays[0].groups == (1,)
    # A group that provides the array holds no zeros for it: 64 of the block, 32 after; the other one 64 of zeros.
    assert plain.held_bytes == ((96, 96),)
    both = sw.read.reshard_plan(mpmd_array(mesh, {0, 1}), target, mesh, "stage", threshold=64)
    # The other copy stays, and zeros stand in for it in the stack.
    assert both.held_bytes == ((96, 160),)
    assert both.arrays[0].least_bytes < plain.arrays[0].least_bytes


def test_the_default_threshold_is_a_third_of_what_is_free_on_the_fullest_device(monkeypatch):
    class Device:
        def __init__(self, free):
            self.free = free

        def memory_stats(self):
            return {"bytes_limit": 100 * MIB, "peak_bytes_in_use": 100 * MIB - self.free}

    monkeypatch.setattr(Mesh, "local_devices", [Device(24 * MIB), Device(15 * MIB + 1)])
    assert plan(threshold=None).threshold == 5 * MIB


def test_explicit_meshes_and_keys_move_too():
    mesh = jax.make_mesh((2, 2, 2), ("stage", "fsdp", "tensor"), axis_types=(jax.sharding.AxisType.Explicit,) * 3)
    keys = jax.eval_shape(lambda: jax.random.split(jax.random.key(0), 8))
    key = jax.ShapeDtypeStruct((8,), keys.dtype, sharding=NamedSharding(mesh, P(("stage", "fsdp"))))
    there = sw.read.reshard_plan(key, ({1}, P("fsdp")), mesh, "stage", threshold=64, compiled=True)
    assert (there.arrays[0].source_bytes, there.arrays[0].target_bytes) == (
        2 * key.dtype.itemsize,
        4 * key.dtype.itemsize,
    )
    assert [c.kind for c in there.arrays[0].collectives or ()] == ["collective-permute", "all-gather"]
    part = Mesh(mesh.devices[1:], mesh.axis_names, axis_types=mesh.axis_types)
    x = struct((8, 8), part, P("fsdp"))
    target = NamedSharding(mesh, P(("stage", "fsdp")))
    assert sw.read.reshard_plan(x, target, mesh, "stage", threshold=64, compiled=True).arrays[0].collectives
    x = struct((8, 8), mesh, P("fsdp"))
    assert sw.read.reshard_plan(x, NamedSharding(mesh, P("tensor")), compiled=True).arrays[0].collectives


def test_nothing_to_move():
    empty = sw.read.reshard_plan({}, {}, eight(), "stage", threshold=8)
    assert (empty.chunks, empty.peak_bytes, empty.freed_bytes) == ((), (0, 0), 0)
    assert "0 arrays" in repr(empty)
    mesh = eight()
    none = sw.read.reshard_plan(struct((0, 8), mesh, P("stage")), ({1}, P("fsdp")), mesh, "stage", threshold=8)
    assert (none.arrays[0].axes, none.arrays[0].least_bytes) == ((), 0)
    stays = sw.read.reshard_plan(struct((8, 8), mesh, P("stage")), NamedSharding(mesh, P("stage")), compiled=True)
    assert (stays.flows, stays.arrays[0].collectives, stays.arrays[0].least_bytes) == ((), (), 0)


def test_a_device_put_to_other_devices_says_why_nothing_is_compiled():
    made = RESHARDS["put_elsewhere"]()
    assert made.arrays[0].collectives is None
    assert "no compiled program moves the array" in made.note
    assert made.peak_bytes == (MIB,)
    with pytest.raises(ValueError, match="device_put moves its one array in one chunk"):
        made.with_threshold(8)


def plan(arrays: Any = None, targets: Any = None, threshold: Any = 8, mesh: Any = None, axis: str = "stage"):
    mesh = mesh or stages(2, 2)
    x = jax.ShapeDtypeStruct((8,), np.float32, sharding=NamedSharding(stages(2, 2), P("data")))
    arrays, targets = arrays or {"w": x}, targets or {"w": ({0}, P("data"))}
    return sw.read.reshard_plan(arrays, targets, mesh, axis, threshold=threshold)


def whole(*spec):
    return NamedSharding(stages(2, 2), P(*spec))


BAD = {
    "threshold 0": (lambda: plan(threshold=0), ValueError, "threshold must be a number of bytes, 1 or more; got 0"),
    "a share": (lambda: plan(threshold=0.5), ValueError, "got 0.5"),
    "no memory figures": (lambda: plan(threshold=None), ValueError, "do not report how much memory is free"),
    "another tree": (lambda: plan(targets={"v": ({0}, P())}), ValueError, "targets must have the structure of arrays"),
    "no such group": (lambda: plan(targets={"w": ({2}, P())}), ValueError, r"w names groups \[2\].*0 to 1"),
    "groups by name": (lambda: plan(targets={"w": ("ab", P())}), TypeError, "by their numbers.*got 'ab'"),
    "a spec that does not fit": (
        lambda: plan(targets={"w": ({0}, P("data", "data"))}),
        ValueError,
        r"the target of w: .* does not fit \(8,\) in a group of mesh data=2",
    ),
    "no sharding": (lambda: plan({"w": 1.0}), TypeError, r"w is a float without a NamedSharding"),
    "on a group already": (lambda: plan({"w": mpmd_array(stages(2, 2, 2), {0})}), TypeError, "is on groups already"),
    "no such axis": (lambda: plan(axis="pipe"), ValueError, "no axis 'pipe' to divide it.*stage, data"),
    "no mesh": (lambda: plan(mesh="stage"), TypeError, "mesh must be the jax.sharding.Mesh.*got str"),
    "another mesh": (lambda: plan(mesh=stages(2, 4)), ValueError, r"stage=2, data=2.*not the mesh of the plan.*data=4"),
    "no target of a mesh": (
        lambda: plan({"a": put_on(0), "b": put_on(1)}, {"a": P8, "b": ({0}, P())}, mesh=stages(2, 2, 2)),
        TypeError,
        r"the target of b must be a NamedSharding",
    ),
    "from no group": (
        lambda: plan({"w": mpmd_array(stages(2, 2, 2), set())}, {"w": P8}, mesh=stages(2, 2, 2)),
        ValueError,
        r"w: it is on no group",
    ),
    "from a part of a group": (
        lambda: plan({"w": np.zeros(8)}, {"w": whole("data")}),
        TypeError,
        r"w: it is a ndarray; an array on groups has a NamedSharding",
    ),
    "a spec for a device_put": (
        lambda: plan_of(put_on(0), P()),
        TypeError,
        "without a mesh the second argument",
    ),
    "a sum": (
        lambda: plan({"w": jax.ShapeDtypeStruct((8,), "int8", sharding=summed())}),
        ValueError,
        "w is unreduced over data; a plan moves blocks",
    ),
    "a sum to be put": (lambda: plan_of(put_on(0), summed()), ValueError, "the target is unreduced over data"),
    "a sharding that does not fit": (
        lambda: sw.read.reshard_plan(jax.ShapeDtypeStruct((3,), "int8", sharding=whole()), whole("data")),
        ValueError,
        "Give a sharding that fits the shape",
    ),
}


def summed():
    mesh = stages(2, 2)
    explicit = Mesh(mesh.devices, mesh.axis_names, axis_types=(jax.sharding.AxisType.Explicit,) * 2)
    return NamedSharding(explicit, P(unreduced=frozenset({"data"})))


def plan_of(x: Any, target: Any):
    return sw.read.reshard_plan(x, target)


def put_on(group):
    return mpmd_put(stages(2, 2, 2), group)


P8 = NamedSharding(stages(2, 2, 2), P())


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_planned_is_named(name):
    make, error, words = BAD[name]
    with pytest.raises(error, match=words):
        make()
