"""What is recorded of a kernel: plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from shardwidget._jax.sources import Frame

Range = tuple[tuple[int, int], ...]
"""First element and number of elements of each dimension."""


@dataclass(frozen=True)
class Place:
    """A part of a buffer."""

    buffer: int
    device: int
    core: int
    range: Range


@dataclass
class Action:
    """What a core did, or began and did not end."""

    kind: Literal["copy", "wait", "signal", "read", "write"]
    frames: Sequence[Frame]
    """The user's lines that it comes from, innermost first; none for what the kernel's specs load and store."""
    at: Place | None = None
    """What is read or written; the source of a copy."""
    to: Place | None = None
    """The destination of a copy."""
    semaphore: int = -1
    """Of a wait, a signal; of a copy, the one of its destination."""
    sent: int = -1
    """Semaphore of a copy's source; -1 for none."""
    amount: int = 0
    """By how much a semaphore is waited for or signalled; bytes of a copy."""
    target: tuple[int, int] = (-1, -1)
    """Device and core of the semaphore that is signalled."""
    values: Any = None
    """What was read or written."""
    ended: bool = False


@dataclass
class Buffer:
    """A buffer of one device."""

    space: str
    shape: tuple[int, ...]
    dtype: str
    values: Any
    """What it held at the beginning."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel."""

    name: str
    space: str
    """``semaphore`` or the kind of memory."""
    shape: tuple[int, ...]
    dtype: str


@dataclass
class RecordedKernel:
    """One ``pallas_call`` as it ran."""

    name: str
    parameters: tuple[Parameter, ...]
    """Scalars that are known before it starts, inputs, outputs, scratch."""
    inputs: int
    outputs: int
    scalars: int
    aliased: dict[int, int]
    """The input of each output that is one."""
    place: tuple[str, int]
    """File and first line of the kernel."""
    axes: tuple[tuple[str, int], ...]
    """Axes of the mesh that it runs on."""
    cores: int = 1
    barrier: bool = False
    """Whether the interpreter starts all devices together, because the kernel names no ``collective_id``."""
    actions: dict[tuple[int, int], list[Action]] = field(default_factory=dict)
    """What each core did, by device and core, in order."""
    buffers: dict[tuple[int, int, int], Buffer] = field(default_factory=dict)
    """By buffer, device and core."""
    semaphores: dict[int, int] = field(default_factory=dict)
    """Number of each semaphore in the array that it was allocated with, by its id: ids of one array are in a row."""
    collective: set[int] = field(default_factory=set)
    """Ids of barrier semaphores."""
    ended: set[int] = field(default_factory=set)
    """Devices that have left the kernel."""
    began: set[int] = field(default_factory=set)
    stopped: bool = False
    """Whether it was ended because nothing moved."""
    error: str = ""
    """What the interpreter raised, in its words."""
    runs: int = 0

    @property
    def devices(self) -> int:
        return int(np.prod([size for _, size in self.axes], dtype=int))
