"""Documents: integers survive packing, and what is derived from a Placement is right. No JAX is asked."""

import dataclasses
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shardwidget.document import (
    Buffer,
    Cut,
    Dim,
    Ints,
    Memory,
    Mesh,
    MeshAxis,
    Placement,
    Source,
    Step,
    Trace,
    Variable,
    to_wire,
)
from shardwidget.document.serial import from_plain
from tests.comparisons import COMPARISONS
from tests.wire import items, size

INT32 = st.integers(-(2**31), 2**31 - 1)


@given(st.one_of(st.lists(INT32), st.lists(st.integers(0, 300), min_size=8), st.lists(st.integers(0, 1), min_size=8)))
def test_any_integers_survive_packing(values):
    packed = Ints.pack(values)
    assert packed.array().tolist() == values
    assert packed.size == len(values)
    assert packed.array().dtype == np.int64


@given(st.integers(-1000, 1000), st.lists(st.tuples(st.integers(1, 6), st.integers(-100, 100)), min_size=1, max_size=4))
def test_a_nested_count_is_packed_without_its_numbers(start, digits):
    values = Ints(start, tuple(radix for radix, _ in digits), tuple(stride for _, stride in digits)).array()
    packed = Ints.pack(values)
    assert packed.array().tolist() == values.tolist()
    assert packed.raw == b""


@pytest.mark.parametrize(
    ("values", "shape", "strides"),
    [
        ([7], (1,), (0,)),
        (range(4096), (4096,), (1,)),
        ([3] * 64, (64,), (0,)),
        ([0, 4, 1, 5, 2, 6, 3, 7], (4, 2), (1, 4)),
        ([0, 1, 2, 3, 2048, 2049, 2050, 2051], (2, 4), (2048, 1)),
        ([], (0,), (0,)),
    ],
)
def test_patterns(values, shape, strides):
    packed = Ints.pack(list(values))
    assert (packed.shape, packed.strides, packed.raw) == (shape, strides, b"")
    assert packed.array().tolist() == list(values)


@pytest.mark.parametrize(("values", "width"), [([5, 0, 255], 1), ([5, 0, 256], 2), ([5, 0, 65536], 4), ([5, 0, -1], 4)])
def test_raw_integers_take_the_least_width(values, width):
    packed = Ints.pack(values)
    assert (packed.raw_bytes, len(packed.raw)) == (width, width * len(values))
    assert packed.array().tolist() == values


@pytest.mark.parametrize("far", [2**31, -(2**31) - 1])
def test_raw_integers_beyond_32_bits_are_refused(far):
    with pytest.raises(ValueError, match=r"integers must fit 32 signed bits; got .* … "):
        Ints.pack([0, 5, far])


def mesh_of(**axes: int) -> Mesh:
    size = math.prod(axes.values())
    names = tuple(MeshAxis(name, count, "Explicit") for name, count in axes.items())
    return Mesh(names, Ints.pack(range(10, 10 + size)), Ints.pack([0] * size), 0)


def test_what_is_derived():
    p = Placement(
        mesh_of(x=2, y=3, z=2), (12, 5), (Dim(12, ("y", "x")), Dim(5)), dtype="float32", bits=32, unreduced=("z",)
    )
    assert p.device_ids == tuple(range(10, 22))
    assert (p.grid, p.tiles, p.partials, p.copies, p.shard_shape) == ((6, 1), 6, 2, 1, (2, 5))
    # Position 9 is x=1, y=1, z=1; y is major, so its part is 1 × 2 + 1.
    assert p.tile(19) == (3, 0)
    assert p.slices(19) == (slice(6, 8), slice(0, 5))
    assert (p.nbytes, p.bytes_per_device, p.total_bytes, p.wasted_bytes) == (240, 40, 480, 0)
    assert p.replicated_axes == ()


def test_replicas_are_waste_and_partial_sums_are_not():
    dims = (Dim(8, ("x",)),)
    p = Placement(mesh_of(x=2, y=2, z=2), (8,), dims, bits=8, unreduced=("z",))
    assert (p.tiles, p.partials, p.copies, p.replicated_axes) == (2, 2, 2, ("y",))
    assert (p.total_bytes, p.wasted_bytes) == (32, 16)


@pytest.mark.parametrize(
    ("sizes", "axes"),
    [
        ({"x": 2, "y": 1}, ()),
        ({"x": 2, "y": 1, "z": 2}, ("z",)),
        ({"x": 1, "y": 2, "z": 1}, ("y",)),
        ({"x": 1, "y": 1}, ()),
    ],
)
def test_nothing_is_copied_along_an_axis_of_one_device(sizes, axes):
    p = Placement(mesh_of(**sizes), (8,), (Dim(8, ("x",)),), bits=8)
    assert p.replicated_axes == axes


def test_bits_below_a_byte_round_up():
    p = Placement(mesh_of(x=2), (6,), (Dim(6, ("x",)),), bits=4)
    assert (p.nbytes, p.bytes_per_device) == (3, 2)


