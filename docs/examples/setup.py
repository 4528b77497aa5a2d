import jax

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_num_cpu_devices", 8)

import jax.numpy as jnp
from jax.sharding import AbstractMesh, AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import shardwidget as sw

mesh = jax.make_mesh((4, 2), ("x", "y"))


def place(value, *spec, mesh=mesh):
    return jax.device_put(value, NamedSharding(mesh, P(*spec)))
