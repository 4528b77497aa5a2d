auto = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def loss(w_in, w_out, x):
    h = jax.nn.relu(x @ w_in)
    y = h @ w_out
    return (y**2).mean()


sw.CompiledProgram(
    jax.grad(loss, argnums=(0, 1)),
    place(jnp.ones((64, 128)), None, "model", mesh=auto),
    place(jnp.ones((128, 64)), "model", None, mesh=auto),
    place(jnp.ones((32, 64)), "data", None, mesh=auto),
)
