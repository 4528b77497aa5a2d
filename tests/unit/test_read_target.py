"""What a program is compiled for: devices in words, their interconnect, links that wrap around."""

import numpy as np
import pytest

from shardwidget.document import Ints, Mesh
from shardwidget.read._target import (
    PhysicalLayout,
    interconnect_of,
    is_ring,
    physical_layout,
    target_of,
    wraps_of,
)


def machine(kind: str, platform: str, box: tuple[int, ...] = (), size: int = 8) -> Mesh:
    size = int(np.prod(box)) if box else size
    coords = tuple(Ints.pack(c.ravel()) for c in np.indices(box)) if box else ()
    return Mesh((), Ints.pack(range(size)), Ints.pack([0] * size), 0, coords, kind, platform)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("TPU v3", "TPU v3"),
        ("TPU v4", "TPU v4p"),
        ("TPU v5", "TPU v5p"),
        ("TPU v5p", "TPU v5p"),
        ("TPU v5 lite", "TPU v5e"),
        ("TPU v6 lite", "TPU v6e"),
        ("TPU7x", "TPU7x"),
        ("NVIDIA A100-SXM4-80GB", "A100"),
        ("NVIDIA H100 80GB HBM3", "H100"),
        ("NVIDIA H200", "H200"),
        ("NVIDIA B200", "B200"),
        ("NVIDIA GB200", "GB200 NVL72"),
        ("cpu", ""),
        ("TPU v2", ""),
        ("Tesla T4", ""),
    ],
)
def test_interconnects_by_kind(kind, name):
    assert interconnect_of(kind) == name


@pytest.mark.parametrize(
    ("mesh", "words"),
    [
        (machine("TPU v5 lite", "tpu", (4, 4, 1)), "TPU v5e 4×4"),
        (machine("TPU v5", "tpu", (2, 2, 4)), "TPU v5p 2×2×4"),
        (machine("TPU v4", "tpu", (4, 4, 1)), "TPU v4 4×4"),
        (machine("TPU v3", "tpu", size=4), "4 × TPU v3"),
        (machine("TPU v5 lite", "tpu", (1, 1, 1)), "TPU v5e 1×1"),
        (machine("cpu", "cpu"), "8 CPU devices"),
        (machine("cpu", "cpu", size=1), "1 CPU device"),
        (machine("NVIDIA H100 80GB HBM3", "gpu"), "8 × NVIDIA H100 80GB HBM3"),
    ],
)
def test_devices_in_words(mesh, words):
    assert target_of(mesh) == words


@pytest.mark.parametrize(
    ("kind", "box", "wraps"),
    [
        ("TPU v5 lite", (4, 4, 1), (False, False, False)),
        ("TPU v5 lite", (8, 16, 1), (False, True, False)),
        ("TPU v6 lite", (16, 16, 1), (True, True, False)),
        ("TPU v5", (2, 2, 4), (False, False, False)),  # No full cube: there are no optical switches.
        ("TPU v5", (2, 4, 8), (False, False, False)),
        ("TPU v5", (4, 4, 8), (True, True, True)),
        ("TPU v4", (4, 4, 12), (True, True, True)),
        ("unknown", (4, 4, 4), (False, False, False)),
    ],
)
def test_links_that_wrap_around(kind, box, wraps):
    assert wraps_of(machine(kind, "tpu", box)) == wraps


def test_devices_that_fill_no_box_do_not_wrap():
    half = machine("TPU v5", "tpu", (4, 4, 4))
    ids = Ints.pack(range(32))
    coords = tuple(Ints.pack(c.array()[::2]) for c in half.coords)
    mesh = Mesh((), ids, ids, 0, coords, half.kind, "tpu")
    # Every other device: the coordinates still span 4×4 and, along the last, only 0 and 2.
    assert wraps_of(mesh) == (False, False, False)
    assert target_of(mesh) == "32 × TPU v5p"


def test_how_groups_lie_on_the_links():
    mesh = machine("TPU v5", "tpu", (2, 4))
    assert physical_layout([(0, 1, 2, 3), (4, 5, 6, 7)], mesh) == PhysicalLayout((4,), False)
    assert physical_layout([(0, 4), (1, 5), (2, 6), (3, 7)], mesh) == PhysicalLayout((2,), False)
    cube = machine("TPU v5", "tpu", (4, 4))
    assert physical_layout([(0, 1, 2, 3), (4, 5, 6, 7)], cube) == PhysicalLayout((4,), True)
    assert physical_layout([(0, 4), (1, 5), (2, 6), (3, 7)], cube) == PhysicalLayout((2,), False)
    assert physical_layout([tuple(range(8))], mesh) == PhysicalLayout((2, 4), False)
    assert physical_layout([(0, 1)], machine("cpu", "cpu")) is None


def test_a_part_of_a_ring_is_a_line():
    ring = machine("TPU v5", "tpu", (4, 4))
    assert physical_layout([(0, 1), (2, 3)], ring) == PhysicalLayout((2,), False)
    # An axis of a mesh may be laid over two axes of chips, in any order.
    assert physical_layout([(0, 4, 1, 5), (2, 6, 3, 7)], ring) == PhysicalLayout((2, 2), False)


@pytest.mark.parametrize(
    "groups",
    [
        [(0, 2), (1, 3)],  # with a gap between
        [(0, 1, 2, 4)],  # no box
        [(0, 1), (2, 6)],  # one across, one down
        [(0, 1), (2, 3, 6, 7)],  # of different sizes
    ],
)
def test_groups_that_fill_no_boxes(groups):
    assert physical_layout(groups, machine("TPU v5", "tpu", (4, 4))) == PhysicalLayout((), False)


AROUND = [(0, 0), (1, 0), (2, 0), (3, 0), (3, 1), (2, 1), (1, 1), (0, 1)]


@pytest.mark.parametrize(
    ("kind", "places", "ring"),
    [
        # As JAX orders a v5e of 2×2 and of 4×2: round the box, without any wraparound.
        ("TPU v5 lite", [(0, 0), (1, 0), (1, 1), (0, 1)], True),
        ("TPU v5 lite", AROUND, True),
        ("TPU v5 lite", AROUND[:4] + AROUND[:3:-1], False),
        ("TPU v5 lite", [(k, 0) for k in range(4)], False),
        # "p" chips wrap around where all axes are multiples of 4.
        ("TPU v5", [(k, (j - k) % 4) for k in range(4) for j in range(4)], True),
        ("TPU v5 lite", [(k, (j - k) % 4) for k in range(4) for j in range(4)], False),
        ("TPU v5", [(k, j) for k in range(4) for j in range(4)], False),
        ("TPU v5", [(k, 0) for k in range(4)], False),
        ("TPU v5", [(k, 0) for k in range(3)], False),
    ],
)
def test_rings_of_one_axis(kind, places, ring):
    coords = tuple(Ints.pack(c) for c in zip(*places, strict=True))
    ids = Ints.pack(range(len(places)))
    assert is_ring(Mesh((), ids, ids, 0, coords, kind, "tpu")) == ring
