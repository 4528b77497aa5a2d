row = jax.make_mesh((4,), ("x",), devices=jax.devices()[:4])


@jax.shard_map(mesh=row, in_specs=P("x"), out_specs=P("x"))
def smooth(u):
    left = jax.lax.ppermute(u[-1:], "x", [(0, 1), (1, 2), (2, 3)])
    right = jax.lax.ppermute(u[:1], "x", [(1, 0), (2, 1), (3, 2)])
    wide = jnp.concatenate([left, u, right])
    return (wide[:-2] + wide[1:-1] + wide[2:]) / 3


sw.show(smooth, place(jnp.arange(16.0) ** 2, "x", mesh=row))
