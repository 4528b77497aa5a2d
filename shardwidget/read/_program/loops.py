"""How often everything runs: the computations of a module, from its entry inwards."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from shardwidget.read._program.module import Computation, Instruction, Module
from shardwidget.read._program.trips import trip_count


@dataclass(frozen=True)
class Entered:
    """A loop, branch or call, as the walk enters it. ``document.Nest`` states it for readers."""

    kind: Literal["loop", "condition", "branch", "call"]
    name: str
    parent: int
    times: int | None
    instruction: Instruction


@dataclass(frozen=True)
class Place:
    """Where a computation runs."""

    times: int | None = 1
    """How often in one call of the program, in a branch at most; None if not known."""
    trail: tuple[int, ...] = ()
    """What it is in, outermost first, as indices of what the walk entered."""
    caller: Instruction | None = None
    """The instruction that runs it, where that is a fusion or an asynchronous half."""
    around: Computation | None = None
    """The computation that the caller is in."""
    calls: int = 1
    """Ways of calls that lead here; several where too many lead here for each to be a place."""


@dataclass
class FoundCollective:
    """A collective of the module."""

    instruction: Instruction
    computation: Computation
    places: list[Place]
    asynchronous: bool
    end: Place | None = None
    """For a collective that is spread over several fusions: the place of the one that waits for it."""

    trail: tuple[int, ...] = ()
    """What it is in, outermost first, as indices in ``Walked.entered``; if it has several places, what they share."""

    @property
    def calls(self) -> int:
        """In how many ways the program calls what it is in."""
        return sum(place.calls for place in self.places)

    @property
    def times(self) -> int | None:
        """How often it runs in one call of the program, in a branch at most; None if not known."""
        known = [place.times for place in self.places if place.times is not None]
        return sum(known) if len(known) == len(self.places) else None


MOST_WAYS = 10_000
"""The most ways from the entry to its computations that are walked one by one."""

DEEPEST = 200
"""The most computations in one another that are walked so."""

MOST_RUNS = 2**53
"""More runs than this are not counted: JavaScript could not."""


@dataclass(frozen=True)
class Walked:
    """What a walk through a module found."""

    found: tuple[FoundCollective, ...]
    """Its collectives, in the order of the schedule."""
    entered: tuple[Entered, ...]
    """What they are in, outer ones before what they contain."""


def walk(module: Module) -> Walked:
    """The collectives of a module, in the order of its schedule, and the loops, branches and calls that they are in.

    A collective that the TPU compiler spread over several fusions, so that other work can overlap, is found once.
    """
    walking = _Walk(module)
    if module.entry is not None:
        walking.run(module.entry)
    found = tuple(walking.found.values())
    for one in found:
        one.trail = _shared_trail(one.places)
    # A computation that several calls run is in none of them alone.
    used = sorted({k for one in found for k in one.trail})
    number = {k: n for n, k in enumerate(used)} | {-1: -1}
    for one in found:
        one.trail = tuple(number[k] for k in one.trail)
    entered = (walking.entered[k] for k in used)
    return Walked(found, tuple(replace(e, parent=number[e.parent]) for e in entered))


def _shared_trail(places: Sequence[Place]) -> tuple[int, ...]:
    """What several places have in common."""
    levels = itertools.zip_longest(*(place.trail for place in places))
    return tuple(level[0] for level in itertools.takewhile(lambda level: len(set(level)) == 1, levels))


class _Walk:
    def __init__(self, module: Module) -> None:
        self.found: dict[Instruction, FoundCollective] = {}
        self.entered: list[Entered] = []
        self._module = module
        self._matters = _leading_on(module)
        self._spread: dict[tuple[str, ...], FoundCollective] = {}

    def run(self, entry: Computation) -> None:
        """Walks each way that leads to a collective; where there are too many, each computation once."""
        order = self._inwards(entry)
        ways = dict.fromkeys((c.name for c in order), 0) | {entry.name: 1}
        depth = dict(ways)
        for computation in order:
            for _, child in self._calls(computation):
                ways[child.name] += ways[computation.name]
                depth[child.name] = max(depth[child.name], depth[computation.name] + 1)
        if sum(ways.values()) <= MOST_WAYS and max(depth.values()) <= DEEPEST:
            self._visit(entry, Place(), asynchronous=False)
            return
        arrived: dict[str, list[tuple[Place, bool]]] = {entry.name: [(Place(), False)]}
        for computation in order:
            places = [place for place, _ in arrived[computation.name]]
            asynchronous = any(a for _, a in arrived.pop(computation.name))
            for child, inside, apart in self._through(computation, _joined(places), asynchronous):
                arrived.setdefault(child.name, []).append((inside, apart))

    def _visit(self, computation: Computation, place: Place, *, asynchronous: bool) -> None:
        for child, inside, apart in self._through(computation, place, asynchronous):
            self._visit(child, inside, asynchronous=apart)

    def _through(
        self, computation: Computation, place: Place, asynchronous: bool
    ) -> Iterator[tuple[Computation, Place, bool]]:
        """Records the collectives of a computation; what it runs in turn, where, and whether asynchronously."""
        for instruction in computation.instructions:
            if instruction.kind:
                self._add(instruction, computation, place, asynchronous)
            elif called := self._called(instruction):
                for child, inside in self._inside(instruction, computation, called, place):
                    yield child, inside, asynchronous or instruction.opcode == "async-start"

    def _called(self, instruction: Instruction) -> list[tuple[str, Computation]]:
        """What an instruction runs that leads to a collective, with the attributes that name it."""
        return [(a, self._module.computations[n]) for a, n in instruction.called if n in self._matters]

    def _calls(self, computation: Computation) -> Iterator[tuple[str, Computation]]:
        for instruction in computation.instructions:
            yield from () if instruction.kind else self._called(instruction)

    def _inwards(self, entry: Computation) -> list[Computation]:
        """The computations that lead to a collective, each after all that run it."""
        done: dict[str, Computation] = {}
        seen = {entry.name}
        stack = [(entry, self._calls(entry))]
        while stack:
            computation, rest = stack[-1]
            child = next((child for _, child in rest if child.name not in seen), None)
            if child is None:
                done[computation.name] = computation
                stack.pop()
            else:
                seen.add(child.name)
                stack.append((child, self._calls(child)))
        return list(reversed(done.values()))

    def _add(self, instruction: Instruction, computation: Computation, place: Place, asynchronous: bool) -> None:
        spread = _Spread.of(instruction, computation, place)
        if spread is not None and not spread.starts:
            if spread.ends and spread.key in self._spread:
                self._spread[spread.key].end = place
            return
        started = asynchronous or instruction.opcode.endswith("-start") or spread is not None
        started = started and not _is_synchronous(instruction, place)
        found = self.found.setdefault(instruction, FoundCollective(instruction, computation, [], started))
        found.places.append(place)
        if spread is not None:
            self._spread[spread.key] = found

    def _inside(
        self, caller: Instruction, around: Computation, called: list[tuple[str, Computation]], place: Place
    ) -> Iterator[tuple[Computation, Place]]:
        if caller.opcode == "while":
            trips = trip_count(caller, around, self._module)
            for attribute, child in called:
                runs = trips if trips is None or attribute == "body" else trips + 1
                yield child, self._enter("loop" if attribute == "body" else "condition", "while", runs, caller, place)
            return
        for attribute, child in called:
            if caller.opcode == "conditional":
                yield child, self._enter("branch", str(_branch(caller, attribute, child)), 1, caller, place)
            elif caller.opcode == "call":
                yield child, self._enter("call", _plain(child.name), 1, caller, place)
            else:
                yield child, replace(place, caller=caller, around=around)

    def _enter(
        self,
        kind: Literal["loop", "condition", "branch", "call"],
        name: str,
        times: int | None,
        caller: Instruction,
        place: Place,
    ) -> Place:
        self.entered.append(Entered(kind, name, place.trail[-1] if place.trail else -1, times, caller))
        total = None if times is None or place.times is None else place.times * times
        return Place(total, (*place.trail, len(self.entered) - 1), calls=place.calls)


def _is_synchronous(instruction: Instruction, place: Place) -> bool:
    """Whether XLA's GPU backend runs it at once, although it is written in two halves."""
    halves = (instruction, place.caller) if place.caller is not None else (instruction,)
    return any('"is_sync":true' in half.text for half in halves)


