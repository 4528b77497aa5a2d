rows = place(jnp.arange(128.0).reshape(8, 16), "x", None)
sw.show(rows, selection={"device": 5})
