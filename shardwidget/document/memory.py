"""What is alive while a compiled program runs, on one device: every buffer, from its birth to its last use."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from shardwidget.document.base import Document
from shardwidget.document.memory_diff import MemoryChange, MemoryDiff, MemorySide
from shardwidget.document.mesh import Mesh
from shardwidget.document.program import MemoryTotals
from shardwidget.document.step import Source
from shardwidget.document.wire import VERSION, Ints

__all__ = ["Buffer", "Chip", "Memory", "MemoryLoop"]

_NONE = Ints.pack(())

BufferKind = Literal["argument", "constant", "output", "kept", "temporary", "collective"]

FLAGGED = 2**20
"""The least bytes of a constant that is pointed out."""


@dataclass(frozen=True)
class Buffer:
    """Memory that a value takes up on each device."""

    bytes: int
    """Its size, with the padding of the device's tiles."""
    type: str
    """The type on one device, as JAX writes it: ``bf16[8,4]``."""
    name: str
    """The path of an argument, or the variable that the user's line assigns; otherwise the instruction's name."""
    kind: BufferKind
    """``constant`` is in the program itself: what the function closes over, or computes while it is traced; ``kept`` is
    made in the forward pass and needed in the backward pass; ``collective`` is the result of a collective."""
    born: int
    """Index of the step that makes it; 0 for an argument or a constant."""
    dies: int
    """Index of the last step that needs it."""
    source: Source | None = None
    """The user's line that makes it; None where that is not known."""
    backward: bool = False
    """Whether it is made in the backward pass."""
    loop: int = -1
    """Index in ``Memory.loops`` of the innermost loop that makes it anew in every iteration; -1 for none."""
    instruction: str = ""
    """The name of the instruction that makes it, where ``name`` is another; empty for an argument."""
    donated: bool = False
    """Whether it is an argument that a result takes the place of."""
    taken_by: str = ""
    """Of a donated argument: the result that is put there, ``result[0]['w']``; empty where its path is not known."""
    axes: tuple[str, ...] | None = None
    """The mesh axes that split it, in the order of the mesh; None where that is not certain, because the compiled
    program no longer shows it."""


@dataclass(frozen=True)
class Chip:
    """A kind of device, and how much memory it has."""

    name: str
    bytes: int
    """The size of its memory."""
    source: str
    """Where that number comes from."""


@dataclass(frozen=True)
class MemoryLoop:
    """A loop of the schedule. One iteration stands for all, since each needs the same memory."""

    first: int
    """Index of its first step."""
    last: int
    """Index of its last step."""
    times: int | None
    """The number of iterations; None where it is not known."""
    name: str
    """``scan``, ``while_loop``, or what the user's line says."""
    source: Source | None = None
    """The user's line of the loop; None where that is not known."""
    backward: bool = False
    """Whether it belongs to the backward pass."""


