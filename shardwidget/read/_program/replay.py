"""The schedule of a compiled module, gone through with a clock.

Instructions compute one after another, each for the longer of its operations and its bytes against the chip's figures.
A collective begins at its ``-start``, or when its mesh axis is free; its ``-done`` waits until it ends. One without a
``-start`` is waited for at once. The body of a loop is replayed once, and counts as often as it runs. What the compiler
copies into memory on the chip in advance goes over a lane of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from shardwidget.document import HloCollective, Source
from shardwidget.rates import Rate
from shardwidget.read._program.loops import walk
from shardwidget.read._program.module import MOST_STEPS, TOO_MANY_STEPS, Computation, Instruction, Module
from shardwidget.read._program.origin import InstructionOrigin, ModuleFrame, Origins
from shardwidget.read._program.trips import trip_count
from shardwidget.read._program.work import Work, Worker, in_memory

MEMORY = "memory"
"""The lane of copies within a device."""

FREE_CALLS = ('"AllocateBuffer"', '"ConcatBitcast"', '"SliceBitcast"', '"Sharding"')
"""Targets of custom calls that compute nothing."""

Lane = tuple[str, int]
"""A mesh axis and a direction along it: +1 and -1. A collective that is no permutation takes both."""


@dataclass(eq=False)
class Sent:
    """A collective, with what the replay finds over all its runs; seconds."""

    collective: HloCollective
    each: float
    """How long one run takes."""
    seconds: float = 0.0
    exposed: float = 0.0
    between: dict[str, None] = field(default_factory=dict)
    between_s: float = 0.0


@dataclass(frozen=True)
class Event:
    """What happens from one moment to another, in seconds since the stretch began."""

    what: Literal["compute", "wait", "transfer"]
    begin: float
    end: float
    sent: Sent | None = None
    source: Source | None = None
    exposed: float = 0.0
    """Of a transfer: how long it is waited for at its end."""


@dataclass(frozen=True)
class Turns:
    """A loop: one of its turns stands for all."""

    begin: float
    end: float
    times: int
    origin: InstructionOrigin


@dataclass
class _Flight:
    """What has started and is not waited for yet."""

    begin: float
    end: float
    sent: Sent | None
    """None for a copy within the device."""
    first: int
    """The index of the operation after its start."""
    source: Source | None
    """The line of a copy within the device."""


class Stretch:
    """One run of a computation."""

    def __init__(self, runs: int) -> None:
        """``runs``: how often the computation runs in a call, for what ``Sent`` counts."""
        self.clock = self.compute = self.exposed = 0.0
        self.overlapped = 0.0
        """If here and in every loop computation and communication ran beside each other."""
        self.events: list[Event] = []
        self.loops: list[Turns] = []
        self.busy: dict[Lane, float] = {}
        """Seconds in which each lane is busy, without what it runs in turn."""
        self.copied: dict[Source | None, float] = {}
        """By line, how long its copies within the device are waited for."""
        self._free: dict[Lane, float] = {}
        self._flying: dict[str, _Flight] = {}
        self._computed: list[tuple[str, float]] = []
        self._runs = runs

    def work(self, seconds: float, name: str, source: Source | None) -> None:
        """Computes."""
        self._computed.append((name, seconds))
        self._compute(seconds, source)

    def start(
        self, name: str, seconds: float, lanes: list[Lane], sent: Sent | None, source: Source | None = None
    ) -> None:
        """Begins a transfer, as soon as its lanes are free."""
        begin = max([self.clock, *(self._free.get(lane, 0.0) for lane in lanes)])
        for lane in lanes:
            self._free[lane] = begin + seconds
            self.busy[lane] = self.busy.get(lane, 0.0) + seconds
        if sent is not None:
            sent.seconds += seconds * self._runs
        self._flying[name] = _Flight(begin, begin + seconds, sent, len(self._computed), source)

    def wait(self, names: Iterable[str]) -> bool:
        """Waits for the first of these that has started; returns whether one has."""
        name = next((name for name in names if name in self._flying), None)
        if name is None:
            return False
        flight = self._flying.pop(name)
        waited = max(0.0, flight.end - self.clock)
        if flight.sent is None:
            self.copied[flight.source] = self.copied.get(flight.source, 0.0) + waited
            self._compute(waited, flight.source)  # For the device's own memory.
            return True
        self.events.append(Event("transfer", flight.begin, flight.end, flight.sent, exposed=waited))
        if waited:
            self.events.append(Event("wait", self.clock, flight.end, flight.sent))
        self.clock += waited
        self.exposed += waited
        after = self._computed[flight.first :]
        flight.sent.exposed += waited * self._runs
        flight.sent.between.update(dict.fromkeys(name for name, _ in after))
        flight.sent.between_s += sum(seconds for _, seconds in after) * self._runs
        return True

    def enter(self, inner: Stretch, times: int, origin: InstructionOrigin | None) -> None:
        """Runs another stretch so many times; ``origin``: that of the loop, if it is one."""

        def at(moment: float) -> float:
            return self.clock + times * moment

        self.events += [
            replace(e, begin=at(e.begin), end=at(e.end), exposed=times * e.exposed) for e in inner.events if times
        ]
        self.loops += [replace(loop, begin=at(loop.begin), end=at(loop.end)) for loop in inner.loops if times]
        if origin is not None and inner.clock and times:
            self.loops.append(Turns(self.clock, at(inner.clock), times, origin))
        self.clock = at(inner.clock)
        self.compute += inner.compute * times
        self.exposed += inner.exposed * times
        self.overlapped += inner.overlapped * times

    def end(self) -> Stretch:
        """Waits for what nothing here waits for."""
        self.wait_all()
        own = sum(seconds for _, seconds in self._computed)
        self.overlapped += max([own, *self.busy.values()])
        return self

    def wait_all(self) -> None:
        """Waits for everything that has started."""
        while self._flying:
            self.wait(tuple(self._flying))

    def _compute(self, seconds: float, source: Source | None) -> None:
        if seconds:
            self.events.append(Event("compute", self.clock, self.clock + seconds, source=source))
        self.clock += seconds
        self.compute += seconds


class Replay:
    """Goes through a module.

    Args:
        module: what is scheduled.
        collectives: its collectives, by the names of their instructions.
        link: which of the interconnects that these were estimated for it is.
        rate: how fast a device is.
    """

    def __init__(self, module: Module, collectives: Mapping[str, HloCollective], link: int, rate: Rate) -> None:
        self._module, self._rate = module, rate
        self._origins, self._worker = Origins(module), Worker(module)
        self.sent: dict[str, Sent] = {}
        self._ends: dict[str, str] = {}
        """By the fusion that waits for a collective that is spread over several, the fusion that starts it."""
        self._starts: dict[str, Sent] = {}
        self.lines: dict[Source | None, tuple[Work, float]] = {}
        """What each line computes, and how long."""
        self.busy: dict[Lane, float] = {}
        self.unknown = {"loops": 0, "custom calls": 0}
        self._steps = 0
        self._sources: dict[tuple[ModuleFrame, ...], Source | None] = {}
        for found in walk(module).found:
            c = collectives.get(found.instruction.name)
            if c is None:
                continue
            each = max(c.latency[link], c.bandwidth[link]) if c.latency else 0.0
            sent = self.sent[c.name] = Sent(c, each)
            for place in found.places:
                if place.caller is not None:
                    self._starts[place.caller.name] = sent
                    if found.end is not None and found.end.caller is not None:
                        self._ends[found.end.caller.name] = place.caller.name

    def run(self, computation: Computation, runs: int = 1) -> Stretch:
        """Replays a computation once.

        Args:
            computation: instructions in the order of their schedule.
            runs: how often it runs in a call, for the totals of lines and collectives.
        """
        stretch = Stretch(runs)
        for instruction in computation.instructions:
            self._step(instruction, computation, stretch, runs)
        for lane, seconds in stretch.end().busy.items():
            self.busy[lane] = self.busy.get(lane, 0.0) + seconds * runs
        for source, seconds in stretch.copied.items():
            work, spent = self.lines[source]
            self.lines[source] = work, spent + seconds * runs
        return stretch

    def _step(self, instruction: Instruction, around: Computation, stretch: Stretch, runs: int) -> None:
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise ValueError(TOO_MANY_STEPS)
        opcode, name = instruction.opcode, instruction.name
        sent = self.sent.get(name) or self._starts.get(name)
        if name in self._ends and stretch.wait([self._ends[name]]):
            return
        if sent is not None:
            stretch.start(name, sent.each, _lanes(sent.collective), sent)
            if not sent.collective.asynchronous:
                stretch.wait([name])
        elif opcode == "while":
            trips = trip_count(instruction, around, self._module)
            self.unknown["loops"] += trips is None
            times = 1 if trips is None else trips
            body = next(name for attribute, name in instruction.called if attribute == "body")
            inner = self.run(self._module.computations[body], runs * times)
            stretch.enter(inner, times, self._origins.at(instruction))
        elif opcode in ("conditional", "call", "async-start") and instruction.called:
            ways = [self.run(self._module.computations[name], runs) for _, name in instruction.called]
            stretch.enter(max(ways, key=lambda way: way.clock), 1, None)
        elif opcode.endswith("-done"):
            stretch.wait(instruction.operands)
        elif opcode == "copy-start":
            moved = in_memory(instruction.type)
            _, source = self._count(instruction, Work(0.0, moved), 0.0, runs)
            stretch.start(name, moved / self._rate.memory, [(MEMORY, 0)], None, source)
        elif not opcode.endswith(("-start", "-update")):
            self._compute(instruction, around, stretch, runs)

    def _compute(self, instruction: Instruction, around: Computation, stretch: Stretch, runs: int) -> None:
        work = self._worker.of(instruction, around)
        if instruction.opcode == "custom-call":
            if any(name in instruction.text for name in FREE_CALLS):
                return
            self.unknown["custom calls"] += not work.flops
        seconds = max(work.flops / self._rate.flops, work.bytes / self._rate.memory)
        if seconds:
            origin, source = self._count(instruction, work, seconds, runs)
            where = f", line {source.line}" if source else ""
            stretch.work(seconds, f"{origin.primitive or instruction.opcode}{where}", source)

    def _count(
        self, instruction: Instruction, work: Work, seconds: float, runs: int
    ) -> tuple[InstructionOrigin, Source | None]:
        origin = self._origins.at(instruction)
        if origin.frames not in self._sources:
            self._sources[origin.frames] = origin.source
        source = self._sources[origin.frames]
        before, spent = self.lines.get(source, (Work(), 0.0))
        self.lines[source] = (before + Work(work.flops * runs, work.bytes * runs), spent + seconds * runs)
        return origin, source


def merged(events: Iterable[Event], least: float) -> Iterator[Event]:
    """Events of a stretch, computations that follow one another as one: those of a line, and those shorter than this.

    Args:
        events: in the order of their ends.
        least: seconds; what is shorter cannot be seen.
    """
    last: Event | None = None
    for event in events:
        if event.what != "compute":
            yield event
        elif last is None:
            last = event
        elif abs(event.begin - last.end) <= least / 2 and (
            event.source == last.source or min(event.end - event.begin, last.end - last.begin) < least
        ):
            longer = max(event, last, key=lambda e: e.end - e.begin)
            last = replace(last, end=event.end, source=longer.source)
        else:
            yield last
            last = event
    if last is not None:
        yield last


def _lanes(collective: HloCollective) -> list[Lane]:
    axes = collective.axes or collective.within or ("irregular",)
    if collective.pairs and len(axes) == 1:
        size = collective.group_size
        ranks = {p: k % size for k, p in enumerate(collective.positions.array().tolist())}
        apart = {(ranks.get(b, 0) - ranks.get(a, 0)) % size for a, b in collective.pairs if a != b}
        if len(apart) == 1 and size > 2:
            return [(axes[0], 1 if apart.pop() <= size // 2 else -1)]
    return [(axis, way) for axis in axes for way in (1, -1)]
