stages = jax.make_mesh((2, 2, 2), ("stage", "data", "model"))
first = jax.sharding.Mesh(stages.devices[:1], stages.axis_names)
embed = place(jnp.zeros((8, 16)), "data", mesh=first)
sw.ArrayView(embed, groups=(stages, "stage"))
