sharding = NamedSharding(mesh, P("x", None, unreduced={"y"}))
owed = jax.ShapeDtypeStruct((8, 16), jnp.float32, sharding=sharding)
sw.show(owed)
