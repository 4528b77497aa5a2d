auto = jax.make_mesh((4, 2), ("fsdp", "tensor"), axis_types=(AxisType.Auto,) * 2)


def loss(params, x):
    def layer(h, w):
        return h + jax.nn.gelu(h @ w["up"]) @ w["down"], None

    h, _ = jax.lax.scan(layer, x, params)
    return (h**2).mean()


@jax.jit
def train_step(params, x):
    gradients = jax.grad(loss)(params, x)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients)


params = {
    "up": place(jnp.ones((6, 256, 1024)), None, "fsdp", "tensor", mesh=auto),
    "down": place(jnp.ones((6, 1024, 256)), None, "tensor", "fsdp", mesh=auto),
}
batch = place(jnp.ones((512, 256)), "fsdp", mesh=auto)
sw.CompiledProgram(train_step, params, batch)
