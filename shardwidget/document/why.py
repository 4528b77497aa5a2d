"""Why a value is split as it is: from its dimension back to what the user gave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from shardwidget.document.base import Document
from shardwidget.document.program import Program
from shardwidget.document.step import Source
from shardwidget.document.wire import VERSION

__all__ = ["Alternative", "Cause", "Group", "Link", "Reason", "Why", "chain_of"]

Given = Literal["", "argument", "constraint", "type", "shard_map", "jit"]
"""What a split, or a dimension that is whole, comes from: an argument's sharding, a constraint, a type on an Explicit
mesh, the specs of a ``shard_map``, or ``in_shardings`` and ``out_shardings`` of ``jit``. Empty where another value
passed it on."""


@dataclass(frozen=True)
class Reason:
    """Why one dimension of a value of a ``Comparison`` is split over one axis, or is kept whole: one step back."""

    row: int
    """Index in ``Comparison.rows``."""
    value: int
    """Index in that row's ``values``."""
    dim: int
    axis: str
    """The mesh axis; empty where the dimension is whole because that was asked for."""
    given: Given = ""
    """What gave it, where ``giver`` is -1."""
    through: tuple[int, ...] = ()
    """Rows whose operations passed it on from the giver, the nearest first."""
    back: bool = False
    """Whether it was passed against the direction of the program: from a result to an operand."""
    giver: int = -1
    """Index in ``Comparison.reasons`` of the value that passed it on; -1 where it was given here, or by what
    ``through`` ends with."""
    step: int = -1
    """The step of the compiler's propagation, from 0; -1 where it was given."""
    lost: tuple[int, ...] = ()
    """Indices in ``Comparison.reasons`` of other values of the same operation that are split over the same axis along
    another dimension, which was not passed on."""
    because: str = ""
    """Why those were not passed on, in a sentence."""
    wanted: int = -1
    """The dimension of the giver that they would split instead; -1 where they need another value's."""
    group: int = -1
    """Index in ``Comparison.groups`` of all that asked for the same; -1 where only one did."""


def chain_of(reasons: Sequence[Reason], index: int) -> list[int]:
    """Indices of the reasons from what gave an axis to the one at ``index``."""
    found = [index]
    while reasons[found[-1]].giver >= 0 and reasons[found[-1]].giver not in found:
        found.append(reasons[found[-1]].giver)
    return found[::-1]


@dataclass(frozen=True)
class Group:
    """Values that were given the same axis, along dimensions that operations between them split alike."""

    reasons: tuple[int, ...]
    """Indices in ``Comparison.reasons``. Without one of them the others may give the same."""


@dataclass(frozen=True)
class Cause:
    """The splits that a collective follows from."""

    collective: int
    """Index in ``Comparison.program.collectives``."""
    row: int | None
    """Index in ``Comparison.rows`` of the operation that needs it; None where it is one of several that are written
    alike."""
    reasons: tuple[int, ...]
    """Indices in ``Comparison.reasons``: what is made whole that the operation makes or takes, then the operands of
    that operation that are split over its axes; of several, what they all follow from."""


@dataclass(frozen=True)
class Link:
    """A value of the chain."""

    name: str
    type: str
    """Its dtype, shape and sharding."""
    dim: int
    """The dimension that is split over the axis."""
    row: int
    """Index in ``Comparison.rows``."""
    source: Source | None = None
    """The line that makes it; None for an argument."""
    through: tuple[str, ...] = ()
    """The operations that passed the axis on from the link before, with their lines; empty for the first."""
    back: bool = False
    """Whether it was passed against the direction of the program."""
    step: int = -1
    """The step of the compiler's propagation, from 0; -1 where it was given."""


@dataclass(frozen=True)
class Alternative:
    """The program with what decides a split otherwise, compiled."""

    what: str
    """``as it is``, ``had line 7 won``, ``without line 7``."""
    code: str
    """What to write: the line as it would be, or an argument with its spec; empty as it is."""
    gives: str
    """The compiled sharding of the value that is asked about; empty where it is not known."""
    collectives: tuple[str, ...]
    """The kinds of its collectives, each with its mesh axes, once."""
    sent: int
    """Bytes that a device sends in a call."""
    flops: float
    """What a device computes in a call, loops by their number of turns; -1 where it is not known."""
    program: Program
    """The compiled program: ``diff`` compares it with another."""


@dataclass(frozen=True, repr=False)
class Why(Document):
    """Why a dimension of a value is split over a mesh axis."""

    name: str
    """The value."""
    dim: int
    axis: str
    """The mesh axis; empty where the dimension is not split."""
    answer: str
    """The answer in one sentence."""
    given: Given = ""
    """What the split comes from, or who asked for the whole; empty where nobody did, or where the way is not known."""
    chain: tuple[Link, ...] = ()
    """From what gave the axis to the value; empty where the way is not known."""
    lost: tuple[Link, ...] = ()
    """Values that asked for the same axis along another dimension, and lost."""
    also: tuple[Link, ...] = ()
    """Values that were given the same, and may give it where the first link does not."""
    because: tuple[str, ...] = ()
    """Why they lost, one sentence each."""
    collectives: tuple[str, ...] = ()
    """The collectives over this axis that follow, in words."""
    ask: str = ""
    """The call that compiles it otherwise, ``comparison.why(8, 1, 'model', instead=True)``, where a constraint gives it
    or another value lost; empty elsewhere."""
    instead: tuple[Alternative, ...] = ()
    """The program as it is, then what else was compiled; empty where that was not asked for."""
    steps: int = 0
    """How many steps the compiler's propagation had."""
    kind: Literal["why"] = field(default="why", init=False)
    version: int = field(default=VERSION, init=False)
