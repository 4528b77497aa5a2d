"""Arguments to compare programs with, and how their results differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

TOLERANCE = {2: 3e-2, 4: 1e-4, 8: 1e-8}
"""By bytes of a number, the most that results may differ by, as a share of the largest."""


ROW = 4
"""The most numbers of a result's first row that are kept to look at."""


def samples(arguments: Sequence[Any]) -> Iterator[list[Any]]:
    """The arguments, and others of the same kind: like them, of both signs, of the other sign, and with a large number.

    What is equal for the arguments by chance (ones, zeros, a maximum of positive numbers beside padded zeros) differs
    for another.
    """
    generator = np.random.default_rng(0)
    held = [_held(x) for x in arguments]
    yield held
    varied = [_varied(x, generator) for x in held]
    yield varied
    yield [_moved(x, -0.7, 1) for x in varied]
    yield [_moved(x, 0, -1) for x in varied]
    yield [_with_one(x, 0, 1) for x in varied]
    yield [_with_one(x, -1, -1) for x in varied]


def _held(x: Any) -> Any:
    return x if jax.dtypes.issubdtype(x.dtype, jax.dtypes.extended) else np.asarray(x)


def _is_float(x: Any) -> bool:
    return isinstance(x, np.ndarray) and bool(jnp.issubdtype(x.dtype, np.inexact)) and bool(x.size)


def _varied(x: Any, generator: np.random.Generator) -> Any:
    if not isinstance(x, np.ndarray):
        return x
    if not x.size:
        return x
    if not _is_float(x):
        return generator.permutation(x.reshape(-1)).reshape(x.shape)
    wide = x.astype(np.complex128 if np.iscomplexobj(x) else np.float64)
    spread = float(wide.std()) or float(np.abs(wide.mean())) or 1.0
    new = wide + spread * generator.normal(size=x.shape)
    positive = not np.iscomplexobj(x) and bool((wide >= 0).all())
    return (np.abs(new) + 0.01 * spread if positive else new).astype(x.dtype)


def _moved(x: Any, means: float, sign: int) -> Any:
    """Floating-point numbers times a sign, and a number of means away."""
    if not _is_float(x):
        return x
    wide = x.astype(np.complex128 if np.iscomplexobj(x) else np.float64)
    return (sign * wide + means * wide.mean()).astype(x.dtype)


def _with_one(x: Any, at: int, sign: int) -> Any:
    """Floating-point numbers, one of them larger than the others together."""
    if not _is_float(x):
        return x
    new = x.copy()
    new.reshape(-1)[at] = sign * min(float(np.abs(x).max() * 10 + 1), float(jnp.finfo(x.dtype).max))
    return new


@dataclass(frozen=True)
class Verdict:
    """What a program gives, beside what is intended."""

    effect: str
    """How its results differ, in words; empty where they do not."""
    row: tuple[str, ...]
    """The first numbers of the first row of a result: of the first that differs, else of the first."""
    row_size: int
    """How many numbers that row has."""


def verdict(
    wanted: Sequence[Sequence[np.ndarray]], gotten: Sequence[Sequence[np.ndarray]], own: Sequence[np.ndarray]
) -> Verdict:
    """How results differ from the intended ones.

    Args:
        wanted: for each sample, the results.
        gotten: the same.
        own: the results of the user's own arguments.
    """
    several = len(wanted[0]) > 1
    for number in range(len(wanted[0])):
        words = _difference([outs[number] for outs in wanted], [outs[number] for outs in gotten])
        if words:
            return Verdict(f"result {number + 1}: {words}" if several else words, *_row(own[number]))
    return Verdict("", *(_row(own[0]) if own else ((), 0)))


def _row(x: np.ndarray) -> tuple[tuple[str, ...], int]:
    """The first numbers of an array's first row, and how many the row has."""
    row = x[(0,) * (x.ndim - 1)] if x.ndim > 1 and x.size else x.reshape(-1)
    return tuple(_text(number) for number in row[:ROW]), len(row)


def _difference(wanted: Sequence[np.ndarray], gotten: Sequence[np.ndarray]) -> str:
    if wanted[0].shape != gotten[0].shape:
        return f"gives shape {gotten[0].shape}, the function on the whole array {wanted[0].shape}"
    largest = float(np.median([np.abs(np.asarray(w, np.complex128)).max(initial=0.0) for w in wanted]))
    differing = [k for k, (w, g) in enumerate(zip(wanted, gotten, strict=True)) if not _agree(w, g, largest)]
    if not differing:
        return ""
    if factor := _factor(wanted, gotten):
        return f"gives {factor} times the value"
    if 0 not in differing:
        return "gives another value for other arguments"
    w, g = wanted[0], gotten[0]
    at = np.unravel_index(int(np.argmax(np.abs(np.asarray(g, np.complex128) - np.asarray(w, np.complex128)))), w.shape)
    return f"gives {_text(g[at])} where the function on the whole array gives {_text(w[at])}"


def _agree(one: np.ndarray, other: np.ndarray, largest: float = 0.0) -> bool:
    """Whether numbers are equal, up to what another order of additions changes.

    Args:
        one: numbers.
        other: numbers.
        largest: the largest that such numbers are elsewhere.
    """
    if not jnp.issubdtype(one.dtype, np.inexact):
        return bool(np.array_equal(one, other))
    size = one.dtype.itemsize // (2 if np.iscomplexobj(one) else 1)
    a, b = np.asarray(one, np.complex128), np.asarray(other, np.complex128)
    tolerance = TOLERANCE.get(size, 1e-1)
    return bool(np.allclose(b, a, rtol=tolerance, atol=tolerance * max(float(np.abs(a).max(initial=0.0)), largest)))


def _factor(wanted: Sequence[np.ndarray], gotten: Sequence[np.ndarray]) -> str:
    """The whole number, or the fraction of one, by which all results are multiplied; empty where there is none."""
    found = []
    for w, g in zip(wanted, gotten, strict=True):
        a, b = np.asarray(w, np.complex128), np.asarray(g, np.complex128)
        norm = float((np.abs(a) ** 2).sum())
        if not norm or not np.isfinite(b).all():
            return ""
        found.append(Fraction(float(((a.conj() * b).sum() / norm).real)).limit_denominator(4096))
        if not _agree(a * float(found[-1]), b) and not np.allclose(a * float(found[-1]), b, rtol=1e-3):
            return ""
    factor = found[0]
    return str(factor) if len(set(found)) == 1 and 1 in (factor.numerator, factor.denominator) and factor != 1 else ""


def _text(x: Any) -> str:
    return f"{x:.4g}" if jnp.issubdtype(x.dtype, np.floating) else str(x)
