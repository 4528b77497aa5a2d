"""Values of a trace by name: where their blocks come from, and where two traces begin to differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from shardwidget.document.trace import Step, Trace, Variable


class BlockOf(NamedTuple):
    """A block of a variable: ``BlockOf("k", 6)`` is the block of ``k`` that device 6 held at first."""

    name: str
    device: int | None
    """Its id; None where the device was sent nothing and has zeros."""

    def __str__(self) -> str:
        return f"{self.name} of device {self.device}" if self.device is not None else "zeros: no device sent a block"


@dataclass(frozen=True, eq=False)
class History:
    """The values that have one name, in the order in which the program made them.

    ```python
    trace["k"].origin(device=0, iteration=3)      # BlockOf("k", 5): the block that device 5 held at first
    ```
    """

    trace: Trace
    name: str
    variables: tuple[Variable, ...]

    def __len__(self) -> int:
        return len(self.variables)

    def __iter__(self) -> Iterator[Variable]:
        return iter(self.variables)

    def __getitem__(self, index: int) -> Variable:
        return self.variables[index]

    def at(self, iteration: int | None = None) -> Variable:
        """The first value of this name in an iteration of a loop; without one, the last block of a region.

        Raises:
            KeyError: no recorded iteration of that number has such a value.
        """
        if iteration is None:
            return next((v for v in reversed(self.variables) if v.region >= 0), self.variables[-1])
        made = {v.id: step for step in self.trace.steps for v in step.outputs}
        numbers = [self._iteration(made.get(v.id)) for v in self.variables]
        if iteration not in numbers:
            known = sorted({n for n in numbers if n is not None})
            raise KeyError(f"{self.name} has no value in iteration {iteration}; it has one in {known or 'no loop'}")
        return self.variables[numbers.index(iteration)]

    def _iteration(self, step: Step | None) -> int | None:
        at = -1 if step is None else step.scope
        while at >= 0 and self.trace.scopes[at].kind != "iteration":
            at = self.trace.scopes[at].parent
        return self.trace.scopes[at].iteration if at >= 0 else None

    def origin(self, device: int, iteration: int | None = None) -> BlockOf | tuple[BlockOf, ...]:
        """Whose block a device holds: followed through permutations, gathers, exchanges, slices and loop carries.

        Args:
            device: id of the device.
            iteration: of the innermost loop around it, at whose start the value is read; None for the last value.

        Returns:
            The block, or one for each piece where the device holds pieces of several. A value that was computed is its
            own origin.

        Raises:
            KeyError: the mesh has no such device, or there is no such iteration.
            ValueError: it is not known, because the block was made in an iteration that was not recorded.
        """
        v = self.at(iteration)
        ids = self.trace.mesh.device_ids.array().tolist()
        if device not in ids:
            some = ", ".join(map(str, ids[:8])) + (f" … {ids[-1]}" if len(ids) > 8 else "")
            raise KeyError(f"no device {device!r}; the {len(ids)} devices of this mesh are {some}")
        if v.origin is None:
            return BlockOf(v.name, device)
        name = self.trace.variables[v.origin.variable].name
        positions = v.origin.positions.array().reshape(len(ids), -1)[ids.index(device)]
        if np.any(positions < -1):
            raise ValueError(
                f"not known whose block {v.name} is on device {device}: it is from an iteration that was not recorded"
            )
        blocks = tuple(BlockOf(name, ids[p] if p >= 0 else None) for p in positions.tolist())
        return blocks[0] if len(blocks) == 1 else blocks


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


def compare(one: Trace, other: Trace, rtol: float, atol: float) -> Difference | None:
    """The first value that differs; see ``Trace.compare``."""
    for (number, v), w in _pairs(one, other):
        for device in one.mesh.device_ids.array().tolist():
            try:
                a, b = v.value(device), w.value(device)
            except (KeyError, ValueError):  # Not kept, or a device that does not execute the step.
                continue
            if not _equal(a, b, rtol, atol):
                return Difference(number, v.name, device, a, b)
    return None


def _pairs(one: Trace, other: Trace) -> Iterator[tuple[tuple[int, Variable], Variable]]:
    """Values of both that correspond, the first with its step: step by step, or the n-th of each name.

    Of two functions the results belong together, too, whatever they are called.
    """
    if [s.primitive for s in one.steps] == [s.primitive for s in other.steps]:
        yield from zip(_made(one), (v for _, v in _made(other)), strict=False)
        return
    table = {(v.name, n): v for n, (_, v) in _numbered(other)}
    for n, (number, v) in _numbered(one):
        if (v.name, n) in table:
            yield (number, v), table[v.name, n]
    results = [trace.steps[-1].outputs if trace.steps else () for trace in (one, other)]
    if len(results[0]) == len(results[1]):
        yield from (((len(one.steps) - 1, v), w) for v, w in zip(*results, strict=True))


def _made(trace: Trace) -> Iterator[tuple[int, Variable]]:
    """The values that a trace makes, with the steps that make them."""
    return ((k, v) for k, step in enumerate(trace.steps) for v in step.outputs)


def _numbered(trace: Trace) -> Iterator[tuple[int, tuple[int, Variable]]]:
    """Those with names that the user gave, and how many of the same name came before."""
    count: dict[str, int] = {}
    for number, v in _made(trace):
        if v.name.isidentifier() and not v.name.startswith("tmp"):
            count[v.name] = count.get(v.name, -1) + 1
            yield count[v.name], (number, v)


def _equal(a: np.ndarray, b: np.ndarray, rtol: float, atol: float) -> bool:
    if a.shape != b.shape:
        return False
    if not (np.issubdtype(a.dtype, np.inexact) and np.issubdtype(b.dtype, np.inexact)):
        return bool(np.array_equal(a, b))
    return bool(np.allclose(a, b, rtol=rtol, atol=atol, equal_nan=True))
