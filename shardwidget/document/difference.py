"""Where two programs begin to differ, step by step or by name; and where a program first makes a NaN or an Inf."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shardwidget.document.step import Scope, Source, Step, Variable

NOTHING_GLOBAL = (
    "The traces are on meshes of other devices, where only global values can be compared, and no global value has the "
    "same name and shape in both. Trace both on one mesh, or give the values that a reference has the names of yours."
)

SAME = frozenset(
    {
        "broadcast_in_dim", "convert_element_type", "copy", "expand_dims", "in_specs", "optimization_barrier",
        "out_specs", "pvary", "reshape", "sharding_constraint", "squeeze", "transpose",
    }
)  # fmt: skip
"""Primitives whose results have the elements of their operand."""
ADDS = frozenset({"add", "add_any", "sub"})
KEEPS = SAME | ADDS | {"div", "dot_general", "mul", "neg", "reduce_sum", "scan", "while"}
"""Primitives that make of parts of a sum parts of their result."""
_UNNAMED = re.compile(r"tmp\d*")


@dataclass(frozen=True, eq=False)
class TracePlace:
    """Where in a trace something was found."""

    step: int
    """Index in ``steps``."""
    name: str
    """The name of the value."""
    device: int
    """Id of the first device; -1 of a value that is compared as a whole."""
    primitive: str
    """Of the step."""
    source: Source | None
    """The line of the user's program that the step comes from."""
    iteration: tuple[int, ...]
    """The iteration of each loop around the step, outermost first."""

    def where(self) -> str:
        """The step, the iterations and the device on one line; the user's line on the next."""
        turns = ", ".join(f"iteration {number}" for number in self.iteration)
        line = self.source and f"\n{self.source.file}:{self.source.line}  {self.source.text}"
        device = f", on device {self.device}" if self.device >= 0 else ""
        return f"step {self.step}, {self.primitive}{f', {turns}' * bool(turns)}{device}{line or ''}"


@dataclass(frozen=True, eq=False)
class Difference(TracePlace):
    """Where two traces begin to differ; ``step`` is of the first."""

    mine: np.ndarray
    """The value of the first trace."""
    other: np.ndarray
    """That of the other."""

    @property
    def at(self) -> tuple[int, ...]:
        """The index of the element that differs most; empty where the shapes differ."""
        if self.mine.shape != self.other.shape:
            return ()
        return tuple(int(k) for k in np.unravel_index(int(np.argmax(_apart(self.mine, self.other))), self.mine.shape))

    @property
    def largest(self) -> float:
        """The largest difference of two elements; infinity where one is NaN alone, or the shapes differ."""
        return float(_apart(self.mine, self.other).max()) if self.mine.shape == self.other.shape else float("inf")

    def __str__(self) -> str:
        """At most ten lines."""
        text = f"{self.name} differs first at {self.where()}"
        if self.mine.shape != self.other.shape:
            return f"{text}\nits shape is {self.mine.shape}, the other's {self.other.shape}"
        count, total = int(np.count_nonzero(_apart(self.mine, self.other))), self.mine.size
        place = f"[{', '.join(map(str, self.at))}]" if self.at else ""
        return (
            f"{text}\nlargest difference {self.largest:.6g}, at {self.name}{place}: "
            f"{self.mine[self.at]} against {self.other[self.at]}; {count} of {total} elements differ"
        )


@dataclass(frozen=True, eq=False)
class NotFinite(TracePlace):
    """The first NaN or Inf of a trace."""

    at: tuple[int, ...]
    """The index of its first such element."""
    value: float | complex
    operands: tuple[str, ...]
    """For each operand its name, its type, and the range of its elements on that device."""

    def __str__(self) -> str:
        """At most ten lines."""
        place = f"[{', '.join(map(str, self.at))}]" if self.at else ""
        lines = [f"{self.name}{place} is {self.value}, first at {self.where()}", *self.operands[:6]]
        return "\n".join([*lines, f"… {len(self.operands) - 6} more operands"] if len(self.operands) > 6 else lines)


