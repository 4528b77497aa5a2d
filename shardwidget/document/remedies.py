"""Changes that lower the peak of memory of a program, or its communication, each found by compiling it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, overload

from shardwidget.document.base import Document
from shardwidget.document.fix import Fix
from shardwidget.document.wire import VERSION

__all__ = ["Remedies", "Remedy"]


@dataclass(frozen=True)
class Remedy:
    """A change that lowers the peak of memory, or communication, found by compiling the program with it."""

    what: str
    """The change in words: ``donate argument 0``."""
    code: str
    """The change as code, ``jax.jit(step, donate_argnums=0)``, or as the spec of an argument."""
    before: int
    """Without the change: the peak in bytes, or the bytes that a device sends in a call."""
    after: int
    """The same with the change."""
    fix: Fix | None = None
    """The change in the user's source; None where no single place in it can be changed."""
    lowers: Literal["peak", "communication"] = "peak"
    """What the change is for, and what ``before`` and ``after`` count."""
    seconds_before: float = 0.0
    """For communication: estimated seconds of a call without the change."""
    seconds_after: float = 0.0
    """The same with the change."""
    memory: int = 0
    """For communication: bytes of memory on a device that the change adds; less than 0 where it saves some."""
    work: float = 0.0
    """For communication: the share of a device's FLOP that the change adds; less than 0 where it saves some."""
    helps: tuple[str, ...] = ()
    """For communication: what it helps, that of which it saves most first: lines that send less, ``line 30``, and
    memory, ``memory of mu``."""
    other: bool = False
    """Whether another change at the same place saves more; not where this one is the best for a line, or memory."""


@dataclass(frozen=True, repr=False)
class Remedies(Document, Sequence[Remedy]):
    """The changes of a program that help; a sequence of them, the best first.

    For communication first the best at each place that can be changed, and the best for each line that sends and for
    memory; then other ways at the same places.
    """

    name: str
    """The program."""
    lowers: Literal["peak", "communication"]
    """What is to be lower."""
    found: tuple[Remedy, ...]
    tried: int
    """How many changes were compiled."""
    complete: bool = True
    """Whether all were; not where it was interrupted."""
    jax_version: str = ""
    kind: Literal["remedies"] = field(default="remedies", init=False)
    version: int = field(default=VERSION, init=False)

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[Remedy]:
        return iter(self.found)

    @overload
    def __getitem__(self, index: int) -> Remedy: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Remedy, ...]: ...

    def __getitem__(self, index: int | slice) -> Remedy | tuple[Remedy, ...]:
        return self.found[index]
