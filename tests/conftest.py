"""Sixteen CPU devices for every test, made before JAX starts its backend; the same random examples every time."""

import hypothesis
import jax

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_num_cpu_devices", 16)

hypothesis.settings.register_profile("shardwidget", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("shardwidget")
