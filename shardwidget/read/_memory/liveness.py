"""What is alive at each instruction of a scheduled module, from its text alone.

The order of the text is the order of execution. A result lives from its instruction to the last use of it. What reuses
another's memory owns nothing: a bitcast, an element of a tuple, what a loop carries, an update in place, what an
asynchronous start takes along.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

from shardwidget.document.memory import FLAGGED
from shardwidget.read._memory.reuse import Reuse, handed_on, parameters, replace
from shardwidget.read._memory.shapes import arrays_of, element_counts, layout_of
from shardwidget.read._memory.slots import Leaves, Loop, Slot, Walk
from shardwidget.read._program.module import MOST_STEPS, TOO_MANY_STEPS, Computation, Instruction, Module
from shardwidget.read._program.trips import trip_count

_SAME = frozenset({"bitcast", "optimization-barrier", "opt-barrier", "domain", "get-dimension-size"})
"""Operations whose result is their operand."""

_NOTHING = frozenset({"after-all", "token", "partition-id", "replica-id", "add-dependency"})


def walk(module: Module, donated: Mapping[int, int] | None = None) -> Walk:
    """Walks through a module.

    Args:
        module: the module.
        donated: by number of an output, that of the argument whose memory it reuses.
    """
    walking = _Walking(module)
    out = walking.out
    if module.entry is None:
        return out
    results = walking.computation(module.entry, None)
    if not out.steps and module.entry.root is not None:
        # It returns an argument as it is: what is alive is alive for one step.
        out.steps.append(module.entry.root)
    end = max(0, len(out.steps) - 1)
    for slot in out.slots:
        if slot.kind in ("argument", "constant"):
            slot.born, slot.last = 0, end
    given = dict(donated or {})
    taken = {argument: output for output, argument in given.items()}
    for slot in out.slots:
        if slot.kind == "argument" and slot.argument in taken:
            slot.donated, slot.output = True, taken[slot.argument]
    for number, slot in enumerate(results):
        if slot.kind in ("argument", "constant"):
            continue
        slot.output = number
        if number in given:
            # It is written into the argument's memory.
            slot.free = True
        else:
            slot.kind, slot.last = "output", end
    replace(out.slots)
    return out


class _Walking:
    def __init__(self, module: Module) -> None:
        self.module = module
        self.out = Walk()
        self._reuse = Reuse(module)
        self._loop = -1
        self._constants: dict[int, Leaves] = {}

    def computation(self, computation: Computation, given: Leaves | None) -> Leaves:
        """Walks through a computation; returns where its result is. ``given``: its arguments; None for the entry."""
        values: dict[str, Leaves] = {}
        result: Leaves = ()
        start = 0
        for parameter in parameters(computation):
            count = len(arrays_of(parameter.type))
            made = self._arguments(parameter) if given is None else given[start : start + count]
            values[parameter.name] = made
            start += count
        for instruction in computation.instructions:
            if instruction.opcode != "parameter":
                values[instruction.name] = self._value(instruction, computation, values)
            if instruction.root:
                result = values[instruction.name]
        return result

    def _arguments(self, parameter: Instruction) -> Leaves:
        number = int(parameter.arguments or 0)
        slots = tuple(Slot(a, None, 0, 0, "argument", number) for a in arrays_of(parameter.type))
        self.out.slots += slots
        return slots

    def _value(self, instruction: Instruction, computation: Computation, values: dict[str, Leaves]) -> Leaves:
        opcode = instruction.opcode
        operands = [values.get(name, ()) for name in instruction.operands]
        if opcode == "get-tuple-element":
            made = self._element(instruction, computation, operands)
            self._step(instruction, [made])  # The other elements are not needed for it.
            return made
        step = self._step(instruction, operands)
        if opcode in _NOTHING:
            return self._new(instruction, step, free=True)
        if opcode == "constant":
            return self._constant(instruction, step)
        if opcode == "tuple":
            return tuple(slot for leaves in operands for slot in leaves)
        if opcode in _SAME:
            return operands[0] if operands else ()
        if opcode == "while":
            return self._while(instruction, computation, operands)
        if opcode == "conditional":
            return self._conditional(instruction, operands)
        if opcode == "call":
            return self._call(instruction, operands, step)
        if opcode.endswith(("-done", "-update")):
            return self._done(instruction, operands, step)
        if opcode.endswith("-start"):
            return self._start(instruction, operands, step)
        if opcode == "fusion":
            self._use([self._fused_constants(instruction, step)], step)
        updated = self._reuse.updated(instruction)
        if updated:
            return self._in_place(instruction, operands, step, updated)
        new = self._new(instruction, step)
        if self._loop >= 0 and len(new) == 1 and opcode in ("dynamic-slice", "fusion"):
            new[0].slice_of = _sliced(new[0], operands)
        for output, number in self._reuse.replaceable(instruction, len(new)):
            if output < len(new) and number < len(operands):
                operand = computation.by_name.get(instruction.operands[number])
                # XLA writes over no asynchronous copy, and a copy to another layout is not in place.
                same = operand is None or layout_of(operand.type) == layout_of(instruction.type, output)
                if same and (operand is None or operand.opcode != "copy-done"):
                    new[output].may_replace += operands[number]
        return new

    def _step(self, instruction: Instruction, operands: Sequence[Leaves]) -> int:
        step = len(self.out.steps)
        if step == MOST_STEPS:
            raise ValueError(TOO_MANY_STEPS)
        self.out.steps.append(instruction)
        self._use(operands, step)
        return step

    def _use(self, operands: Iterable[Leaves], step: int) -> None:
        for leaves in operands:
            for slot in leaves:
                slot.last = max(slot.last, step)
                if slot.kind == "constant":
                    slot.users.append(self.out.steps[step])

    def _new(self, instruction: Instruction, step: int, *, free: bool = False) -> Leaves:
        arrays = arrays_of(instruction.type)
        inside = instruction.type.startswith("(")
        made = tuple(
            Slot(array, instruction, step, step, loop=self._loop, index=(k,) if inside else (), free=free)
            for k, array in enumerate(arrays)
        )
        if not free:
            if instruction.kind:
                for slot in made:
                    slot.kind = "collective"
            self.out.slots += made
        return made

    def _constant(self, instruction: Instruction, step: int) -> Leaves:
        """A constant is there from the start, and once, however often it is walked past; a number is in the code."""
        if id(instruction) not in self._constants:
            made = self._new(instruction, step)
            for slot in made:
                slot.kind, slot.loop = "constant", -1
                slot.free = "[]" in slot.array.text
            self._constants[id(instruction)] = made
        return self._constants[id(instruction)]

    def _fused_constants(self, fusion: Instruction, step: int) -> Leaves:
        """The large constants within a fusion; small ones are in its code."""
        fused = self.module.computations.get(dict(fusion.called).get("calls", ""))
        inner = [i for i in fused.instructions if i.opcode == "constant"] if fused else []
        large = [i for i in inner if sum(array.bytes for array in arrays_of(i.type)) >= FLAGGED]
        return tuple(slot for constant in large for slot in self._constant(constant, step))

    def _element(self, instruction: Instruction, computation: Computation, operands: Sequence[Leaves]) -> Leaves:
        index = int(instruction.attribute("index") or 0)
        whole = computation.by_name.get(instruction.operands[0])
        counts = element_counts(whole.type) if whole is not None else ()
        start = sum(counts[:index])
        return operands[0][start : start + (counts[index] if index < len(counts) else 1)] if operands else ()

    def _while(self, instruction: Instruction, computation: Computation, operands: Sequence[Leaves]) -> Leaves:
        carried = operands[0] if operands else ()
        called = dict(instruction.called)
        first = len(self.out.steps)
        loop = Loop(instruction, first, first, trip_count(instruction, computation, self.module))
        around, self._loop = self._loop, len(self.out.loops)
        self.out.loops.append(loop)
        made: Leaves = ()
        for attribute in ("condition", "body"):
            inner = self.module.computations.get(called.get(attribute, ""))
            made = self.computation(inner, carried) if inner is not None else ()
        loop.last = len(self.out.steps) - 1
        self._loop = around
        return tuple(
            handed_on(before, after, loop) for before, after in itertools.zip_longest(carried, made[: len(carried)])
        )

    def _call(self, instruction: Instruction, operands: Sequence[Leaves], step: int) -> Leaves:
        called = next((name for _, name in instruction.called), "")
        inner = self.module.computations.get(called)
        flat = tuple(slot for leaves in operands for slot in leaves)
        return self.computation(inner, flat) if inner else self._new(instruction, step)

    def _conditional(self, instruction: Instruction, operands: Sequence[Leaves]) -> Leaves:
        step = len(self.out.steps) - 1
        result = self._new(instruction, step)
        ends: list[tuple[Slot, int]] = []
        names = [name for _, name in instruction.called]
        for number, name in enumerate(names):
            inner = self.module.computations.get(name)
            given = operands[number + 1] if number + 1 < len(operands) else ()
            made = self.computation(inner, given) if inner else ()
            # The result of the branch that runs is where that of the conditional is.
            ends += [(slot, len(self.out.steps) - 1) for slot in made if slot.born > step]
        after = len(self.out.steps) - 1
        for slot, last in ends:
            slot.last = min(last, after - 1)
        for slot in result:
            slot.born = after
        self._use([result, *operands], after)
        return result

    def _start(self, instruction: Instruction, operands: Sequence[Leaves], step: int) -> Leaves:
        """What an asynchronous start makes: its result, and its operands again next to it."""
        flat = tuple(slot for leaves in operands for slot in leaves)
        new = self._new(instruction, step)
        if len(new) <= len(flat):
            return new
        # The operands come first; of a copy the destination does, and the source after it.
        at = 1 if instruction.opcode == "copy-start" else 0
        for slot in new[at : at + len(flat)]:
            slot.free = True
        return (*new[:at], *flat, *new[at + len(flat) :])

    def _done(self, instruction: Instruction, operands: Sequence[Leaves], step: int) -> Leaves:
        """The result of an asynchronous start."""
        leaves = operands[0] if operands else ()
        wanted = arrays_of(instruction.type)
        if instruction.opcode == "copy-done":
            return leaves[:1]
        matching = [slot for slot in leaves if slot.array.text in {a.text for a in wanted}]
        if len(matching) >= len(wanted):
            return tuple(matching[-len(wanted) :]) if wanted else ()
        return self._new(instruction, step)

    def _in_place(
        self, instruction: Instruction, operands: Sequence[Leaves], step: int, updated: dict[int, int]
    ) -> Leaves:
        new = list(self._new(instruction, step))
        for output, operand in updated.items():
            if output < len(new) and operand < len(operands) and operands[operand]:
                new[output].free = True
                new[output] = operands[operand][0]
                new[output].writer = new[output].writer or _written(instruction, operands, operand)
        self._use([tuple(new)], step)
        return tuple(new)


def _sliced(slot: Slot, operands: Sequence[Leaves]) -> Slot | None:
    """The argument of whose first dimension a result is one entry; None where it is of none, or of several."""
    shape = _elements(slot.array.text)
    whole = [s for leaves in operands for s in leaves if s.kind == "argument" and _elements(s.array.text)[1:] == shape]
    return whole[0] if len(whole) == 1 and shape else None


def _elements(text: str) -> list[str]:
    """The sizes of a type's dimensions, without those of 1 at the front: ``["8", "4"]`` of ``bf16[1,8,4]``."""
    sizes = text.partition("[")[2].rstrip("]").split(",")
    return sizes[next((k for k, size in enumerate(sizes) if size != "1"), len(sizes)) :]


def _written(instruction: Instruction, operands: Sequence[Leaves], target: int) -> Instruction:
    """What makes the value that an update writes: the largest of its other operands, or else the update itself."""
    others = (slot for k, leaves in enumerate(operands) if k != target for slot in leaves if slot.instruction)
    most = max(others, key=lambda slot: slot.array.bytes, default=None)
    return most.instruction if most is not None and most.instruction and most.array.bytes > 64 else instruction
