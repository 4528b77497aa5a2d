"""A measured run: what every device did when, how long each collective took, and which devices waited."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from shardwidget.document.base import Document, provided
from shardwidget.document.collective import Semantics
from shardwidget.document.mesh import Mesh
from shardwidget.document.step import Source
from shardwidget.document.wire import VERSION, Ints

__all__ = [
    "Clock", "ComputedLine", "Event", "Lane", "MeasuredCollective", "Operation", "Run", "Runs", "Shares", "Unjoined",
]  # fmt: skip


@dataclass(frozen=True)
class Operation:
    """An instruction of the program that the devices ran."""

    name: str
    """The name in the module: ``fusion.12``, ``all-reduce.1``."""
    source: Source | None = None
    """The user's line that it belongs to; None where there is none."""
    op: str = ""
    """JAX's path of the operation: ``jit(f)/transpose(jvp(dot_general))``."""
    collective: int = -1
    """Index in ``Run.collectives``; -1 for compute."""
    trips: tuple[int, ...] = ()
    """The trip counts of the loops that it is in, outermost first; 0 where a count is not known. When a device runs it
    for the k-th time in a call, the loops' iterations are the digits of k in this mixed radix."""
    known: bool = True
    """Whether the program has an instruction of this name."""


@dataclass(frozen=True)
class Event:
    """One execution of an operation on one device."""

    name: str
    kind: Literal["compute", "collective"]
    call: int
    """Index of the call of the program."""
    start_s: float
    """When it starts, in seconds from the beginning of the call: the first event on any device."""
    end_s: float
    """When it ends, likewise."""
    waited_s: float
    """Seconds from the device's own arrival at a collective to that of the last member; 0 for compute."""
    iteration: tuple[int, ...]
    """The iteration of each loop that it is in, outermost first."""
    source: Source | None
    """The user's line that it belongs to; None where there is none."""


@dataclass(frozen=True)
class Lane:
    """The events of one device as columns, sorted by call and then by start."""

    position: int
    """The mesh position of the device."""
    counts: Ints
    """The number of events in each call."""
    operation: Ints
    """The index of each event's operation in ``Run.operations``."""
    start: Ints
    """When each event starts, in ticks from the beginning of the call."""
    duration: Ints
    """How long each event takes, in ticks."""
    waited: Ints
    """For each event that is a collective, in order: ticks from the device's own arrival to that of the last member."""


@dataclass(frozen=True)
class MeasuredCollective:
    """A collective of the program, and how long it took."""

    kind: str
    """XLA's name for it: ``all-reduce``, ``reduce-scatter``, ``collective-permute``."""
    semantics: Semantics
    axes: tuple[str, ...]
    """The user's mesh axes that it goes over; empty where no set of axes has its groups (``irregular``)."""
    irregular: bool
    """Whether no set of mesh axes has its groups."""
    within: tuple[str, ...]
    """The mesh axes that irregular groups stay within; empty for regular ones."""
    positions: Ints
    """The mesh positions of the groups, one group after another; shorter groups are padded with -1."""
    group_size: int
    """The number of ranks in the largest group."""
    pairs: tuple[tuple[int, int], ...]
    """The pairs (source, destination) of a permutation, as mesh positions; empty for other collectives."""
    source: Source | None
    """The user's line that it belongs to; None where there is none."""
    backward: bool
    """Whether it belongs to a transposed operation, and so to the backward pass."""
    by_user: bool
    """Whether the program asks for it; otherwise the compiler added it."""
    name: str
    """The name of the instruction in the module."""
    bytes_per_device: int
    """Bytes that a device sends each time."""
    estimate_s: float
    """Estimated seconds for each time, on ``Run.interconnect``."""
    times: int = 0
    """How many times it was measured, over all devices and calls."""
    median_s: float = 0.0
    """Seconds from the last member's arrival to the end: the median over devices, calls and iterations."""
    low_s: float = 0.0
    """The 10th percentile of these seconds."""
    high_s: float = 0.0
    """The 90th percentile of these seconds."""
    wait_s: float = 0.0
    """Seconds from a device's own arrival to that of the last member: the median."""
    wait_high_s: float = 0.0
    """The 90th percentile of the seconds waited."""
    call_s: float = 0.0
    """Seconds that a device spends in it after the last arrival in one call: the mean."""
    call_wait_s: float = 0.0
    """Seconds that a device waits in it in one call: the mean."""
    hidden: float = 0.0
    """The share of the time after the last arrival in which the device also computed."""
    bytes_per_second: float = 0.0
    """Bytes that a device sends, divided by the median time; 0 where no time was measured."""
    last: Ints = field(default_factory=lambda: Ints.pack(()))
    """For each mesh position, how often it was the last of its group to arrive while others waited."""


