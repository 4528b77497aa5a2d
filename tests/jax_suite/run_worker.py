"""One of several processes: measures a step on the devices of all, and prints its run.

Arguments: the coordinator's port, how many processes, this process's index, devices of each, the one that is slow.
"""

import base64
import functools
import pickle
import sys
import time

import jax
import numpy as np
from jax import lax
from jax._src import xla_bridge  # noqa: TID251 JAX has no option for the host name that gloo takes.
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

from shardwidget import read

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


def burn(index, x):
    until = time.perf_counter() + 0.05 * (index == slow)
    while time.perf_counter() < until:
        pass
    return x


def step(x):
    kind = jax.ShapeDtypeStruct(x.shape, x.dtype)
    x = jax.pure_callback(burn, kind, lax.axis_index("data"), x)
    return lax.psum(x, "data")


f = jax.jit(jax.shard_map(step, mesh=mesh, in_specs=P("data", "model"), out_specs=P(None, "model"), check_vma=False))
run = read.run(f, x, n=3)
print("RUN " + base64.b64encode(pickle.dumps(run)).decode(), flush=True)
jax.distributed.shutdown()
