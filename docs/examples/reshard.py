stages = jax.make_mesh((2, 2, 2), ("stage", "fsdp", "tensor"))


def whole(shape, *spec):
    return jax.ShapeDtypeStruct(shape, "float32", sharding=NamedSharding(stages, P(*spec)))


params = {
    "up": whole((1024, 4096), ("stage", "fsdp"), "tensor"),
    "down": whole((4096, 1024), "tensor", ("stage", "fsdp")),
    "norm": whole((4, 128, 1024), "fsdp"),
}
targets = {  # groups that keep the array, and its spec inside one
    "up": ({0}, P("fsdp", "tensor")),
    "down": ({1}, P("tensor", "fsdp")),
    "norm": ({0}, P("fsdp")),
}
plan = sw.read.reshard_plan(params, targets, stages, "stage", threshold=8 * 2**20, compiled=True)
sw.ReshardPlanView(plan)
