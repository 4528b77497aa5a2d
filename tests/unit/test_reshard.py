"""Plans of moving arrays to groups of a mesh, against JaxPP's own example and against what JAX really makes."""

import jax
import numpy as np
import pytest
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

import shardwidget as sw
from tests.mpmd import FakeMpmdMesh, FakeMpmdSharding, stages
from tests.reshards import EXAMPLE_SHAPES, EXAMPLE_SPECS, back, example, put

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
    assert plan.arrays[3].path == "['3']"
    assert plan.chunks == ((3, 1, 0, 2, 4),)


def test_words_name_chunks_bytes_and_collectives():
    lines = repr(example(compiled=True)).splitlines()
    assert lines[0] == "3 arrays to groups of stage in 2 chunks, threshold 8 MiB"
    assert lines[1:4] == [
        "At most 13 MiB on a device, in stage 0.",
        "Made on all devices only to be freed: 36 MiB of blocks.",
        "Must move at least: 24 MiB in all, over stage, fsdp; XLA's programs send 48 MiB.",
    ]
    assert lines[4].endswith("so a chunk takes fewer than fit: [2].")
    assert lines[5].startswith(
        "chunk 0  adds 8 MiB on a device, weight 8 MiB: [0] to 0, [1] to 1 · 2 × collective-permute"
    )
    assert "nothing is compiled" in repr(example())
    assert repr(back()).startswith("3 arrays from groups of stage in 3 chunks")
    assert "device 0 → 2  512 KiB" in repr(put())
    assert "<table>" in example()._repr_html_()


def test_the_compiled_programs_of_jaxpps_example_are_the_documented_ones():
    plan = example(compiled=True)
    kinds = [c.kind for array in plan.arrays for c in array.collectives or ()]
    assert sorted(kinds) == ["all-gather"] * 2 + ["collective-permute"] * 2
    assert plan.arrays[2].collectives == ()
    assert plan.arrays[0].axes == ("stage", "fsdp")
    assert plan.arrays[2].axes == ()
    assert all(a.least_bytes <= (a.sent_bytes or 0) for a in plan.arrays)


def plan(arrays=None, targets=None, threshold=8):
    mesh = stages(2, 2)
    x = jax.ShapeDtypeStruct((8,), np.float32, sharding=NamedSharding(mesh, P("data")))
    arrays, targets = arrays or {"w": x}, targets or {"w": ({0}, P("data"))}
    return sw.read.reshard_plan(arrays, targets, mesh, "stage", threshold=threshold)


BAD = {
    "threshold 0": ({"threshold": 0}, ValueError, "threshold must be a number of bytes, 1 or more; got 0"),
    "a share": ({"threshold": 0.5}, ValueError, "got 0.5"),
    "no memory figures": ({"threshold": None}, ValueError, "do not say how much memory is free"),
    "another tree": ({"targets": {"v": ({0}, P())}}, ValueError, "targets must have the structure of arrays"),
    "a group that is not there": ({"targets": {"w": ({2}, P())}}, ValueError, r"\['w'\] names groups \[2\].*0 to 1"),
    "a spec that does not fit": (
        {"targets": {"w": ({0}, P("data", "data"))}},
        ValueError,
        r"the target of \['w'\]: .* does not fit \(8,\)",
    ),
    "no sharding": ({"arrays": {"w": 1.0}}, TypeError, r"\['w'\] is a float without a NamedSharding"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_planned_is_named(name):
    options, error, words = BAD[name]
    with pytest.raises(error, match=words):
        plan(**options)
