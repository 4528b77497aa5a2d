auto = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def predict(params, x):
    h = jax.nn.relu(x @ params["up"])
    return h @ params["down"]


params = {
    "up": place(jnp.ones((256, 1024)), None, "model", mesh=auto),
    "down": place(jnp.ones((1024, 2048)), "model", None, mesh=auto),
}
batch = place(jnp.ones((1024, 256)), "data", mesh=auto)
whole = jax.jit(predict, out_shardings=NamedSharding(auto, P()))
sw.CompiledProgram(whole, params, batch)
