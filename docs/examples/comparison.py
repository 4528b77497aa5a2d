def layer(x, w1, w2, scale):
    h = x @ w1
    r = jax.nn.relu(h)
    y = r @ w2
    z = y * scale
    mu = z.mean(0)
    return z - mu


sw.ShardingComparison(
    layer,
    place(jnp.ones((128, 64)), "x", None),
    place(jnp.ones((64, 256)), None, "y"),
    place(jnp.ones((256, 16)), "y", None),
    place(jnp.ones(16), "y"),
)
