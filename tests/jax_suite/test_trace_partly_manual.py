"""``shard_map`` over some axes of an Explicit mesh, its blocks still cut over the others."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

from shardwidget import read
from tests.once import once

traced: Any = read.trace

MESH = jax.make_mesh((2, 4), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)


CUT: Any = P("x", "y")


def array(*shape, spec=CUT):
    values = np.arange(np.prod(shape), dtype=np.float32).reshape(shape) / 16
    return jax.device_put(values, jax.NamedSharding(MESH, spec))


def over(axis, f, in_specs=None, out_specs=None, **options):
    spec = P("x") if axis == "x" else P(None, "y")
    return jax.shard_map(
        f,
        in_specs=spec if in_specs is None else in_specs,
        out_specs=spec if out_specs is None else out_specs,
        axis_names={axis},
        **options,
    )


def x(f, **options):
    return over("x", f, **options)


def doubled(a):
    return a * 2


A = array(8, 16)
PROGRAMS = {
    "elementwise": (x(jnp.sin), A),
    "over the other axis": (over("y", jnp.sin), A),
    "without types of blocks": (x(jnp.sin, check_vma=False), A),
    "larger than a corner": (x(jnp.sin), array(32, 64)),
    "one dimension": (x(doubled, in_specs=P(None), out_specs=P(None)), array(16, spec=P("y"))),
    "three dimensions": (x(doubled), array(4, 4, 8, spec=P("x", None, "y"))),
    "both axes on one dimension": (x(doubled), array(16, 2, spec=P(("x", "y")))),
    "psum": (x(lambda a: lax.psum(a, "x"), out_specs=P()), A),
    "ppermute": (x(lambda a: lax.ppermute(a, "x", [(0, 1), (1, 0)])), A),
    "all_gather": (x(lambda a: lax.all_gather(a, "x", tiled=True), out_specs=P(), check_vma=False), A),
    "matmul": (x(lambda a: jnp.matmul(a, a.T, out_sharding=P(None, None))), A),
    "sum over the cut": (x(lambda a: a.sum(1)), A),
    "transposed": (x(lambda a: a.T, out_specs=P(None, "x")), A),
    "resharded inside": (x(lambda a: jax.reshard(a, P())), A),
    "loop": (x(lambda a: lax.fori_loop(0, 3, lambda i, c: jnp.sin(c) + c, a)), A),
    "scan that stacks": (
        x(lambda a: lax.scan(lambda c, _: (c * 2, c), a, None, length=3)[1], out_specs=P(None, "x")),
        A,
    ),
    "while": (x(lambda a: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * 2), (0, a))[1]), A),
    "cond": (x(lambda a: lax.cond(lax.axis_index("x") >= 0, jnp.sin, jnp.cos, a)), A),
    "nested": (x(over("y", jnp.cos)), A),
    "integers": (x(lambda a: (a > 3).astype(jnp.int32)), A),
    "random numbers": (x(lambda a: a + jax.random.uniform(jax.random.key(0), a.shape, out_sharding=P(None, "y"))), A),
    "jitted, with operations around": (jax.jit(lambda a: x(jnp.sin)(a) + 1), A),
    "gradient": (jax.grad(lambda a: x(jnp.sin)(a).sum()), A),
}


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("keep", [None, 0])
def test_a_region_manual_over_some_explicit_axes_has_the_values_of_jit(program, keep):
    f, argument = PROGRAMS[program]
    with jax.set_mesh(MESH):
        wanted = once(f)(argument)
        mine, simulated = traced(f, argument, keep=keep), traced(f, argument, engine="host", keep=keep)
    assert mine.engine == "mesh"
    assert jax.typeof(mine.outputs) == jax.typeof(wanted)
    np.testing.assert_allclose(mine.outputs, wanted, rtol=1e-5)
    assert len(mine.variables) == len(simulated.variables)
    for v, w in zip(mine.variables, simulated.variables, strict=True):
        if v.region >= 0 and v.window is not None:  # A block is whole over the axes that are not manual.
            assert v.window.shape == w.window.shape
            blocks = (np.frombuffer(u.window.data, f"<{u.window.format}") for u in (v, w))
            np.testing.assert_allclose(*blocks, rtol=1e-4, atol=1e-5, err_msg=v.name)
