"""``read.memory``: what is alive while a compiled program runs."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import jax
from jax.sharding import Mesh as JaxMesh

from shardwidget import _jax
from shardwidget.chips import chips
from shardwidget.document import Buffer, Ints, Memory, MemoryLoop, Source
from shardwidget.read._memory.assignment import Assignment, gaps, parse, place
from shardwidget.read._memory.liveness import Loop, Slot, Walk, walk
from shardwidget.read._memory.results import allocate_results_first, share_results
from shardwidget.read._memory.shapes import is_tiled
from shardwidget.read._memory.splits import Splits
from shardwidget.read._program.executable import Executable, executable_of, shardings_of
from shardwidget.read._program.module import Instruction, Module
from shardwidget.read._program.origin import InstructionOrigin, Origins
from shardwidget.read._program.programs import memory_totals, mesh_of
from shardwidget.read._target import interconnect_of, target_of

NO_TEXT = (
    "the compiled program has no text to read, so what is alive in it is not known. Give the function and its "
    "arguments, or what jax.jit(f).lower(...).compile() returns."
)

_DONATED = re.compile(r"\{([\d, ]*)\}: \((\d+)")


def memory(
    f: Callable[..., Any] | jax.stages.Traced | jax.stages.Lowered | jax.stages.Compiled | Executable | str,
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    mesh: JaxMesh | None = None,
    name: str | None = None,
    chip: str | int | None = None,
) -> Memory:
    """Reads which buffers are alive while a compiled program runs, on one device, and when. Nothing is run.

    It follows from the schedule of the compiled module: a result is alive from the instruction that makes it to the
    last one that needs it. ``difference`` is how far that is from the compiler's own figure.

    Args:
        f: a function, jitted or not; or what ``jax.jit(f).trace(...)``, ``lower(...)``, its ``compile()`` or
            ``read.compiled`` gave. Shardings and donations that the function was jitted with are respected.
        *args: arguments of the function: arrays, or ``jax.ShapeDtypeStruct``s with a sharding, which need no data.
        kwargs: keyword arguments of the function.
        mesh: the mesh; None takes the one of the arguments.
        name: what to call the program; None for the function's name.
        chip: the device whose memory is the limit: a name in ``shardwidget.chips.CHIPS``, or the bytes that it has.
            None for the one that the program is compiled for.

    Raises:
        ValueError: the mesh has other devices than the program, or is abstract; the program has no text; or there is no
            such chip.
        TypeError: ``f`` can be neither compiled nor read, or an argument is a tracer.
    """
    chips(chip, "")  # A wrong name is reported before anything is compiled.
    executable = executable_of(f, args, mesh, kwargs)
    document, _ = mesh_of(executable)
    module = Module.parse(executable.text)
    if module.entry is None:
        raise ValueError(NO_TEXT)
    walked = walk(module, _donated(executable.text))
    assignment = _placed(executable, walked)
    if assignment is None and not is_tiled(executable.text):
        share_results(walked)
    elif assignment is None and _jax.results_are_allocated_first(executable.compiled):
        allocate_results_first(walked)
    names = _Names(module, executable, {axis.name: axis.size for axis in document.axes})
    lines, work = names.work(walked)
    known, at = chips(chip, f"{interconnect_of(document.kind)} {document.kind}")
    found = Memory(
        mesh=document,
        buffers=tuple(names.buffer(slot, walked) for slot in walked.slots if _exists(slot)),
        steps=len(walked.steps),
        loops=tuple(map(names.loop, walked.loops)),
        lines=lines,
        work=work,
        chips=known,
        chip=at,
        basis="assignment" if assignment else "text",
        compiler=memory_totals(executable.compiled, document.platform),
        name=name if name is not None else executable.name or module.name.removeprefix("jit_"),
        target=target_of(document),
        jax_version=jax.__version__,
    )
    return replace(found, gaps=gaps(walked, assignment, found.peak_step)) if assignment else found


def _placed(executable: Executable, walked: Walk) -> Assignment | None:
    """Places buffers where the compiler says it puts them; None where it does not say so."""
    found = _jax.buffer_assignment(executable.compiled)
    if found is None:
        return None
    try:
        assignment = parse(*found)
    except ValueError:  # From a version that writes it differently: the text is enough.
        return None
    return assignment if assignment.places and place(walked, assignment) else None


def _donated(text: str) -> dict[int, int]:
    """By number of an output that reuses the memory of an argument, that of the argument."""
    header, _, _ = text.partition("\n")
    found = re.search(r"input_output_alias=\{(.*?)\}, \w+=", header)
    pairs = _DONATED.findall(found[1]) if found else ()
    return {int(index.split(",")[0] or 0): int(argument) for index, argument in pairs}


def _exists(slot: Slot) -> bool:
    return not slot.free and _bytes(slot) > 0 and slot.last >= slot.born


def _bytes(slot: Slot) -> int:
    return slot.array.bytes if slot.size < 0 else slot.size


class _Names:
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
        lowered = executable.lowered
        self._splits = Splits(module, _jax.propagated(lowered) if lowered is not None else {}, sizes)
        # Thousands of instructions share few frames.
        self._sources = functools.cache(lambda frames: InstructionOrigin("", frames).source)

    def buffer(self, slot: Slot, walked: Walk) -> Buffer:
        common: dict[str, Any] = {"bytes": _bytes(slot), "type": slot.array.text, "axes": self._axes(slot)}
        common |= {"born": slot.born, "dies": slot.last}
        if slot.instruction is None:
            called = self._arguments.get(slot.argument, "") or f"argument {slot.argument}"
            return Buffer(name=called, kind="argument", donated=slot.donated, **common)
        origin = self._at(slot.instruction)
        source = self._sources(origin.frames)
        if source is None and slot.writer is not None:
            origin = self._at(slot.writer)
            source = self._sources(origin.frames)
        given = "" if source is not None else self._copied(slot.instruction)
        kind: Any = slot.kind
        if kind == "temporary" and not origin.backward and self._needed_back(slot, walked):
            kind = "kept"
        return Buffer(
            name=_variable(source) or given or slot.instruction.name,
            kind=kind,
            source=source,
            backward=origin.backward,
            loop=slot.loop,
            instruction=slot.instruction.name,
            **common,
        )

    def _copied(self, instruction: Instruction | None) -> str:
        """The argument that an instruction of the entry copies: a result that is returned as it came; else empty."""
        while instruction is not None and instruction.opcode in _COPIES and instruction.operands:
            instruction = self._entry.get(instruction.operands[0])
        if instruction is None or instruction.opcode != "parameter":
            return ""
        return self._arguments.get(int(instruction.arguments or 0), "")

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


def _names_in(entry: Any) -> tuple[str, ...]:
    """The mesh axes that a dimension of a spec names."""
    return (entry,) if isinstance(entry, str) else tuple(entry) if isinstance(entry, tuple) else ()


_COPIES = frozenset({"copy", "bitcast", "copy-start", "copy-done"})

_IDLE = frozenset({"parameter", "constant", "tuple", "get-tuple-element", "bitcast"})
"""What costs no time."""


def _variable(source: Source | None) -> str:
    """What a line binds: ``probs`` of ``probs = softmax(scores)``; empty where it binds nothing."""
    found = re.match(r"([A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*)\s*=(?!=)", source.text) if source else None
    return found[1] if found else ""
