"""The first step at which a program on a mesh gives something else than on one device, and its likely cause.

On one device every block is the whole array. A value on the mesh agrees with it where each block is the slice that the
device should hold, or where the blocks of some axes add up to it: parts of a sum that are still to be added. Which
values belong together is known by what makes them (``beside.py``): JAX adds steps on a mesh, and orders them otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shardwidget.document.beside import Beside, Found
from shardwidget.document.causes import PART, cause_of
from shardwidget.document.difference import ADDS, Difference, Run, close, compare, values
from shardwidget.document.layouts import Layouts
from shardwidget.document.mesh import Mesh
from shardwidget.document.parting import parting

__all__: list[str] = []

POSITIONS = frozenset({"axis_index", "ppermute", "pshuffle", "pgather"})
"""Primitives whose values follow from the position of a device."""

BY_POSITION = (
    "the results differ, and the program asks for positions on the mesh ({primitive}), which one device does not have. "
    "Give a reference of the same mesh: .against(reference)."
)
SOMEWHERE = (
    "Where it begins is not known: no step before it differs from one on one device. Give a reference of the same "
    "mesh: .against(reference)."
)
LEFT_OUT = "not compared, as one device has none like it: {steps}"


@dataclass(frozen=True, eq=False)
class Unsharded(Difference):
    """Where a program on a mesh begins to differ from the same on one device, or from a reference."""

    cause: str = ""
    """What is likely wrong, in a sentence; empty where that is not known."""
    left_out: int = 0
    """How many steps before it were not compared, because one device has none that corresponds."""

    def __str__(self) -> str:
        """At most twelve lines; the first is the answer."""
        steps = f"{self.left_out} step{'s' * (self.left_out > 1)} before it"
        left_out = LEFT_OUT.format(steps=steps) if self.left_out else ""
        return "\n".join(filter(None, (super().__str__(), self.cause, left_out)))


def against_whole(
    mine: Run, whole: Run, results: Sequence[tuple[np.ndarray, np.ndarray]], mesh: Mesh, rtol: float, atol: float
) -> Unsharded | None:
    """The first value that no layout explains and from which a wrong result follows, and what is likely wrong.

    Args:
        mine: the program on its mesh.
        whole: the same on one device.
        results: what both return.
        mesh: that of the first.
        rtol: tolerance relative to the greatest element.
        atol: absolute tolerance.

    Raises:
        ValueError: the results differ, and follow from positions on the mesh.
    """
    wrong = [(a, b) for a, b in results if not close(a, b, rtol, atol)]
    if not wrong:
        return None  # Whatever is in between was meant.
    if asks := next((step.primitive for step in mine.steps if step.primitive in POSITIONS), ""):
        raise ValueError(BY_POSITION.format(primitive=asks))
    beside = Beside(mine, whole, Layouts(mesh, rtol, atol))
    roots = beside.returned([a for a, _ in wrong])
    found = beside.first(roots)
    if found is None:
        number, name = roots[0] if roots else (len(mine.steps) - 1, "the result")
        return Unsharded(number, name, mine.devices[0], *mine.found(number), *wrong[0], SOMEWHERE)
    device, a, b = found.values(mine.devices)
    left_out = beside.left_out(found.number)
    return Unsharded(found.number, found.name, device, *mine.found(found.number), a, b, _cause(found, mine), left_out)


def _cause(found: Found, mine: Run) -> str:
    """What is likely wrong with a value; empty where it is not known."""
    step, layouts = mine.steps[found.number], found.layouts
    partial = [(v, held) for v, held in found.operands if held.parts]
    complete = [v for v, held in found.operands if not held.parts and held.times == 1]
    scaled = [(v, held) for v, held in found.operands if not held.parts and held.times > 1]
    primitive = step.primitive.removesuffix("_invariant")
    line = f" in line {step.source.line}" if step.source else ""
    if found.doubles:
        takes = "should be" if found.times == found.doubles else "takes"
        return (
            f"Each block is {found.doubles} times what it {takes}: {primitive}{line} adds up {found.doubles} values "
            "that are whole already."
        )
    if partial and not found.times:
        v, held = partial[0]
        axes = [layouts.names[a] for a in held.parts]
        over = " and ".join(axes)
        n, name = layouts.count(held.parts), mine.called(v)
        if step.primitive in ADDS and complete and mine.is_summed(found.number, axes):
            added = mine.called(complete[0])
            return (
                f"{name} has parts of a sum over {over}, and {added} is whole on each device: added{line}, before "
                f"the sum, it is added {n} times. Add it after psum over {over}."
            )
        what, sums = ("means of parts", "pmean") if held.times == n else ("parts of a sum", "psum")
        return (
            f"{name} has {what} over {over}, which nothing has added: {sums} over {over} is missing before "
            f"{primitive}{line}."
        )
    if scaled and not found.times:
        v, held = scaled[0]
        if by := _divides(mine, found.number, held.times):
            return f"{mine.called(v)} is {held.times} times what one device has. {by}"
        return f"{mine.called(v)} is the sum of {held.times} means, which nothing has divided: use pmean{line}."
    if partial and step.sums and partial[0][1].times == found.times:
        name = mine.called(partial[0][0])
        return f"{name} has {found.times} means, which {primitive}{line} adds up and nothing divides: use pmean."
    if found.times > 1:
        if by := _divides(mine, found.number, found.times):
            return f"Each block is {found.times} times what one device has. {by}"
        divides = f": {PART}" if step.primitive == "div" else ""
        return f"Each block is {found.times} times what it should be{line}{divides}."
    p, q = found.moved()
    if q >= 0:
        return (
            f"The blocks are right and on other devices: device {mine.devices[p]} holds the block of device "
            f"{mine.devices[q]} after {primitive}{line}."
        )
    return ""


def _divides(run: Run, before: int, n: float) -> str:
    """The last line before a step that divides by what may be the size of an axis, in a sentence; empty without one."""
    number, behind = {"div": n, "mul": 1 / n}, {v.id for v in run.steps[before].inputs}
    for step in reversed(run.steps[:before]):
        if not any(v.id in behind for v in step.outputs):
            continue
        behind |= {v.id for v in step.inputs}
        given = [*step.literals, *(v.name for v in step.inputs if not v.shape)]
        if step.source and step.primitive in number and str(float(number[step.primitive])) in given:
            return (
                f"Line {step.source.line} divides by {n:g}, on one device too: if that is the size of an axis, write "
                "jax.lax.axis_size, or give a reference of the same mesh."
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
