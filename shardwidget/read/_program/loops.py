"""How often everything runs: the computations of a module, from its entry inwards."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from shardwidget.read._program.module import Computation, Instruction, Module


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
    def times(self) -> int | None:
        """How often it runs in one call of the program, in a branch at most; None if not known."""
        known = [place.times for place in self.places if place.times is not None]
        return sum(known) if len(known) == len(self.places) else None

    def shared_trail(self) -> tuple[int, ...]:
        """What all its places have in common."""
        shared = []
        for level in zip(*(place.trail for place in self.places), strict=False):
            if len(set(level)) > 1:
                break
            shared.append(level[0])
        return tuple(shared)


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
        walking.visit(module.entry, Place(), asynchronous=False)
    found = tuple(walking.found.values())
    for one in found:
        one.trail = one.shared_trail()
    # A computation that several calls run is in none of them alone.
    used = sorted({k for one in found for k in one.trail})
    number = {k: n for n, k in enumerate(used)} | {-1: -1}
    for one in found:
        one.trail = tuple(number[k] for k in one.trail)
    entered = (walking.entered[k] for k in used)
    return Walked(found, tuple(replace(e, parent=number[e.parent]) for e in entered))


class _Walk:
    def __init__(self, module: Module) -> None:
        self.found: dict[Instruction, FoundCollective] = {}
        self.entered: list[Entered] = []
        self._module = module
        self._matters: dict[str, bool] = {}
        self._spread: dict[tuple[str, ...], FoundCollective] = {}

    def visit(self, computation: Computation, place: Place, *, asynchronous: bool) -> None:
        for instruction in computation.instructions:
            if instruction.kind:
                self._add(instruction, computation, place, asynchronous)
                continue
            called = [(a, self._module.computations[n]) for a, n in instruction.called if self._leads_on(n)]
            if called:
                for child, inside in self._inside(instruction, computation, called, place):
                    self.visit(child, inside, asynchronous=asynchronous or instruction.opcode == "async-start")

    def _add(self, instruction: Instruction, computation: Computation, place: Place, asynchronous: bool) -> None:
        spread = _Spread.of(instruction, computation, place)
        if spread is not None and not spread.starts:
            if spread.ends and spread.key in self._spread:
                self._spread[spread.key].end = place
            return
        started = asynchronous or instruction.opcode.endswith("-start") or spread is not None
        found = self.found.setdefault(instruction, FoundCollective(instruction, computation, [], started))
        found.places.append(place)
        if spread is not None:
            self._spread[spread.key] = found

    def _leads_on(self, name: str) -> bool:
        """Whether a computation has a collective in it, or in what it runs."""
        if name not in self._matters:
            self._matters[name] = False
            computation = self._module.computations.get(name)
            self._matters[name] = computation is not None and any(
                i.kind or any(self._leads_on(child) for _, child in i.called) for i in computation.instructions
            )
        return self._matters[name]

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
                yield child, Place(place.times, place.trail, caller, around)

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
        return Place(total, (*place.trail, len(self.entered) - 1))


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


# ── Trip counts ───────────────────────────────────────────────────────────────────────────────────────────────────────


def trip_count(loop: Instruction, around: Computation, module: Module) -> int | None:
    """How often a ``while`` runs its body: as the compiler recorded it, else from its counter; None if not known."""
    found = re.search(r'"known_trip_count":\{"n":"(\d+)"\}', loop.text)
    if found:
        return int(found[1])
    called = dict(loop.called)
    condition, body = (module.computations.get(called.get(part, "")) for part in ("condition", "body"))
    if condition is None or body is None or condition.root is None or body.root is None:
        return None
    values = _Values(module)
    test = values.comparison(condition.root, condition, ())
    start = around.by_name.get(loop.operands[0]) if loop.operands else None
    if test is None or start is None:
        return None
    direction, left, right = test
    steps: dict[int, int] = {}

    def first(value: _Linear) -> int | None:
        """The value in the first test; adds to ``steps`` what a run of the body adds."""
        if value.index is None:
            return value.plus
        after = values.element(body.root, value.index, body, ())  # pyright: ignore[reportArgumentType]
        before = values.element(start, value.index, around, ())
        if after is None or before is None or after.index != value.index or before.index is not None:
            return None
        steps[id(value)] = after.plus
        return before.plus + value.plus

    a, b = first(left), first(right)
    if a is None or b is None:
        return None
    return _count(direction, a - b, steps.get(id(left), 0) - steps.get(id(right), 0))


def _count(direction: str, gap: int, step: int) -> int | None:
    """Runs until ``gap + k · step`` no longer compares with 0 as it should."""
    if direction in ("GT", "GE"):
        direction, gap, step = {"GT": "LT", "GE": "LE"}[direction], -gap, -step
    if direction == "LE":
        direction, gap = "LT", gap - 1
    if direction == "LT":
        return 0 if gap >= 0 else -(gap // step) if step > 0 else None
    if direction == "NE":
        return 0 if gap == 0 else -gap // step if step and gap % step == 0 and -gap // step > 0 else None
    return None


@dataclass(frozen=True, eq=False)
class _Linear:
    """A number: an element of the loop's tuple, or none, and a constant added to it."""

    index: int | None
    plus: int


