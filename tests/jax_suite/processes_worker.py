"""One of several processes: calls every widget together with the others, then without one of them.

Prints what it saw. Arguments: the coordinator's port, how many processes, this process's index, devices of each, the
row of the mesh that is slow.
"""

import base64
import contextlib
import functools
import io
import os
import pickle
import sys
import time

import jax
import numpy as np
from jax import lax
from jax._src import xla_bridge  # noqa: TID251 JAX has no option for the host name that gloo takes.
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

import shardwidget as sw
from shardwidget import _jax, read

port, processes, process, devices, slow = map(int, sys.argv[1:])
jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_num_cpu_devices", devices)
jax.config.update("jax_cpu_collectives_implementation", "gloo")
# Gloo would look up the name of the machine, which need not be one that resolves.
gloo = xla_bridge.xla_client._xla
gloo.make_gloo_tcp_collectives = functools.partial(gloo.make_gloo_tcp_collectives, hostname="localhost")
jax.distributed.initialize(f"localhost:{port}", num_processes=processes, process_id=process)

mesh = Mesh(np.array(jax.devices()).reshape(processes * devices // 2, 2), ("data", "model"))
numbers = np.arange(64, dtype="float32").reshape(8, 8)
x = jax.make_array_from_callback((8, 8), NamedSharding(mesh, P("data", "model")), lambda index: numbers[index])
seen: dict = {"said": {}}


def saying(name, call):
    """What a call returns; what it prints is recorded."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        result = call()
    seen["said"][name] = out.getvalue().splitlines()
    return result


def burn(index, x):
    until = time.perf_counter() + 0.05 * (index == slow)
    while time.perf_counter() < until:
        pass
    return x


def step(x):
    kind = jax.ShapeDtypeStruct(x.shape, x.dtype)
    x = jax.pure_callback(burn, kind, lax.axis_index("data"), x)
    return lax.psum(x, "data")


def body(a):
    return lax.psum(a * 2, "model")


def product(a):
    return (a @ a).sum()


step = jax.jit(jax.shard_map(step, mesh=mesh, in_specs=P("data", "model"), out_specs=P(None, "model"), check_vma=False))
view = saying("CompiledProgram", lambda: sw.CompiledProgram(step, x))
seen["run"] = saying("profile", lambda: view.profile(n=3))
stepped = jax.shard_map(body, mesh=mesh, in_specs=P("data", "model"), out_specs=P("data"))
seen["trace"] = saying("ShardMapStepper", lambda: sw.ShardMapStepper(stepped, x)).document
seen["comparison"] = saying("ShardingComparison", lambda: sw.ShardingComparison(product, x)).document
seen["model"] = saying("ModelView", lambda: sw.ModelView({"x": x})).document
array = saying("ArrayView", lambda: sw.ArrayView(x))
seen["before"] = len(array._fetch(list(array.document.device_ids)).blocks)
saying("fetch", array.fetch)
seen["placement"] = array.document
seen["wanted"] = array._fetch(list(array.document.device_ids)).blocks

# The last process is missing; then it arrives, and meets the others at their next call.
last = processes - 1
board = _jax.Board.here()
assert board is not None
if process == last:
    board.wait("test/gave up", 60)
else:
    with sw.config(arrival=0.5):
        try:
            array.fetch()
        except TimeoutError as error:
            seen["missing"] = str(error)
    board.post("test/gave up", b"")
array.fetch()
# They arrive at different calls.
try:
    read.fetch(x if process != last else x[:, 0])
except RuntimeError as error:
    seen["different"] = str(error)
# It ends, and the others know which one it was.
done = process == last
if not done:
    with sw.config(arrival=0.5):
        try:
            read.time_program(step, (x,), n=1)
        except TimeoutError as error:
            seen["ended"] = str(error)
print("SEEN " + base64.b64encode(pickle.dumps(seen)).decode(), flush=True)
# Not all are there to shut down together; the coordinating process stays until the others no longer need it.
if process == 0:
    sys.stdin.read()
os._exit(0)
