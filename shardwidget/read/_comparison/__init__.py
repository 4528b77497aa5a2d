"""Explicit types beside concrete shardings: one walk through a program, three ways to find where its values are."""
