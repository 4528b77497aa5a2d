"""Reading the placement of an array on 4096 devices, and its size on the wire."""

from __future__ import annotations

from tests.bench.process import measure
from tests.bench.table import Row, kilobytes, milliseconds

# Every array is on a mesh of its own, with its devices in another order, and each shows it twice: what is found about
# a mesh may be kept for the next time. Ours goes first, so that it pays for what JAX keeps. A rival that prints does
# so into memory; treescope draws no HTML until it is asked for it.
PROGRAM = """
import contextlib, io, json, statistics, time
import jax
import numpy as np

jax.config.update("jax_num_cpu_devices", 4096)
import shardwidget as sw
import treescope
from ipywidgets.widgets.widget import _remove_buffers
from shardwidget.document import to_wire

def put(devices):
    mesh = jax.sharding.Mesh(devices, ("x", "y"))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x", "y"))
    return jax.block_until_ready(jax.device_put(np.zeros((512, 512), np.float32), sharding))

def visualize(x):
    with contextlib.redirect_stdout(io.StringIO()):
        jax.debug.visualize_array_sharding(x)

def page(x):
    return treescope.render_array_sharding(x)._repr_html_()

def seconds(call, x):
    start = time.perf_counter()
    call(x)
    return time.perf_counter() - start

def wire(x):
    state, _, buffers = _remove_buffers(to_wire(sw.read.placement(x)))
    return len(json.dumps(state, separators=(",", ":"))) + sum(memoryview(b).nbytes for b in buffers)

devices = np.array(jax.devices())
calls = {"read": sw.read.placement, "visualize": visualize, "figure": treescope.render_array_sharding, "page": page}
for call in calls.values():
    call(put(devices[:8].reshape(4, 2)))  # loads what is loaded once

arrays = [put(np.roll(devices, n).reshape(64, 64)) for n in range(7)]
found = {name: [(seconds(call, x), seconds(call, x)) for x in arrays] for name, call in calls.items()}
times = {name: [statistics.median(column) for column in zip(*pairs)] for name, pairs in found.items()}
print(json.dumps({"times": times, "wire": [wire(x) for x in arrays[:2]], "html": len(page(arrays[0]).encode())}))
"""


def rows() -> list[Row]:
    """Time of ``read.placement`` beside what draws the same array, and bytes of the document."""
    found = measure(PROGRAM)
    times, (plain, permuted) = found["times"], found["wire"]

    def compare(what: str, which: int, reach: str) -> list[Row]:
        ours = times["read"][which]
        rivals = [
            f"{label} {milliseconds(times[name][which])}, {times[name][which] / ours:.0f}×"
            for name, label in [
                ("visualize", "visualize_array_sharding"),
                ("figure", "treescope.render_array_sharding"),
                ("page", "the same and its HTML"),
            ]
        ]
        return [Row(what, milliseconds(ours), reach, rivals[0]), *(Row("", "", "", rival) for rival in rivals[1:])]

    return [
        *compare("read.placement, 64×64 mesh", 0, "≤ 3 ms, ≥ 50×"),
        *compare("  again on the same mesh", 1, ""),
        Row("its document on the wire", kilobytes(plain), "≤ 24 KB", f"treescope's HTML {kilobytes(found['html'])}"),
        Row("  devices in another order", kilobytes(permuted), "≤ 24 KB"),
    ]
