auto = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def step(w_in, w_out, x):
    h = jax.nn.relu(x @ w_in)
    return jnp.mean((h @ w_out) ** 2)


sw.RunView(
    jax.grad(step, argnums=(0, 1)),
    place(jnp.ones((256, 512)), None, "model", mesh=auto),
    place(jnp.ones((512, 256)), "model", None, mesh=auto),
    place(jnp.ones((256, 256)), "data", None, mesh=auto),
)
