"""Names for what is alive, in the user's terms: arguments, lines and variables."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Any

import jax

from shardwidget import _jax
from shardwidget.document import Buffer, Ints, MemoryLoop, Source
from shardwidget.read._memory.closed_over import ClosedOver
from shardwidget.read._memory.slots import Loop, Slot, Walk
from shardwidget.read._memory.splits import Splits, shape_of
from shardwidget.read._program.executable import Executable, shardings_of
from shardwidget.read._program.module import Instruction, Module
from shardwidget.read._program.origin import InstructionOrigin, Origins

_COPIES = frozenset({"copy", "bitcast", "copy-start", "copy-done"})

_IDLE = frozenset({"parameter", "constant", "tuple", "get-tuple-element", "bitcast"})
"""What costs no time."""


class Names:
    """Names buffers in the user's terms."""

    def __init__(self, module: Module, executable: Executable, sizes: Mapping[str, int]) -> None:
        # Looked up several times for every instruction: for its buffers, its line, and who needs a value last.
        self._at = functools.cache(Origins(module).at)
        entry = module.entry
        self._entry = {} if entry is None else entry.by_name
        parameters = [i for i in entry.instructions if i.opcode == "parameter"] if entry else []
        self._arguments = {int(i.arguments or 0): self._at(i).op for i in parameters}
        self._arguments = {number: executable.names.get(op, op) for number, op in self._arguments.items()}
        self._inputs, self._outputs = shardings_of(executable)
        if len(self._inputs) != len(self._arguments):
            # What the function does not use is not a parameter, and nothing public says which those are.
            self._inputs = ()
        self._results = _results(executable)
        lowered = executable.lowered
        self._splits = Splits(module, _jax.propagated(lowered) if lowered is not None else {}, sizes)
        self._closed_over = ClosedOver(executable.function)
        # Thousands of instructions share few frames.
        self._sources = functools.cache(lambda frames: InstructionOrigin("", frames).source)

    def buffer(self, slot: Slot, walked: Walk) -> Buffer:
        common: dict[str, Any] = {"bytes": slot.bytes, "type": slot.array.text, "axes": self._axes(slot)}
        common |= {"born": slot.born, "dies": slot.last}
        if slot.instruction is None:
            taken = self._results.get(slot.output, "") if slot.donated else ""
            name = self._argument(slot.argument)
            return Buffer(name=name, kind="argument", donated=slot.donated, taken_by=taken, **common)
        if slot.kind == "constant":
            return self._constant(slot, slot.instruction.name, common)
        origin = self._at(slot.instruction)
        source = self._sources(origin.frames)
        if slot.writer is not None and (source is None or self._is_of_loop(slot, source)):
            # A buffer that a loop fills is what it is filled with, not what the line of the loop binds.
            filled = self._at(slot.writer)
            if (line := self._sources(filled.frames)) is not None:
                origin, source = filled, line
        given = ""
        if source is None and (copied := self._copied(slot.instruction)) is not None:
            if copied.opcode == "parameter":
                given = self._arguments.get(int(copied.arguments or 0), "")
            else:
                origin = self._at(copied)
                source = self._sources(origin.frames)
        result = self._results.get(slot.output, "")
        kind: Any = slot.kind
        if kind == "temporary" and not origin.backward and self._needed_back(slot, walked):
            kind = "kept"
        name = (
            "workspace"
            if _is_workspace(slot)
            else self._of_loop(slot, walked)
            or (result if origin.backward else "")  # A gradient is not what its line binds.
            or _variable(source)
            or given
            or result
        )
        return Buffer(
            **_called(name, slot.instruction.name),
            kind=kind,
            source=source,
            backward=origin.backward,
            loop=slot.loop,
            **common,
        )

    def _argument(self, number: int) -> str:
        return self._arguments.get(number, "") or f"argument {number}"

    def _constant(self, slot: Slot, instruction: str, common: Mapping[str, Any]) -> Buffer:
        """A constant is named after what the function closes over, and has the line that needs it first."""
        origins = (self._at(user) for user in slot.users)
        source = next((found for origin in origins if (found := self._sources(origin.frames)) is not None), None)
        name = self._closed_over.name(shape_of(slot.array.text) or (), source.text if source else "")
        return Buffer(**_called(name, instruction), kind="constant", source=source, **common)

    def _of_loop(self, slot: Slot, walked: Walk) -> str:
        """What a loop takes from an argument, or the gradient of one that it fills; empty for anything else.

        Both have the line of the loop, whose variable is another value.
        """
        if slot.slice_of is not None:
            return f"{self._argument(slot.slice_of.argument)}[i]"
        if not self._is_of_loop(slot, self._sources(self._at(slot.instruction).frames)):
            return ""
        if slot.writer is None or not any(self._at(i).backward for i in (slot.instruction, slot.writer)):
            return ""
        alike = {
            self._argument(s.argument) for s in walked.slots if s.argument >= 0 and s.array.text == slot.array.text
        }
        if len(alike) > 1:
            line = self._sources(self._at(slot.writer).frames)
            alike = {name for name in alike if line and _last_name(name) in re.findall(r"\w+", line.text)}
        return f"gradient of {alike.pop()}" if len(alike) == 1 else ""

    def _is_of_loop(self, slot: Slot, source: Source | None) -> bool:
        """Whether a source is the line of the loop that carries a slot."""
        return slot.carried_by is not None and source == self._sources(self._at(slot.carried_by).frames) is not None

    def _copied(self, instruction: Instruction | None) -> Instruction | None:
        """What an instruction of the entry copies, as for a prefetch; None where it copies nothing."""
        copied = instruction
        while copied is not None and copied.opcode in _COPIES and copied.operands:
            copied = self._entry.get(copied.operands[0])
        return None if copied is instruction else copied

    def loop(self, loop: Loop) -> MemoryLoop:
        origin = self._at(loop.instruction)
        source = self._sources(origin.frames)
        written = re.search(r"\b(scan|fori_loop|while_loop|map|associative_scan)\(", source.text) if source else None
        return MemoryLoop(loop.first, loop.last, loop.times, written[1] if written else "loop", source, origin.backward)

    def work(self, walked: Walk) -> tuple[tuple[Source, ...], Ints]:
        """The lines that the schedule works on, and which one each step does."""
        origins = [None if i.opcode in _IDLE else self._at(i) for i in walked.steps]
        sources = [None if origin is None else self._sources(origin.frames) for origin in origins]
        lines = sorted({s for s in sources if s is not None}, key=lambda s: (s.file, s.line))
        at = {line: 1 + 2 * k for k, line in enumerate(lines)}
        pairs = zip(origins, sources, strict=True)
        work = [0 if o is None or s is None else at[s] + o.backward for o, s in pairs]
        return tuple(lines), Ints.pack(work)

    def _axes(self, slot: Slot) -> tuple[str, ...] | None:
        if slot.kind == "constant":
            return ()  # Each device has all of it.
        if slot.instruction is not None and slot.output < 0:
            return self._splits.axes(slot)
        of, number = (self._inputs, slot.argument) if slot.instruction is None else (self._outputs, slot.output)
        spec = getattr(of[number], "spec", None) if 0 <= number < len(of) else None
        if spec is None:
            return None
        return tuple(name for entry in spec if entry is not None for name in _names_in(entry))

    def _needed_back(self, slot: Slot, walked: Walk) -> bool:
        """Whether the last instruction that needs it is in the backward pass."""
        near = range(slot.last, max(slot.born, slot.last - 8), -1)
        op = next((found for step in near if (found := self._at(walked.steps[step]).op)), "")
        return "transpose(" in op


