"""Comparing the gradient of a two-block transformer, beside tracing it twice and compiling it once."""

from __future__ import annotations

from tests.bench.process import measure
from tests.bench.table import Row, milliseconds

# Batches split over x, the weights of each block over y as tensor parallelism has it.
PROGRAM = """
import gc, json, statistics, time
import jax, jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

jax.config.update("jax_num_cpu_devices", 8)
from shardwidget import read

mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)

def norm(x, g):
    m = x.mean(-1, keepdims=True)
    return (x - m) / jnp.sqrt(((x - m) ** 2).mean(-1, keepdims=True) + 1e-5) * g

def block(x, wq, wk, wv, wo, w1, w2, g1, g2):
    h = norm(x, g1)
    b, t, d = h.shape
    q, k, v = [(h @ w).reshape(b, t, 2, d // 2).transpose(0, 2, 1, 3) for w in (wq, wk, wv)]
    s = jnp.where(jnp.tril(jnp.ones((t, t), bool)), jnp.einsum("bhtd,bhsd->bhts", q, k) / jnp.sqrt(d / 2.0), -1e9)
    o = jnp.einsum("bhts,bhsd->bhtd", jax.nn.softmax(s), v).transpose(0, 2, 1, 3).reshape(b, t, d)
    x = x + o @ wo
    return x + jax.nn.gelu(norm(x, g2) @ w1) @ w2

def loss(layers, x, y):
    for weights in layers:
        x = block(x, *weights)
    return ((x - y) ** 2).mean()

gradient = jax.value_and_grad(loss)

def shape(dims, *spec):
    return jax.ShapeDtypeStruct(dims, jnp.float32, sharding=NamedSharding(mesh, P(*spec)))

def arguments(steps):
    columns, rows = (None, "y"), ("y", None)
    layer = [shape((32, 32), *spec) for spec in (columns, columns, columns, rows)]
    layer += [shape((32, 128), *columns), shape((128, 32), *rows), shape((32,)), shape((32,))]
    return [layer, layer], shape((8, steps, 32), "x"), shape((8, steps, 32), "x")

def first(call):
    jax.clear_caches()
    gc.collect()
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result

def plainly(args):
    jax.make_jaxpr(lambda *a: gradient(*a))(*args)
    return jax.jit(lambda *a: gradient(*a)).lower(*args).compile()

read.comparison(lambda x: x * 2, shape((8, 8), "x"))
plain, ours, equations = [], [], 0
for n in range(5):
    args = arguments(16 + 2 * n)
    plain.append(first(lambda: plainly(args))[0])
    seconds, comparison = first(lambda: read.comparison(gradient, *args))
    ours.append(seconds)
    equations = len(comparison.rows) - 1
    assert comparison.program.collectives
print(json.dumps({"plain": statistics.median(plain), "ours": statistics.median(ours), "equations": equations}))
"""


def rows() -> list[Row]:
    """The time of a comparison."""
    found = measure(PROGRAM)
    assert found["equations"] >= 400
    beside = f"traced twice, compiled once {milliseconds(found['plain'])}, {found['ours'] / found['plain']:.2f}×"
    what = f"comparison of a gradient of {found['equations']} equations, 8 devices"
    return [Row(what, milliseconds(found["ours"]), "≤ 1.5×", beside)]
