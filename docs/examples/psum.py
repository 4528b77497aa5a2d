@jax.shard_map(mesh=mesh, in_specs=(P("x", "y"), P("y", None)), out_specs=P("x", None))
def matmul(a_block, b_block):
    partial = a_block @ b_block
    return jax.lax.psum(partial, "y")


a = place(jnp.arange(128.0).reshape(8, 16) % 5, "x", "y")
b = place(jnp.arange(64.0).reshape(16, 4) % 3, "y", None)
sw.show(matmul, a, b)
