"""Explicit types beside concrete shardings: one walk of a program, three ways of asking where its values are."""
