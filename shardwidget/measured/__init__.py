"""Arithmetic of measured runs: who waited for whom, what a call's time went into, clocks. No JAX."""
