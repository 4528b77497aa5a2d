"""Other arguments of the same types, with which an answer that is a constant gives itself away."""

from __future__ import annotations

import random
from typing import Any

import jax
import numpy as np
from jax.sharding import NamedSharding

from shardwidget.teach import layouts

TRIES = 3
"""The number of other sets of arguments."""


def others(args: tuple[Any, ...], seed: str) -> tuple[tuple[Any, ...], ...]:
    """Sets of arguments that differ from the given ones in values alone; the same again for the same seed.

    What the values mean is kept as far as it can be told: signs, zeros and bounds of real numbers, and the range of
    whole ones, which may be indices. Python's whole numbers may be sizes: they change only where nothing else does.
    """
    made = []
    for number in range(TRIES):
        draw = random.Random(f"{seed} {number}")
        some = jax.tree.map(lambda x, draw=draw: _other(x, draw), args)
        if _same(some, args):
            some = jax.tree.map(lambda x, n=number: x + n + 1 if type(x) is int else x, args)
        if not _same(some, args):
            made.append(some)
    return tuple(made)


def _other(x: Any, draw: random.Random) -> Any:
    if isinstance(x, float):
        return x * draw.uniform(0.5, 1) if x else draw.uniform(0.5, 1)
    if not isinstance(x, jax.Array | np.ndarray) or x.size == 0 or not _has_numbers(x):
        return x
    new = _values(np.asarray(x), np.random.default_rng(draw.getrandbits(63)))
    return layouts.put_like(new, x) if isinstance(x, jax.Array) else new


def _values(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    if x.dtype.kind == "b":
        return rng.random(x.shape) < 0.5
    if jax.dtypes.issubdtype(x.dtype, np.integer):
        low, high = int(x.min()), int(x.max())
        low, high = (low, high) if low < high else (min(low, 0), max(high, 1))
        return rng.integers(low, high, x.shape, endpoint=True).astype(x.dtype)
    factor = rng.uniform(0.5, 1, x.shape)
    wide = x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)
    return (wide * factor if x.any() else factor).astype(x.dtype)


def _has_numbers(x: jax.Array | np.ndarray) -> bool:
    """Whether the values are numbers, all here, and the array itself: parts of a sum are not."""
    if not (jax.dtypes.issubdtype(x.dtype, np.number) or x.dtype == np.bool_):
        return False
    if not isinstance(x, jax.Array):
        return True
    unreduced = isinstance(x.sharding, NamedSharding) and bool(x.sharding.spec.unreduced)
    return x.is_fully_addressable and not unreduced


def _same(a: Any, b: Any) -> bool:
    pairs = zip(jax.tree.leaves(a), jax.tree.leaves(b), strict=True)
    return all(x is y or (isinstance(x, int | float) and x == y) or _equal(x, y) for x, y in pairs)


def _equal(x: Any, y: Any) -> bool:
    arrays = isinstance(x, jax.Array | np.ndarray)
    return arrays and np.asarray(x).tobytes() == np.asarray(y).tobytes()
