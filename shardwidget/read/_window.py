"""Which elements of a shard are read: every ``steps``-th along each dimension."""

from __future__ import annotations

import math

import numpy as np

WINDOW = 64 * 64
"""The most elements of the last two dimensions together."""


def sample_shape(shape: tuple[int, ...], steps: tuple[int, ...]) -> tuple[int, ...]:
    """Number of elements along each dimension that ``x[::step, …]`` takes."""
    return tuple(-(-size // step) for size, step in zip(shape, steps, strict=True))


def sample_steps(shape: tuple[int, ...], most: int) -> tuple[int, ...]:
    """Powers of two that leave ``WINDOW`` elements of the last two dimensions and ``most`` (at least 1) of all.

    The longest dimension is thinned first, so that what is left is as square as can be.
    """
    steps = [1] * len(shape)
    for first, bound in ((max(0, len(shape) - 2), WINDOW), (0, max(most, 1))):
        while math.prod(left := sample_shape(shape[first:], tuple(steps[first:]))) > bound:
            steps[first + int(np.argmax(left))] *= 2
    return tuple(steps)
