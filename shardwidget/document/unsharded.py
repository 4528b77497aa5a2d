"""The first step at which a program on a mesh gives something else than on one device, and its likely cause.

On one device every block is the whole array. A value on the mesh agrees with it where each block is the slice that the
device should hold, or where the blocks of some axes add up to it: parts of a sum that are still to be added.
"""

from __future__ import annotations

import difflib
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shardwidget.document.causes import cause_of
from shardwidget.document.difference import Difference, Run, close, compare, values, wide
from shardwidget.document.mesh import Mesh
from shardwidget.document.parting import parting
from shardwidget.document.step import Step, Variable

__all__: list[str] = []

POSITIONS = frozenset({"axis_index", "ppermute", "pshuffle", "pgather"})
"""Primitives whose values follow from the position of a device."""

CONVERTS = frozenset({"convert_element_type", "broadcast_in_dim"})
"""Primitives that JAX adds for constants where it checks over which axes values vary."""

BY_POSITION = (
    "the results differ, and the program asks for positions on the mesh ({primitive}), which one device has not. "
    "Give a reference of the same mesh: .against(reference)."
)
NOT_ALIKE = (
    "the program has other steps on one device ({ours} against {theirs}), so the two cannot be compared step by step. "
    "Give a reference of the same mesh: .against(reference)."
)


@dataclass(frozen=True, eq=False)
class Unsharded(Difference):
    """Where a program on a mesh begins to differ from the same on one device, or from a reference."""

    cause: str = ""
    """What is likely wrong, in a sentence; empty where that is not known."""

    def __str__(self) -> str:
        """At most twelve lines; the first is the answer."""
        return "\n".join(filter(None, (super().__str__(), self.cause)))


@dataclass(frozen=True)
class _Layout:
    """How the blocks of a value make the whole."""

    dims: tuple[tuple[int, ...], ...]
    """The mesh axes that cut each dimension, as indices."""
    parts: tuple[int, ...]
    """The axes along which parts of a sum are still to be added."""
    times: int = 1
    """What the parts add up to, of the whole: as many times it as there are parts, if each is a mean."""


def against_whole(mine: Run, whole: Run, mesh: Mesh, rtol: float, atol: float) -> Unsharded | None:
    """The first value that no layout explains, and what is likely wrong.

    Args:
        mine: the program on its mesh.
        whole: the same on one device.
        mesh: that of the first.
        rtol: tolerance relative to the greatest element.
        atol: absolute tolerance.

    Raises:
        ValueError: they have other steps.
    """
    pairs = _paired(mine.steps, whole.steps)
    looking = _Looking(mine, whole, mesh, rtol, atol)
    last = len(mine.steps) - 1
    ends = zip(mine.steps[last].outputs, whole.steps[-1].outputs, strict=True) if pairs else ()
    if all(looking.at(last, mine.steps[last], v, w) is None for v, w in ends):
        return None  # Whatever is in between was meant.
    if asks := next((step.primitive for step in mine.steps if step.primitive in POSITIONS), ""):
        raise ValueError(BY_POSITION.format(primitive=asks))
    for k, one in enumerate(mine.steps):
        if k not in pairs:
            looking.passes_on(one)
            continue
        for v, w in zip(one.outputs, whole.steps[pairs[k]].outputs, strict=True):
            if (found := looking.at(k, one, v, w)) is not None:
                return found
    return None


def _paired(mine: Sequence[Step], whole: Sequence[Step]) -> dict[int, int]:
    """By the number of a step, that of the same step on one device.

    Where JAX checks over which axes values vary, it adds steps that only say so, and converts constants for that.

    Raises:
        ValueError: they have other steps.
    """
    ours, theirs = ([k for k, step in enumerate(steps) if step.primitive != "pvary"] for steps in (mine, whole))
    one, other = [_name(mine[k]) for k in ours], [_name(whole[k]) for k in theirs]
    pairs = dict(zip(ours, theirs, strict=False))
    if one != other:
        same = difflib.SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks()
        pairs = {ours[a + k]: theirs[b + k] for a, b, size in same for k in range(size)}
    left = {_name(mine[k]) for k in set(ours) - pairs.keys()} | {_name(whole[k]) for k in {*theirs} - {*pairs.values()}}
    if not left <= CONVERTS:
        raise ValueError(NOT_ALIKE.format(ours=len(mine), theirs=len(whole)))
    return pairs


def _name(step: Step) -> str:
    """A primitive, whether or not JAX checks what varies."""
    return step.primitive.removesuffix("_invariant")