def test_uneven_cuts():
    cut = Cut(Ints.pack([0, 4]), Ints.pack([4, 5]), Ints.pack([0, 1, 1]))
    p = Placement(dataclasses.replace(mesh_of(x=3), axes=()), (5,), (Dim(5, cut=cut),), bits=8)
    assert [p.slices(device) for device in p.device_ids] == [(slice(0, 4),), (slice(4, 5),), (slice(4, 5),)]
    assert (p.tiles, p.copies, p.shard_shape, p.total_bytes, p.wasted_bytes) == (2, 2, (4,), 6, 1)


def test_an_unknown_device_is_named_with_those_there_are():
    p = Placement(mesh_of(x=2), (4,), (Dim(4),))
    with pytest.raises(KeyError, match="no device 3 in this mesh; its 2 devices are 10, 11"):
        p.slices(3)


def test_the_wire_holds_plain_data_only():
    p = Placement(mesh_of(x=2), (4,), (Dim(4, ("x",)),), name='<b>"it\'s"</b>')
    wire = to_wire(p)
    without_bytes = json.dumps(wire, default=bytes.hex)
    assert json.loads(without_bytes)["dims"] == [{"size": 4, "axes": ["x"], "unconstrained": False, "cut": None}]
    assert wire["mesh"]["device_ids"]["raw"] == b""
    assert (wire["kind"], wire["version"], wire["name"]) == ("placement", 1, '<b>"it\'s"</b>')
    assert wire["mesh"]["axes"] == [{"name": "x", "size": 2, "type": "Explicit"}]
    assert set(wire) == {field.name for field in dataclasses.fields(Placement)}


def test_a_table_holds_equal_values_once():
    line = Source("cell 1", 2, "b = a + a", "f")
    a, b = (Variable(k, name, "f32[2]", (2,), "float32", 32, -1) for k, name in enumerate("ab"))
    steps = (Step("in_specs", (), (a,), "cut", line), Step("add", (a, a), (b,), "added", dataclasses.replace(line)))
    trace = Trace(Mesh((), Ints.pack([0]), Ints.pack([0]), 0), steps, (a, b), ())
    wire = to_wire(trace)
    assert items(wire["steps"]["source"]["table"]) == [to_wire(line)]
    assert wire["steps"]["source"]["at"] == [0, 0]
    assert wire["steps"]["inputs"] == {"values": [[], [0, 0]], "at": [0, 1]}
    assert wire["variables"]["name"] == {"values": ["a", "b"], "at": [0, 1]}
    assert "fetch" not in wire["variables"]
    assert to_wire(dataclasses.replace(trace, steps=()))["steps"] == {}


def test_a_long_table_is_packed():
    """Integers, lists of them and words travel as bytes; nothing is lost."""
    variables = tuple(Variable(k, f"v{k}", "f32[]", (), "float32", 32, -1) for k in range(300))
    said = "Each device computes v{} from its own block: v{}. Nothing is sent."
    steps = tuple(
        Step("sin", (variables[k], variables[k // 2])[: k % 3], (variables[k + 1],), said.format(k + 1, k), None)
        for k in range(299)
    )
    trace = Trace(Mesh((), Ints.pack([0]), Ints.pack([0]), 0), steps, variables, ())
    wire = to_wire(trace)
    for found, step in zip(items(wire["steps"]), steps, strict=True):
        assert (found["sentence"], found["source"]) == (step.sentence, None)
        assert (found["inputs"], found["outputs"]) == ([v.id for v in step.inputs], [v.id for v in step.outputs])
    assert [v["name"] for v in items(wire["variables"])] == [v.name for v in variables]
    assert size(wire["steps"]) + size(wire["variables"]) < 70 * len(steps)


@given(st.lists(st.from_regex(r"(fusion|copy\\.|)[0-9]{0,3}", fullmatch=True), min_size=70, max_size=90), st.data())
def test_names_and_times_of_buffers_are_what_they_were(names, data):
    born = data.draw(st.lists(st.integers(0, 300), min_size=len(names), max_size=len(names)))
    buffers = tuple(Buffer(4, "f32[]", name, "temporary", at, 301) for name, at in zip(names, born, strict=True))
    memory = Memory(Mesh((), Ints.pack([0]), Ints.pack([0]), 0), buffers, 302)
    wire = to_wire(memory)
    assert [(b["name"], b["born"]) for b in items(wire["buffers"])] == list(zip(names, born, strict=True))
    assert from_plain(Memory, wire) == memory


@pytest.mark.parametrize("name", COMPARISONS)
def test_a_table_is_its_items(name):
    comparison = COMPARISONS[name]()
    wire = json.loads(json.dumps(to_wire(comparison)["rows"]))
    assert items(wire) == json.loads(json.dumps([to_wire(row) for row in comparison.rows]))
