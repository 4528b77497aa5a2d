"""Arrays on some of several groups of devices, in every state that JaxPP and plain JAX leave them in."""

import json

import jax
import numpy as np
import pytest
from jax.sharding import Mesh, NamedSharding, SingleDeviceSharding
from jax.sharding import PartitionSpec as P

import shardwidget as sw
from shardwidget.document import MpmdPlacement, to_wire
from shardwidget.export.state import encode
from tests.mpmd import group_mesh, large, mpmd_array, put, stages


def read(x, groups=None) -> MpmdPlacement:
    made = sw.read.placement(x, groups=groups, name="x")  # pyright: ignore
    assert isinstance(made, MpmdPlacement)
    return made


def test_each_group_says_what_it_has():
    mesh = stages(4, 2, 2)
    placement = read(mpmd_array(mesh, {0, 2}))
    assert (placement.axis, placement.holds) == ("stage", ("live", "none", "live", "none"))
    assert placement.spec == "P('data', 'model')"
    assert (placement.bytes_per_device, placement.group_bytes, placement.total_bytes) == (64, 256, 512)
    assert placement.wasted_bytes == 256
    local = sw.read.placement(put(mesh, 2))
    inside = placement.group(2)
    assert inside.device_ids == local.device_ids
    assert [inside.slices(d) for d in inside.device_ids] == [local.slices(d) for d in local.device_ids]
    assert placement.group(1).device_ids == tuple(d.id for d in mesh.devices[1].flat)


def test_an_axis_that_divides_may_stand_anywhere_in_the_mesh():
    mesh = Mesh(np.array(jax.devices()[:8]).reshape(2, 2, 2), ("data", "stage", "model"))
    own = Mesh(mesh.devices[:, 1:], mesh.axis_names)
    x = jax.device_put(np.zeros((8, 8), np.float32), NamedSharding(own, P("model", "data")))
    placement = read(x, (mesh, "stage"))
    assert placement.holds == ("none", "live")
    local = sw.read.placement(x)
    inside = placement.group(1)
    assert [(d, inside.slices(d)) for d in inside.device_ids] == [(d, local.slices(d)) for d in local.device_ids]


def test_plain_arrays_are_one_array():
    mesh = stages(4, 2, 2)
    of = {group: put(mesh, group) for group in (0, 3)}
    assert read(list(of.values()), (mesh, "stage")).holds == ("live", "none", "none", "live")
    assert read(of[3], (mesh, "stage")).holds == ("none", "none", "none", "live")
    both = jax.device_put(np.zeros((8, 8)), NamedSharding(group_mesh(mesh, 1, 2), P("data")))
    assert read(both, (mesh, "stage")).holds == ("none", "live", "live", "none")
    shape = jax.ShapeDtypeStruct((8, 8), np.float32, sharding=of[0].sharding)
    assert read(shape, (mesh, "stage")).holds[0] == "abstract"
    # A group without the axis, as a mesh of its own.
    own = Mesh(mesh.devices[1], ("data", "model"))
    assert read(jax.device_put(np.zeros(8), NamedSharding(own, P("data"))), (mesh, "stage")).holds[1] == "live"
    alone = Mesh(mesh.devices.ravel()[:4], ("stage",))
    single = jax.device_put(np.zeros(8), SingleDeviceSharding(jax.devices()[2]))
    assert read(single, (alone, "stage")).holds == ("none", "none", "live", "none")


def test_some_replicas_deleted_and_a_group_dropped():
    x = mpmd_array(stages(4, 2, 2), {0, 1, 3}, held={0, 3})
    x._partially_addressable_arrays[3].delete()
    with pytest.raises(AssertionError):
        x.is_deleted()
    placement = read(x)
    assert placement.holds == ("live", "dropped", "none", "deleted")
    assert placement.total_bytes == placement.group_bytes
    assert placement.group(3).state == placement.group(1).state == "deleted"
    x._partially_addressable_arrays[0].delete()
    assert read(x).total_bytes == read(x).wasted_bytes == 0


def test_an_array_that_fails_does_not_hide_its_neighbours(monkeypatch):
    x = mpmd_array(stages(2, 2), {0, 1}, spec=P("data"))
    monkeypatch.setattr(x, "_partially_addressable_arrays", {0: object(), 1: x._partially_addressable_arrays[1]})
    assert read(x).holds == ("deleted", "live")


def test_no_group_at_all():
    placement = read(mpmd_array(stages(2, 2), set(), spec=P("data")))
    assert placement.holds == ("none", "none")
    assert placement.total_bytes == placement.wasted_bytes == 0
    assert "on no stage of 2 groups" in repr(placement)


