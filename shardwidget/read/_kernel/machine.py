"""Cores, copies and semaphores: what happens when, and what can happen before what."""

from __future__ import annotations

import heapq
import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

Semaphore = tuple[int, int, int]
"""A semaphore's number, and the device and core that it is on."""
Event = tuple[str, int]
"""``begin`` or ``end`` of an operation, ``sent`` or ``arrived`` of the copy that an operation starts."""


@dataclass(frozen=True)
class Op:
    """What a core does next."""

    core: int
    """Which of all cores."""
    kind: str
    """``enter``, ``read``, ``write``, ``copy``, ``wait``, ``signal`` or ``leave``."""
    semaphore: Semaphore | None = None
    """What is waited for or signalled; of a copy, what says that it has arrived."""
    sent: Semaphore | None = None
    """What says that a copy's source has been read."""
    amount: int = 0
    device: int = 0


@dataclass
class Moments:
    """When each event happened, counted from 0; what is absent did not."""

    at: dict[Event, int] = field(default_factory=dict)
    counts: dict[Semaphore, int] = field(default_factory=dict)
    """What semaphores hold at the end."""
    blocked: dict[int, int] = field(default_factory=dict)
    """The operation at which each core stands that has not left."""


SEND = 2
TRAVEL = 3
"""Moments that a copy takes until its source is read, and from then until it has arrived. An order has no times."""


class Machine:
    """A kernel's cores, each with its operations in order.

    Args:
        ops: all operations, those of one core in its order.
        together: whether all cores enter the kernel at the same moment.
        needs: events without which an operation does not begin, by operation.
    """

    def __init__(self, ops: Sequence[Op], together: bool, needs: Mapping[int, Iterable[Event]] | None = None) -> None:
        self.ops = ops
        self.together = together
        self.needs = {op: tuple(events) for op, events in (needs or {}).items()}
        self.of_core: dict[int, list[int]] = defaultdict(list)
        for k, op in enumerate(ops):
            self.of_core[op.core].append(k)
        self.siblings: dict[int, list[int]] = defaultdict(list)
        """The cores of each device: they enter and leave together."""
        for core, of in self.of_core.items():
            self.siblings[ops[of[0]].device].append(core)
        self.place = {k: i for of in self.of_core.values() for i, k in enumerate(of)}
        self._reached: dict[Event, dict[int, int]] = {}

    def run(self, held: Mapping[Event, Event | None] | None = None, shuffled: random.Random | None = None) -> Moments:
        """Everything that can happen.

        Args:
            held: events that wait for another, or for ever.
            shuffled: where given, copies and operations take random times.
        """
        return _Run(self, held or {}, shuffled).moments()

    def can_begin(self, op: int, without: Event) -> bool:
        """Whether an operation can begin before an event has happened."""
        if without not in self._reached:
            at = self.run({without: None}).at
            # Of each core, how many of its operations began.
            self._reached[without] = {core: sum(("begin", k) in at for k in of) for core, of in self.of_core.items()}
        return self.place[op] < self._reached[without][self.ops[op].core]


