"""One of two processes: reads an array that lives on the devices of both, and prints what it saw as JSON.

Arguments: the coordinator's port, this process's index.
"""

import json
import sys

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

from shardwidget import read

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_num_cpu_devices", 4)
# Nothing is sent between the processes, so no transport that wants a resolvable host name.
jax.config.update("jax_cpu_collectives_implementation", None)
jax.distributed.initialize(f"localhost:{sys.argv[1]}", num_processes=2, process_id=int(sys.argv[2]))

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y"))
numbers = np.arange(128, dtype="float32").reshape(8, 16)
x = jax.make_array_from_callback((8, 16), NamedSharding(mesh, P("x", "y")), lambda index: numbers[index])
placement = read.array(x)

fetched = []
device_get = jax.device_get
jax.device_get = lambda a: fetched.append(a.device.id) or device_get(a)
values = read.values(x, placement.device_ids)

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
        }
    ),
    flush=True,
)
jax.distributed.shutdown()
