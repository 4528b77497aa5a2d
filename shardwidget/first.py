"""A first program to look at: a matmul on eight CPU devices, in rows of four that add their blocks.

```python
import shardwidget as sw, shardwidget.first as first
sw.show(first.matmul, first.a, first.b)
```
"""

import contextlib

import jax
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

with contextlib.suppress(RuntimeError):  # where JAX runs already, it keeps the devices that it has
    jax.config.update("jax_num_cpu_devices", 8)
    jax.config.update("jax_platforms", "cpu")

mesh = jax.make_mesh((2, 4), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
a = jax.device_put(jax.numpy.arange(32.0).reshape(4, 8) % 5, NamedSharding(mesh, P("x", "y")))
b = jax.device_put(jax.numpy.arange(32.0).reshape(8, 4) % 3, NamedSharding(mesh, P("y", None)))


@jax.shard_map(mesh=mesh, in_specs=(P("x", "y"), P("y", None)), out_specs=P("x", None))
def matmul(a_block, b_block):
    return jax.lax.psum(a_block @ b_block, "y")