@dataclass(frozen=True)
class ComputedLine:
    """A line of the user's program, and how long devices computed for it."""

    source: Source
    call_s: float
    """Seconds in which a device computes for it in one call, collectives left out: the mean over devices and calls."""
    share: float
    """These seconds as a share of a call; of all lines more than 1 where a device computes for several at once."""


@dataclass(frozen=True)
class Shares:
    """How a device spent the time of a call, as the mean over devices and calls. The first four add up to 1."""

    compute: float
    """The share in which it computed."""
    communication: float
    """The share in collectives after the last arrival, with nothing computed meanwhile."""
    waiting: float
    """The share in collectives before the last arrival, with nothing computed meanwhile."""
    idle: float
    """The share without any event."""
    hidden: float
    """The share of all time in collectives after the last arrival in which the device also computed."""


@dataclass(frozen=True)
class Unjoined:
    """A measured operation that has no source line."""

    name: str
    why: str
    """The reason: ``not in the program`` or ``no source line``."""
    times: int
    """How many times it was measured."""
    share: float
    """The share of the measured device time that it took."""


@dataclass(frozen=True)
class Clock:
    """The clock of a process, compared with that of the first process."""

    process: int
    """The index of the process."""
    offset_s: float
    """Seconds that were subtracted from its times."""
    skew_s: float
    """The error that may remain: the 90th percentile of how far apart, in seconds, both processes see a collective
    end."""
    collectives: int
    """The number of collectives that the clocks were aligned on; 0 where they could not be aligned."""


@dataclass(frozen=True, repr=False)
class Run(Document):
    """Measured calls of a program."""

    mesh: Mesh
    """The user's mesh; without one, the program's devices in a row."""
    name: str
    target: str
    """What it ran on, in words: ``8 CPU devices``."""
    seconds: tuple[float, ...]
    """Seconds of each call, from the first event on any device to the last."""
    begins: tuple[int, ...]
    """When the first event of each call was, in nanoseconds of the clock of the (first) process."""
    tick_s: float
    """The length of a tick in seconds: the unit of time in ``lanes``."""
    operations: tuple[Operation, ...] = field(metadata={"wire": "table"})
    lanes: tuple[Lane, ...]
    """The lane of each measured device, in mesh order. Devices of other processes have one after runs are merged."""
    collectives: tuple[MeasuredCollective, ...]
    """The collectives that were measured, in the order of the module's schedule."""
    lines: tuple[ComputedLine, ...]
    """The lines that devices computed for, those with the most time first."""
    shares: Shares
    joined: float
    """The share of the measured device time that has a source line."""
    unjoined: tuple[Unjoined, ...]
    """The operations that have no source line, those with the most time first."""
    merged_events: int
    """The number of short events that were joined with their neighbours because there were too many to send."""
    interconnect: str
    """The interconnect that estimates and ``peak`` are for: ``H100``, ``a copy on this host``."""
    peak: float
    """Bytes per second that a device can send on that interconnect; 0 where not known."""
    clocks: tuple[Clock, ...] = ()
    """The clocks of the processes after the first; empty unless runs were merged."""
    note: str = ""
    """What these times do not show and what is not known, in full sentences."""
    jax_version: str = ""
    kind: Literal["run"] = field(default="run", init=False)
    version: int = field(default=VERSION, init=False)

    @property
    def costliest(self) -> MeasuredCollective | ComputedLine | None:
        """The line or the collective that a call spends the most time on; None where neither was measured."""
        found = (*self.lines[:1], *self.collectives)
        return max(found, key=lambda each: each.call_s, default=None) if self.median_s else None

    @property
    def median_s(self) -> float:
        """Seconds of a call: median."""
        return float(np.median(self.seconds))

    def events(self, device: int) -> tuple[Event, ...]:
        """The events of a device, by call and start.

        Args:
            device: ``Device.id``.

        Raises:
            ValueError: the device was not measured.
        """
        return provided("events")(self, device)

    def to_trace(self) -> dict[str, Any]:
        """The run in Chrome's trace event format, which Perfetto and ``chrome://tracing`` open."""
        return provided("chrome_trace")(self)

    def merge(self, *others: Run) -> Run:
        """The lanes of several processes in one run, with their clocks aligned on the collectives.

        Args:
            *others: what ``read.run`` gave in the other processes, for the same program and the same calls.

        Raises:
            ValueError: they are of other programs, or a device is in two of them.
        """
        return provided("merge")((self, *others))


@dataclass(frozen=True, repr=False)
class Runs(Document):
    """Runs side by side, on one time axis."""

    mesh: Mesh
    """The mesh of the first run."""
    runs: tuple[Run, ...]
    """The runs, each with the name that the user gave it."""
    kind: Literal["runs"] = field(default="runs", init=False)
    version: int = field(default=VERSION, init=False)
