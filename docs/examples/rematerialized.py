auto = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)


def constrained(h, *spec):
    return jax.lax.with_sharding_constraint(h, NamedSharding(auto, P(*spec)))


def step(h):
    h = jnp.sin(constrained(h, "x", None))
    return constrained(h, None, "y") * 2


def in_two(h):
    h = jnp.sin(constrained(h, "x", None))
    h = constrained(h, "x", "y")
    return constrained(h, None, "y") * 2


h = place(jnp.ones((1024, 1024)), "x", None, mesh=auto)
sw.CompiledProgram.compare({"step": (step, h), "in two": (in_two, h)})
