"""What is alive while a compiled program runs, on one device: every buffer, from its birth to its last use."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from shardwidget.document.base import Document
from shardwidget.document.fix import Fix
from shardwidget.document.mesh import Mesh
from shardwidget.document.program import MemoryTotals
from shardwidget.document.step import Source
from shardwidget.document.wire import VERSION, Ints

__all__ = ["Buffer", "Chip", "Memory", "MemoryLoop", "Remedy"]

_NONE = Ints.pack(())

BufferKind = Literal["argument", "output", "kept", "temporary", "collective"]


@dataclass(frozen=True)
class Buffer:
    """Memory that a value takes up on each device."""

    bytes: int
    """With the padding of the device's tiles."""
    type: str
    """On one device, as JAX writes it: ``bf16[8,4]``."""
    name: str
    """What the user calls it: an argument's path, or the variable that its line binds; else the instruction's name."""
    kind: BufferKind
    """``kept``: made in the forward and needed in the backward pass; ``collective``: the result of a collective."""
    born: int
    """The step that makes it; 0 for an argument."""
    dies: int
    """The last step that it is alive at."""
    source: Source | None = None
    """The user's line that makes it."""
    backward: bool = False
    """Whether it is made in the backward pass."""
    loop: int = -1
    """Index in ``Memory.loops`` of the innermost loop that makes it again in each pass; -1 for none."""
    instruction: str = ""
    """Name of the instruction that makes it."""
    donated: bool = False
    """Of an argument: whether a result is written in its place."""
    axes: tuple[str, ...] | None = None
    """Mesh axes that cut it; None where that is not certain: the compiled program no longer shows it."""


@dataclass(frozen=True)
class Chip:
    """A device by the memory that it has."""

    name: str
    bytes: int
    source: str
    """Where the number is from."""


@dataclass(frozen=True)
class MemoryLoop:
    """A loop of the schedule, of which one pass stands for all: each needs the same."""

    first: int
    last: int
    """Its first and its last step."""
    times: int | None
    """How often it runs; None where that is not known."""
    name: str
    """``scan``, ``while_loop``, or what the user's line says."""
    source: Source | None = None
    backward: bool = False


@dataclass(frozen=True)
class Remedy:
    """A change that lowers the peak, found by compiling the program with it."""

    what: str
    """In words: ``donate argument 0``."""
    code: str
    """As code, or as the spec of an argument: ``jax.jit(step, donate_argnums=0)``."""
    before: int
    """Bytes of the peak as the program is."""
    after: int
    """And with the change."""
    fix: Fix | None = None
    """The change in the user's source; None where it is not of one place in it."""


@dataclass(frozen=True, repr=False)
class Memory(Document):
    """Memory over the schedule of a compiled program, on one device: all have the same.

    A *step* is one instruction of the schedule, with one pass of each loop in its place.
    """

    mesh: Mesh
    buffers: tuple[Buffer, ...] = field(metadata={"wire": "table"})
    steps: int
    loops: tuple[MemoryLoop, ...] = ()
    lines: tuple[Source, ...] = ()
    """The user's lines that the schedule works on, by file and number."""
    work: Ints = _NONE
    """Of each step: 0 for no line, else one more than twice the index in ``lines``, plus one in the backward pass."""
    chips: tuple[Chip, ...] = ()
    """Devices whose memory can be drawn as a limit."""
    chip: int | None = None
    """Index of the one that it is compiled for, or that was asked for; None where none is known."""
    basis: Literal["assignment", "text"] = "text"
    """Where sizes come from: the compiler's own assignment of buffers, or types in the module's text."""
    compiler: MemoryTotals | None = None
    """What the compiler itself allocates; None where it does not report it."""
    gaps: int = 0
    """Bytes that the compiler allocates for temporaries and that hold none at the peak: it places each where it fits.

    0 where its assignment is not known.
    """
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
        """Bytes that the compiler allocates: arguments, outputs and temporaries, less what is donated.

        If it does not report them: the peak.
        """
        c = self.compiler
        return self.peak_bytes if c is None else c.arguments + c.outputs + c.temporaries - c.aliased

    @property
    def difference(self) -> float | None:
        """How far ``peak_bytes`` is from the compiler's own figure, as a fraction of that; None where it gives none.

        That is more than the peak where outputs come late: they are allocated from the start.
        """
        theirs = self.compilers_bytes
        return self.peak_bytes / theirs - 1 if theirs else None

    @property
    def compilers_bytes(self) -> int:
        """The compiler's own figure: its peak, or what it allocates; 0 where it gives none.

        A peak above what it allocates counts memory on the chip too (VMEM of a TPU), which is not part of this.
        """
        if self.compiler is None:
            return 0
        return min(self.compiler.peak or self.allocated_bytes, self.allocated_bytes)

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