def test_text_and_table_name_the_axis_and_every_group():
    placement = read(mpmd_array(stages(4, 2, 2), {0, 2}))
    lines = repr(placement).splitlines()
    assert lines[0] == f"x: f32[8,8]  {placement.spec}  on stage 0, 2 of 4 groups"
    assert "512 B in all, on 2 of 4 groups, 256 B of them copies" in lines
    assert "stage 1  devices 4 to 7, process 0, here: without it" in lines
    assert all(f"stage {group}" in placement._repr_html_() for group in range(4))


def test_a_name_is_never_markup():
    placement = sw.read.placement(mpmd_array(stages(2, 2), {0}, spec=P("data")), name="<b>x</b>")
    assert "<b>x" not in placement._repr_html_()


def test_64_groups_of_64_devices_are_small_and_folded():
    placement = large()
    assert len(encode(to_wire(placement))) < 24 * 1024
    assert [len(fold) for fold in placement.folds] == [1, 32, 31]
    assert len(repr(placement).splitlines()) <= 40
    assert placement.total_bytes == 32 * 32768 * 4096 * 2


def test_show_and_array_view_take_them():
    mesh = stages(4, 2, 2)
    x = mpmd_array(mesh, {0, 2})
    view = sw.show(x)
    assert isinstance(view, sw.ArrayView)
    assert view.bundle == "mpmd.js"
    assert not view._parts
    assert view.document.name == "x"
    arrays = [put(mesh, 0), put(mesh, 1)]
    other = sw.show(arrays, groups=(mesh, "stage"), name="w")
    assert isinstance(other.document, MpmdPlacement)
    view.array = mpmd_array(mesh, {1})
    assert view.document.named == (1,)  # pyright: ignore
    assert json.loads(encode(view._document))["holds"][1] == "live"
    with pytest.raises(TypeError, match="shows an array on groups"):
        view.array = put(mesh, 0)
    assert view.document.named == (1,)  # pyright: ignore
    with pytest.raises(TypeError, match="shows an array on one mesh"):
        sw.ArrayView(put(mesh, 0)).array = x
    view.selection = {"group": 3}
    with pytest.raises(Exception, match="0 to 3"):
        view.selection = {"group": 4}
    assert "<svg" in view.to_svg()
    assert '"mpmd"' in view.to_html()


BAD = {
    "an axis that is not there": (lambda m: (put(m, 0), (m, "pipe")), ValueError, "no axis 'pipe'"),
    "no pair": (lambda m: (put(m, 0), m), TypeError, r"groups must be a pair \(mesh, axis\)"),
    "half a group": (
        lambda m: (jax.device_put(np.zeros(8), m.devices[0, 0, 0]), (m, "stage")),
        ValueError,
        "not those of whole groups of 'stage'",
    ),
    "split over the groups": (
        lambda m: (jax.device_put(np.zeros((8, 8)), NamedSharding(m, P("stage"))), (m, "stage")),
        ValueError,
        "splits the array over 'stage'",
    ),
    "two on one group": (lambda m: ([put(m, 0), put(m, 0)], (m, "stage")), ValueError, "item 1 is on group 0"),
    "not alike": (
        lambda m: ([put(m, 0), put(m, 1, spec=P("model"))], (m, "stage")),
        ValueError,
        "item 1 float32",
    ),
    "no arrays": (lambda m: ([], (m, "stage")), ValueError, "an empty list"),
    "something else": (lambda m: ([1], (m, "stage")), TypeError, "item 0 is a int"),
    "a spec that does not fit": (
        lambda m: (mpmd_array_of(m, P(("data", "model"), "data")), None),
        ValueError,
        "does not fit .* in a group of mesh data=2, model=2",
    ),
}


def mpmd_array_of(mesh, spec):
    x = mpmd_array(mesh, {0})
    x.spec = spec
    return x


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_read_is_named(name):
    make, error, words = BAD[name]
    x, groups = make(stages(4, 2, 2))
    with pytest.raises(error, match=words):
        read(x, groups)


def test_several_arrays_are_named_by_their_number():
    mesh = stages(2, 2)
    parts = [put(mesh, stage, spec=P("data")) for stage in (0, 1)]
    assert read(parts, (mesh, "stage")).source == "2 arrays"
    assert read(parts[:1], (mesh, "stage")).source == read(parts[0], (mesh, "stage")).source == "jax.Array"