class _Run:
    def __init__(self, machine: Machine, held: Mapping[Event, Event | None], shuffled: random.Random | None) -> None:
        self.machine, self.held, self.random = machine, held, shuffled
        self.result = Moments()
        self.counts: dict[Semaphore, int] = defaultdict(int)
        self.next = dict.fromkeys(machine.of_core, 0)
        self.queue: list[tuple[int, int, str, int]] = []
        self.sequence = 0
        self.sleeping: dict[Semaphore, int] = {}
        """The core that waits for a semaphore."""
        self.after: dict[Event, list[tuple[str, int]]] = defaultdict(list)
        """What goes on once an event has happened."""
        self.met: dict[tuple[str, int], int] = defaultdict(int)
        """How many cores have come to where they meet."""
        self.busy: set[int] = set()
        """Cores whose operation has begun and will end."""

    def moments(self) -> Moments:
        for core in self.machine.of_core:
            self._push(0, "core", core)
        while self.queue:
            now, _, what, k = heapq.heappop(self.queue)
            if what == "core":
                self._step(now, k)
            elif what == "end":
                self._end(now, k)
            else:
                self._phase(now, what, k)
        for core, of in self.machine.of_core.items():
            if self.next[core] < len(of):
                self.result.blocked[core] = of[self.next[core]]
        self.result.counts = dict(self.counts)
        return self.result

    def _push(self, at: int, what: str, k: int) -> None:
        self.sequence += 1
        tie = self.random.randrange(1 << 30) if self.random else self.sequence
        heapq.heappush(self.queue, (at, tie, what, k))

    def _lasts(self, usual: int) -> int:
        return self.random.randint(1, 12) if self.random else usual

    def _happened(self, event: Event, now: int) -> None:
        self.result.at[event] = now
        for what, k in self.after.pop(event, ()):
            self._push(now + 1, what, k)

    def _withheld(self, event: Event, what: str, k: int) -> bool:
        """Whether an event must wait; if for another, it is tried again after that."""
        if event not in self.held:
            return False
        until = self.held[event]
        if until is None:
            return True
        if until in self.result.at:
            return False
        self.after[until].append((what, k))
        return True

    def _step(self, now: int, core: int) -> None:
        """The next operation of a core begins, if it can."""
        of = self.machine.of_core[core]
        if self.next[core] >= len(of) or core in self.busy:
            return
        k = of[self.next[core]]
        op = self.machine.ops[k]
        for needed in self.machine.needs.get(k, ()):
            if needed not in self.result.at:
                self.after[needed].append(("core", core))
                return
        leaves = op.kind == "leave"
        if ("begin", k) not in self.result.at and not leaves:
            self._happened(("begin", k), now)
        if self._withheld(("end", k), "core", core):
            return
        if leaves or op.kind == "enter":
            self._meet(now, core, k)
            return
        if op.kind == "wait":
            assert op.semaphore is not None
            if self.counts[op.semaphore] < op.amount:
                self.sleeping[op.semaphore] = core
                return
            self.counts[op.semaphore] -= op.amount
        self.busy.add(core)
        self._push(now + (0 if op.kind == "wait" else self._lasts(1)), "end", k)

    def _meet(self, now: int, core: int, k: int) -> None:
        """A core comes to where it enters or leaves the kernel: with the others of its device, or with all."""
        op = self.machine.ops[k]
        everybody = op.kind == "enter" and self.machine.together
        others = list(self.machine.of_core) if everybody else self.machine.siblings[op.device]
        self.busy.add(core)
        key = (op.kind, -1 if everybody else op.device)
        self.met[key] += 1
        if self.met[key] < len(others):
            return
        for other in others:
            of = self.machine.of_core[other]
            # A device has left when its last core has.
            if op.kind == "leave":
                self._happened(("begin", of[-1]), now)
            self._push(now + (1 if everybody else self._lasts(1)), "end", of[-1 if op.kind == "leave" else 0])

    def _end(self, now: int, k: int) -> None:
        op = self.machine.ops[k]
        self._happened(("end", k), now)
        self.next[op.core] += 1
        self.busy.discard(op.core)
        if op.kind == "signal":
            self._signal(now, op.semaphore, op.amount)
        elif op.kind == "copy":
            self._push(now + self._lasts(SEND), "sent", k)
        self._push(now, "core", op.core)

    def _phase(self, now: int, what: str, k: int) -> None:
        """A copy's source has been read, or it has arrived."""
        if self._withheld((what, k), what, k):
            return
        op = self.machine.ops[k]
        self._happened((what, k), now)
        self._signal(now, op.sent if what == "sent" else op.semaphore, op.amount)
        if what == "sent":
            self._push(now + self._lasts(TRAVEL), "arrived", k)

    def _signal(self, now: int, semaphore: Semaphore | None, amount: int) -> None:
        if semaphore is None:
            return
        self.counts[semaphore] += amount
        if (core := self.sleeping.pop(semaphore, None)) is not None:
            self._push(now, "core", core)
