"""How much of a compiled program's communication is exposed: an estimate from its schedule."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from shardwidget.document.base import Document, provided
from shardwidget.document.mesh import Mesh
from shardwidget.document.run import Run
from shardwidget.document.step import Source
from shardwidget.document.wire import VERSION

__all__ = [
    "Bound",
    "Interval",
    "LineTransfers",
    "LineWork",
    "Loop",
    "MeasuredCall",
    "MeasuredLine",
    "Overlap",
    "Transfer",
]

Bound = Literal["compute", "memory", "links", ""]


@dataclass(frozen=True)
class Transfer:
    """A collective of the schedule, over all its runs in a call. All times are estimates in seconds."""

    kind: str
    name: str
    """The name of the instruction in the module."""
    axes: tuple[str, ...]
    """The mesh axes that it goes over; empty for irregular groups."""
    times: int | None
    """How often it runs in a call; None where that is not known, and it is counted once."""
    seconds: float
    """How long it takes by itself."""
    exposed: float
    """How long the program waits for it: at its ``-done``, or all of it where it has none. Where its axis is still busy
    with another one, the wait is longer than the transfer itself."""
    asynchronous: bool
    """Whether it has a ``-start`` and a ``-done``."""
    between: tuple[str, ...] = ()
    """What computes between ``-start`` and ``-done``, as JAX names it; each once."""
    between_s: float = 0.0
    """How long that takes."""
    source: Source | None = None
    backward: bool = False
    ring: Literal["", "all-gather", "reduce-scatter"] = ""
    """What a permutation is a step of, where a product of its line is computed beside it; empty for others."""
    operand: str = ""
    """The argument of the function that it moves; empty where it moves a computed value."""

    @property
    def hidden(self) -> float:
        """How much of it runs beside other work."""
        return max(0.0, self.seconds - self.exposed)


@dataclass(frozen=True)
class LineTransfers:
    """The collectives of one kind, over the same axes, that belong to one source line, over all runs in a call."""

    kind: str
    axes: tuple[str, ...]
    source: Source | None
    backward: bool
    transfers: tuple[Transfer, ...]

    @property
    def seconds(self) -> float:
        """How long they take by themselves."""
        return sum(t.seconds for t in self.transfers)

    @property
    def exposed(self) -> float:
        """How long the program waits for them."""
        return sum(t.exposed for t in self.transfers)

    @property
    def ring(self) -> str:
        """What permutations are together beside which the product of the line is computed; empty for others.

        ``all-gather of w1, in a ring``.
        """
        rings = {t.ring for t in self.transfers}
        if len(rings) > 1 or "" in rings:
            return ""
        moved = {t.operand for t in self.transfers} - {""}
        of = f" of {min(moved)}" if len(moved) == 1 else ""
        return f"{min(rings)}{of}, in a ring"

    @property
    def between(self) -> tuple[str, ...]:
        """What computes between ``-start`` and ``-done`` of any of them."""
        return tuple(dict.fromkeys(name for t in self.transfers for name in t.between))


@dataclass(frozen=True)
class LineWork:
    """What the operations of one source line compute in a call."""

    source: Source | None
    """The line; None for operations whose line is not known."""
    flops: float
    bytes: float
    """Between the device and its memory."""
    seconds: float
    """Estimated: of each operation the longer of computing and of reading and writing."""
    bound: Bound
    """Which of the two takes longer for the line as a whole."""

    @property
    def intensity(self) -> float:
        """Floating-point operations for each byte; infinite where nothing is read or written."""
        return self.flops / self.bytes if self.bytes else float("inf")


@dataclass(frozen=True)
class Interval:
    """What happens during some of a call. One turn of a loop is drawn as wide as all of its turns."""

    what: Literal["compute", "wait", "transfer"]
    """``wait``: the device computes nothing, because of a collective."""
    begin: float
    """Seconds since the call began."""
    seconds: float
    transfer: int = -1
    """Index in ``Overlap.transfers``; -1 where it computes."""
    exposed: float = 0.0
    """How many of the last seconds of a transfer are waited for; 0 for others."""
    source: Source | None = None
    """The line that computes; of several short ones together the longest."""


@dataclass(frozen=True)
class Loop:
    """A loop of the schedule."""

    begin: float
    """Seconds since the call began."""
    seconds: float
    """All of its turns."""
    times: int
    source: Source | None = None
    backward: bool = False


@dataclass(frozen=True)
class MeasuredLine:
    """The collectives of a ``LineTransfers`` in a measured run: seconds of a call, the mean over devices and calls."""

    kind: str
    axes: tuple[str, ...]
    source: Source | None
    backward: bool
    seconds: float
    """How long they take after the last device has arrived."""
    exposed: float
    """How much of that passes with nothing computed meanwhile."""


@dataclass(frozen=True)
class MeasuredCall:
    """A measured run of the same program: seconds of its median call. The last four are the mean over devices."""

    on: str
    """What it ran on, and how often: ``8 CPU devices, 5 calls``."""
    seconds: float
    compute: float
    exposed: float
    """Seconds in collectives after the last device has arrived, with nothing computed meanwhile."""
    waiting: float
    """Seconds in collectives before the last device has arrived, with nothing computed meanwhile."""
    idle: float
    """Seconds without any event."""
    lines: tuple[MeasuredLine, ...]


@dataclass(frozen=True, repr=False)
class Overlap(Document):
    """A compiled program's schedule, replayed against a chip's figures. Every time is an estimate in seconds."""

    mesh: Mesh
    compute: float
    """What one device computes, without waiting."""
    exposed: float
    """What it waits for collectives."""
    overlapped: float
    """The whole call, if in every loop and every stretch computation and communication ran beside each other."""
    transfers: tuple[Transfer, ...]
    """The most exposed first."""
    lines: tuple[LineWork, ...]
    """The costliest first, at most ten."""
    intervals: tuple[Interval, ...] = field(metadata={"wire": "table"})
    """The call over time, by when they begin."""
    loops: tuple[Loop, ...]
    flops: float
    bytes: float
    links: float
    """Seconds in which the busiest mesh axis sends."""
    bound: Bound
    """What would limit the program if everything overlapped."""
    chip: str
    flops_per_second: float
    bytes_per_second: float
    link_bytes_per_second: float
    ridges: tuple[float, float]
    """Operations for each byte at which the chip's matrix units are as busy as its memory, and as a link."""
    formula: str
    """How the times are estimated, in a sentence."""
    verdict: str = ""
    """How much of the call is waiting, in a sentence without its end."""
    name: str = ""
    target: str = ""
    note: str = ""
    """What is not known, and how it is counted."""
    measured: MeasuredCall | None = None
    """A measured run of it, where one was put beside it."""
    kind: Literal["overlap"] = field(default="overlap", init=False)
    version: int = field(default=VERSION, init=False)

    @property
    def now(self) -> float:
        """The whole call as it is scheduled."""
        return self.compute + self.exposed

    def beside(self, run: Run) -> Overlap:
        """The same with a measured run of the program beside the estimate.

        Args:
            run: what ``read.run`` gave for the same program.

        Raises:
            ValueError: it ran on other devices than the estimate is for, or it is of another program.
        """
        return provided("beside")(self, run)

    def measured_line(self, line: LineTransfers) -> MeasuredLine | None:
        """What was measured of a line's collectives; None where that is not known."""
        key = (line.kind, line.axes, line.source, line.backward)
        lines = self.measured.lines if self.measured else ()
        return next((m for m in lines if (m.kind, m.axes, m.source, m.backward) == key), None)

    def by_line(self) -> tuple[LineTransfers, ...]:
        """The transfers by kind, axes and source line, the most exposed first.

        A product that the compiler computes in a ring, beside permutations of its operand, is one line of it.
        """
        found: dict[tuple[str, tuple[str, ...], Source | None, bool], list[Transfer]] = {}
        for t in self.transfers:
            found.setdefault((t.kind, t.axes, t.source, t.backward), []).append(t)
        lines = [LineTransfers(*key, tuple(of)) for key, of in found.items()]
        return tuple(sorted(lines, key=lambda line: (-line.exposed, -line.seconds)))
