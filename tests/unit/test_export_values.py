"""The values of an array on paper: which are printed, and that they are all there."""

import re

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


def cells(html: str) -> list[str]:
    return re.findall(r"<td[^>]*>([^<]*)</td>", html)


def paper(html: str) -> str:
    found = re.search(r'<div data-sw="paper">(.*?)</div>', html, re.DOTALL)
    return found[1] if found else ""


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.bfloat16, jnp.int8, jnp.bool_, jnp.complex64])
def test_a_small_array_is_printed_whole_each_tile_once(mesh, dtype):
    x = put(mesh, (jnp.arange(32) % 2 if dtype == jnp.bool_ else jnp.arange(32)).astype(dtype).reshape(8, 4), "x")
    printed = paper(sw.ArrayView(x, name="x").to_html())
    assert re.findall(r"x\[[^<]*", printed) == [f"x[{2 * k}:{2 * k + 2}, 0:4] on device {2 * k}" for k in range(4)]
    assert [complex(c) if dtype == jnp.complex64 else eval(c) for c in cells(printed)] == np.asarray(x).ravel().tolist()


def test_of_a_large_array_the_shard_that_is_picked_is_printed(mesh):
    x = put(mesh, jnp.arange(2048.0).reshape(32, 64), "x", "y")
    assert paper(sw.ArrayView(x, name="x").to_html()) == ""
    printed = paper(sw.ArrayView(x, name="x", selection={"device": 5}).to_html())
    assert "x[16:24, 32:64] on device 5" in printed
    assert sorted(map(float, cells(printed))) == sorted(np.asarray(x)[16:24, 32:].ravel().tolist())
    # No row is wider than a sheet.
    assert max(len(cells(row)) for row in printed.split("</tr>")) == values.ACROSS


def test_what_has_no_values_prints_none(mesh):
    abstract = jax.ShapeDtypeStruct((8, 8), jnp.float32, sharding=NamedSharding(mesh, P("x")))
    assert values.printed(read.placement(abstract), None) == []
    assert values.printed(read.placement(mesh), 3) == []
    assert paper(sw.ArrayView(abstract, name="<b>").to_html()) == ""
    large = put(mesh, jnp.zeros((256, 256)), "x")
    assert values.printed(read.placement(large), 0) == []


def test_names_are_no_markup(mesh):
    assert "<b>" not in paper(sw.ArrayView(put(mesh, jnp.ones(8), "x"), name="<b>").to_html())
