"""Instructions by name: their source lines, loops and collectives."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from shardwidget.document import Operation, Program
from shardwidget.read._program.module import Computation, Instruction, Module
from shardwidget.read._program.origin import InstructionOrigin, Origins
from shardwidget.read._program.trips import trip_count

_RUNS_OTHERS = frozenset({"while", "conditional", "call", "async-start"})


class _Place(NamedTuple):
    """Where an instruction is."""

    instruction: Instruction
    computation: Computation
    trips: tuple[int, ...]
    around: InstructionOrigin | None
    """The origin of the loop, branch or call that it is in."""


class Joined(NamedTuple):
    """What the names in a profile mean in a program."""

    operations: dict[str, Operation]
    """By name; without those that only run others, which have events of their own."""
    ends: dict[str, str]
    """For the second half of a collective: the name of the first."""


def join(names: Collection[str], module: Module, program: Program) -> Joined:
    """Finds the instructions that a profile names.

    Args:
        names: names of instructions, each once.
        module: the program's.
        program: what was read of the same module.
    """
    origins = Origins(module)
    places = {place.instruction.name: place for place in _places(module, origins)}
    collectives = {c.name: k for k, c in enumerate(program.collectives)}
    operations: dict[str, Operation] = {}
    ends: dict[str, str] = {}
    for name in names:
        place = places.get(name)
        if place is None:
            operations[name] = Operation(name, known=False)
            continue
        instruction = place.instruction
        inside = [module.computations[child] for _, child in instruction.called if child in module.computations]
        if instruction.opcode in _RUNS_OTHERS and any(i.name in names for c in inside for i in c.instructions):
            continue
        begun = _begun(instruction, place.computation, collectives)
        if begun:
            ends[name] = begun
        origin = origins.of_any(instruction, place.computation)
        if origin.source is None and place.around is not None:
            origin = place.around
        collective = collectives.get(name, -1)
        if collective < 0:
            # The TPU compiler puts collectives into fusions.
            fused = (collectives.get(i.name, -1) for c in inside for i in c.instructions)
            collective = next((k for k in fused if k >= 0), -1)
        source = program.collectives[collective].source if collective >= 0 else None
        operations[name] = Operation(name, source or origin.source, origin.op, collective, place.trips)
    return Joined(operations, ends)


def _begun(instruction: Instruction, computation: Computation, collectives: Collection[str]) -> str:
    """The collective whose second half an instruction is; empty where it is not one."""
    if not instruction.opcode.endswith("-done"):
        return ""
    start = computation.by_name.get(instruction.operands[0])
    return start.name if start is not None and start.name in collectives else ""


def _places(module: Module, origins: Origins) -> Iterator[_Place]:
    """Every instruction that runs on its own, from the entry inwards."""
    seen: set[str] = set()

    def visit(computation: Computation, trips: tuple[int, ...], around: InstructionOrigin | None) -> Iterator[_Place]:
        if computation.name in seen:
            return
        seen.add(computation.name)
        for instruction in computation.instructions:
            yield _Place(instruction, computation, trips, around)
            if instruction.opcode not in _RUNS_OTHERS:
                continue
            count = trip_count(instruction, computation, module) or 0 if instruction.opcode == "while" else None
            origin = origins.of_any(instruction, computation)
            known = origin if origin.source else around
            for attribute, child in instruction.called:
                if child in module.computations:
                    # A condition runs once more than its body.
                    runs = () if count is None else (count + (count > 0 and attribute == "condition"),)
                    yield from visit(module.computations[child], (*trips, *runs), known)

    if module.entry is not None:
        yield from visit(module.entry, (), None)
