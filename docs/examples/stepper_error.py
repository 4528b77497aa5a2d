@jax.shard_map(mesh=mesh, in_specs=(P("x", "y"), P("y", None)), out_specs=P("x", None))
def forgot_psum(a_block, b_block):
    return a_block @ b_block


a, b = place(jnp.ones((8, 16)), "x", "y"), place(jnp.ones((16, 4)), "y", None)
sw.ShardMapStepper(forgot_psum, a, b)
