"""Where two programs of other steps part: the first value that one makes of what both have, and the other does not."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shardwidget.document.difference import ADDS, SAME, Run, close, wide
from shardwidget.document.step import Step, Variable

__all__: list[str] = []


@dataclass(frozen=True)
class Parting:
    """Where they part."""

    at: int
    """Index of the step of the first program."""
    mine: Step
    value: Variable
    """What it makes."""
    operand: Variable
    """What it makes it of, which both have."""
    other: Step
    """What the second program does with it."""

    def cause(self, run: Run) -> str:
        """What is likely wrong; empty where the two steps do not say."""
        one, two = self.mine, self.other
        line = f" in line {one.source.line}" if one.source else ""
        theirs = f" (line {two.source.line} of the reference)" if two.source else ""
        if _sums(two) and not _sums(one):
            return self._not_summed(run, line, theirs)
        if one.sums_for_all and not _sums(two) and (n := self._summed_again(run)):
            made, operand = run.called(self.value), run.called(self.operand)
            primitive = one.primitive.removesuffix("_invariant")
            return (
                f"{made} is {n} times {operand}: {primitive} over {_over(one)}{line} adds up {n} blocks that are "
                "equal, and the reference does not."
            )
        return ""

    def values(self, run: Run, other: Run) -> tuple[int, np.ndarray, np.ndarray]:
        """The first device, and what it has there and in the reference."""
        one, two = self.value, self.other.outputs[0]
        same = [(d, wide(one.value(d)), wide(two.value(e))) for d, e in zip(run.devices, other.devices, strict=False)]
        return next((x for x in same if x[1].shape != x[2].shape or not close(x[1], x[2], 1e-4, 1e-6)), same[0])

    def _not_summed(self, run: Run, line: str, theirs: str) -> str:
        count, over = _terms(self.other, self.operand)
        others = [run.called(v) for v in self.mine.inputs if v.id != self.operand.id]
        operand = run.called(self.operand)
        collective = self.other.collective
        is_summed = collective is None or run.is_summed(self.at, collective.axes)
        if self.mine.primitive in ADDS and others and is_summed:
            return (
                f"{others[0]} is added{line} to each of {count} parts of a sum, before the sum over {over} that the "
                f"reference makes of {operand}{theirs}: it is added {count} times. Add it after the sum."
            )
        return (
            f"{operand} is to be added up over {over} before {self.mine.primitive}{line}, as the reference "
            f"does{theirs}: that sum is missing."
        )

    def _summed_again(self, run: Run) -> int:
        """Of how many equal blocks a step is the sum; 0 where it is not."""
        collective = self.mine.collective
        try:
            pairs = [(wide(self.value.value(d)), wide(self.operand.value(d))) for d in run.devices]
        except (KeyError, ValueError):
            return 0
        n = collective.group_size if collective is not None else 0
        return n if n > 1 and all(close(a, n * b, 1e-4, 1e-6) for a, b in pairs) else 0


def _sums(step: Step) -> bool:
    """Whether it adds up what devices hold, or the elements of a dimension."""
    return step.sums or step.primitive == "reduce_sum"


def _over(step: Step) -> str:
    return " and ".join(step.collective.axes) if step.collective is not None else ""


def _terms(step: Step, operand: Variable) -> tuple[int, str]:
    """How many terms a step adds up to each element, and over what."""
    if step.collective is not None:
        return step.collective.group_size, _over(step)
    count = math.prod(operand.shape) // max(1, math.prod(step.outputs[0].shape))
    dims = dict(step.params).get("axes", "").strip("(),").replace(",", "")
    return count, f"dim {dims}" if dims.isdigit() else f"dims {dims}"


def parting(mine: Run, other: Run, rtol: float, atol: float) -> Parting | None:
    """The first step whose operands both have, whose result only one has, and from which a wrong result follows.

    Args:
        mine: the program.
        other: the reference.
        rtol: tolerance relative to the greatest element.
        atol: absolute tolerance.
    """
    theirs = _Values(other, rtol, atol)
    made = {v.id: k for k, step in enumerate(mine.steps) for v in step.outputs}
    known: dict[int, bool] = {}

    def has(v: Variable) -> bool:
        if v.id not in known:
            at = made.get(v.id)
            step = None if at is None else mine.steps[at]
            of = step.inputs if step is not None and step.primitive in SAME else ()
            known[v.id] = theirs.having(v, mine.devices) is not None or (len(of) == 1 and has(of[0]))
        return known[v.id]

    wrong = {v.id for v in (mine.steps[-1].outputs if mine.steps else ()) if not has(v)}
    first: tuple[int, Variable] | None = None
    for k in reversed(range(len(mine.steps))):
        step = mine.steps[k]
        found = [v for v in step.outputs if v.id in wrong]
        if not found:
            continue
        missing = [v for v in step.inputs if not has(v)]
        wrong |= {v.id for v in missing}
        if not missing and step.inputs:
            first = k, found[0]
    return None if first is None else _beside(mine, theirs, *first)


def _beside(mine: Run, theirs: _Values, at: int, value: Variable) -> Parting | None:
    """The step of the reference that takes what this one takes."""
    step = mine.steps[at]
    for operand in step.inputs:
        for v in theirs.all_having(operand, mine.devices):
            user = next((s for s in theirs.run.steps if any(w.id == v.id for w in s.inputs)), None)
            if user is not None and user.primitive not in SAME:
                return Parting(at, step, value, operand, user)
    return None


class _Values:
    """The values of a program, found by what they are."""

    def __init__(self, run: Run, rtol: float, atol: float) -> None:
        self.run, self._rtol, self._atol = run, rtol, atol
        self._by_shape: dict[tuple[bool, tuple[int, ...]], list[tuple[Variable, list[np.ndarray]]]] = {}
        every = itertools.chain.from_iterable((*s.inputs, *s.outputs) for s in run.steps)
        for v in {v.id: v for v in every}.values():
            if (blocks := _blocks(v, run.devices)) is not None:
                self._by_shape.setdefault((v.region < 0, v.shape), []).append((v, blocks))

    def having(self, v: Variable, devices: Sequence[int]) -> Variable | None:
        """The first value that equals one of another program."""
        return next(self.all_having(v, devices), None)

    def all_having(self, v: Variable, devices: Sequence[int]) -> Iterator[Variable]:
        """All that do."""
        if (blocks := _blocks(v, devices)) is None:
            return
        for w, theirs in self._by_shape.get((v.region < 0, v.shape), ()):
            each = zip(blocks, theirs, strict=False)  # Whole arrays are the same on all devices.
            if all(close(a, b, self._rtol, self._atol) for a, b in each):
                yield w


def _blocks(v: Variable, devices: Sequence[int]) -> list[np.ndarray] | None:
    """A value on each device, a whole array once; None where it was not kept."""
    try:
        return [wide(v.value(device)) for device in (devices if v.region >= 0 else devices[:1])]
    except (KeyError, ValueError):
        return None
