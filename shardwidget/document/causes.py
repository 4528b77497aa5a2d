"""Why a value differs from that of a reference: a sum, something that is added, blocks or elements elsewhere."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from shardwidget.document.difference import Difference, Run, close, matched, values, wide
from shardwidget.document.step import Step, Variable

__all__: list[str] = []

PART = "what it is divided by counts the elements of one device"


def cause_of(mine: Run, other: Run, found: Difference, axes: Mapping[str, int], rtol: float, atol: float) -> str:
    """What is likely wrong, in a sentence or two; empty where it is not known.

    Args:
        mine: the program.
        other: the reference.
        found: where they begin to differ.
        axes: the sizes of the mesh axes.
        rtol: tolerance relative to the greatest element.
        atol: absolute tolerance.
    """
    at = next((m for m in matched(mine, other) if m[0][0] == found.step and m[0][1].name == found.name), None)
    if at is None or found.mine.shape != found.other.shape:
        return ""
    (_, v), (theirs, w), devices = at
    pairs = [(wide(a), wide(b)) for _, a, b in values(v, w, devices)]
    if not pairs or len(pairs) != len(devices):
        return ""
    lines = [step.source.line if step.source else 0 for step in (mine.steps[found.step], other.steps[theirs])]
    value = _Value(mine, found.step, v, [a for a, _ in pairs], [b for _, b in pairs], dict(axes), rtol, atol)
    return value.cause(lines) or _lines(mine.steps[found.step], other.steps[theirs])


def _lines(one: Step, two: Step) -> str:
    if one.source is None or two.source is None or one.source.text == two.source.text:
        return ""
    return f"Line {one.source.line} is another than line {two.source.line} of the reference."


@dataclass(frozen=True)
class _Value:
    """A value that differs, on every device."""

    run: Run
    at: int
    """The step that makes it."""
    variable: Variable
    blocks: list[np.ndarray]
    theirs: list[np.ndarray]
    axes: dict[str, int]
    rtol: float
    atol: float

    def cause(self, lines: list[int]) -> str:
        where = ""
        if all(lines) and lines[0] != lines[1]:
            where = f" (line {lines[0]} against line {lines[1]} of the reference)"
        line = f" in line {lines[0]}" if lines[0] else ""
        found = self._elsewhere(where) or self._rolled(where)
        return found or self._parts(line) or self._times(line) or self._added(line)

    @property
    def _in_region(self) -> bool:
        return self.variable.region >= 0

    def _close(self, a: Any, b: np.ndarray) -> bool:
        return close(np.asarray(a), b, self.rtol, self.atol)

    def _sets(self) -> Iterator[tuple[int, ...]]:
        """Mesh axes, alone and together, as indices."""
        several = [k for k, size in enumerate(self.axes.values()) if size > 1]
        for count in range(1, len(several) + 1):
            yield from itertools.combinations(several, count)

    def _counts(self) -> list[int]:
        """The devices of one axis, and of several."""
        sizes = list(self.axes.values())
        return sorted({math.prod(sizes[k] for k in axes) for axes in self._sets()})

    def _elsewhere(self, where: str) -> str:
        if not self._in_region:
            return ""
        held = [next((q for q, b in enumerate(self.theirs) if self._close(a, b)), None) for a in self.blocks]
        p = next(
            (p for p, q in enumerate(held) if q is not None and not self._close(self.blocks[p], self.theirs[p])), None
        )
        if p is None or None in held:
            return ""
        ids = self.run.devices
        held_by = f"device {ids[p]} holds what device {ids[held[p] or 0]} has in the reference"
        return f"The blocks go to other devices: {held_by}{where}."

    def _rolled(self, where: str) -> str:
        """Whole arrays whose elements stand elsewhere along a dimension."""
        a, b = self.blocks[0], self.theirs[0]
        for dim, size in enumerate(a.shape if not self._in_region else ()):
            by = next((k for k in range(1, size) if self._close(a, np.roll(b, k, dim))), 0)
            if by:
                places, side = (by, "after") if by <= size - by else (size - by, "before")
                return (
                    f"The elements stand elsewhere: along dim {dim}, {places} places {side} those of the reference, "
                    f"round the end. They are moved in the other direction, or by another distance{where}."
                )
        return ""

    def _parts(self, line: str) -> str:
        """Blocks that add up to those of the reference."""
        whole = math.prod(self.axes.values()) == len(self.blocks)
        if not (self._in_region and whole) or self.blocks[0].dtype.kind not in "fc":
            return ""
        names = list(self.axes)
        shape = (*self.axes.values(), *self.blocks[0].shape)
        mine, theirs = (np.reshape(np.stack(blocks), shape) for blocks in (self.blocks, self.theirs))
        name = self.run.called(self.variable)
        for axes in self._sets():
            sums, mean = (np.broadcast_to(of(axes, keepdims=True), shape) for of in (mine.sum, mine.mean))
            over, count = " and ".join(names[k] for k in axes), math.prod(shape[k] for k in axes)
            if self._close(sums, theirs) and not self._close(mean, mine):
                parts = f"{name}{line} has parts of a sum over {over}"
                return f"{parts}, which nothing has added: psum over {over} is missing."
            more = (v for v in self._before() if self._adds(v, sums - theirs, count))
            if (v := next(more, None)) is not None:
                added = self.run.called(v)
                return (
                    f"{name} has parts of a sum over {over}, and {added} is added to each{line}: {count} times. Add it "
                    f"after psum over {over}."
                )
        return ""

    def _adds(self, v: Variable, more: np.ndarray, count: int) -> bool:
        """Whether a sum has a value once for each of its terms too much."""
        added = self._held(v)
        if added is None or not np.any(added[0]):
            return False
        ones = [1] * (len(self.variable.shape) - len(v.shape))
        blocks = np.reshape(np.stack(added), (*self.axes.values(), *ones, *v.shape))
        return self._close(more, count * np.broadcast_to(blocks, more.shape))

    def _held(self, v: Variable) -> list[np.ndarray] | None:
        try:
            return [wide(v.value(device)) for device in self.run.devices[: len(self.blocks)]]
        except (KeyError, ValueError):
            return None

    def _added(self, line: str) -> str:
        """Something that is added more often than in the reference."""
        if self.blocks[0].dtype.kind not in "fc":
            return ""
        for v in self._before():
            if (times := self._more(v)) is None:
                continue
            later = self._sum_after() if times == 1 and self._in_region else None
            if later is not None:
                axes = later.collective.axes if later.collective else ()
                count = math.prod(self.axes.get(axis, 1) for axis in axes)
                behind = f", line {later.source.line}," if later.source else ""
                added, over = self.run.called(v), " and ".join(axes)
                return (
                    f"{added} is added on each device{line}, before psum over {over}{behind} which adds it {count} "
                    "times. Add it after the sum, as the reference does."
                )
            more = "once more" if times == 1 else f"{times} times more"
            return f"{self.run.called(v)} is added {more}{line} than in the reference."
        return ""

    def _before(self) -> list[Variable]:
        """What may have been added: the operands of the step, then other values of the program before it."""
        steps = self.run.steps[: self.at + 1]
        order = [*steps[-1].inputs, *(v for step in reversed(steps) for v in (*step.inputs, *step.outputs))]
        return [v for v in {v.id: v for v in order}.values() if v.id != self.variable.id and _fits(v, self.variable)]

    def _more(self, v: Variable) -> int | None:
        """How many times more than in the reference a value is added; None where that is not the difference."""
        if (added := self._held(v)) is None:
            return None
        for times in sorted({1, *self._counts(), *(n - 1 for n in self._counts())}):
            each = zip(self.blocks, self.theirs, added, strict=True)
            if all(np.any(w) and self._close(a, b + times * w) for a, b, w in each):
                return times
        return None

    def _sum_after(self) -> Step | None:
        return next((s for s in self.run.steps[self.at + 1 :] if s.sums), None)

    def _times(self, line: str) -> str:
        if self.blocks[0].dtype.kind not in "fc":
            return ""
        what = "block" if self._in_region else "element"
        each = list(zip(self.blocks, self.theirs, strict=True))
        for n in self._counts():
            if all(self._close(a, n * b) for a, b in each):
                how = f"a sum over {n} devices is made twice" if self._in_region else f"{n} equal terms are added up"
                return f"Each {what} is {n} times what it should be{line}: {how}, or {PART}."
            if all(self._close(n * a, b) for a, b in each):
                how = f"a sum over {n} devices is missing, or it" if self._in_region else "it"
                return f"Each {what} is 1/{n} of what it should be{line}: {how} is divided by {n} once too often."
        return ""


def _fits(v: Variable, into: Variable) -> bool:
    """Whether adding a value keeps the shape of another one."""
    if (v.region < 0) != (into.region < 0) or len(v.shape) > len(into.shape):
        return False
    tail = into.shape[len(into.shape) - len(v.shape) :]
    return all(a in (1, b) for a, b in zip(v.shape, tail, strict=True))