@dataclass(frozen=True, eq=False)
class Run:
    """What is compared of a trace."""

    steps: Sequence[Step]
    scopes: Sequence[Scope]
    devices: Sequence[int]
    """Ids of its devices."""

    def found(self, step: int) -> tuple[str, Source | None, tuple[int, ...]]:
        """The primitive, the line and the iterations of a step."""
        one = self.steps[step]
        numbers = tuple(number for kind, _, number in self.path(one) if kind == "iteration")
        return one.primitive, one.source, numbers

    def path(self, step: Step) -> tuple[tuple[str, str, int], ...]:
        """Kind, name and iteration of each scope around a step, outermost first."""
        found, at = [], step.scope
        while at >= 0:
            scope = self.scopes[at]
            found.insert(0, (scope.kind, scope.name, scope.iteration))
            at = scope.parent
        return tuple(found)

    def is_summed(self, at: int, axes: Iterable[str]) -> bool:
        """Whether a later step adds up over some axes what a step makes, or what is only scaled and added to since."""
        follows, over = {v.id for v in self.steps[at].outputs}, {*axes}
        for step in self.steps[at + 1 :]:
            if any(v.id in follows for v in step.inputs):
                if step.sums and step.collective is not None and over <= {*step.collective.axes}:
                    return True
                if step.primitive in KEEPS:
                    follows |= {v.id for v in step.outputs}
        return False

    def called(self, v: Variable) -> str:
        """The name of a value, or of what it is a reshaped or repeated form of; without one, the line that makes it."""
        made = {w.id: s for s in self.steps for w in s.outputs}
        while _UNNAMED.fullmatch(v.name) and (step := made.get(v.id)) is not None:
            if step.primitive not in SAME or len(step.inputs) != 1:
                return f"what line {step.source.line} makes" if step.source else v.name
            v = step.inputs[0]
        return v.name


def compare(one: Run, other: Run, rtol: float, atol: float, *, scaled: bool = False) -> Difference | None:
    """The first value that differs; see ``Trace.compare``.

    Args:
        one: the first.
        other: what it is compared with.
        rtol: tolerance relative to each element.
        atol: absolute tolerance.
        scaled: whether ``rtol`` is relative to the greatest element of a value.
    """
    for (number, v), (_, w), devices in matched(one, other):
        for mine, a, b in values(v, w, devices):
            if not (close if scaled else equal)(a, b, rtol, atol):
                return Difference(number, v.name, mine, *one.found(number), a, b)
    return None


Made = tuple[int, Variable]
"""A value that a step makes, after the number of the step."""

Devices = Sequence[tuple[int, int]]
"""Ids of devices that correspond, of both traces."""


def matched(one: Run, other: Run) -> Iterator[tuple[Made, Made, Devices]]:
    """Values of both that correspond, and the devices on which they do.

    Raises:
        ValueError: the meshes have other devices, and no global value has the same name and shape in both.
    """
    pairs: Iterable[tuple[Made, Made]] = _pairs(one.steps, other.steps)
    devices = [(device, device) for device in one.devices]
    if list(one.devices) != list(other.devices):
        devices = [(one.devices[0], other.devices[0])]
        pairs = [(a, b) for a, b in pairs if a[1].region < 0 and b[1].region < 0 and a[1].shape == b[1].shape]
        if not pairs:
            raise ValueError(NOTHING_GLOBAL)
    yield from ((a, b, devices) for a, b in pairs)


def values(v: Variable, w: Variable, devices: Devices) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """The values of two variables on each device that has both, with the id of the first trace's."""
    for mine, others in devices:
        with contextlib.suppress(KeyError, ValueError):  # Not kept, or a device that does not execute the step.
            yield mine, v.value(mine), w.value(others)


def first_not_finite(run: Run, *, nan: bool, inf: bool) -> NotFinite | None:
    """The first NaN or Inf; see ``Trace.first``."""
    seen: set[int] = set()
    for number, step in enumerate(run.steps):
        for v in (*step.inputs, *step.outputs):
            if v.id in seen:
                continue
            seen.add(v.id)
            for device in run.devices:
                value = _shown(v, device)
                if value is None:
                    continue
                wrong = nan & np.isnan(value) | inf & np.isinf(value)
                if np.any(wrong):
                    at = tuple(int(k) for k in np.argwhere(wrong)[0])
                    operands = tuple(_range(w, device) for w in step.inputs if w is not v)
                    return NotFinite(number, v.name, device, *run.found(number), at, value[at].item(), operands)
    return None


