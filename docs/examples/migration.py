def attention(x, w_qkv, w_out):
    q, k, v = jnp.split(x @ w_qkv, 3, axis=-1)
    scores = jax.nn.softmax(q @ k.T)
    mixed = scores @ v
    return mixed @ w_out


# This ran on an Auto mesh. jax.make_mesh now makes Explicit ones.
sw.show(
    attention,
    place(jnp.ones((16, 8)), "x", None),
    place(jnp.ones((8, 24)), None, None),
    place(jnp.ones((8, 8)), "y", None),
)
