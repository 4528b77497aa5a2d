"""Tracing a shard_map program, beside compiling and running it plainly and beside JAX's own eager shard_map."""

from __future__ import annotations

from tests.bench.process import measure
from tests.bench.table import Row, kilobytes, milliseconds

# Two transformer blocks under tensor and fully sharded data parallelism: 215 equations on JAX 0.10. First times are
# those of a process whose JAX has compiled something else before, its caches cleared in between.
PROGRAM = """
import gc, json, statistics, time
import jax, jax.numpy as jnp
import numpy as np
from jax.sharding import AbstractMesh, AxisType, PartitionSpec as P

jax.config.update("jax_num_cpu_devices", 8)
from shardwidget import read
from shardwidget.document import to_wire

AUTO = (AxisType.Auto,) * 2
mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=AUTO)

def norm(x, g):
    m = x.mean(-1, keepdims=True)
    return (x - m) / jnp.sqrt(((x - m) ** 2).mean(-1, keepdims=True) + 1e-5) * g

def block(x, wq, wk, wv, wo, w1, w2, g1, g2):
    wq, wk, wv, wo, w1, w2 = [jax.lax.all_gather(w, "x", tiled=True) for w in (wq, wk, wv, wo, w1, w2)]
    h = norm(x, g1)
    b, t, d = (h @ wq).shape
    q, k, v = [(h @ w).reshape(b, t, 2, d // 2).transpose(0, 2, 1, 3) for w in (wq, wk, wv)]
    s = jnp.where(jnp.tril(jnp.ones((t, t), bool)), jnp.einsum("bhtd,bhsd->bhts", q, k) / jnp.sqrt(d / 2.0), -1e9)
    o = jnp.einsum("bhts,bhsd->bhtd", jax.nn.softmax(s), v).transpose(0, 2, 1, 3).reshape(b, t, d)
    x = x + jax.lax.psum(o @ wo, "y")
    return x + jax.lax.psum(jax.nn.gelu(norm(x, g2) @ w1) @ w2, "y")

weights = (P("x", "y"),) * 3 + (P(("y", "x")), P("x", "y"), P(("y", "x")), P(), P())
two = jax.shard_map(
    lambda x, a, b: block(block(x, *a), *b), mesh=mesh, in_specs=(P("x"), weights, weights), out_specs=P("x")
)

def layer(seed):
    rng = np.random.default_rng(seed)
    shapes = [(32, 32)] * 4 + [(32, 128), (128, 32)]
    return tuple(jnp.asarray(rng.normal(size=s) * 0.1, "float32") for s in shapes) + (jnp.ones(32), jnp.ones(32))

args = (jnp.ones((8, 16, 32)), layer(1), layer(2))

def seconds(call):
    start = time.perf_counter()
    jax.block_until_ready(call())
    return time.perf_counter() - start

def first(call):
    jax.clear_caches()
    gc.collect()
    return seconds(call)

warm = jax.shard_map(lambda x: x * 2, mesh=mesh, in_specs=P("x"), out_specs=P("x"))
read.trace(warm, jnp.ones(8))
eager = first(lambda: two(*args))
plain, ours, again = [], [], []
for n in range(5):
    plain.append(first(lambda: jax.jit(lambda *a: two(*a))(*args)))
    # What was compiled for another length is of no use here.
    these = (jnp.ones((8, 16 + 2 * n, 32)), *args[1:])
    ours.append(first(lambda: read.trace(two, *these).outputs))
    others = jax.block_until_ready(these[0] + 1)
    again.append(seconds(lambda: read.trace(two, others, *args[1:]).outputs))

def twenty(a, w):
    w = w * 2
    for _ in range(4):
        a = jnp.tanh(a + w)
        a = a + jax.lax.ppermute(a, "x", [(i, (i + 1) % 4) for i in range(4)])
    return jax.lax.psum(a, ("x", "y"))

def region(f, mesh, out=P()):
    return jax.shard_map(f, mesh=mesh, in_specs=(P("x", "y"), P("x", "y")), out_specs=out)

buffers = []
x = jnp.ones((32, 32))
wire = to_wire(read.trace(region(twenty, mesh), x, x))
text = json.dumps(wire, default=lambda b: buffers.append(b) or "", separators=(",", ":"))

wide = AbstractMesh((16, 16), ("x", "y"), axis_types=AUTO)
def many(a, w):
    for _ in range(5):
        a = jnp.tanh(a + w)
        a = a + jax.lax.ppermute(a, "x", [(i, (i + 1) % 16) for i in range(16)])
    return a
x = jnp.ones((128, 256))
host = first(lambda: read.trace(region(many, wide, P("x", "y")), x, x).outputs)

def big(a, w):
    for _ in range(30):
        a = jnp.sin(a) + w
    return a
great = read.trace(region(big, mesh, P("x", "y")), *[jnp.ones((6144, 6144))] * 2)
kept = sum(len(v.window.data) for v in great.variables if v.window)
whole = sum(np.prod(v.shape) * v.bits // 8 for v in great.variables if v.region >= 0)
print(json.dumps({
    "plain": statistics.median(plain), "ours": statistics.median(ours), "again": statistics.median(again),
    "eager": eager, "host": host, "wire": len(text) + sum(map(len, buffers)), "kept": kept, "whole": int(whole),
    "note": great.note, "equations": len(read.trace(two, *args).steps),
}))
"""

