ring = jax.make_mesh((4,), ("seq",), devices=jax.devices()[:4])
to_next = [(i, (i + 1) % 4) for i in range(4)]


@jax.shard_map(mesh=ring, in_specs=(P("seq"),) * 3, out_specs=P("seq"))
def ring_attention(q, k, v):
    def hop(_, state):
        k, v, out, total, largest = state
        scores = q @ k.T
        new_largest = jnp.maximum(largest, scores.max(-1))
        weights = jnp.exp(scores - new_largest[:, None])
        kept = jnp.exp(largest - new_largest)
        out = out * kept[:, None] + weights @ v
        total = total * kept + weights.sum(-1)
        k = jax.lax.ppermute(k, "seq", to_next)
        v = jax.lax.ppermute(v, "seq", to_next)
        return k, v, out, total, new_largest

    start = k, v, 0 * q, 0 * q[:, 0], 0 * q[:, 0] - jnp.inf
    _, _, out, total, _ = jax.lax.fori_loop(0, 4, hop, start)
    return out / total[:, None]


def tokens(seed):
    return place(jax.random.normal(jax.random.key(seed), (8, 2)), "seq", mesh=ring)


sw.show(ring_attention, tokens(0), tokens(1), tokens(2))