@dataclass(frozen=True, repr=False)
class Memory(Document):
    """Memory over the schedule of a compiled program, on one device: it is the same on all.

    A *step* is one instruction of the schedule. A loop is replaced by the instructions of one iteration.
    """

    mesh: Mesh
    buffers: tuple[Buffer, ...] = field(metadata={"wire": "table"})
    steps: int
    """The number of steps."""
    loops: tuple[MemoryLoop, ...] = ()
    lines: tuple[Source, ...] = ()
    """The user's lines that the schedule works on, sorted by file and number."""
    work: Ints = _NONE
    """What each step works on: 0 for no line, otherwise 1 + 2 · the index in ``lines``, plus 1 in the backward pass."""
    chips: tuple[Chip, ...] = ()
    """The kinds of devices whose memory can be drawn as a limit."""
    chip: int | None = None
    """Index in ``chips`` of the kind that was asked for or that the program is compiled for; None where it is not
    known."""
    basis: Literal["assignment", "text"] = "text"
    """Where sizes come from: the compiler's own assignment of buffers, or the types in the module's text."""
    compiler: MemoryTotals | None = None
    """What the compiler itself allocates; None where it does not report it."""
    gaps: int = 0
    """Bytes that the compiler allocates for temporaries but that hold none at the peak, because it places each
    temporary where it fits; 0 where its assignment is not known."""
    failure: str = ""
    """The compiler's message where the program needs more memory than the device has. The schedule is then the one that
    the compiler had made when it found that. Empty where it compiled."""
    name: str = ""
    target: str = ""
    """What it is compiled for, in words: ``TPU v5e 2×4``."""
    jax_version: str = ""
    kind: Literal["memory"] = field(default="memory", init=False)
    version: int = field(default=VERSION, init=False)

    # Derived, never on the wire.

    @cached_property
    def over_time(self) -> np.ndarray:
        """Bytes that are alive at each step, int64, shape ``[steps]``."""
        change = np.zeros(self.steps + 1, np.int64)
        for buffer in self.buffers:
            change[buffer.born] += buffer.bytes
            change[buffer.dies + 1] -= buffer.bytes
        return np.cumsum(change)[: self.steps]

    @property
    def peak_step(self) -> int:
        """The first step at which the most bytes are alive."""
        return int(self.over_time.argmax()) if self.steps else 0

    @property
    def peak_bytes(self) -> int:
        """The most bytes that are alive at once, arguments and outputs among them."""
        return int(self.over_time.max(initial=0))

    @property
    def allocated_bytes(self) -> int:
        """Bytes that the compiler allocates: arguments, constants, outputs and temporaries, less what is donated.

        If it does not report them: the peak. Constants it does not report: these are those of the program's text.
        """
        c = self.compiler
        return (
            self.peak_bytes if c is None else c.arguments + self.constant_bytes + c.outputs + c.temporaries - c.aliased
        )

    @cached_property
    def constant_bytes(self) -> int:
        """Bytes of the constants."""
        return sum(buffer.bytes for buffer in self.buffers if buffer.kind == "constant")

    @property
    def closed_over(self) -> tuple[Buffer, ...]:
        """Constants of 1 MiB and more, the largest first. Given as arguments they could be split, and donated."""
        found = (buffer for buffer in self.buffers if buffer.kind == "constant" and buffer.bytes >= FLAGGED)
        return tuple(sorted(found, key=lambda buffer: -buffer.bytes))

    @property
    def limit(self) -> int | None:
        """Bytes of the device that it is held against; None where that is not known."""
        return None if self.chip is None else self.chips[self.chip].bytes

    @property
    def missing(self) -> int:
        """Bytes that the device has too few; 0 where the program fits, or where the device is not known."""
        return max(0, max(self.peak_bytes, self.allocated_bytes) - self.limit) if self.limit else 0

    @property
    def difference(self) -> float | None:
        """The relative difference between ``peak_bytes`` and the compiler's own figure; None where it gives none.

        The compiler's figure is above the peak where outputs are made late: it allocates them from the start.
        """
        theirs = self.compilers_bytes
        return self.peak_bytes / theirs - 1 if theirs else None

    @property
    def compilers_bytes(self) -> int:
        """The compiler's own figure: its peak, or what it allocates; 0 where it gives none.

        A peak above what it allocates counts other memory too, on a TPU's chip (VMEM) or the host of a GPU, which is
        not part of this.
        """
        if self.compiler is None:
            return 0
        return min(self.compiler.peak or self.allocated_bytes, self.allocated_bytes)

    def diff(self, other: Memory) -> MemoryDiff:
        """What a change does to this memory: which lines take more or less at the peak.

        Args:
            other: the memory of the program after the change.
        """
        return _diff(self, other)

    def alive(self, at: int | None = None) -> tuple[Buffer, ...]:
        """The buffers that are alive at a step, the largest first.

        Args:
            at: the step; None for the peak.

        Raises:
            IndexError: there is no such step.
        """
        step = self.peak_step if at is None else at
        if not 0 <= step < self.steps:
            raise IndexError(f"no step {step}: the schedule has {self.steps} steps, numbered from 0")
        found = (buffer for buffer in self.buffers if buffer.born <= step <= buffer.dies)
        return tuple(sorted(found, key=lambda buffer: -buffer.bytes))


def _diff(before: Memory, after: Memory) -> MemoryDiff:
    old, new = _at_peak(before), _at_peak(after)
    changes = [change for key in old | new if (change := _change(key, old.get(key, []), new.get(key, [])))]
    differing = sum(change.before for change in changes)
    return MemoryDiff(
        _side(before),
        _side(after),
        tuple(sorted(changes, key=lambda c: (-abs(c.after - c.before), c.name, c.backward))),
        same_bytes=before.peak_bytes - differing,
        jax_version=after.jax_version,
    )


def _side(memory: Memory) -> MemorySide:
    return MemorySide(memory.name, memory.target, memory.peak_bytes, memory.allocated_bytes)


def _at_peak(memory: Memory) -> dict[tuple[str, str, bool], list[Buffer]]:
    found: dict[tuple[str, str, bool], list[Buffer]] = {}
    for buffer in memory.alive() if memory.steps else ():
        found.setdefault(_key(buffer), []).append(buffer)
    return found


def _key(buffer: Buffer) -> tuple[str, str, bool]:
    """A line's buffers are one: compilers name and cut them anew with every change."""
    return ("", buffer.source.text, buffer.backward) if buffer.source else (buffer.name, "", buffer.backward)


def _change(key: tuple[str, str, bool], old: list[Buffer], new: list[Buffer]) -> MemoryChange | None:
    bytes_of = [sum(buffer.bytes for buffer in side) for side in (old, new)]
    if bytes_of[0] == bytes_of[1]:
        return None
    shown = (new or old)[0]
    types = tuple(_types(side) for side in (old, new))
    return MemoryChange(shown.name, shown.kind, key[2], shown.source, (types[0], types[1]), *bytes_of)


def _types(side: list[Buffer]) -> str:
    """The type of the largest, and how many others there are."""
    if not side:
        return ""
    return side[0].type + (f" and {len(side) - 1} more" if len(side) > 1 else "")
