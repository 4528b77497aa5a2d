"""The values of a program on a mesh beside those that it has on one device.

JAX adds steps on a mesh that one device does without (a cotangent is divided among devices, sums stand elsewhere,
types say what varies), and orders steps otherwise. So a value's counterparts are those that the same line makes in the
same iteration with the same primitive, and what a step that only communicates was given. A value without any is left
out, and what it follows from is asked instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from shardwidget.document.difference import Run, wide
from shardwidget.document.layouts import Dims, Layout, Layouts
from shardwidget.document.step import Step, Variable

__all__: list[str] = []

PASSES_ON = frozenset({"in_specs", "out_specs", "pvary", "reshard", "sharding_constraint", "optimization_barrier"})
"""Primitives that return what they take, on one device."""
LOOPS = frozenset({"scan", "while"})
FOLLOWS = frozenset({"convert_element_type", "broadcast_in_dim", *PASSES_ON, *LOOPS})
"""Steps that are no loss where they are left out: they compute nothing."""


@dataclass(frozen=True, eq=False)
class Found:
    """A value that differs, and what its step takes."""

    number: int
    """Of the step."""
    name: str
    layouts: Layouts
    blocks: list[np.ndarray]
    whole: np.ndarray
    """The value on one device."""
    dims: Dims
    """How it is to be cut."""
    times: float = 0
    """How many times the whole its blocks make; 0 where they make nothing of it."""
    doubles: int = 0
    """How many equal values its step adds up; 0 where it does not."""
    operands: tuple[tuple[Variable, Layout], ...] = ()

    def values(self, devices: Sequence[int]) -> tuple[int, np.ndarray, np.ndarray]:
        """The first device that differs, what it has and what it should have."""
        each = [(d, self.blocks[p], self._wanted(p)) for p, d in enumerate(devices)]
        return next((x for x in each if not self.layouts.close(x[1], x[2], self.whole)), each[0])

    def moved(self) -> tuple[int, int]:
        """The first position that holds another one's block, and whose; -1 twice where not all are such blocks."""
        held = [
            next((q for q in range(len(self.blocks)) if self.layouts.close(b, self._wanted(q), self.whole)), -1)
            for b in self.blocks
        ]
        elsewhere = (
            (p, q) for p, q in enumerate(held) if not self.layouts.close(self.blocks[p], self._wanted(p), self.whole)
        )
        return next(elsewhere, (-1, -1)) if -1 not in held else (-1, -1)

    def _wanted(self, position: int) -> np.ndarray:
        return self.layouts.slice(self.whole, self.dims, position)


@dataclass
class _Value:
    number: int
    """Of the step that makes it."""
    variable: Variable
    takes: list[Variable]
    """What it follows from."""
    layout: Layout | None = None
    partners: list[Variable] = field(default_factory=list)
    """What it was compared with on one device; of one that agrees, what it agrees with."""
    differs: bool = False


