x = place(jnp.arange(128.0).reshape(8, 16), "x", "y")
sw.show(x)
