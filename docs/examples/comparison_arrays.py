auto = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
params = {
    "w": place(jnp.ones((16, 8)), "x", "y"),
    "b": place(jnp.ones(8), "y"),
    "w_auto": place(jnp.ones((16, 8)), "x", "y", mesh=auto),
}
sw.ShardingComparison(params)