def _called(name: str, instruction: str) -> dict[str, str]:
    """The name of a buffer, which is its instruction's if nothing else names it."""
    return {"name": name, "instruction": instruction} if name else {"name": instruction}


def _is_workspace(slot: Slot) -> bool:
    """Whether it is memory in which a library of a GPU computes a product."""
    text = slot.instruction.text if slot.instruction is not None and slot.index else ""
    return re.search(r'custom_call_target="__cu(blas|dnn)', text) is not None and slot.array.text.startswith(
        ("s8[", "u8[")
    )


def _names_in(entry: Any) -> tuple[str, ...]:
    """The mesh axes that a dimension of a spec names."""
    return (entry,) if isinstance(entry, str) else tuple(entry) if isinstance(entry, tuple) else ()


def _results(executable: Executable) -> dict[int, str]:
    """The paths of the results, ``result[0]['w']``, by their number; none where the program does not say."""
    tree = getattr(executable.lowered or executable.compiled, "out_tree", None)
    if tree is None:
        return {}
    paths, _ = jax.tree.flatten_with_path(jax.tree.unflatten(tree, range(tree.num_leaves)))
    return {number: f"result{jax.tree_util.keystr(path)}" for path, number in paths}


def _last_name(path: str) -> str:
    """The last word of a path: ``u`` of ``w['u']``, ``kernel`` of ``model.up.kernel``."""
    return (re.findall(r"[A-Za-z_]\w*", path) or [""])[-1]


def _variable(source: Source | None) -> str:
    """What a line binds: ``probs`` of ``probs = softmax(scores)``, ``h`` of ``h, _ = …``; empty for nothing."""
    found = re.match(r"([A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*)\s*=(?!=)", source.text) if source else None
    return ", ".join(name for name in re.split(r"\s*,\s*", found[1]) if name != "_") if found else ""