class _Values:
    """Follows numbers through instructions that only pass them on, or add constants."""

    def __init__(self, module: Module) -> None:
        self._module = module

    def comparison(
        self, root: Instruction, computation: Computation, arguments: tuple[_Linear | None, ...]
    ) -> tuple[str, _Linear, _Linear] | None:
        """What a condition compares, and how."""
        if root.opcode == "compare":
            left, right = (self.of(name, computation, arguments) for name in root.operands)
            return None if left is None or right is None else (root.attribute("direction"), left, right)
        inner = self._fused(root)
        if inner is not None and inner.root is not None:
            bound = tuple(self.of(name, computation, arguments) for name in root.operands)
            return self.comparison(inner.root, inner, bound)
        if root.opcode in ("copy", "bitcast") and root.operands[0] in computation.by_name:
            return self.comparison(computation.by_name[root.operands[0]], computation, arguments)
        return None

    def of(self, name: str, computation: Computation, arguments: tuple[_Linear | None, ...]) -> _Linear | None:
        """A number; ``arguments`` are those of a fused computation, none for a loop's own."""
        instruction = computation.by_name.get(name)
        if instruction is None:
            return None
        operands = instruction.operands
        match instruction.opcode:
            case "constant":
                return _Linear(None, int(instruction.arguments)) if _is_int(instruction.arguments) else None
            case "parameter":
                number = int(instruction.arguments)
                return arguments[number] if number < len(arguments) else None
            case "copy" | "bitcast" | "convert" | "reshape" | "copy-start" | "copy-done" | "opt-barrier":
                return self.of(operands[0], computation, arguments)
            case "add" | "subtract":
                left, right = (self.of(operand, computation, arguments) for operand in operands)
                if left is None or right is None:
                    return None
                if instruction.opcode == "subtract":
                    return _Linear(left.index, left.plus - right.plus) if right.index is None else None
                if left.index is not None and right.index is not None:
                    return None
                return _Linear(left.index if right.index is None else right.index, left.plus + right.plus)
            case "get-tuple-element":
                source = computation.by_name.get(operands[0])
                index = int(instruction.attribute("index"))
                return None if source is None else self.element(source, index, computation, arguments)
            case "fusion":
                return self._of_fusion(instruction, None, computation, arguments)
        return None

    def element(
        self, source: Instruction, index: int, computation: Computation, arguments: tuple[_Linear | None, ...]
    ) -> _Linear | None:
        """An element of a tuple."""
        operands = source.operands
        match source.opcode:
            case "tuple":
                return self.of(operands[index], computation, arguments) if index < len(operands) else None
            case "parameter":
                return _Linear(index, 0) if not arguments else None
            case "copy" | "bitcast" | "opt-barrier":
                inner = computation.by_name.get(operands[0])
                return None if inner is None else self.element(inner, index, computation, arguments)
            case "fusion":
                return self._of_fusion(source, index, computation, arguments)
        return None

    def _of_fusion(
        self, fusion: Instruction, index: int | None, computation: Computation, arguments: tuple[_Linear | None, ...]
    ) -> _Linear | None:
        inner = self._fused(fusion)
        if inner is None or inner.root is None:
            return None
        bound = tuple(self.of(name, computation, arguments) for name in fusion.operands)
        if index is None:
            return self.of(inner.root.name, inner, bound)
        return self.element(inner.root, index, inner, bound)

    def _fused(self, instruction: Instruction) -> Computation | None:
        if instruction.opcode != "fusion":
            return None
        return next((self._module.computations.get(name) for _, name in instruction.called), None)


def _is_int(text: str) -> bool:
    return re.fullmatch(r"-?\d+", text) is not None