def _shown(v: Variable, device: int) -> np.ndarray | None:
    """The floating-point or complex value on a device; None where there is none."""
    try:
        value = v.value(device)
    except (KeyError, ValueError):
        return None
    if value.dtype.kind in "fc":
        return value
    return value.astype(np.float32) if v.type.startswith(("bf16", "f8", "f4")) else None


def _range(v: Variable, device: int) -> str:
    value = _shown(v, device)
    if value is None or not value.size or value.dtype.kind == "c":
        return f"{v.name}  {v.type}"
    finite = value[np.isfinite(value)]
    kinds = [word for word, of in (("NaN", np.isnan), ("Inf", np.isinf)) if np.any(of(value))]
    ends = f"  {finite.min():.6g} to {finite.max():.6g}" if finite.size else ""
    return f"{v.name}  {v.type}{ends}{f', with {chr(32).join(kinds)}' if kinds else ''}"


def _apart(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """How far the elements are apart; infinitely where one is NaN or infinite and the other is not the same."""
    kind = np.complex128 if "c" in (a.dtype.kind, b.dtype.kind) else np.float64
    a, b = a.astype(kind), b.astype(kind)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(invalid="ignore"):
        return np.where(same, 0.0, np.nan_to_num(np.abs(a - b), nan=np.inf, posinf=np.inf))


def _pairs(one: Sequence[Step], other: Sequence[Step]) -> Iterator[tuple[Made, Made]]:
    """Values of both that correspond: step by step, or the n-th of each name.

    Of two functions the results belong together, too, whatever they are called; of their other values, those that are
    cut alike.
    """
    if [s.primitive for s in one] == [s.primitive for s in other]:
        yield from zip(_made(one), _made(other), strict=False)
        return
    table = {(v.name, n): (number, v) for n, (number, v) in _numbered(other)}
    for n, (number, v) in _numbered(one):
        found = table.get((v.name, n))
        if found and v.shape == found[1].shape and (v.region < 0) == (found[1].region < 0):
            yield (number, v), found
    results = [steps[-1].outputs if steps else () for steps in (one, other)]
    if len(results[0]) == len(results[1]):
        last = (len(one) - 1, len(other) - 1)
        yield from (((last[0], v), (last[1], w)) for v, w in zip(*results, strict=True))


def _made(steps: Sequence[Step]) -> Iterator[Made]:
    """The values that steps make, each with the number of its step."""
    return ((k, v) for k, step in enumerate(steps) for v in step.outputs)


def _numbered(steps: Sequence[Step]) -> Iterator[tuple[int, Made]]:
    """Those with names that the user gave, and how many of the same name came before."""
    count: dict[str, int] = {}
    for number, v in _made(steps):
        if v.name.isidentifier() and not v.name.startswith("tmp"):
            count[v.name] = count.get(v.name, -1) + 1
            yield count[v.name], (number, v)


def equal(a: np.ndarray, b: np.ndarray, rtol: float, atol: float) -> bool:
    """Whether two values are: within the tolerance where both are floating-point or complex."""
    return a.shape == b.shape and not bool(differing(a, b, rtol, atol).any())


def close(a: np.ndarray, b: np.ndarray, rtol: float, atol: float, *, of: np.ndarray | None = None) -> bool:
    """Whether two values are equal within a tolerance relative to the greatest element: sums near 0 are never exact.

    Args:
        a: a value.
        b: what it should be.
        rtol: tolerance relative to the greatest element of ``of``.
        atol: absolute tolerance.
        of: the whole that ``b`` is a part of; None for ``b`` itself.
    """
    a, b = wide(a), wide(b)
    whole = b if of is None else wide(of)
    finite = np.abs(whole[np.isfinite(whole)]) if whole.dtype.kind in "fc" else np.zeros(0)
    return equal(a, b, rtol, atol + rtol * float(finite.max(initial=0)))


def wide(x: np.ndarray) -> np.ndarray:
    """A value in a format that NumPy calculates in."""
    return x if x.dtype.kind in "fciub" else x.astype(np.float32)


def differing(a: np.ndarray, b: np.ndarray, rtol: float, atol: float) -> np.ndarray:
    """Which elements of two arrays of one shape differ. NaN equals NaN."""
    if not (np.issubdtype(a.dtype, np.inexact) and np.issubdtype(b.dtype, np.inexact)):
        return np.not_equal(a, b)
    return ~np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=True)
