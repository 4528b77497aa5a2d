"""Accesses of one slot that nothing orders, an order that shows it, and what would order them."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from shardwidget.read._kernel.machine import Event, Machine, Op
from shardwidget.read._kernel.slots import Box, meet

MOST_STEPS = 6_000_000
"""Operations that are gone through at most to compare accesses."""


@dataclass(frozen=True)
class Access:
    """A part of a buffer that an operation reads or writes."""

    op: int
    writes: bool
    end: Event
    """What ends it; it begins with its operation."""
    key: tuple[int, int, int]
    """Buffer, device, core."""
    box: Box
    kind: str
    """The kind of its operation."""
    core: int

    @property
    def device(self) -> int:
        """The device that the buffer is on."""
        return self.key[1]


@dataclass(frozen=True)
class Pair:
    """Two accesses that nothing orders; without delays the first one ends first, or begins first."""

    first: Access
    second: Access


def races(machine: Machine, accesses: Sequence[Access]) -> tuple[list[Pair], bool]:
    """The pairs of accesses that nothing orders, and whether all pairs were compared."""
    at = machine.run().at
    left = MOST_STEPS // max(1, len(machine.ops))
    known: set[Event] = set()
    found: list[Pair] = []
    for one, other in conflicts(accesses):
        known |= {one.end, other.end}
        if len(known) > left:
            return found, False
        if not unordered(machine, Pair(one, other)):
            continue
        end = [at.get(a.end, len(machine.ops) * 8) for a in (one, other)]
        begin = [at.get(("begin", a.op), len(machine.ops) * 8) for a in (one, other)]
        # The kernel's begin and end come first and last, whatever the order.
        ranks = [{"enter": -1, "leave": 1}.get(a.kind, 0) for a in (one, other)]
        swapped = (ranks[1], end[1], begin[1]) < (ranks[0], end[0], begin[0])
        found.append(Pair(other, one) if swapped else Pair(one, other))
    return found, True


def unordered(machine: Machine, pair: Pair) -> bool:
    """Whether each of two accesses can begin before the other has ended."""
    one, other = pair.first, pair.second
    return machine.can_begin(other.op, one.end) and machine.can_begin(one.op, other.end)


def conflicts(accesses: Sequence[Access]) -> Iterator[tuple[Access, Access]]:
    """Pairs that have an element in common, one of which writes, and that are not of one core."""
    grouped: dict[tuple[int, int, int], list[Access]] = defaultdict(list)
    for access in accesses:
        grouped[access.key].append(access)
    for group in grouped.values():
        for one, other in itertools.combinations(group, 2):
            both_run = "copy" not in (one.kind, other.kind)
            if one.op == other.op or not (one.writes or other.writes) or (both_run and one.core == other.core):
                continue
            if {one.kind, other.kind} <= {"enter", "leave"} or not meet(one.box, other.box):
                continue
            yield one, other


def shown(pair: Pair) -> dict[Event, Event | None]:
    """Events to withhold so that the accesses overlap: the first ends when the second has ended."""
    return {pair.first.end: pair.second.end}


def covering(machine: Machine, access: Access) -> int | None:
    """The operation that waits for an access to end; None where there is none."""
    if access.kind != "copy":
        return access.op
    blocked = machine.run({access.end: None}).blocked
    owner = machine.ops[access.op].sent if access.end[0] == "sent" else machine.ops[access.op].semaphore
    for _core, op in blocked.items():
        waits = machine.ops[op]
        if waits.kind == "wait" and owner is not None and waits.semaphore == owner:
            return op
    return None


def helps(ops: Sequence[Op], together: bool, needs: dict[int, list[Event]]) -> bool:
    """Whether a kernel still ends if operations wait for events."""
    return not Machine(ops, together, needs).run().blocked
