"""What a function gave, as plain data, and how two results differ."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np


@dataclass(frozen=True)
class Leaf:
    """One array of a result, or what is in its place."""

    dtype: str
    """As JAX has it; the class of what is no array."""
    shape: tuple[int, ...]
    values: np.ndarray | None = None
    """None where only the type is known."""

    @property
    def nbytes(self) -> int:
        """Bytes of the values."""
        return 0 if self.values is None else self.values.nbytes


@dataclass(frozen=True)
class Result:
    """The arrays of a tree."""

    tree: str
    """Its structure, as JAX prints it."""
    leaves: tuple[Leaf, ...]

    @property
    def nbytes(self) -> int:
        """Bytes of all values."""
        return sum(leaf.nbytes for leaf in self.leaves)


@dataclass(frozen=True)
class Outcome:
    """The outcome of a call: a value, or what JAX (or the function) raised."""

    value: Any = None
    error: str = ""
    """Class of the exception; empty where there is none."""
    said: str = ""
    explanation: str = ""
    """What the error means, where that is known."""


def result(value: Any) -> Result:
    """A tree as plain data."""
    leaves, tree = jax.tree.flatten(value)
    return Result(tree_text(tree), tuple(map(_leaf, leaves)))


def tree_text(tree: Any) -> str:
    """The structure of a tree, the same in every process."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(tree))


def failed(error: BaseException) -> Outcome:
    """An exception as an outcome; without its message where that raises too."""
    try:
        said = str.strip(str(error))
    except Exception:
        said = ""
    return Outcome(None, type(error).__name__, said)


def same(a: Result, b: Result) -> bool:
    """Whether two results have the same structure, types and values, bit by bit."""
    if a.tree != b.tree or len(a.leaves) != len(b.leaves):
        return False
    pairs = zip(a.leaves, b.leaves, strict=True)
    return all(x.dtype == y.dtype and x.shape == y.shape and _bytes(x.values) == _bytes(y.values) for x, y in pairs)


def difference(got: Result, wanted: Result) -> str:
    """How a result differs from the one that is asked for, in one sentence that does not give the latter away.

    Empty where they are the same: the same tree, shapes and dtypes, and values within rounding.
    """
    mine, theirs = got.leaves, wanted.leaves
    if got.tree != wanted.tree or len(mine) != len(theirs):
        return f"It gives {_count(mine)}; expected are {_count(theirs)}, in another structure."
    for number, (a, b) in enumerate(zip(mine, theirs, strict=True)):
        which = f"Result {number}" if len(mine) > 1 else "The result"
        if a.shape != b.shape:
            return f"{which} has shape {a.shape}, not the one that is asked for."
        if a.dtype != b.dtype:
            return f"{which} has dtype {a.dtype}, not the one that is asked for."
        if b.values is None:
            continue
        if a.values is None or a.values.shape != b.values.shape:
            return f"{which} has no values to compare."
        if text := _values(a.values, b.values, which):
            return text
    return ""


def _leaf(x: Any) -> Leaf:
    if isinstance(x, jax.ShapeDtypeStruct):
        return Leaf(_dtype(x), tuple(x.shape))
    if isinstance(x, jax.Array) and jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key):
        return Leaf(str(x.dtype), tuple(x.shape), np.asarray(jax.random.key_data(x)))
    values = np.asarray(x)
    if jax.dtypes.issubdtype(values.dtype, np.number) or values.dtype == np.bool_:
        return Leaf(_dtype(x), values.shape, values)
    # Text, an object: JAX has no such type.
    return Leaf(type(x).__name__, ())


def _dtype(x: Any) -> str:
    """A dtype as JAX has it: without x64, what NumPy computes in 64 bits has 32."""
    dtype = x.dtype if hasattr(x, "dtype") else np.asarray(x).dtype
    return str(jax.dtypes.canonicalize_dtype(dtype, allow_extended_dtype=True))


def _bytes(values: np.ndarray | None) -> bytes | None:
    return None if values is None else values.tobytes()


def _values(a: np.ndarray, b: np.ndarray, which: str) -> str:
    exact = not jax.dtypes.issubdtype(b.dtype, np.inexact)
    close = a == b if exact else _close(a, b)
    if close.all():
        return ""
    text = f"{which} has the right shape; {int((~close).sum())} of its {a.size} values are off."
    with np.errstate(all="ignore"):
        ratio = (a / b)[~close] if not exact or jax.dtypes.issubdtype(b.dtype, np.integer) else np.array([])
    if ratio.size and np.isfinite(ratio).all() and np.allclose(ratio, ratio.flat[0], rtol=1e-3):
        k = float(ratio.flat[0])
        if k > 1 and math.isclose(k, round(k), rel_tol=1e-3):
            text += f" They are {round(k)} times what they should be: something is added up more than once."
        elif 0 < k < 1 and math.isclose(1 / k, round(1 / k), rel_tol=1e-3):
            text += f" They are one {round(1 / k)}th of what they should be: some parts are not added."
    return text


def _close(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Equal within rounding, which is coarser for types of 16 bits and fewer."""
    narrow = b.dtype.itemsize <= 2
    rtol = max(1e-4, 4 * float(jax.numpy.finfo(b.dtype).eps)) if narrow else 1e-4
    wide = (x.astype(np.float32) if x.dtype.itemsize <= 2 else x for x in (a, b))
    return np.isclose(*wide, rtol=rtol, atol=rtol / 10, equal_nan=True)


def _count(leaves: Sequence[Leaf]) -> str:
    return f"{len(leaves)} array" + "s" * (len(leaves) != 1)
