def loss(params, x):
    def layer(h, w):
        return h + jax.nn.gelu(h @ w["up"]) @ w["down"], None

    h, _ = jax.lax.scan(layer, x, params)
    return jnp.square(h).mean()


@jax.jit
def train_step(params, x):
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, jax.grad(loss)(params, x))


params = {
    "up": jax.ShapeDtypeStruct((24, 4096, 16384), jnp.bfloat16),
    "down": jax.ShapeDtypeStruct((24, 16384, 4096), jnp.bfloat16),
}
batch = jax.ShapeDtypeStruct((64, 2048, 4096), jnp.bfloat16)
sw.SearchView(train_step, params, batch, mesh="v5p:4x4x4", compiled=0)
