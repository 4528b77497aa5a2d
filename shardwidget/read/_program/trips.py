"""How often a loop of a module runs its body."""

from __future__ import annotations

import re
from dataclasses import dataclass

from shardwidget.read._program.module import Computation, Instruction, Module


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
        self._known: dict[tuple, _Linear | None] = {}

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
        key = (name, computation, arguments)
        if key not in self._known:  # A value may be used twice by every one that follows from it.
            self._known[key] = self._of(name, computation, arguments)
        return self._known[key]

    def _of(self, name: str, computation: Computation, arguments: tuple[_Linear | None, ...]) -> _Linear | None:
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
