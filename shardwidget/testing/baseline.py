"""What a program, a tree or a memory was: a small text to keep in a repository, and how it differs from what is.

A row has numbers and what they are of. Nothing in it is XLA's: collectives are told apart by kind, mesh axes and the
text of the user's line, so rows last when lines move, when instructions are renamed, and from one JAX to the next.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from shardwidget.document import BaselineDiff, BaselineRow, Memory, Model, Program

Rows = Mapping[str, tuple[int, int]]
"""By what they are of: bytes, and a count."""


@dataclass(frozen=True)
class Baseline:
    """What is kept of a document."""

    about: str
    """What it is of, and what is not compared, in lines of text."""
    rows: Rows
    counted: Literal["runs", "copies", "buffers"]
    """What the counts are of."""
    tolerance: float = 0.0
    """How far bytes may be off, relative to those that were."""

    def text(self) -> str:
        """The file."""
        rows = [f"{size:>14} B  ×{count:<4} | {of}" for of, (size, count) in sorted(self.rows.items())]
        return "\n".join([*(f"# {line}" for line in self.about.splitlines()), *rows]) + "\n"


def baseline(document: Program | Model | Memory) -> Baseline:
    """What is kept of a document.

    Raises:
        TypeError: it is none of these.
    """
    for kind, make in _MAKE.items():
        if isinstance(document, kind):
            return make(document)
    raise TypeError(
        f"a baseline is of what read.program, read.model or read.memory returns; got a {type(document).__name__}"
    )


def parsed(text: str) -> Rows:
    """The rows of a file.

    Raises:
        ValueError: a line is not a row.
    """
    rows = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        numbers, bar, of = line.partition(" | ")
        words = numbers.replace("×", " ").split()
        if not bar or len(words) != 3 or not (words[0].isdigit() and words[2].isdigit()):
            raise ValueError(f"line {number} is not one of a baseline: {line!r}")
        rows[of] = int(words[0]), int(words[2])
    return rows


def differences(name: str, before: Rows, now: Baseline) -> BaselineDiff:
    """What differs from a file.

    Args:
        name: the file.
        before: its rows.
        now: what there is.
    """
    found = []
    for of in sorted(before.keys() | now.rows.keys()):
        (size, count), (size_now, count_now) = before.get(of, (0, 0)), now.rows.get(of, (0, 0))
        if of in before and of in now.rows:
            if count == count_now and abs(size_now - size) <= now.tolerance * size:
                continue
            change = "changed"
        else:
            change = "gone" if of in before else "new"
        found.append(BaselineRow(change, of, size, size_now, count, count_now))
    found.sort(key=lambda row: -abs(row.bytes_now - row.bytes_before))
    return BaselineDiff(name, now.counted, tuple(found), len(before.keys() | now.rows.keys()) - len(found))


def _program(program: Program) -> Baseline:
    rows: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for c in program.collectives:
        over = ", ".join(c.within if c.irregular else c.axes) or "no whole axis"
        line = c.source.text if c.source else c.op
        size, count = rows[of := f"{c.kind} over {over} | {line}"]
        runs = c.times or 1
        rows[of] = size + c.bytes_per_device * runs, count + runs
    about = (
        f"The collectives of {program.name} for {program.target}: bytes that a device sends in a call, runs.\n"
        "Not compared: names and numbers of instructions, the order and numbers of lines, estimated times."
    )
    return Baseline(about, dict(rows), "runs")


def _model(model: Model) -> Baseline:
    rows = {f"{leaf.name} {leaf.kind.type}": (leaf.bytes_per_device, leaf.copies) for leaf in model.leaves}
    about = (
        f"The arrays of {model.name or 'a tree'}: bytes on each device, copies.\n"
        "Not compared: values, axis types, devices."
    )
    return Baseline(about, rows, "copies")


def _memory(memory: Memory) -> Baseline:
    rows: dict[str, tuple[int, int]] = {"peak": (memory.peak_bytes, 1)}
    for buffer in memory.alive():
        if buffer.kind in ("argument", "output"):
            size, count = rows.get(buffer.kind, (0, 0))
            rows[buffer.kind] = size + buffer.bytes, count + 1
    about = (
        f"The memory of {memory.name} at its peak, compiled for {memory.target}: bytes on a device, buffers.\n"
        f"Bytes are compared within {_MEMORY:.0%}: the compiler's temporaries differ from one JAX to the next."
    )
    return Baseline(about, rows, "buffers", _MEMORY)


_MEMORY = 0.03

_MAKE: Mapping[type, Callable[..., Baseline]] = {Program: _program, Model: _model, Memory: _memory}
