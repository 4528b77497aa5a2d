"""A measured run: what every device did when, which collective took how long, and who waited for whom."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from shardwidget.document.base import Document, provided
from shardwidget.document.collective import Semantics
from shardwidget.document.mesh import Mesh
from shardwidget.document.step import Source
from shardwidget.document.wire import VERSION, Ints

__all__ = ["Clock", "Event", "Lane", "MeasuredCollective", "Operation", "Run", "Runs", "Shares", "Unjoined"]


@dataclass(frozen=True)
class Operation:
    """An instruction of the program that devices ran."""

    name: str
    """In the module: ``fusion.12``, ``all-reduce.1``."""
    source: Source | None = None
    """The user's line that it belongs to; None where there is none."""
    op: str = ""
    """JAX's path to the operation: ``jit(f)/transpose(jvp(dot_general))``."""
    collective: int = -1
    """Its index in ``Run.collectives``; -1 for compute."""
    trips: tuple[int, ...] = ()
    """Trip counts of the loops that it is in, outermost first; 0 where not known. The k-th time that a device runs
    it in a call, its iterations are the digits of k in this mixed radix."""
    known: bool = True
    """Whether the program has an instruction of this name."""


@dataclass(frozen=True)
class Event:
    """One operation on one device, once."""

    name: str
    kind: Literal["compute", "collective"]
    call: int
    """Index of the call of the program."""
    start_s: float
    """Seconds from the beginning of the call: the first event on any device."""
    end_s: float
    waited_s: float
    """Of a collective: seconds from its own arrival to that of the last member."""
    iteration: tuple[int, ...]
    """Of the loops that it is in, outermost first."""
    source: Source | None


@dataclass(frozen=True)
class Lane:
    """The events of one device, in columns: by call, then by start."""

    position: int
    """Mesh position of the device."""
    counts: Ints
    """Events of each call."""
    operation: Ints
    """Index in ``Run.operations``."""
    start: Ints
    """Ticks from the beginning of the call."""
    duration: Ints
    """Ticks."""
    waited: Ints
    """Of the events that are collectives, in order: ticks from the device's own arrival to that of the last member."""


@dataclass(frozen=True)
class MeasuredCollective:
    """A collective of the program, and how long it took."""

    kind: str
    """XLA's name for it: ``all-reduce``, ``reduce-scatter``, ``collective-permute``."""
    semantics: Semantics
    axes: tuple[str, ...]
    """The user's mesh axes that it goes over; empty where none fit, see ``irregular``."""
    irregular: bool
    within: tuple[str, ...]
    """Of irregular groups: the mesh axes that they stay within."""
    positions: Ints
    """Mesh positions of the groups, one group after another; a shorter group is filled up with -1."""
    group_size: int
    pairs: tuple[tuple[int, int], ...]
    """Of a permutation: (source, destination) mesh positions."""
    source: Source | None
    backward: bool
    """Whether it belongs to a transposed operation: the backward pass."""
    by_user: bool
    """Whether the program asks for it; else the compiler added it."""
    name: str
    """Name of the instruction in the module."""
    bytes_per_device: int
    """Bytes that a device sends each time."""
    estimate_s: float
    """Estimated seconds, by ``Run.interconnect``."""
    times: int = 0
    """Times that it was measured, over all devices and calls."""
    median_s: float = 0.0
    """Seconds from the last member's arrival to the end: median over devices, calls and iterations."""
    low_s: float = 0.0
    """10th percentile of the same."""
    high_s: float = 0.0
    """90th percentile."""
    wait_s: float = 0.0
    """Seconds from a device's own arrival to that of the last member: median."""
    wait_high_s: float = 0.0
    """90th percentile."""
    call_s: float = 0.0
    """Seconds after the last arrival in one call, on one device: mean."""
    call_wait_s: float = 0.0
    """Seconds waited in one call, on one device: mean."""
    hidden: float = 0.0
    """Share of the time after the last arrival in which the device computed."""
    bytes_per_second: float = 0.0
    """What a device sent in the median time; 0 where no time was measured."""
    last: Ints = field(default_factory=lambda: Ints.pack(()))
    """Of each mesh position, how often it was the last to arrive in its group, with others waiting."""


@dataclass(frozen=True)
class Shares:
    """What a device did in a call: mean over devices and calls. The four add up to 1."""

    compute: float
    communication: float
    """In a collective after the last arrival, with nothing computed meanwhile."""
    waiting: float
    """In a collective before the last arrival, with nothing computed meanwhile."""
    idle: float
    """No event."""
    hidden: float
    """Share of the communication in which the device computed."""


@dataclass(frozen=True)
class Unjoined:
    """Measured operations that have no source line."""

    name: str
    why: str
    """``not in the program``, or ``no source line``."""
    times: int
    share: float
    """Of the measured device time."""


@dataclass(frozen=True)
class Clock:
    """The clock of a process, compared with that of the first."""

    process: int
    offset_s: float
    """Seconds that were subtracted from its times."""
    skew_s: float
    """What may still be wrong: 90th percentile of how far apart collectives that both took part in end."""
    collectives: int
    """Collectives that the clocks were aligned on; 0: they could not be."""


@dataclass(frozen=True, repr=False)
class Run(Document):
    """Measured calls of a program."""

    mesh: Mesh
    """The user's mesh. Without one: the program's devices in a row."""
    name: str
    target: str
    """What it ran on, in words: ``8 CPU devices``."""
    seconds: tuple[float, ...]
    """Of each call, from the first event on any device to the last."""
    begins: tuple[int, ...] = field(metadata={"wire": False})
    """Of each call: when its first event was, in nanoseconds of the clock of the (first) process."""
    tick_s: float
    """Seconds of a tick, the unit of lanes."""
    operations: tuple[Operation, ...] = field(metadata={"wire": "table"})
    lanes: tuple[Lane, ...]
    """Of each measured device, in mesh order. Those of another process have none until runs are merged."""
    collectives: tuple[MeasuredCollective, ...]
    """Those that were measured, in the order of the module's schedule."""
    shares: Shares
    joined: float
    """Share of the measured device time that has a source line."""
    unjoined: tuple[Unjoined, ...]
    """What has no source line, most time first."""
    merged_events: int
    """Short events that were joined with their neighbours, because there were too many to send."""
    interconnect: str
    """What estimates and the peak are for: ``H100``, ``a copy on this host``."""
    peak: float
    """Bytes per second that a device can send on it; 0 where not known."""
    clocks: tuple[Clock, ...] = ()
    """Of the processes after the first, where runs were merged."""
    note: str = ""
    """What these times do not show, and what is not known, in sentences."""
    jax_version: str = ""
    kind: Literal["run"] = field(default="run", init=False)
    version: int = field(default=VERSION, init=False)

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
    """The first run's."""
    runs: tuple[Run, ...]
    """Each with the name that the user gave it."""
    kind: Literal["runs"] = field(default="runs", init=False)
    version: int = field(default=VERSION, init=False)