# A chain of operations, traced and compiled in processes of their own. CPU time: compilers use several threads.
LONG = """
import json, resource, sys, time
import jax, jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

jax.config.update("jax_num_cpu_devices", 8)
from shardwidget import read
from shardwidget.document import to_wire

what, steps = sys.argv[1], int(sys.argv[2])
mesh = jax.make_mesh((2, 4), ("x", "y"), axis_types=(AxisType.Auto,) * 2)

def chain(n):
    def f(a):
        for _ in range(n):
            a = jnp.sin(a) + 1
        return a
    return jax.shard_map(f, mesh=mesh, in_specs=P("x", "y"), out_specs=P("x", "y"), check_vma=False)

x, f = jnp.ones((4, 8)), chain(steps // 2)
run = {"jit": jax.jit, "trace": lambda f: lambda x: read.trace(f, x)}[what]
run(chain(2))(x)
memory, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
found = jax.block_until_ready(run(f)(x))
seconds = time.process_time() - start
size = 0
if what == "trace":
    buffers = []
    text = json.dumps(to_wire(found), default=lambda b: buffers.append(b) or "", separators=(",", ":"))
    size = len(text) + sum(map(len, buffers))
more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory) * 1024
print(json.dumps({"seconds": seconds, "size": size, "memory": more}))
"""
LONG_REACH = {250: "", 1_000: "≤ 3 s", 5_000: "≤ 20 s, ≤ 1.5 MB"}


def rows() -> list[Row]:
    """Times and sizes of a trace."""
    return [*_usual(), *(_long(steps, reach) for steps, reach in LONG_REACH.items())]


def _long(steps: int, reach: str) -> Row:
    """A chain of so many operations."""
    ours, plain = measure(LONG, "trace", steps), measure(LONG, "jit", steps)
    return Row(
        f"a chain of {steps:,} steps, CPU time",
        f"{milliseconds(ours['seconds'])}, {kilobytes(ours['size'])}",
        reach,
        f"jit {milliseconds(plain['seconds'])}; memory + {ours['memory'] / 2**20:.0f} MiB",
    )


def _usual() -> list[Row]:
    found = measure(PROGRAM)
    ratio, share = found["ours"] / found["plain"], found["ours"] / found["eager"]
    return [
        Row(
            f"trace, {found['equations']} steps, 8 devices",
            milliseconds(found["ours"]),
            "≤ 1.7×, ≤ 0.2×",
            f"jit once {milliseconds(found['plain'])}, {ratio:.2f}×",
        ),
        Row("", "", "", f"eager shard_map {milliseconds(found['eager'])}, {share:.2f}×"),
        Row("  again with other values", milliseconds(found["again"]), "≤ 100 ms"),
        Row("its document, 20 equations", kilobytes(found["wire"]), "≤ 60 KB"),
        Row("host engine, 256 devices", milliseconds(found["host"]), "≤ 2 s"),
        Row(
            f"shown of {found['whole'] / 2**30:.1f} GiB a device",
            kilobytes(found["kept"]),
            "≤ 16 MiB",
            "and said" if "only the corner" in found["note"] else "not said",
        ),
    ]
