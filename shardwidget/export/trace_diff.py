"""Two traces as text and as a plain HTML table: where they part, then every step that differs."""

from __future__ import annotations

from shardwidget._format import count
from shardwidget.document import PartedCells, PartedStep, TraceDiff
from shardwidget.document.columns import STEP_DIFFERENCES
from shardwidget.export import listing
from shardwidget.export.words import clip

MOST = 32
"""The most steps that are listed; the rest are counted."""


def headline(diff: TraceDiff) -> str:
    """Where they part, in one line."""
    names = dict.fromkeys(clip(side.name or "function", 40) for side in (diff.mine, diff.reference))
    return f"{' → '.join(names)}: {clip(diff.verdict, 200)}"


def _said(diff: TraceDiff) -> listing.Said:
    """Where they part and why, what devices hold there, then the steps that differ."""
    why = [clip(diff.cause, 200)] if diff.cause else []
    return listing.Said(STEP_DIFFERENCES, _rows(diff) if diff.first >= 0 else [], [*why, *held(diff)], _after(diff))


picture, table = listing.writers(headline, _said)


def held(diff: TraceDiff) -> list[str]:
    """What each device holds at the first step that differs: ``device 0: mine 7 2 2 6, reference 9 3 8 5``."""
    if diff.first < 0:
        return []
    step = diff.steps[diff.first]
    at = f", from [{', '.join(map(str, step.at))}] on" if any(step.at) else ""
    return [f"{clip(step.name, 40)}, {_of(cells)}{at}: {_both(cells)}" for cells in step.cells]


def _of(cells: PartedCells) -> str:
    return f"device {cells.device}" if cells.device >= 0 else "the whole array"


def _both(cells: PartedCells) -> str:
    mine, other = (" ".join(of) or "–" for of in (cells.mine, cells.reference))
    return f"mine {mine}, reference {other}" if cells.count else f"{mine} in both"


def _rows(diff: TraceDiff) -> list[listing.Row]:
    return [_row(step) for step in _parted(diff)[:MOST]]


def _parted(diff: TraceDiff) -> list[PartedStep]:
    return [step for step in diff.steps if step.parted]


def _row(step: PartedStep) -> listing.Row:
    mine, other = step.sources
    return {
        "step": str(step.step),
        "primitive": step.primitive,
        "name": clip(step.name, 32),
        "parted": f"{step.parted} of {step.total}",
        "source": f"{mine.line}: {clip(mine.text, 48)}" if mine else "",
        "reference": f"{other.line}: {clip(other.text, 48)}" if other else "",
    }


def _after(diff: TraceDiff) -> list[str]:
    left = len(_parted(diff)) - MOST
    lines = [f"… {count(left, 'more step')} that differ: diff.steps and diff.to_json() have all"] if left > 0 else []
    same = sum(step.compared and not step.parted for step in diff.steps)
    alone = sum(not step.compared for step in diff.steps)
    said = f"{count(same, 'step')} equal (rtol {diff.rtol:g}, atol {diff.atol:g})"
    return [*lines, said + (f", {alone} without a counterpart" if alone else "")]
