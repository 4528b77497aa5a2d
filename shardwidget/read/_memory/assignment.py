"""The compiler's own assignment of buffers: where each result is put, and which results share memory.

CPU gives it as a message: names and numbers of fields are those of XLA's ``hlo.proto``, ``BufferAssignmentProto`` and
``HloModuleProto``. TPU writes it as text. GPU gives none.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from shardwidget.document import MemoryTotals
from shardwidget.read._memory.slots import Slot, Walk
from shardwidget.read._protobuf import fields, parts


@dataclass(frozen=True)
class Allocation:
    """Memory that the compiler allocates as one piece."""

    bytes: int
    parameter: bool
    """Whether it is an argument's."""
    output: bool
    """Whether it holds a result."""


@dataclass(frozen=True)
class BufferPlace:
    """Where a result is."""

    allocation: int
    """Index of its allocation."""
    offset: int
    bytes: int


@dataclass(frozen=True)
class Assignment:
    """Which place each result has."""

    allocations: Mapping[int, Allocation]
    places: Mapping[tuple[str, tuple[int, ...]], BufferPlace]
    """By name of an instruction, and the indices of an element of its result."""

    def totals(self) -> MemoryTotals:
        """What it allocates."""
        every = self.allocations.values()
        return MemoryTotals(
            arguments=sum(one.bytes for one in every if one.parameter),
            outputs=sum(one.bytes for one in every if one.output),
            temporaries=sum(one.bytes for one in every if not one.parameter and not one.output),
            aliased=sum(one.bytes for one in every if one.parameter and one.output),
            code=0,
            peak=0,
        )


def parse(assignment: bytes, module: bytes) -> Assignment:
    """Reads a ``BufferAssignmentProto``; ``module``: the ``HloModuleProto`` that has the names of its instructions.

    Raises:
        ValueError: one of them is not a valid message.
    """
    names = _names(module)
    logical: dict[int, tuple[str, tuple[int, ...]]] = {}
    allocations: dict[int, Allocation] = {}
    assigned: list[tuple[int, dict[int, Any]]] = []
    for number, value in fields(assignment):
        if number == 1 and isinstance(value, bytes):
            buffer: dict[int, Any] = dict(fields(value))
            defined: list[tuple[int, Any]] = list(fields(buffer.get(3, b"")))
            instruction = next((v for k, v in defined if k == 4), 0)
            index = tuple(_repeated(v for k, v in defined if k == 3))
            logical[buffer.get(1, 0)] = names.get(instruction, ""), index
        elif number == 3 and isinstance(value, bytes):
            found = list(fields(value))
            plain: dict[int, Any] = {k: v for k, v in found if k != 9}
            number = plain.get(1, 0)
            # Memory of a thread, constants, and memory on the chip (of another color) are not counted here.
            if not plain.get(3) and not plain.get(8) and not plain.get(12):
                allocations[number] = Allocation(plain.get(2, 0), bool(plain.get(5)), bool(plain.get(7)))
                assigned += ((number, dict(fields(v))) for k, v in found if k == 9 and isinstance(v, bytes))
    places = {logical[one.get(1, 0)]: BufferPlace(at, one.get(2, 0), one.get(3, 0)) for at, one in assigned}
    return Assignment(allocations, places)


_MODULE = re.compile(rb"\n(?=([\x80-\xff]{0,4}[\x00-\x7f])\n)")
"""Where a field 1 may begin whose message begins with a field 1, as a module's does with its name."""


def in_executable(serialized: bytes) -> tuple[bytes, bytes] | None:
    """The ``BufferAssignmentProto`` and the ``HloModuleProto`` in a serialized executable for TPUs.

    They follow each other in an ``HloProto``, as its fields 3 and 1. What is around it differs between versions. None
    where there is none.
    """
    for found in _MODULE.finditer(serialized):
        module = found.end(1), found.end(1) + _integer(found[1])
        if serialized[module[1] : module[1] + 1] != _ASSIGNMENT:
            continue
        with contextlib.suppress(ValueError):
            _, at, size = next(parts(serialized, module[1], len(serialized)))
            # Of the assignment 1 are logical buffers, 3 allocations; of the module 3 are computations.
            if all({1, 3} <= {n for n, *_ in parts(serialized, *of)} for of in ((at, at + size), module)):
                return serialized[at : at + size], serialized[slice(*module)]
    return None


_ASSIGNMENT = b"\x1a"
"""How field 3 begins."""


def _integer(digits: bytes) -> int:
    return sum((digit & 127) << 7 * place for place, digit in enumerate(digits))


_ALLOCATION = re.compile(r"allocation (\d+): size (\d+)(.*):$")
_VALUE = re.compile(r" value: <\d+ ([^\s{]+)(?:\{([\d,]*)\})? @0> \(size=(\d+),offset=(\d+)\)")


