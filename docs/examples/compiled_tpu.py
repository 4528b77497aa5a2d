pod = sw.tpu_mesh("v5e:4x4", ("data", "model"))


def shape(dims, *spec):
    return jax.ShapeDtypeStruct(dims, jnp.bfloat16, sharding=NamedSharding(pod, P(*spec)))


def mlp(x, w_in, w_out):
    h = jax.nn.gelu(x @ w_in)
    return h @ w_out


sw.CompiledProgram(
    mlp,
    shape((2048, 4096), "data", None),
    shape((4096, 16384), "data", "model"),
    shape((16384, 4096), "model", "data"),
)
