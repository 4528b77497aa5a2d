"""Whose memory a result takes: what it updates in place, and what it may be written over."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence

from shardwidget.read._memory.slots import Loop, Slot
from shardwidget.read._program.module import Computation, Instruction, Module

_ALIASING = re.compile(r'"aliasing_operands":\{"lists":\[((?:\{"indices":\[[^\]]*\]\},?)*)\]')

_ELEMENTWISE = frozenset({
    "add", "subtract", "multiply", "divide", "maximum", "minimum", "power", "remainder", "and", "or", "xor", "not",
    "negate", "abs", "sign", "floor", "ceil", "round-nearest-even", "round-nearest-afz", "exponential",
    "exponential-minus-one", "log", "log-plus-one", "logistic", "sqrt", "rsqrt", "cbrt", "tanh", "sine", "cosine",
    "tan", "erf", "select", "compare", "clamp", "convert", "is-finite", "copy", "atan2", "reduce-precision",
    "shift-left", "shift-right-logical", "shift-right-arithmetic",
})  # fmt: skip
"""Operations that may write their result over an operand of the same size that nothing else needs."""


class Reuse:
    """What the instructions of a module reuse.

    Args:
        module: the module.
    """

    def __init__(self, module: Module) -> None:
        self._module = module
        # Looked up twice for every fusion.
        self._fused = functools.cache(self._read_fused)

    def updated(self, instruction: Instruction) -> dict[int, int]:
        """By number of the result, the operand that it updates in place."""
        if instruction.opcode in ("dynamic-update-slice", "scatter"):
            return {0: 0}
        if instruction.opcode == "fusion":
            return _updated_by(self._fused(instruction))
        if "output_to_operand_aliasing=" in instruction.text:
            pairs = re.findall(r"\{(\d*)\}: \((\d+), \{\d*\}\)", instruction.text)
            return {int(output or 0): int(operand) for output, operand in pairs}
        return {}

    def replaceable(self, instruction: Instruction, outputs: int) -> Iterable[tuple[int, int]]:
        """Numbers of results, each with that of an operand that it may be written over."""
        shared = _ALIASING.search(instruction.text)
        if shared:
            return _shared(shared[1], len(instruction.operands))
        if instruction.opcode == "fusion":
            fused = self._fused(instruction)
            numbers = _elementwise_operands(fused) if fused else ()
        else:
            numbers = range(len(instruction.operands) if instruction.opcode in _ELEMENTWISE else 0)
        return itertools.product(range(outputs), numbers)

    def _read_fused(self, instruction: Instruction) -> Computation | None:
        return next((self._module.computations.get(name) for _, name in instruction.called), None)


def handed_on(before: Slot, after: Slot | None, loop: Loop) -> Slot:
    """Where a carry of a loop is: what a pass makes is written over what the pass was given.

    Between the last use of the one and the birth of the other the memory is free.
    """
    for slot in filter(None, (before, after)):
        slot.carried_by = loop.instruction
    if after is None or after is before or after.born < loop.first:
        before.last = max(before.last, loop.last)
        return before
    before.last = min(before.last, after.born - 1)
    after.last, after.over = loop.last, before
    # A loop that is given a donated argument works in its memory, and so does a loop that is given what is there.
    after.free |= before.kind == "argument" or (before.free and before.over is not None)
    return after


def replace(slots: Sequence[Slot]) -> None:
    """Lets results be written over operands that nothing needs any more: each such operand ends a step earlier."""
    taken: set[int] = set()
    for slot in slots:
        if slot.free or slot.over is not None:
            continue
        for other in slot.may_replace:
            fits = other.array.text == slot.array.text and other.last == slot.born and not other.free
            if fits and other.kind in ("temporary", "collective") and id(other) not in taken and other is not slot:
                taken.add(id(other))
                slot.over = other
                other.last = slot.born - 1
                break


def parameters(computation: Computation) -> list[Instruction]:
    """The parameters of a computation, by number."""
    found = [i for i in computation.instructions if i.opcode == "parameter"]
    return sorted(found, key=lambda i: int(i.arguments or 0))


def _shared(lists: str, operands: int) -> Iterator[tuple[int, int]]:
    """Results and operands that the TPU compiler has put into the same memory: ``{"indices":["0","2"]}``.

    It numbers the operands, then the results.
    """
    for found in re.findall(r'"indices":\[([^\]]*)\]', lists):
        numbers = [int(number) for number in re.findall(r"\d+", found)]
        inputs = [number for number in numbers if number < operands]
        yield from ((number - operands, inputs[0]) for number in numbers if number >= operands and inputs)


def _updated_by(fused: Computation | None) -> dict[int, int]:
    """By number of a fusion's result, the operand that it updates in place: its roots are updates of a parameter."""
    root = fused.root if fused else None
    if fused is None or root is None:
        return {}
    roots = [fused.by_name.get(name) for name in root.operands] if root.opcode == "tuple" else [root]
    out = {}
    for number, one in enumerate(roots):
        while one is not None and one.opcode in ("bitcast", "copy", "convert") and one.operands:
            one = fused.by_name.get(one.operands[0])
        if one is None or one.opcode not in ("dynamic-update-slice", "scatter"):
            continue
        target = fused.by_name.get(one.operands[0])
        while target is not None and target.opcode in ("bitcast", "copy", "convert") and target.operands:
            target = fused.by_name.get(target.operands[0])
        if target is not None and target.opcode == "parameter":
            out[number] = int(target.arguments or 0)
    return out


def _elementwise_operands(fused: Computation) -> tuple[int, ...]:
    """Parameters of a fusion that reach its result only through elementwise operations."""
    found = []
    for parameter in parameters(fused):
        ways, seen, fine = [parameter], {parameter.name}, True
        for way in ways:
            for user in fused.users.get(way.name, ()):
                if user.opcode == "tuple" or user.name in seen:
                    continue
                if user.opcode not in _ELEMENTWISE:
                    fine = False
                    break
                seen.add(user.name)
                ways.append(user)
            if not fine:
                break
        if fine:
            found.append(int(parameter.arguments or 0))
    return tuple(found)
