"""``read.links``: hops on the links between chips, by hand-made orders with known answers; its view and its text."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from traitlets import TraitError

import shardwidget as sw
from shardwidget import read
from tests.links import LINKS, of_program, trays_and_rings, two_cores


def test_orders_along_trays_and_along_rings() -> None:
    trays, along = trays_and_rings().orders
    found = [
        [(c.links_a_hop, c.most_links, c.busiest, c.wraparound, c.hosts) for c in order.crossings]
        for order in (trays, along)
    ]
    assert found[0] == [(3.25, 5, 2, (0, 1, 2), 16), (1.5, 2, 2, (), 1)]
    assert found[1] == [(1.25, 2, 1, (0, 1), 4), (1.0, 1, 1, (2,), 4)]
    assert [(o.links, o.busiest, o.idle) for o in (trays, along)] == [(192, 4, 72), (192, 1, 48)]
    assert trays_and_rings().answer == "along rings: no link is shared; by trays: the busiest link carries 4 transfers"


def test_devices_of_one_chip_use_no_link() -> None:
    (order,) = two_cores().orders
    data, core = order.crossings
    assert order.devices_a_chip == 2
    assert (core.links_a_hop, core.within_chips, core.busiest) == (0, 1, 0)
    assert (data.links_a_hop, data.busiest) == (1, 2)  # Both cores of a chip have a ring over the same links.
    assert "none: within a chip" in str(two_cores())


def test_a_ring_on_a_line_goes_back_over_its_links() -> None:
    links = LINKS["line"]()
    assert [c.busiest for c in links.orders[0].crossings] == [2, 2]
    assert links.answer.endswith("there is no wraparound, so rings go back over their own links")


def test_collectives_carry_their_bytes() -> None:
    (order,) = of_program().orders
    gather, permute = order.crossings
    assert (gather.bytes, gather.busiest) == (300, 2)
    assert (permute.bytes, permute.busiest) == (30, 1)
    assert order.bytes == 2 * 300 + 30
    assert order.seconds == pytest.approx(630 / 9e10)
    assert str(of_program()).startswith("630 B on the busiest link")


def test_loads_are_of_links_that_are_there() -> None:
    for make in LINKS.values():
        for order in make().orders:
            load = np.sum([c.load.array() for c in order.crossings], axis=0).reshape(-1, *order.chips)
            for axis, (size, wraps) in enumerate(zip(order.chips, order.wraps, strict=True)):
                last = np.take(load[axis], size - 1, axis=axis)
                assert wraps or not last.any()


def test_bad_input() -> None:
    with pytest.raises(TypeError, match="got a int"):
        read.links(3)
    with pytest.raises(ValueError, match="have no coordinates on chips"):
        read.links(jax.make_mesh((8,), ("x",)))
    with pytest.raises(ValueError, match="topology='v5e:4x4'"):
        read.links(jax.sharding.AbstractMesh((8,), ("x",)))
    with pytest.raises(TraitError, match="order must be 0 to 1"):
        sw.LinksView(trays_and_rings(), order=2)


@pytest.mark.libtpu
def test_meshes_of_jax() -> None:
    mesh = sw.tpu_mesh("v5e:4x4", ("data", "model"))
    devices = np.array(sorted(mesh.devices.flat, key=lambda d: -d.id)).reshape(4, 4)
    by_id = jax.sharding.Mesh(devices, mesh.axis_names)
    assert [o.name for o in read.links(mesh).orders] == ["jax.make_mesh"]
    assert [o.name for o in read.links(by_id).orders] == ["this mesh", "jax.make_mesh"]
    abstract = jax.sharding.AbstractMesh((4, 4), ("data", "model"))
    assert read.links(abstract, topology="v5e:4x4") == read.links(mesh)


@pytest.mark.parametrize("name", LINKS)
def test_table_picture_and_page(name: str) -> None:
    view = sw.show(LINKS[name]())
    assert isinstance(view, sw.LinksView)
    assert "<table" in view.document._repr_html_()
    assert view.to_svg().startswith("<svg")
    assert view.document.answer in view.to_html()
