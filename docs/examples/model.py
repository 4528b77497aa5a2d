pod = AbstractMesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def weight(rows, columns, *spec):
    return jax.ShapeDtypeStruct((rows, columns), "bfloat16", sharding=NamedSharding(pod, P(*spec)))


def parameters(embed):
    layer = {"up": weight(1024, 4096, "data", "model"), "down": weight(4096, 1024, "model", "data")}
    return {"embed": weight(32768, 1024, *embed), "layers": [layer] * 12}


state = {"params": parameters(embed=()), "mu": parameters(embed=("model", "data"))}
sw.show(state, rules="params/embed → P('model', None)")
