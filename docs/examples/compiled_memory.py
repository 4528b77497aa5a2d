auto = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def block(h, w):
    wide = jax.nn.gelu(h @ w["up"])
    return h + wide @ w["down"], None


def step(w, x):
    def loss(w):
        h, _ = jax.lax.scan(block, x, w)
        return (h**2).mean()

    return jax.tree.map(lambda p, g: p - 0.1 * g, w, jax.grad(loss)(w))


weights = {
    "up": place(jnp.ones((6, 128, 512)), None, "data", "model", mesh=auto),
    "down": place(jnp.ones((6, 512, 128)), None, "model", "data", mesh=auto),
}
sw.CompiledProgram(
    jax.jit(step, donate_argnums=0), weights, place(jnp.ones((64, 32, 128)), "data", mesh=auto), page="memory"
)
