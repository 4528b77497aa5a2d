experts = jax.make_mesh((4,), ("expert",), devices=jax.devices()[:4])


@jax.shard_map(mesh=experts, in_specs=(P("expert"), P("expert")), out_specs=P("expert"))
def moe_layer(tokens, weights):
    # The router sends one token of each device to each expert.
    expert = (jnp.arange(4) + jax.lax.axis_index("expert")) % 4
    sorted_tokens = tokens[jnp.argsort(expert)]
    received = jax.lax.all_to_all(sorted_tokens, "expert", 0, 0, tiled=True)
    outputs = received @ weights[0]
    returned = jax.lax.all_to_all(outputs, "expert", 0, 0, tiled=True)
    return returned[expert]


tokens = place(jnp.arange(32.0).reshape(16, 2), "expert", mesh=experts)
weights = place(jnp.arange(1.0, 5)[:, None, None] * jnp.eye(2), "expert", mesh=experts)
sw.show(moe_layer, tokens, weights)