class Beside:
    """Two runs of one program: on a mesh, and on one device.

    Args:
        mine: that on the mesh.
        whole: that on one device.
        layouts: the ways in which the mesh may hold a value.
    """

    def __init__(self, mine: Run, whole: Run, layouts: Layouts) -> None:
        self._mine, self._whole, self._layouts = mine, whole, layouts
        self._alike = _alike(whole)
        self._known: dict[int, _Value] = {}
        self._left_out: list[int] = []
        for number, step in enumerate(mine.steps):
            for place in range(len(step.outputs)):
                self._judge(number, step, place)

    def returned(self, results: Sequence[np.ndarray]) -> list[tuple[int, str]]:
        """The steps that make some results, with the names of these."""
        found = []
        for value in reversed(self._known.values()):
            blocks = [] if value.variable.region >= 0 else _blocks(value.variable, self._mine.devices[:1])
            if blocks and any(np.array_equal(blocks[0], wide(x), equal_nan=_floats(blocks[0])) for x in results):
                found.append((value.number, value.variable.name))
        return found

    def left_out(self, before: int) -> int:
        """How many steps before one have no counterpart."""
        return sum(number < before for number in {*self._left_out})

    def first(self, roots: Sequence[tuple[int, str]]) -> Found | None:
        """The first value that differs, of those from which wrong results follow.

        Args:
            roots: what ``returned`` gave for them.
        """
        ends = [v for v in self._known.values() if (v.number, v.variable.name) in roots]
        wrong = list(self._behind(ends or list(self._known.values())))
        begins = [v for v in wrong if v.differs or self._doubles(v)]
        begins = [v for v in begins if not any(w is not v and w.number < v.number for w in self._spoils(v))]
        if not begins:  # A multiple, that nothing has made of an equal one.
            begins = [v for v in wrong if v.layout is not None and not any(w.layout for w in self._wrong(v))]
        value = min(begins, key=lambda v: v.number, default=None)
        return None if value is None else self._found(value)

    def _agrees(self, value: _Value) -> bool:
        """Whether a value is what it should be; the sum of means will be divided."""
        held = value.layout
        return held is not None and held.times in (1, self._layouts.count(held.parts))

    def _wrong(self, value: _Value) -> Iterator[_Value]:
        """What a value takes and is not what it should be."""
        for v in value.takes:
            if (given := self._known.get(v.id)) is not None and not self._agrees(given):
                yield given

    def _behind(self, ends: Sequence[_Value]) -> Iterator[_Value]:
        """Values that are not what they should be, from which others follow, with these."""
        left, seen = [v for v in ends if not self._agrees(v)], set()
        while left:
            value = left.pop()
            if value.variable.id not in seen:
                seen.add(value.variable.id)
                yield value
                left += self._wrong(value)

    def _spoils(self, value: _Value) -> Iterator[_Value]:
        """What differs already, of that from which a value follows."""
        return (v for v in self._behind(list(self._wrong(value))) if v.differs or self._doubles(v))

    def _doubles(self, value: _Value) -> int:
        """How many equal values its step adds up; 0 where it adds up parts, or nothing."""
        step = self._mine.steps[value.number]
        if value.layout is None or self._agrees(value) or not step.sums or step.collective is None:
            return 0
        given = next((k.layout for v in value.takes if (k := self._known.get(v.id))), None)
        n = step.collective.group_size
        return n if n > 1 and given is not None and value.layout.times == n * given.times and not given.parts else 0

    def _found(self, value: _Value) -> Found:
        v = value.variable
        blocks, held = _blocks(v, self._mine.devices), value.layout
        whole = _blocks(value.partners[0], self._whole.devices[:1])[0]
        dims = held.dims if held else next(self._layouts.cuts(blocks[0].shape, whole.shape))
        operands = [(w, k.layout) for w in value.takes if (k := self._known.get(w.id)) and k.layout]
        times = (int(held.times) if held.times >= 1 else held.times) if held else 0
        doubles = self._doubles(value)
        return Found(value.number, v.name, self._layouts, blocks, whole, dims, times, doubles, tuple(operands))

    def _judge(self, number: int, step: Step, place: int) -> None:
        v = step.outputs[place]
        value = self._known[v.id] = _Value(number, v, list(self._takes(number, step, place)))
        before = [k for w in value.takes if (k := self._known.get(w.id))]
        own = self._alike.get(_like(self._mine, step, v), [])
        if step.collective is not None or step.primitive in PASSES_ON | LOOPS:
            own = [*(w for k in before for w in k.partners), *own]
        blocks = _blocks(v, self._mine.devices)
        partners = [(w, b[0]) for w in {w.id: w for w in own}.values() if (b := _blocks(w, self._whole.devices[:1]))]
        comparable = [
            (w, b)
            for w, b in partners
            if blocks and next(self._layouts.cuts(blocks[0].shape, b.shape), None) is not None
        ]
        if v.region < 0:
            comparable = [(w, b) for w, b in comparable if b.shape == blocks[0].shape]
        best: tuple[Layout, Variable] | None = None
        for w, b in comparable:
            held = self._layouts.of(blocks, b, in_region=v.region >= 0)
            if held is not None and (best is None or best[0].times != 1):
                best = held, w
            if held is not None and held.times == 1:
                break
        if best is not None:
            value.layout, value.partners = best[0], [best[1]]
        elif comparable:
            value.differs, value.partners = True, self._nearest(step, [w for w, _ in comparable])
        else:
            value.partners = [w for k in before[:1] for w in k.partners]
            if step.primitive not in FOLLOWS and not step.implicit:
                self._left_out.append(number)

    def _nearest(self, step: Step, partners: list[Variable]) -> list[Variable]:
        """The counterparts of a value, first those that are made of those of its operands."""
        given = {w.id for v in step.inputs if (k := self._known.get(v.id)) for w in k.partners}
        made = {w.id: s for s in self._whole.steps for w in s.outputs}
        return sorted(partners, key=lambda w: -len(given & {x.id for x in made[w.id].inputs} if w.id in made else ()))

    def _takes(self, number: int, step: Step, place: int) -> Iterator[Variable]:
        """What a result of a step follows from."""
        ends = step.primitive in LOOPS and len(step.inputs) < len(step.outputs)
        if step.primitive in PASSES_ON | LOOPS and place < len(step.inputs) and (ends or _aligned(step)):
            yield step.inputs[place]
        elif not ends:
            yield from step.inputs
        else:  # The results of all iterations, of which no step names the single ones.
            path = self._mine.path(self._mine.steps[number])
            for before in range(number - 1, -1, -1):
                inner = self._mine.path(self._mine.steps[before])
                if len(inner) <= len(path) or inner[: len(path)] != path:
                    return
                yield from (v for v in self._mine.steps[before].outputs if v.shape == step.outputs[place].shape[1:])


def _aligned(step: Step) -> bool:
    return len(step.inputs) == len(step.outputs)


def _alike(run: Run) -> dict[tuple[object, ...], list[Variable]]:
    """The values of a program, by what makes them."""
    found: dict[tuple[object, ...], list[Variable]] = {}
    for step in run.steps:
        for v in step.outputs:
            found.setdefault(_like(run, step, v), []).append(v)
    return found


def _like(run: Run, step: Step, v: Variable) -> tuple[object, ...]:
    """What makes a value, and what it is but for how it is cut."""
    line = step.source and (step.source.file, step.source.line)
    primitive = step.primitive.removesuffix("_invariant")  # Whether or not JAX checks what varies.
    return primitive, line, run.path(step), v.region >= 0, len(v.shape), v.dtype


def _blocks(v: Variable, devices: Sequence[int]) -> list[np.ndarray]:
    """A value on each device; empty where it was not kept."""
    try:
        return [wide(v.value(device)) for device in devices]
    except (KeyError, ValueError):
        return []


def _floats(x: np.ndarray) -> bool:
    return x.dtype.kind in "fc"
