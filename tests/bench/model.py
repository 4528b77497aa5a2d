"""Reading a whole tree of arrays, beside what draws the same tree: 10,000 shapes on 4096 devices, 220 arrays on 8."""

from __future__ import annotations

from tests.bench.process import measure
from tests.bench.table import Row, kilobytes, milliseconds

# treescope is asked for its HTML, which is what a notebook keeps; JAX itself draws arrays of 1 and 2 dimensions, one
# by one, and prints into memory.
PROGRAM = """
import contextlib, io, json, statistics, time
import jax
import numpy as np

jax.config.update("jax_num_cpu_devices", 8)
import treescope
from flax import nnx
from jax.sharding import AbstractMesh, AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import shardwidget as sw
from shardwidget.document import to_wire
from shardwidget.export.state import encode

pod = AbstractMesh((64, 64), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)

def layer(make):
    wide = {f"w{n}": make((4096, 4096), P("data", "model")) for n in range(8)}
    return wide | {"scale": make((4096,), P()), "bias": make((4096,), P())}

def shape(size, spec):
    return jax.ShapeDtypeStruct(size, "bfloat16", sharding=NamedSharding(pod, spec))

def array(size, spec):
    return jax.device_put(np.zeros([n // 64 for n in size], np.float32), NamedSharding(mesh, spec))

big = {"layers": [layer(shape) for _ in range(1000)]}
small = {"layers": [layer(array) for _ in range(22)]}

class Block(nnx.Module):
    def __init__(self):
        for n in range(10):
            weight = small["layers"][0][f"w{n % 8}"]
            setattr(self, f"w{n}", nnx.Param(weight, out_sharding=("embed", "mlp"), eager_sharding=False))

class Net(nnx.Module):
    def __init__(self):
        self.layers = nnx.List([Block() for _ in range(1000)])

net = Net()

def visualize(tree):
    with contextlib.redirect_stdout(io.StringIO()):
        for x in jax.tree.leaves(tree):
            jax.debug.visualize_array_sharding(x)

def page(tree):
    return treescope.render_to_html(tree)

def median(call, tree, runs):
    call(tree)
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        call(tree)
        times.append(time.perf_counter() - start)
    return statistics.median(times)

print(json.dumps({
    "big": median(sw.read.model, big, 5),
    "big_wire": len(encode(to_wire(sw.read.model(big)))),
    "big_page": median(page, big, 1),
    "big_html": len(page(big).encode()),
    "net": median(sw.read.model, net, 5),
    "net_wire": len(encode(to_wire(sw.read.model(net)))),
    "small": median(sw.read.model, small, 5),
    "small_wire": len(encode(to_wire(sw.read.model(small)))),
    "small_page": median(page, small, 1),
    "small_html": len(page(small).encode()),
    "visualize": median(visualize, small, 1),
}))
"""


def rows() -> list[Row]:
    """Time of ``read.model`` and bytes of its document, beside what draws the same tree."""
    found = measure(PROGRAM)

    def rival(name: str, key: str, size: str = "") -> str:
        return f"{name} {milliseconds(found[key])}{f', {kilobytes(found[size])}' if size else ''}"

    html = "treescope.render_to_html"
    return [
        Row("read.model, 10,000 shapes, 4096 devices", milliseconds(found["big"]), "≤ 300 ms", rival(html, "big_page")),
        Row("  its document", kilobytes(found["big_wire"]), "≤ 400 KB", f"{html} {kilobytes(found['big_html'])}"),
        Row("  10,000 parameters of flax nnx, with logical names", milliseconds(found["net"]), "≤ 300 ms", ""),
        Row("  its document", kilobytes(found["net_wire"]), "≤ 400 KB", ""),
        Row("  220 arrays on 8 devices", milliseconds(found["small"]), "", rival(html, "small_page", "small_html")),
        Row("  its document", kilobytes(found["small_wire"]), "", rival("visualize_array_sharding, each", "visualize")),
    ]
