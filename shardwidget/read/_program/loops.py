"""How often the computations of a module run, and what they stand in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from shardwidget.read._program.module import Computation, Instruction, Module

_CALLED = re.compile(r"(?:to_apply|calls|called_computations)=\{?((?:%?[\w.\-]+(?:, )?)+)\}?")
_BRANCHES = re.compile(r"branch_computations=\{([^}]*)\}")
_TRUE_FALSE = re.compile(r"(true|false)_computation=%?([\w.\-]+)")
_TRIPS = re.compile(r'"known_trip_count":\{"n":"(\d+)"')
MOST = 100_000
"""Visits, after which the walk of a module whose computations call each other endlessly ends."""


@dataclass(frozen=True)
class Visit:
    """One way in which a computation comes to run."""

    computation: Computation
    times: int | None
    """In one call of the program, at most; None where a loop's trip count is not known."""
    where: tuple[str, ...]
    inside_fusion: bool
    asynchronous: bool


def visits(module: Module) -> Iterator[Visit]:
    """The computations of a module from the entry on, in program order."""
    entry = module.computations.get(module.entry)
    stack = [Visit(entry, 1, (), False, False)] if entry else []
    for _ in range(MOST):
        if not stack:
            return
        visit = stack.pop()
        yield visit
        inner = [v for i in visit.computation.instructions for v in _called(module, visit, i)]
        stack += reversed(inner)


def _called(module: Module, visit: Visit, i: Instruction) -> Iterator[Visit]:
    def into(
        name: str, times: int | None, *where: str, fusion: bool = False, asynchronous: bool = False
    ) -> Iterator[Visit]:
        computation = module.computations.get(name.strip().lstrip("%"))
        if computation and computation.instructions:
            yield Visit(
                computation,
                times,
                (*visit.where, *where),
                visit.inside_fusion or fusion,
                visit.asynchronous or asynchronous,
            )

    if i.opcode == "while":
        trips = trip_count(module, visit.computation, i)
        times = None if visit.times is None or trips is None else visit.times * trips
        body, condition = (_name(i.attributes, key) for key in ("body", "condition"))
        where = "while" if trips is None else f"while ×{trips}"
        yield from into(condition, None if times is None or visit.times is None else times + visit.times, where)
        yield from into(body, times, where)
    elif i.opcode == "conditional":
        if found := _BRANCHES.search(i.attributes):
            for k, name in enumerate(found[1].split(",")):
                yield from into(name, visit.times, f"branch {k}")
        for word, name in _TRUE_FALSE.findall(i.attributes):
            yield from into(name, visit.times, f"branch {word}")
    elif found := _CALLED.search(i.attributes) if i.opcode in ("call", "fusion", "async-start") else None:
        for name in found[1].split(","):
            called = (f"call {name.strip().lstrip('%')}",) if i.opcode == "call" else ()
            yield from into(
                name, visit.times, *called, fusion=i.opcode == "fusion", asynchronous=i.opcode == "async-start"
            )


def trip_count(module: Module, around: Computation, loop: Instruction) -> int | None:
    """How often a loop's body runs: as XLA says it, or as a counter from a constant by 1 to a constant does."""
    if found := _TRIPS.search(loop.attributes):
        return int(found[1])
    condition = module.computations.get(_name(loop.attributes, "condition"))
    start = around.types.get(loop.operands[0]) if loop.operands else None
    if condition is None or start is None:
        return None
    root = next((line for line in condition.lines if line.lstrip().startswith("ROOT")), "")
    if "direction=LT" in root:
        compare = root
    elif called := re.search(r"calls=%?([\w.\-]+)", root):
        inner = module.computations.get(called[1])
        compare = next((line for line in inner.lines if "direction=LT" in line), "") if inner else ""
    else:
        return None
    constants = [int(n) for line in condition.lines for n in re.findall(r"= s\d+\[\]\S* constant\((-?\d+)\)", line)]
    counters = re.findall(r"get-tuple-element\([^)]*\), index=(\d+)", "\n".join(condition.lines))
    if not compare or len(constants) != 1 or len(counters) != 1:
        return None
    operands = re.findall(r"%([\w.\-]+)", start[start.find("tuple(") :].split(")")[0])
    index = int(counters[0])
    first = _constant(around, operands[index]) if index < len(operands) else None
    if first is None or not _counts_by_one(module, _name(loop.attributes, "body"), index):
        return None
    return max(0, constants[0] - first)


def _constant(computation: Computation, name: str, depth: int = 4) -> int | None:
    """The value of an integer constant, through copies."""
    text = computation.types.get(name, "")
    if found := re.search(r"constant\((-?\d+)\)", text):
        return int(found[1])
    if depth and (found := re.search(r" (?:copy|bitcast)\(%([\w.\-]+)\)", text)):
        return _constant(computation, found[1], depth - 1)
    return None


def _counts_by_one(module: Module, name: str, index: int) -> bool:
    """Whether element ``index`` of a loop's carry is what it was plus one."""
    body = module.computations.get(name)
    root = next((line for line in body.lines if line.lstrip().startswith("ROOT")), "") if body else ""
    operands = re.findall(r"%([\w.\-]+)", root[root.find(" tuple(") :].split(")")[0])
    if body is None or index >= len(operands):
        return False
    text = body.types.get(operands[index], "")
    if called := re.search(r" fusion\(.*calls=%?([\w.\-]+)", text):
        inner = module.computations.get(called[1])
        lines = inner.lines if inner else []
        return any(" add(" in line and line.lstrip().startswith("ROOT") for line in lines) and (
            any(re.search(r"constant\(1\)", line) for line in [*lines, *_operand_lines(body, text)])
        )
    return " add(" in text and any("constant(1)" in line for line in _operand_lines(body, text))


def _operand_lines(body: Computation, text: str) -> list[str]:
    return [body.types.get(name, "") for name in re.findall(r"%([\w.\-]+)", text.split("),")[0])]


def _name(attributes: str, key: str) -> str:
    found = re.search(rf"\b{key}=%?([\w.\-]+)", attributes)
    return found[1] if found else ""
