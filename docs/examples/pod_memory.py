pod = AbstractMesh((16, 16), ("fsdp", "tensor"), axis_types=(AxisType.Auto,) * 2)


def weight(*shape, spec):
    return jax.ShapeDtypeStruct(shape, jnp.bfloat16, sharding=NamedSharding(pod, spec))


layer = {
    "qkv": weight(8192, 10240, spec=P("fsdp", "tensor")),
    "o": weight(8192, 8192, spec=P("tensor", "fsdp")),
    "up": weight(8192, 57344, spec=P("fsdp", "tensor")),
    "down": weight(28672, 8192, spec=P("tensor", "fsdp")),
}
params = {"embed": weight(128256, 8192, spec=P("tensor")), "layers": [layer] * 80}
moment = jax.tree.map(lambda w: jax.ShapeDtypeStruct(w.shape, "float32", sharding=w.sharding), params)
sw.show({"params": params, "mu": moment, "nu": moment})
