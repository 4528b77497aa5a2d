from functools import partial

S, L, M = 2, 4, 4  # devices, layers, microbatches
K = M // S  # microbatches on each device
ring = jax.make_mesh((S,), ("stages",), axis_types=(AxisType.Auto,))


def shift(x):
    return jax.lax.ppermute(x, "stages", [(i, (i + 1) % S) for i in range(S)])


@partial(jax.shard_map, mesh=ring, in_specs=(P("stages"), P("stages")), out_specs=P("stages"), check_vma=False)
def pipelined(weights, inputs):
    stage = jax.lax.axis_index("stages")
    outputs = jnp.full_like(inputs, jnp.nan)
    state = jnp.full((L // S, *inputs.shape[1:]), jnp.nan)
    for i in range(M + L - 1):
        state = state.at[0].set(jnp.where(stage == 0, inputs[i % K], state[0]))
        state = jax.vmap(lambda w, x: jnp.tanh(x @ w))(weights, state)
        last = (i - L + 1) % K
        outputs = outputs.at[last].set(jnp.where(stage == S - 1, state[-1], outputs[last]))
        state = jnp.roll(state, 1, axis=0).at[0].set(shift(state[-1]))
        if i % K == K - 1:
            inputs = shift(inputs)
        if last == K - 1:
            outputs = shift(outputs)
    return shift(outputs)


weights = jax.random.normal(jax.random.key(0), (L, 4, 4))
inputs = jax.random.normal(jax.random.key(1), (M, 2, 4))
sw.PipelineView(pipelined, weights, inputs, microbatches=0, argument=1)
