"""Measured runs: the profiler's events, joined with the program."""
