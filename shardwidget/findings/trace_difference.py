"""Two traces, step by step: where their values part."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from shardwidget._format import count
from shardwidget.document import Listing, PartedCells, PartedSide, PartedStep, Source, Step, Trace, TraceDiff, Variable
from shardwidget.document.difference import differing, matched, values
from shardwidget.document.trace import run_of
from shardwidget.findings.trace_cause import cause

STEPS = 40
"""Steps that differ whose cells are kept."""

DEVICES = 8
"""Devices whose cells are kept; those that differ come first."""

CELLS = 6
"""Cells of a row that are kept."""


def trace_diff(mine: Trace, reference: Trace, rtol: float, atol: float) -> TraceDiff:
    """Where two traces part, and what each device has there; see ``Trace.diff``."""
    found: dict[int, PartedStep] = {}
    shown = 0
    for (number, v), (other, w), devices in matched(run_of(mine), run_of(reference)):
        if number in found and found[number].parted:
            continue
        pairs = list(values(v, w, devices if v.region >= 0 else devices[:1]))
        step = _step(mine, reference, (number, v), (other, w), pairs, (rtol, atol), cells=shown < STEPS)
        shown += bool(step.cells)
        found[number] = step
    steps = [found.get(k) or _alone(mine, k) for k, step in enumerate(mine.steps) if step.outputs]
    first = next((k for k, step in enumerate(steps) if step.parted), -1)
    sources = steps[first].sources if first >= 0 else (None, None)
    sides = _sides(mine, reference, sources)
    why = cause(mine, reference, steps[first], sides) if first >= 0 else ""
    verdict = _verdict(steps, first, sides, mine.mesh.size, explained=why != "")
    for trace, side in zip((mine, reference), sides, strict=True):
        if trace.error and first < 0:
            verdict = f"{side.name} stops at step {trace.event}: {trace.error.error}; {verdict}"
    return TraceDiff(mine.mesh, *sides, tuple(steps), first, rtol, atol, verdict, why)


def _alone(mine: Trace, number: int) -> PartedStep:
    step = mine.steps[number]
    return PartedStep(number, -1, step.primitive, step.outputs[0].name, 0, 0, compared=False)


def _step(
    mine: Trace,
    reference: Trace,
    one: tuple[int, Variable],
    two: tuple[int, Variable],
    pairs: Sequence[tuple[int, np.ndarray, np.ndarray]],
    tolerance: tuple[float, float],
    *,
    cells: bool,
) -> PartedStep:
    (number, v), (other, w) = one, two
    steps = mine.steps[number], reference.steps[other]
    masks = {device: _mask(a, b, *tolerance) for device, a, b in pairs}
    parted = sum(int(mask.sum()) for mask in masks.values())
    step = PartedStep(
        number,
        other,
        steps[0].primitive,
        v.name,
        sum(mask.size for mask in masks.values()),
        parted,
        bool(masks),
        tuple(device for device, mask in masks.items() if mask.any() and v.region >= 0),
        (v.shape, w.shape),
        w.name,
        sources=(steps[0].source, steps[1].source),
    )
    if not parted or not cells:
        return step
    at = _window(next(mask for mask in masks.values() if mask.any()))
    operands = [next((x for x in s.inputs if x.region == y.region), None) for s, y in zip(steps, (v, w), strict=True)]
    listed = sorted(pairs, key=lambda pair: not masks[pair[0]].any())[:DEVICES]
    origins = _origins(mine, v), _origins(reference, w)
    senders = _senders(mine, steps[0]), _senders(reference, steps[1])
    made = [
        PartedCells(
            device if v.region >= 0 else -1,
            _cells(a, at),
            _cells(b, at),
            tuple(int(k) for k in np.flatnonzero(_row(masks[device], at))),
            int(masks[device].sum()),
            (origins[0].get(device, -1), origins[1].get(device, -1)),
            (senders[0].get(device, -1), senders[1].get(device, -1)),
            (_operand(operands[0], device), _operand(operands[1], device)),
        )
        for device, a, b in sorted(listed, key=lambda pair: pair[0])
    ]
    names = tuple(x.name if x else "" for x in operands)
    return replace(step, operands=(names[0], names[1]), at=at, cells=tuple(made))


def _mask(a: np.ndarray, b: np.ndarray, rtol: float, atol: float) -> np.ndarray:
    """Which elements differ; all, where the shapes do."""
    return differing(a, b, rtol, atol) if a.shape == b.shape else np.ones(a.shape, bool)


def _window(mask: np.ndarray) -> tuple[int, ...]:
    """The index of the first cell to show: of the row of the first element that differs."""
    if not mask.ndim:
        return ()
    *row, column = (int(k) for k in np.argwhere(mask)[0])
    return (*row, max(0, min(column - 2, mask.shape[-1] - CELLS)) if column >= CELLS else 0)


def _row(a: np.ndarray, at: tuple[int, ...]) -> np.ndarray:
    if not at or a.ndim != len(at):
        return a.reshape(-1)[:CELLS]
    if any(k >= size for k, size in zip(at, a.shape, strict=True)):
        return a.reshape(-1)[:0]
    return a[at[:-1]][at[-1] : at[-1] + CELLS]


def _cells(a: np.ndarray, at: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(_number(x) for x in _row(a, at).tolist())


def _number(x: object) -> str:
    return f"{x:.4g}" if isinstance(x, float) else str(x)


def _operand(v: Variable | None, device: int) -> tuple[str, ...]:
    try:
        return _cells(v.value(device), ()) if v is not None else ()
    except (KeyError, ValueError):
        return ()


def _origins(trace: Trace, v: Variable) -> dict[int, int]:
    """For each device the one whose block it holds; empty where blocks were computed or joined."""
    if v.origin is None:
        return {}
    ids = trace.mesh.device_ids.array().reshape(-1).tolist()
    positions = v.origin.positions.array().reshape(len(ids), -1)
    if positions.shape[1] != 1:
        return {}
    return {device: ids[p] for device, p in zip(ids, positions[:, 0].tolist(), strict=True) if p >= 0}


def _senders(trace: Trace, step: Step) -> dict[int, int]:
    """Of a permutation: for each device that receives a block, the one that sends it."""
    c = step.collective
    if c is None or not c.semantics.permutes or not c.plans:
        return {}
    rounds = trace.plans[c.plans[0]].rounds
    pairs = [pair for move in (rounds[0] if rounds else ()) for pair in move.pairs]
    return {group[b]: group[a] for group in c.groups for a, b in pairs if max(a, b) < len(group)}


def _sides(
    mine: Trace, reference: Trace, sources: tuple[Source | None, Source | None]
) -> tuple[PartedSide, PartedSide]:
    codes = [_listing(trace, source) for trace, source in zip((mine, reference), sources, strict=True)]
    lines = [code.lines if code else () for code in codes]
    apart: tuple[list[int], list[int]] = ([], [])
    if all(lines):
        matcher = difflib.SequenceMatcher(None, *([x.strip() for x in of] for of in lines), autojunk=False)
        for tag, a, b, c, d in matcher.get_opcodes():
            if tag != "equal":
                apart[0].extend(range(a, b))
                apart[1].extend(range(c, d))
    sides = [
        PartedSide(
            trace.name,
            code.file if code else "",
            code.first_line if code else 0,
            code.lines if code else (),
            # The line with the name of the function always differs.
            tuple(code.first_line + k for k in others if not code.lines[k].lstrip().startswith("def ")) if code else (),
        )
        for trace, code, others in zip((mine, reference), codes, apart, strict=True)
    ]
    return sides[0], sides[1]


def _listing(trace: Trace, source: Source | None) -> Listing | None:
    if source is None:
        return None
    inside = [
        one
        for one in trace.listings
        if one.file == source.file and one.first_line <= source.line < one.first_line + len(one.lines)
    ]
    return min(inside, key=lambda one: len(one.lines), default=None)


def _ids(devices: Sequence[int]) -> str:
    """``0 to 6`` where they follow one another, else each of the first."""
    first, last = devices[0], devices[-1]
    if len(devices) > 2 and list(devices) == list(range(first, last + 1)):
        return f"{first} to {last}"
    return ", ".join(map(str, devices[:6])) + (" …" if len(devices) > 6 else "")


def _verdict(
    steps: Sequence[PartedStep], first: int, sides: tuple[PartedSide, PartedSide], size: int, *, explained: bool
) -> str:
    compared = [step for step in steps if step.compared]
    if not compared:
        return "no value of both was kept, so nothing is compared"
    if first < 0:
        return f"no difference in {count(len(compared), 'step')}"
    step = steps[first]
    said = f"{step.name} differs first: step {step.step}, {step.primitive}"
    if step.shapes[0] != step.shapes[1]:
        return f"{said}, which has shape {step.shapes[0]}, in the reference {step.shapes[1]}"
    if step.devices:
        named = _ids(step.devices)
        every = len(step.devices) == size > 1
        said += f", on all {size} devices" if every else f", on device{'s' * (len(step.devices) > 1)} {named}"
    line, other = (next((n for n in side.other), 0) for side in sides)
    source = step.sources[0]
    if not explained and line and other and source and line <= source.line:
        said += f"; line {line} is another than line {other} of the reference"
    return said
