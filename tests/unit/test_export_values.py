"""The values of an array on paper: which are printed, and that they are all there."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

import shardwidget as sw
from shardwidget import read
from shardwidget.export import values


@pytest.fixture
def mesh():
    return jax.make_mesh((4, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)


def put(mesh, x, *spec):
    return jax.device_put(x, NamedSharding(mesh, P(*spec)))


def paper(view: sw.ArrayView) -> list[values.Sheet]:
    """What a page that is open would print."""
    view._prints = True
    return view._paper


def cells(sheets: list[values.Sheet]) -> list[str]:
    return [cell for sheet in sheets for part in sheet["parts"] for row in part for cell in row]


def names(sheets: list[values.Sheet]) -> list[str]:
    return [sheet["name"] for sheet in sheets]


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.bfloat16, jnp.int8, jnp.bool_, jnp.complex64])
def test_a_small_array_is_printed_whole_each_tile_once(mesh, dtype):
    x = put(mesh, (jnp.arange(32) % 2 if dtype == jnp.bool_ else jnp.arange(32)).astype(dtype).reshape(8, 4), "x")
    printed = paper(sw.ArrayView(x, name="x"))
    assert names(printed) == [f"x[{2 * k}:{2 * k + 2}, 0:4] on device {2 * k}" for k in range(4)]
    assert [complex(c) if dtype == jnp.complex64 else eval(c) for c in cells(printed)] == np.asarray(x).ravel().tolist()


def test_of_a_large_array_the_shard_that_is_picked_is_printed(mesh):
    x = put(mesh, jnp.arange(2048.0).reshape(32, 64), "x", "y")
    assert paper(sw.ArrayView(x, name="x")) == []
    printed = paper(sw.ArrayView(x, name="x", selection={"device": 5}))
    assert names(printed) == ["x[16:24, 32:64] on device 5"]
    assert sorted(map(float, cells(printed))) == sorted(np.asarray(x)[16:24, 32:].ravel().tolist())
    # No row is wider than a sheet.
    assert max(len(row) for part in printed[0]["parts"] for row in part) == values.ACROSS


def test_rows_of_more_than_two_dimensions_say_where_they_stand(mesh):
    x = put(mesh, jnp.arange(64).reshape(4, 2, 8), "x", None, "y")
    sheet = paper(sw.ArrayView(x, name="x"))[3]
    assert sheet["name"] == "x[1:2, 0:2, 4:8] on device 3"
    assert sheet["heads"] == ["[1, 0]", "[1, 1]"]
    assert sheet["parts"] == [[["20", "21", "22", "23"], ["28", "29", "30", "31"]]]


def test_what_is_printed_follows_the_view(mesh):
    view = sw.ArrayView(put(mesh, jnp.arange(2048.0).reshape(32, 64), "x", "y"), name="x")
    assert paper(view) == []
    view.selection = {"device": 1}
    assert names(view._paper) == ["x[0:8, 32:64] on device 1"]
    view.array = put(mesh, jnp.zeros(8))
    assert [view.selection, *cells(view._paper)] == [{"device": 1}, *["0"] * 8]


def test_nothing_is_read_before_a_page_is_open(mesh):
    assert sw.ArrayView(put(mesh, jnp.zeros(8)), selection={"device": 0})._paper == []


def test_what_has_no_values_prints_none(mesh):
    abstract = jax.ShapeDtypeStruct((8, 8), jnp.float32, sharding=NamedSharding(mesh, P("x")))
    assert values.printed(read.placement(abstract), None) == []
    assert values.printed(read.placement(mesh), 3) == []
    assert paper(sw.ArrayView(abstract)) == []
    large = put(mesh, jnp.zeros((256, 256)), "x")
    assert values.printed(read.placement(large), 0) == []


def test_viewers_without_scripts_have_the_values_in_their_table(mesh):
    view = sw.ArrayView(put(mesh, jnp.arange(64).reshape(4, 2, 8), "x", None, "y"), name="<b>")
    html = view._repr_mimebundle_()[0]["text/html"]
    assert "&lt;b&gt;[1:2, 0:2, 4:8] on device 3" in html
    assert "[1, 0]  20 21 22 23\n[1, 1]  28 29 30 31" in html
    assert "<b>[" not in html