class _Looking:
    def __init__(self, mine: Run, whole: Run, mesh: Mesh, rtol: float, atol: float) -> None:
        self._mine, self._whole = mine, whole
        self._names = [axis.name for axis in mesh.axes]
        self._sizes = [axis.size for axis in mesh.axes]
        self._rtol, self._atol = rtol, atol
        self._held: dict[int, _Layout] = {}
        """By variable of the program, the first layout that explains it."""

    def at(self, number: int, step: Step, v: Variable, w: Variable) -> Unsharded | None:
        """The difference of a value; None where a layout explains it, or where it was not kept."""
        try:
            expected = w.value(self._whole.devices[0])
            blocks = [v.value(device) for device in self._mine.devices]
        except (KeyError, ValueError):
            return None
        expected, blocks = wide(expected), [wide(b) for b in blocks]
        held = self._layout(blocks, expected, v.region >= 0) or self._sum_of_means(step, blocks, expected)
        if held is not None:
            self._held[v.id] = held
            return None
        dims = next(self._cuts(blocks[0].shape, expected.shape), None)
        for p, device in enumerate(self._mine.devices):
            wanted = expected if dims is None else self._slice(expected, dims, p)
            if not self._close(blocks[p], wanted, expected):
                cause = self._cause(number, step, blocks, expected, dims)
                return Unsharded(number, v.name, device, *self._mine.found(number), blocks[p], wanted, cause)
        return None

    def passes_on(self, step: Step) -> None:
        """A step that one device does not have: its result is laid out as what it takes."""
        for out in step.outputs:
            if held := next((self._held[v.id] for v in step.inputs if v.id in self._held), None):
                self._held[out.id] = held

    def _layout(self, blocks: Sequence[np.ndarray], whole: np.ndarray, in_region: bool) -> _Layout | None:
        """What explains the blocks; whole values and slices before parts of a sum."""
        cuts = list(self._cuts(blocks[0].shape, whole.shape))
        for dims in cuts:
            if all(self._close(b, self._slice(whole, dims, p), whole) for p, b in enumerate(blocks)):
                return _Layout(dims, ())
        if not in_region or whole.dtype.kind not in "fc":
            return None
        for dims in cuts:
            used = {axis for axes in dims for axis in axes}
            free = [a for a in range(len(self._sizes)) if a not in used and self._sizes[a] > 1]
            for parts in (c for n in range(1, len(free) + 1) for c in itertools.combinations(free, n)):
                for times in (1, math.prod(self._sizes[a] for a in parts)):
                    if self._adds_up(blocks, times * whole, dims, parts):
                        return _Layout(dims, parts, times)
        return None

    def _sum_of_means(self, step: Step, blocks: Sequence[np.ndarray], whole: np.ndarray) -> _Layout | None:
        """The sum of parts that are means each, which is divided afterwards, as in ``pmean``."""
        means = [h for v in step.inputs if (h := self._held.get(v.id)) and h.parts and h.times > 1]
        for held in means if step.sums_for_all else ():
            scaled = held.times * whole
            if all(self._close(b, self._slice(scaled, held.dims, p), scaled) for p, b in enumerate(blocks)):
                return _Layout(held.dims, (), held.times)
        return None

    def _cuts(self, block: Sequence[int], whole: Sequence[int]) -> Iterator[tuple[tuple[int, ...], ...]]:
        """The ways in which mesh axes may cut an array into blocks of this shape."""
        if len(block) != len(whole) or any(b == 0 or n % b for b, n in zip(block, whole, strict=True)):
            return
        axes = [a for a, size in enumerate(self._sizes) if size > 1]
        orders = [o for n in range(len(axes) + 1) for o in itertools.permutations(axes, n)]
        choices = [
            [o for o in orders if math.prod(self._sizes[a] for a in o) == n // b]
            for b, n in zip(block, whole, strict=True)
        ]
        for dims in itertools.product(*choices):
            used = [axis for each in dims for axis in each]
            if len(used) == len(set(used)):
                yield dims

    def _coordinates(self, position: int) -> tuple[int, ...]:
        return tuple(int(c) for c in np.unravel_index(position, self._sizes))

    def _slice(self, whole: np.ndarray, dims: Sequence[Sequence[int]], position: int) -> np.ndarray:
        at = self._coordinates(position)
        slices = []
        for size, axes in zip(whole.shape, dims, strict=True):
            part, parts = 0, 1
            for axis in axes:
                part, parts = part * self._sizes[axis] + at[axis], parts * self._sizes[axis]
            slices.append(slice(part * size // parts, (part + 1) * size // parts))
        return whole[tuple(slices)]

    def _adds_up(
        self, blocks: Sequence[np.ndarray], whole: np.ndarray, dims: Sequence[Sequence[int]], parts: Sequence[int]
    ) -> bool:
        sums: dict[tuple[int, ...], np.ndarray] = {}
        for p, block in enumerate(blocks):
            rest = tuple(0 if a in parts else c for a, c in enumerate(self._coordinates(p)))
            sums[rest] = sums.get(rest, 0) + block
        return all(
            self._close(total, self._slice(whole, dims, int(np.ravel_multi_index(rest, self._sizes))), whole)
            for rest, total in sums.items()
        )

    def _close(self, a: np.ndarray, b: np.ndarray, whole: np.ndarray) -> bool:
        return close(a, b, self._rtol, self._atol, of=whole)

    def _cause(
        self,
        number: int,
        step: Step,
        blocks: Sequence[np.ndarray],
        whole: np.ndarray,
        dims: Sequence[Sequence[int]] | None,
    ) -> str:
        operands = [(v, self._held[v.id]) for v in step.inputs if v.id in self._held]
        partial = [(v, held) for v, held in operands if held.parts]
        complete = [v for v, held in operands if not held.parts and held.times == 1]
        scaled = [(v, held) for v, held in operands if not held.parts and held.times > 1]
        line = f" in line {step.source.line}" if step.source else ""
        if partial:
            v, held = partial[0]
            axes = [self._names[a] for a in held.parts]
            over = " and ".join(axes)
            is_summed = any(
                s.sums and s.collective and {*axes} <= {*s.collective.axes} for s in self._mine.steps[number:]
            )
            n = math.prod(self._sizes[a] for a in held.parts)
            if is_summed and step.primitive in ("add", "add_any", "sub") and complete:
                name = self._mine.called(complete[0])
                return (
                    f"{v.name} has parts of a sum over {over}, and {name} is whole on each device: added{line}, before "
                    f"the sum, it is added {n} times. Add it after psum over {over}."
                )
            return (
                f"{v.name} has parts of a sum over {over}, which nothing has added: psum over {over} is missing before "
                f"{step.primitive}{line}."
            )
        if scaled:
            v, held = scaled[0]
            return f"{v.name} is the sum of {held.times} means, which nothing has divided: use pmean{line}."
        if dims is None:
            return ""
        for n in sorted({math.prod(c) for k in range(1, 4) for c in itertools.combinations(self._sizes, k)}):
            if n > 1 and all(self._close(b, n * self._slice(whole, dims, p), n * whole) for p, b in enumerate(blocks)):
                return (
                    f"Each block is {n} times what it should be: {step.primitive}{line} adds up {n} values that are "
                    "whole already."
                )
        moved = [
            next((q for q in range(len(blocks)) if self._close(b, self._slice(whole, dims, q), whole)), None)
            for b in blocks
        ]
        p = next((p for p, q in enumerate(moved) if q is not None and q != p), None)
        if None not in moved and p is not None:
            return (
                f"The blocks are right and on other devices: device {self._mine.devices[p]} holds the block of device "
                f"{self._mine.devices[moved[p] or 0]} after {step.primitive}{line}."
            )
        return ""


def against_reference(mine: Run, other: Run, axes: Mapping[str, int], rtol: float, atol: float) -> Unsharded | None:
    """The first difference to a reference of the same mesh, and its likely cause; None where the results agree.

    Args:
        mine: the program on its mesh.
        other: the reference.
        axes: the sizes of the axes of the mesh.
        rtol: tolerance relative to the greatest element.
        atol: absolute tolerance.
    """
    found = compare(mine, other, rtol, atol, scaled=True)
    if found is None or _same_results(mine, other, rtol, atol):
        return None  # Whatever is in between was meant.
    alike = [s.primitive for s in mine.steps] == [s.primitive for s in other.steps]
    apart = None if alike else parting(mine, other, rtol, atol)
    if apart is not None and (cause := apart.cause(mine)):
        device, a, b = apart.values(mine, other)
        return Unsharded(apart.at, apart.value.name, device, *mine.found(apart.at), a, b, cause)
    return Unsharded(**found.__dict__, cause=cause_of(mine, other, found, axes, rtol, atol))


def _same_results(mine: Run, other: Run, rtol: float, atol: float) -> bool:
    """Whether both return the same, as far as is known."""
    one, two = (run.steps[-1].outputs if run.steps else () for run in (mine, other))
    if not one or len(one) != len(two):
        return False
    alike = list(mine.devices) == list(other.devices)  # Otherwise whole values are compared.
    devices = list(zip(mine.devices, other.devices if alike else [other.devices[0]] * len(mine.devices), strict=True))
    for v, w in zip(one, two, strict=True):
        found = list(values(v, w, devices))
        if len(found) < len(devices) or not all(close(a, b, rtol, atol) for _, a, b in found):
            return False
    return True
