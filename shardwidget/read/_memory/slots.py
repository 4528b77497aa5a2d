"""Memory that results take up, and the schedule that they are in."""

from __future__ import annotations

from dataclasses import dataclass, field

from shardwidget.read._memory.shapes import Array
from shardwidget.read._program.module import Instruction


@dataclass(eq=False)
class Slot:
    """Memory that a result takes up."""

    array: Array
    instruction: Instruction | None
    """None for an argument of the program."""
    born: int
    last: int
    """The last step that needs it."""
    kind: str = "temporary"
    argument: int = -1
    """Number of the program's parameter that it is."""
    output: int = -1
    """Number of the program's result that it is, or that takes its place."""
    donated: bool = False
    """Whether it is an argument that a result takes the place of."""
    loop: int = -1
    """Index of the innermost loop of which every pass makes it again; -1 for none."""
    index: tuple[int, ...] = ()
    """The place of an element in its tuple; empty where it is not an element of one."""
    size: int = -1
    """Bytes that the compiler allocates for it; -1 for those of its type."""
    free: bool = False
    """Whether it reuses the memory of another."""
    may_replace: tuple[Slot, ...] = ()
    """Operands that it may be written over."""
    over: Slot | None = None
    """What was in its memory before: an operand that it is written over, or what a loop was given."""
    carried_by: Instruction | None = None
    """The loop whose passes hand it on; of several the last."""
    writer: Instruction | None = None
    """What makes the first value that is written into it: a buffer that a loop fills is named after its contents."""
    slice_of: Slot | None = None
    """The argument that a loop takes it from, one entry in each pass."""
    users: list[Instruction] = field(default_factory=list)
    """What needs it, of a constant."""

    @property
    def bytes(self) -> int:
        return self.array.bytes if self.size < 0 else self.size

    @property
    def exists(self) -> bool:
        """Whether it takes up memory of its own at any step."""
        return not self.free and self.bytes > 0 and self.last >= self.born


@dataclass(eq=False)
class Loop:
    """A loop, of which one pass is walked."""

    instruction: Instruction
    first: int
    last: int
    times: int | None


@dataclass
class Walk:
    """The whole schedule, with one pass of each loop in its place."""

    steps: list[Instruction] = field(default_factory=list)
    slots: list[Slot] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)


Leaves = tuple[Slot, ...]
"""Where the arrays of a value are, those of a tuple from left to right."""
