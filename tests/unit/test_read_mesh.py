"""Devices that this machine does not have, by the attributes that JAX gives them."""

from types import SimpleNamespace

import pytest

from shardwidget.document import MeshAxis
from shardwidget.read._mesh import read_devices


def device(k: int, **attributes) -> SimpleNamespace:
    return SimpleNamespace(
        id=k, process_index=k // 4, device_kind="TPU v5 lite", platform="tpu", **attributes
    )  # As jaxlib's TpuDevice.


def test_a_pod_keeps_its_physical_coordinates():
    mesh = read_devices([device(k, coords=(k % 4, k // 4, 0)) for k in range(16)])
    assert [axis.array().tolist() for axis in mesh.coords] == [[0, 1, 2, 3] * 4, [k // 4 for k in range(16)], [0] * 16]
    assert all(axis.raw == b"" for axis in mesh.coords)
    assert mesh.process.array().tolist() == [k // 4 for k in range(16)]
    assert (mesh.kind, mesh.platform, mesh.abstract) == ("TPU v5 lite", "tpu", False)


@pytest.mark.parametrize("attributes", [{}, {"coords": None}])
def test_devices_without_coordinates(attributes):
    assert read_devices([device(k, **attributes) for k in range(4)]).coords == ()


@pytest.mark.parametrize(("sizes", "ring"), [((4,), True), ((2, 2), False), ((), False)])
def test_a_mesh_of_one_axis_may_be_a_ring_of_links(sizes, ring):
    round_the_box = [(0, 0), (1, 0), (1, 1), (0, 1)]
    axes = tuple(MeshAxis(name, size, "Auto") for name, size in zip("xy", sizes, strict=False))
    assert read_devices([device(k, coords=at) for k, at in enumerate(round_the_box)], axes).ring is ring
