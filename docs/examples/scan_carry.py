@jax.shard_map(mesh=mesh, in_specs=P("x"), out_specs=P("x"))
def total(rows):
    def add(carry, row):
        return carry + row.sum(), None

    carry, _ = jax.lax.scan(add, 0.0, rows)
    return carry[None]


sw.ShardMapStepper(total, place(jnp.arange(32.0).reshape(8, 4), "x"))
