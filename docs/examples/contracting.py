def product(h, w):
    return h @ w


sw.show(product, place(jnp.ones((8, 16)), "x", "y"), place(jnp.ones((16, 4)), "y", None))
