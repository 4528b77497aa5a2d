"""``read.memory``: what is alive while a compiled program runs."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping
from typing import Any

import jax
from jax.sharding import Mesh as JaxMesh

from shardwidget.document import Buffer, Memory, MemoryLoop, Source
from shardwidget.read._memory.liveness import Loop, Slot, Walk, walk
from shardwidget.read._program.executable import executable_of
from shardwidget.read._program.module import Module
from shardwidget.read._program.origin import Origins
from shardwidget.read._program.programs import memory_totals, mesh_of
from shardwidget.read._program.target import target_of

NO_TEXT = (
    "the compiled program has no text to read, so what is alive in it is not known. Give the function and its "
    "arguments, or what jax.jit(f).lower(...).compile() returns."
)

_DONATED = re.compile(r"\{([\d, ]*)\}: \((\d+)")


def memory(
    f: Callable[..., Any] | jax.stages.Lowered | jax.stages.Compiled | str,
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    mesh: JaxMesh | None = None,
    name: str | None = None,
) -> Memory:
    """Reads which buffers are alive while a compiled program runs, on one device, and when. Nothing is run.

    It follows from the schedule of the compiled module: a result is alive from the instruction that makes it to the
    last one that needs it. ``difference`` says how far that is from the compiler's own figure.

    Args:
        f: a function, jitted or not; or what ``jax.jit(f).lower(...)`` or its ``compile()`` gave. Shardings and
            donations that the function was jitted with are respected.
        *args: arguments of the function: arrays, or ``jax.ShapeDtypeStruct``s with a sharding, which need no data.
        kwargs: keyword arguments of the function.
        mesh: the mesh; None takes the one of the arguments.
        name: what to call the program; None for the function's name.

    Raises:
        ValueError: the mesh has other devices than the program, or is abstract; or the program has no text.
        TypeError: ``f`` can be neither compiled nor read, or an argument is a tracer.
    """
    executable = executable_of(f, args, mesh, kwargs)
    document, _ = mesh_of(executable)
    module = Module.parse(executable.text)
    if module.entry is None:
        raise ValueError(NO_TEXT)
    walked = walk(module, _donated(executable.text))
    names = _Names(module)
    return Memory(
        mesh=document,
        buffers=tuple(names.buffer(slot, walked) for slot in walked.slots if _exists(slot)),
        steps=len(walked.steps),
        loops=tuple(map(names.loop, walked.loops)),
        compiler=memory_totals(executable.compiled, document.platform),
        name=name if name is not None else executable.name or module.name.removeprefix("jit_"),
        target=target_of(document),
        jax_version=jax.__version__,
    )


def _donated(text: str) -> tuple[int, ...]:
    """Numbers of the outputs that stand in the place of an argument."""
    header, _, _ = text.partition("\n")
    found = re.search(r"input_output_alias=\{(.*?)\}, \w+=", header)
    if not found:
        return ()
    return tuple(int(index.split(",")[0] or 0) for index, _ in _DONATED.findall(found[1]))


def _exists(slot: Slot) -> bool:
    return not slot.free and slot.array.bytes > 0 and slot.last >= slot.born


class _Names:
    """Says in the user's words what buffers are."""

    def __init__(self, module: Module) -> None:
        self._origins = Origins(module)
        entry = module.entry
        parameters = [i for i in entry.instructions if i.opcode == "parameter"] if entry else []
        self._arguments = {int(i.arguments or 0): self._origins.at(i).op for i in parameters}

    def buffer(self, slot: Slot, walked: Walk) -> Buffer:
        if slot.instruction is None:
            called = self._arguments.get(slot.argument, "") or f"argument {slot.argument}"
            return Buffer(slot.array.bytes, slot.array.text, called, "argument", slot.born, slot.last)
        origin = self._origins.at(slot.instruction)
        source = origin.source
        kind: Any = slot.kind
        if kind == "temporary" and not origin.backward and self._needed_back(slot, walked):
            kind = "kept"
        return Buffer(
            bytes=slot.array.bytes,
            type=slot.array.text,
            name=_variable(source) or slot.instruction.name,
            kind=kind,
            born=slot.born,
            dies=slot.last,
            source=source,
            backward=origin.backward,
            loop=slot.loop,
            instruction=slot.instruction.name,
        )

    def loop(self, loop: Loop) -> MemoryLoop:
        origin = self._origins.at(loop.instruction)
        source = origin.source
        written = re.search(r"\b(scan|fori_loop|while_loop|map|associative_scan)\(", source.text) if source else None
        return MemoryLoop(loop.first, loop.last, loop.times, written[1] if written else "loop", source, origin.backward)

    def _needed_back(self, slot: Slot, walked: Walk) -> bool:
        """Whether the last instruction that needs it is one of the way back."""
        last = walked.steps[slot.last]
        named = itertools.chain([last], reversed(walked.steps[slot.born : slot.last]))
        op = next((found for i in itertools.islice(named, 8) if (found := self._origins.at(i).op)), "")
        return "transpose(" in op


def _variable(source: Source | None) -> str:
    """What a line binds: ``probs`` of ``probs = softmax(scores)``; empty where it binds nothing."""
    found = re.match(r"([A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*)\s*=(?!=)", source.text) if source else None
    return found[1] if found else ""
