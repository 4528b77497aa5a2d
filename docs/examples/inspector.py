from shardwidget import Inspector

names = {
    "params": {"embed": place(jnp.ones((4096, 256))), "up": place(jnp.ones((256, 1024)), None, "y")},
    "x": place(jnp.ones((1024, 256)), "x"),
    "h": place(jnp.ones((1024, 1024)), "x", "y"),
    "table": jnp.ones((256, 256)),
}
inspector = Inspector(names)  # in a notebook: Inspector(), which follows the cells
names["params"]["up"] = place(names["params"]["up"], "x", "y")
names["h"].delete()
names["out"] = place(jnp.ones((1024, 256)), "x")
inspector.refresh()
inspector