def parse_text(text: str) -> Assignment:
    """Reads a ``BufferAssignment`` as XLA writes it into a dump: what is in the devices' own memory."""
    allocations: dict[int, Allocation] = {}
    places: dict[tuple[str, tuple[int, ...]], BufferPlace] = {}
    number = -1
    for line in text.splitlines():
        if found := _ALLOCATION.match(line):
            number, how = int(found[1]), found[3]
            # Color 0 is the device's own memory, others are on the chip. Numbers in the code count as constants.
            if not re.search(r", (color [1-9]|thread-local|constant)", how):
                output = "live-out" in how or "output shape" in how
                allocations[number] = Allocation(int(found[2]), ", parameter " in how, output)
        elif number in allocations and (found := _VALUE.match(line)):
            index = tuple(int(k) for k in (found[2] or "").split(",") if k)
            places[found[1], index] = BufferPlace(number, int(found[4]), int(found[3]))
    return Assignment(allocations, places)


def place(walked: Walk, assignment: Assignment) -> bool:
    """Puts the slots of a walk where the compiler puts them; False where too much of it is not in the assignment.

    What is in the memory of an argument or of a result costs nothing extra. A result is allocated from the start.
    Of two in the same place, the later one ends the earlier.
    """
    end = max(0, len(walked.steps) - 1)
    at: dict[int, list[tuple[Slot, BufferPlace]]] = {}
    owned = [s for s in walked.slots if s.instruction is not None and not s.free and s.kind != "constant"]
    known = count = 0
    results: dict[int, Slot] = {}
    for slot in owned:
        found = assignment.places.get((slot.instruction.name, slot.index)) if slot.instruction else None
        where = assignment.allocations.get(found.allocation) if found else None
        known += found is not None and slot.array.bytes > 0
        count += slot.array.bytes > 0
        if found is None or where is None or where.parameter:
            slot.free = True
        elif where.output:
            first = results.setdefault(found.allocation, slot)
            if slot is not first and slot.kind == "output":
                first.free, results[found.allocation] = True, slot
            elif slot is not first:
                slot.free = True
        else:
            slot.size = found.bytes
            at.setdefault(found.allocation, []).append((slot, found))
    for allocation, slot in results.items():
        slot.kind, slot.born, slot.last = "output", 0, end
        slot.size = assignment.allocations[allocation].bytes
    for sharing in at.values():
        _end_apart(sharing)
        _share(sharing)
    return 2 * known >= count


def _end_apart(sharing: list[tuple[Slot, BufferPlace]]) -> None:
    """Keeps operands alive while a result is written that could be, but is not, in their place."""
    places = {id(slot): here for slot, here in sharing}
    for slot, here in sharing:
        there = places.get(id(slot.over))
        if slot.over is not None and there is not None and not _overlap(here, there):
            slot.over.last = max(slot.over.last, slot.born)


def _overlap(one: BufferPlace, other: BufferPlace) -> bool:
    return one.offset < other.offset + other.bytes and other.offset < one.offset + one.bytes


def gaps(walked: Walk, assignment: Assignment, step: int) -> int:
    """Bytes that are allocated for temporaries and hold none at a step, once ``place`` has put them."""
    held: dict[int, list[tuple[int, int]]] = {}
    for slot in walked.slots:
        if (
            slot.instruction is None
            or slot.free
            or slot.kind in ("output", "constant")
            or not slot.born <= step <= slot.last
        ):
            continue
        if here := assignment.places.get((slot.instruction.name, slot.index)):
            held.setdefault(here.allocation, []).append((here.offset, here.offset + here.bytes))
    return sum(
        allocation.bytes - _covered(held.get(number, []))
        for number, allocation in assignment.allocations.items()
        if not allocation.parameter and not allocation.output
    )


def _covered(intervals: Iterable[tuple[int, int]]) -> int:
    covered = reached = 0
    for start, end in sorted(intervals):
        covered += max(0, end - max(start, reached))
        reached = max(reached, end)
    return covered


def _share(sharing: list[tuple[Slot, BufferPlace]]) -> None:
    """Ends what is where a later one is put: the later one continues for both."""
    alive: list[tuple[Slot, BufferPlace]] = []
    for slot, here in sorted(sharing, key=lambda pair: pair[0].born):
        alive = [pair for pair in alive if pair[0].last >= slot.born]
        for other, there in alive:
            if _overlap(here, there):
                slot.last = max(slot.last, other.last)
                other.last = slot.born - 1
        alive.append((slot, here))


def _names(module: bytes) -> dict[int, str]:
    """Names of instructions by id."""
    names: dict[int, str] = {}
    for number, computation in fields(module):
        if number != 3 or not isinstance(computation, bytes):
            continue
        for inner, instruction in fields(computation):
            if inner == 2 and isinstance(instruction, bytes):
                name, key = "", 0
                for k, value in fields(instruction):
                    if k == 1 and isinstance(value, bytes):
                        name = value.decode()
                    elif k == 35 and isinstance(value, int):
                        key = value
                        break
                names[key] = name
    return names


def _repeated(values: Iterable[int | bytes]) -> list[int]:
    """Integers of a repeated field: one by one, or packed."""
    out: list[int] = []
    for value in values:
        if isinstance(value, int):
            out.append(value)
        else:
            out += value  # Indices of elements are below 128: a byte each.
    return out
