"""One of two processes: reads an array and a program on the devices of both, and prints what it saw as JSON.

Arguments: the coordinator's port, this process's index.
"""

import functools
import json
import sys

import jax
import numpy as np
from jax import lax
from jax._src import xla_bridge  # noqa: TID251 JAX has no option for the host name that gloo takes.
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

from shardwidget import read
from shardwidget.read._values import sampled
from tests.mpmd import FakeMpmdMesh, MpmdArray

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_num_cpu_devices", 4)
jax.config.update("jax_cpu_collectives_implementation", "gloo")
# Gloo would look up the name of the machine, which need not be one that resolves.
gloo = xla_bridge.xla_client._xla
gloo.make_gloo_tcp_collectives = functools.partial(gloo.make_gloo_tcp_collectives, hostname="localhost")
jax.distributed.initialize(f"localhost:{sys.argv[1]}", num_processes=2, process_id=int(sys.argv[2]))

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y"))
numbers = np.arange(128, dtype="float32").reshape(8, 16)
x = jax.make_array_from_callback((8, 16), NamedSharding(mesh, P("x", "y")), lambda index: numbers[index])
placement = read.placement(x)

fetched = []
device_get = jax.device_get
jax.device_get = lambda a: fetched.append(a.device.id) or device_get(a)
values = sampled(x, placement.device_ids)


def body(a):
    d = lax.axis_index("x")
    shifted = lax.cond(d % 2 == 0, lambda a: a + 1, lambda a: a - 1, a)
    _, scaled = lax.while_loop(lambda s: s[0] <= d, lambda s: (s[0] + 1, s[1] * 2), (0 * d, shifted))
    total = lax.psum(scaled, "y")
    jax.debug.print("{}", total[0, 0])
    return total


trace = read.trace(jax.shard_map(body, mesh=mesh, in_specs=P("x", "y"), out_specs=P("x")), x)
NAMES = ("a", "shifted", "scaled")
named = {v.name: v for v in trace.variables}
ids = trace.mesh.device_ids.array().tolist()

# The devices of process 0 are group 0, those of process 1 are group 1.
stages = Mesh(np.array(jax.devices()).reshape(2, 4), ("stage", "data"))
remote, on_groups = [], []
for group in range(2):
    own = NamedSharding(Mesh(stages.devices[group : group + 1], stages.axis_names), P("data"))
    here = [] if group != jax.process_index() else [jax.device_put(numbers[:2], d) for d in jax.local_devices()]
    on_groups.append(jax.make_array_from_single_device_arrays((8, 16), own, here, dtype=numbers.dtype))
    remote.append(read.placement(on_groups[-1], groups=(stages, "stage")).holds)

# JaxPP's array of group 1: process 0 has no array of it at all, and plans its way to the whole mesh all the same.
second = {} if jax.process_index() == 0 else {1: on_groups[1]}
of_jaxpp = MpmdArray(second, FakeMpmdMesh(stages, "stage"), {1}, P("data"), (8, 16))
plan = read.reshard_plan(
    of_jaxpp, NamedSharding(stages, P("stage", "data")), stages, "stage", threshold=1024, compiled=True
)

print(
    json.dumps(
        {
            "devices": placement.device_ids,
            "process": placement.mesh.process.array().tolist(),
            "this_process": placement.mesh.this_process,
            "slices": [[(s.start, s.stop) for s in placement.slices(device)] for device in placement.device_ids],
            "values": {b.device_id: np.frombuffer(b.data, "<f4").tolist() for b in values.blocks},
            "note": values.note,
            "fetched": fetched,
            "engine": trace.engine,
            "program": {name: [named[name].value(device).tolist() for device in ids] for name in NAMES},
            "blocks": {name: w.block.array().tolist() for name in NAMES if (w := named[name].window)},
            "active": [[s.primitive, s.active.array().tolist()] for s in trace.steps if s.active is not None],
            "sentences": [s.sentence for s in trace.steps if s.primitive in ("cond", "while")],
            "printed": [s.printed for s in trace.steps if s.printed],
            "remote": remote,
            "of_jaxpp": vars(read.placement(of_jaxpp))["holds"],
            "plan": [plan.arrays[0].groups, plan.held_bytes, sorted(c.kind for c in plan.arrays[0].collectives or ())],
            "outputs": [[s.device.id, np.asarray(s.data).tolist()] for s in trace.outputs.addressable_shards],
        }
    ),
    flush=True,
)
jax.distributed.shutdown()