def _leading_on(module: Module) -> set[str]:
    """Names of the computations that have a collective in them, or in what they run."""
    callers: dict[str, list[str]] = {}
    found = []
    for name, computation in module.computations.items():
        if any(i.kind for i in computation.instructions):
            found.append(name)
        for instruction in computation.instructions:
            for _, child in instruction.called:
                callers.setdefault(child, []).append(name)
    reached = set(found)
    while found:
        new = [c for c in callers.get(found.pop(), ()) if c not in reached]
        reached.update(new)
        found += new
    return reached


def _joined(places: list[Place]) -> Place:
    """Several places as one, in what they have in common."""
    if len(places) == 1:
        return places[0]
    together = _shared_trail(places)
    times = [place.times for place in places]
    runs = None if None in times else sum(time for time in times if time is not None)
    if runs is not None and runs > MOST_RUNS:
        runs = None
    return replace(places[0], times=runs, trail=together, calls=min(MOST_RUNS, sum(p.calls for p in places)))


def _branch(caller: Instruction, attribute: str, child: Computation) -> int:
    """The index of a branch. Of two that a predicate chooses from: 0 if false, 1 if true, as in ``lax.cond``."""
    if attribute == "branch_computations":
        return [name for _, name in caller.called].index(child.name)
    return int(attribute == "true_computation")


def _plain(name: str) -> str:
    """A computation's name without the numbers that XLA adds."""
    return re.sub(r"(?:\.\d+|\.clone|_spmd)+$", "", name)


class _Spread(NamedTuple):
    """One of the fusions that the TPU compiler spreads an asynchronous collective over."""

    key: tuple[str, ...]
    """The same for all of them."""
    starts: bool
    ends: bool

    @staticmethod
    def of(instruction: Instruction, computation: Computation, place: Place) -> _Spread | None:
        if "async_collective_fusion_config" not in instruction.text:
            return None
        targets = "".join(i.text for i in computation.instructions if i.opcode == "custom-call")
        chain = re.search(r'chain_id="(\d+)"', instruction.text)
        around = place.around.name if place.around is not None else ""
        key = (around, instruction.kind, instruction.attribute("channel_id"), chain[1] if chain else "")
        return _Spread(key, '"AsyncCollectiveStart"' in targets, '"AsyncCollectiveDone"' in targets)
