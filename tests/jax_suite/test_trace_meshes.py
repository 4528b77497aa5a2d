"""Programs on several meshes: what one mesh can show is drawn on it, the rest is left out, with a note."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

from shardwidget import read

traced: Any = read.trace

DEVICES = np.array(jax.devices()[:8])
ORDER = [3, 1, 4, 0, 5, 7, 2, 6]
GRID = Mesh(DEVICES.reshape(4, 2), ("x", "y"))
MIXED = Mesh(DEVICES[ORDER].reshape(4, 2), ("x", "y"))
LINE = Mesh(DEVICES, ("z",))
HALF = Mesh(DEVICES[:4].reshape(4, 1), ("x", "y"))
X = jnp.arange(32.0).reshape(8, 4)
BOTH = pytest.mark.parametrize("engine", [None, "host"])


def body(a):
    b = a * 2
    c = lax.psum(b, "y")
    return lax.cond(lax.axis_index("x") == 1, lambda q: q + 1, lambda q: q, c)


def on(mesh, f=body, in_specs=P("x", "y"), out_specs=P("x")):  # noqa: B008
    return jax.shard_map(f, mesh=mesh, in_specs=in_specs, out_specs=out_specs)


def corners(variable, trace):
    """The block that is drawn for each device."""
    window = variable.window
    blocks = np.frombuffer(window.data, "<f4").reshape(-1, *window.shape)
    return dict(zip(trace.mesh.device_ids.array(), blocks[window.block.array()], strict=True))


def test_another_order_of_devices_is_drawn_on_the_first():
    def f(a):
        return on(GRID)(a), on(MIXED)(a)

    trace = traced(f, X)
    assert trace.engine == "host"
    assert trace.note.startswith("simulated on the host: its regions order devices differently")
    for found, wanted in zip(trace.outputs, f(X), strict=True):
        np.testing.assert_array_equal(found, wanted)
    for region, mesh in ((0, GRID), (1, MIXED)):
        steps = [s for s in trace.steps if s.region == region]
        (mul,) = (s for s in steps if s.primitive == "mul")
        for at, device in enumerate(mesh.devices.flat):
            block = 2 * X[2 * (at // 2) :][:2, 2 * (at % 2) :][:, :2]
            np.testing.assert_array_equal(mul.outputs[0].value(device.id), block)
            np.testing.assert_array_equal(corners(mul.outputs[0], trace)[device.id], block)
        (collective,) = (s.collective for s in steps if s.collective)
        ids = trace.mesh.device_ids.array()[collective.positions.array()]
        assert ids.reshape(-1, 2).tolist() == [[d.id for d in row] for row in mesh.devices]
        (add,) = (s for s in steps if s.primitive == "add")
        assert set(trace.mesh.device_ids.array()[add.active.array()]) == {d.id for d in mesh.devices[1]}
    first, second = (s.outputs[0] for s in trace.steps if s.primitive == "out_specs")
    assert (first.drawn, second.drawn, second.window) == (True, False, None)


@BOTH
@pytest.mark.parametrize(("mesh", "name"), [(LINE, "z=8"), (HALF, "x=4 y=1")])
def test_a_mesh_that_cannot_be_shown_is_not_drawn(mesh, name, engine):
    if mesh is LINE:
        other = on(LINE, lambda a: lax.psum(a * 3, "z"), P("z"), P())
    else:
        other = on(HALF, lambda a: lax.psum(a * 3, "x"), P("x"), P())

    def f(a):
        return on(GRID)(a), other(a)

    trace = traced(f, X, engine=engine)
    assert trace.note.endswith(
        f"runs on the mesh {name}, not on the one that is drawn, x=4 y=2: its blocks are not drawn"
    )
    for found, wanted in zip(trace.outputs, f(X), strict=True):
        np.testing.assert_array_equal(found, wanted)
    blocks = [v for v in trace.variables if v.region == 1]
    assert blocks
    assert not any(v.drawn or v.window for v in blocks)
    (mul,) = (s for s in trace.steps if s.primitive == "mul" and s.region == 1)
    np.testing.assert_array_equal(mul.outputs[0].value(1), 3 * np.split(X, mesh.devices.shape[0])[1])
    (collective,) = (s.collective for s in trace.steps if s.collective and s.region == 1)
    assert collective.bytes_per_device > 0
    assert (collective.positions.size, collective.plans) == (0, ())
    assert all(v.drawn and v.window for v in trace.variables if v.region == 0)


def test_an_argument_cut_for_another_mesh_is_not_drawn():
    x = jax.device_put(X, jax.NamedSharding(LINE, P(None, None)))
    y = jax.device_put(X, jax.NamedSharding(LINE, P("z")))
    trace = traced(lambda a, b: on(GRID)(a) + b[:, :2], x, y)
    assert [(v.name, v.drawn) for v in trace.steps[0].inputs] == [("a", True)]
    (b,) = (v for v in trace.variables if v.name == "b" and v.region < 0)
    assert (b.drawn, b.window) == (False, None)
    np.testing.assert_array_equal(b.value(5), X)
    with pytest.raises(KeyError, match="the mesh has no device 77"):
        b.value(77)
