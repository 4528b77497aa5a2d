@jax.shard_map(mesh=mesh, in_specs=P("x", None), out_specs=P("x", None))
def doubled(block):
    return 2 * block


sw.ShardMapStepper(doubled, place(jnp.ones((8, 16)), None, "y"))
