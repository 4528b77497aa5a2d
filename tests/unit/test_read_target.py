"""What a program is compiled for: devices in words, their interconnect, links that wrap around."""

from dataclasses import replace

import numpy as np
import pytest

from shardwidget.collectives import Call, statement_of
from shardwidget.cost import INTERCONNECTS
from shardwidget.document import Ints, Mesh
from shardwidget.read._target import estimates, interconnect_of, is_ring, spans_of, target_of, wraps_of
from shardwidget.torus import Span


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
        (machine("NVIDIA H200", "gpu", (1, 1, 8)), "8 × NVIDIA H200"),  # Compiled ahead of time, they have coordinates.
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


def cores(box: tuple[int, ...], chip: int = 2) -> Mesh:
    """Chips of several devices each, which are the last axis."""
    one = machine("TPU7x", "tpu", box)
    size = one.size * chip
    coords = tuple(Ints.pack(np.repeat(c.array(), chip)) for c in one.coords)
    return Mesh((), Ints.pack(range(size)), Ints.pack([0] * size), 0, coords, "TPU7x", "tpu")


def over(shape: tuple[int, ...], *axes: int) -> list[tuple[int, ...]]:
    """The groups of some axes of a mesh."""
    at = np.arange(np.prod(shape)).reshape(shape)
    n = int(np.prod([shape[k] for k in axes]))
    return [tuple(row) for row in np.moveaxis(at, axes, range(-len(axes), 0)).reshape(-1, n).tolist()]


LINE, RING = (lambda size, *more: Span(size, False, *more)), (lambda size, *more: Span(size, True, *more))


@pytest.mark.parametrize(
    ("mesh", "groups", "spans"),
    [
        (machine("TPU v5", "tpu", (2, 4)), over((2, 4), 1), [LINE(4)]),
        (machine("TPU v5", "tpu", (2, 4)), over((2, 4), 0), [LINE(2)]),
        (machine("TPU v5", "tpu", (2, 4)), over((8,), 0), [LINE(2), LINE(4)]),
        (machine("TPU v5", "tpu", (4, 4)), over((4, 4), 1), [RING(4)]),
        (machine("TPU v5", "tpu", (4, 4, 4)), over((16, 4), 0), [RING(4), RING(4)]),
        # A part of a ring is a line; an axis may be laid over two axes of chips, in any order.
        (machine("TPU v5", "tpu", (4, 4)), over((4, 2, 2), 2), [LINE(2)]),
        (machine("TPU v5", "tpu", (4, 4)), [(0, 4, 1, 5), (2, 6, 3, 7)], [LINE(2), LINE(2)]),
        # Every other chip: the ring of all, shared by two groups.
        (machine("TPU v5", "tpu", (4, 4)), over((4, 2, 2), 1), [RING(2, 2, 2)]),
        (machine("TPU v5 lite", "tpu", (2, 4)), over((2, 2, 2), 1), [LINE(2, 2, 2)]),
        (machine("TPU v5", "tpu", (4, 4, 4)), over((32, 2), 0), [RING(4), RING(4), RING(2, 2, 2)]),
        (machine("TPU v5", "tpu", (4, 4, 4)), over((32, 2), 1), [LINE(2)]),
        # One of a side wraps around.
        (machine("TPU v5 lite", "tpu", (8, 16)), over((128,), 0), [LINE(8), RING(16)]),
        # Two devices a chip: one of each shares the links with the other; both together have them.
        (cores((4, 4, 4)), over((64, 2), 0), [RING(4, 1, 2)] * 3),
        (cores((4, 4, 4)), over((128,), 0), [RING(4)] * 3),
        (cores((2, 2, 1)), over((4, 2), 0), [LINE(2, 1, 2)] * 2),
        (cores((2, 2, 1)), over((4, 2), 1), [LINE(2)]),
        # No boxes: with a gap, across and down, of different sizes.
        (machine("TPU v5", "tpu", (4, 4)), [(0, 1, 2, 4)], [LINE(4)]),
        (machine("TPU v5", "tpu", (4, 4)), [(0, 1), (2, 6)], [LINE(2)]),
        (machine("TPU v5", "tpu", (4, 4)), [(0, 1), (2, 3, 6, 7)], [LINE(4)]),
        (machine("cpu", "cpu"), [(0, 1)], None),
    ],
)
def test_how_groups_lie_on_the_links(mesh, groups, spans):
    assert spans_of(groups, mesh) == spans


def test_groups_between_slices_lie_on_no_links():
    two = machine("TPU v5 lite", "tpu", (2, 4))
    mesh = replace(two, slices=Ints.pack([0] * 4 + [1] * 4))
    assert spans_of(over((2, 4), 1), mesh) == [LINE(4)]
    assert spans_of(over((2, 4), 0), mesh) == [LINE(2)]


V5E, V5P = INTERCONNECTS["TPU v5e"], INTERCONNECTS["TPU v5p"]


def call(kind: str, groups: list[tuple[int, ...]], pairs: tuple[tuple[int, int], ...] = ()) -> Call:
    statement = statement_of(kind)
    assert statement
    return Call(statement, kind, (), tuple(groups), pairs=pairs)


@pytest.mark.parametrize(
    ("shape", "axes", "share"),
    [((32, 2), (0,), 2.5), ((32, 2), (1,), 0.5), ((16, 4), (0,), 2), ((8, 8), (0,), 1.5), ((4, 16), (1,), 2)],
)
def test_axes_that_share_a_physical_axis_share_its_bandwidth(shape, axes, share):
    """In one place, for traces and programs: 64 chips of 4×4×4, all of them rings of four."""
    mesh = machine("TPU v5", "tpu", (4, 4, 4))
    (took,) = estimates(call("all_gather", over(shape, *axes)), 10**9, mesh, [V5P], V5P)
    assert took.bandwidth_s == pytest.approx(1e9 / (V5P.bandwidth * share))


AROUND_16 = tuple((k, (k + 1) % 16) for k in range(16))


def test_a_ring_of_permutations_over_two_physical_axes_loads_each_link_once():
    """Of 16 chips on 4×4, row by row: no link carries two blocks, though one of them goes six links."""
    mesh = machine("TPU v5 lite", "tpu", (4, 4))
    ring = call("ppermute", over((16,), 0), AROUND_16)
    (took,) = estimates(ring, 10**9, mesh, [V5E], V5E)
    assert took.bandwidth_s == pytest.approx(1e9 / 4.5e10)
    assert took.latency_s == pytest.approx(6e-6)


def test_what_permutes_at_once_is_on_the_links_at_once():
    """Two groups of every other chip of a line: both pass the link in the middle."""
    mesh = machine("TPU v5 lite", "tpu", (1, 4))
    (took,) = estimates(call("ppermute", [(0, 2), (1, 3)], ((0, 1),)), 10**9, mesh, [V5E], V5E)
    assert took.bandwidth_s == pytest.approx(2e9 / 4.5e10)


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
