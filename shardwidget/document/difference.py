"""Where two programs begin to differ: their values, step by step or by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shardwidget.document.step import Step, Variable


@dataclass(frozen=True, eq=False)
class Difference:
    """Where two traces begin to differ."""

    step: int
    """Index in ``steps`` of the first trace."""
    name: str
    """Of the value that differs."""
    device: int
    """Id of the first device that differs."""
    mine: np.ndarray
    other: np.ndarray

    def __str__(self) -> str:
        return f"{self.name} differs first on device {self.device}, at step {self.step}:\n{self.mine}\n{self.other}"


def compare(
    one: Sequence[Step], other: Sequence[Step], devices: Sequence[int], rtol: float, atol: float
) -> Difference | None:
    """The first value that differs; see ``Trace.compare``.

    Args:
        one: steps of a trace.
        other: those of another.
        devices: ids of the devices whose values are compared.
        rtol: tolerance relative to the other value.
        atol: absolute tolerance.
    """
    for (number, v), w in _pairs(one, other):
        for device in devices:
            try:
                a, b = v.value(device), w.value(device)
            except (KeyError, ValueError):  # Not kept, or a device that does not execute the step.
                continue
            if not _equal(a, b, rtol, atol):
                return Difference(number, v.name, device, a, b)
    return None


def _pairs(one: Sequence[Step], other: Sequence[Step]) -> Iterator[tuple[tuple[int, Variable], Variable]]:
    """Values of both that correspond, the first with its step: step by step, or the n-th of each name.

    Of two functions the results belong together, too, whatever they are called.
    """
    if [s.primitive for s in one] == [s.primitive for s in other]:
        yield from zip(_made(one), (v for _, v in _made(other)), strict=False)
        return
    table = {(v.name, n): v for n, (_, v) in _numbered(other)}
    for n, (number, v) in _numbered(one):
        if (v.name, n) in table:
            yield (number, v), table[v.name, n]
    results = [steps[-1].outputs if steps else () for steps in (one, other)]
    if len(results[0]) == len(results[1]):
        yield from (((len(one) - 1, v), w) for v, w in zip(*results, strict=True))


def _made(steps: Sequence[Step]) -> Iterator[tuple[int, Variable]]:
    """The values that steps make, each with the number of its step."""
    return ((k, v) for k, step in enumerate(steps) for v in step.outputs)


def _numbered(steps: Sequence[Step]) -> Iterator[tuple[int, tuple[int, Variable]]]:
    """Those with names that the user gave, and how many of the same name came before."""
    count: dict[str, int] = {}
    for number, v in _made(steps):
        if v.name.isidentifier() and not v.name.startswith("tmp"):
            count[v.name] = count.get(v.name, -1) + 1
            yield count[v.name], (number, v)


def _equal(a: np.ndarray, b: np.ndarray, rtol: float, atol: float) -> bool:
    if a.shape != b.shape:
        return False
    if not (np.issubdtype(a.dtype, np.inexact) and np.issubdtype(b.dtype, np.inexact)):
        return bool(np.array_equal(a, b))
    return bool(np.allclose(a, b, rtol=rtol, atol=atol, equal_nan=True))
