"""``read.links``: hops on the links between chips, by hand-made orders with known answers; its view and its text."""

from __future__ import annotations

from dataclasses import replace

import jax
import numpy as np
import pytest
from traitlets import TraitError

import shardwidget as sw
from shardwidget import read
from shardwidget.document import Ints, Program
from shardwidget.read._links.links import of_meshes
from tests.links import LINKS, collective, of_program, on_chips, square, trays_and_rings, two_cores


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


def test_the_link_that_carries_most_is_named_and_rows_say_whose_hops_they_are() -> None:
    (order,) = of_program().orders
    assert order.most == (1, 0)  # Along y, from chip (0, 0).
    assert [(c.collectives, c.of) for c in order.crossings] == [
        ((0,), ("all-gather",)),
        ((1,), ("collective-permute",)),
    ]
    text = str(of_program())
    assert "the one along y from chip (0, 0) to (0, 1)" in text
    assert text.endswith("model: all-gather\nmodel, collective-permute: collective-permute")


def test_permutations_of_the_same_axes_are_told_apart_by_their_pairs() -> None:
    rows = np.arange(16).reshape(4, 4)

    def permutation(*ranks: tuple[int, int]):
        pairs = [(int(row[a]), int(row[b])) for row in rows for a, b in ranks]
        return collective("collective-permute", rows, 10, pairs)

    ways = permutation((0, 1), (2, 3)), permutation(*((k, (k + 1) % 4) for k in range(4))), permutation((1, 0))
    (order,) = of_meshes({"as compiled": square()}, Program(square(), ways, name="step")).orders
    assert [c.name for c in order.crossings] == ["model, 0→1 2→3", "model, +1", "model, 1→0"]


def scattered() -> Program:
    """A program on chips in no order."""
    chips = np.random.default_rng(0).permutation(16).tolist()
    mesh = on_chips("TPU v5 lite", {"data": 4, "model": 4}, [(k % 4, k // 4) for k in chips])
    mesh = replace(mesh, device_ids=Ints.pack(chips))
    rows = np.arange(16).reshape(4, 4)
    gathers = [collective("all-gather", groups, sent) for groups, sent in ((rows, 100), (rows.T, 300), (rows, 50))]
    return Program(mesh, tuple(gathers), name="step", instructions=9)


def test_the_order_of_a_program_stands_beside_that_of_jax() -> None:
    compiled, by_jax = scattered().links().orders
    assert (compiled.name, by_jax.name) == ("as compiled", "jax.make_mesh")
    assert compiled.bytes > by_jax.bytes
    for order in (compiled, by_jax):  # Rows are the same in both: those of equal hops are one.
        assert [(c.bytes, c.collectives, c.of) for c in order.crossings] == [
            (900, (1,), ("all-gather",)),
            (450, (0, 2), ("2 all-gathers",)),
        ]
    assert sorted(by_jax.mesh.device_ids.array()) == list(range(16))
    assert [o.name for o in replace(scattered(), mesh=by_jax.mesh).links().orders] == ["as compiled"]


def test_a_page_of_programs_on_chips() -> None:
    view = sw.CompiledProgram(scattered(), page="links")
    assert view.links() == scattered().links()
    assert view._pages["links 0"]["kind"] == "links"
    assert '"kind":"links"' in sw.CompiledProgram(scattered()).to_html()
    assert "as compiled" in view.to_svg()
    elsewhere = replace(scattered(), mesh=replace(scattered().mesh, coords=()))
    assert '"links 0"' not in sw.CompiledProgram(elsewhere).to_html()
    with pytest.raises(ValueError, match="have no coordinates on chips"):
        sw.CompiledProgram(elsewhere).links()


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
