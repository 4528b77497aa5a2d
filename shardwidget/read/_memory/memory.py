"""``read.memory``: what is alive while a compiled program runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import jax
from jax.sharding import Mesh as JaxMesh

from shardwidget import _jax
from shardwidget.chips import chips
from shardwidget.document import Chip, Memory
from shardwidget.read._memory.assignment import Assignment, gaps, in_executable, parse, parse_text, place
from shardwidget.read._memory.liveness import walk
from shardwidget.read._memory.names import Names
from shardwidget.read._memory.results import allocate_results_first, share_results
from shardwidget.read._memory.shapes import is_tiled
from shardwidget.read._memory.slots import Walk
from shardwidget.read._program.analysis import memory_totals
from shardwidget.read._program.executable import Executable, executable_of
from shardwidget.read._program.module import Module
from shardwidget.read._program.programs import mesh_of
from shardwidget.read._target import interconnect_of, target_of

NO_TEXT = (
    "the compiled program has no text to read, so what is alive in it is not known. Give the function and its "
    "arguments, or what jax.jit(f).lower(...).compile() returns."
)

_USABLE = re.compile(r"(?:available HBM \(| of |exceed memory \(size=)([\d.]+)([KMGT]?)")
"""``exceeds available HBM (15.75G)``; ``Used 21.95G of 15.48G hbm``; ``would exceed memory (size=33822867456)``."""

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
    last one that needs it. ``difference`` is how far that is from the compiler's own figure. If the program needs more
    memory than the device has, this is the schedule that the compiler had made, and ``failure`` is its message.

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
    totals = memory_totals(executable.compiled, document.platform)
    names = Names(module, executable, {axis.name: axis.size for axis in document.axes})
    lines, work = names.work(walked)
    known, at = chips(chip, f"{interconnect_of(document.kind)} {document.kind}")
    if chip is None and (usable := _usable(executable.failure)):
        known, at = (Chip("what XLA may use", usable, "the compiler's message"), *known), 0
    found = Memory(
        mesh=document,
        buffers=tuple(names.buffer(slot, walked) for slot in walked.slots if slot.exists),
        steps=len(walked.steps),
        loops=tuple(map(names.loop, walked.loops)),
        lines=lines,
        work=work,
        chips=known,
        chip=at,
        basis="assignment" if assignment else "text",
        compiler=assignment.totals() if assignment and executable.failure else totals,
        failure=executable.failure,
        name=name if name is not None else executable.name or module.name.removeprefix("jit_"),
        target=target_of(document),
        jax_version=jax.__version__,
    )
    return replace(found, gaps=gaps(walked, assignment, found.peak_step)) if assignment else found


def _placed(executable: Executable, walked: Walk) -> Assignment | None:
    """Places buffers where the compiler says it puts them; None where it does not say so."""
    found = _jax.buffer_assignment(executable.compiled) or in_executable(
        _jax.serialized_executable(executable.compiled)
    )
    try:
        assignment = parse(*found) if found else parse_text(executable.dump.assignment) if executable.dump else None
    except ValueError:  # From a version that writes it differently: the text is enough.
        return None
    return assignment if assignment and assignment.places and place(walked, assignment) else None


def _usable(failure: str) -> int:
    """Bytes that a program may use, by the message of the compiler that has no more; 0 where it does not say."""
    found = _USABLE.search(failure)
    return int(float(found[1]) * 1024 ** " KMGT".index(found[2] or " ")) if found else 0


def _donated(text: str) -> dict[int, int]:
    """By number of an output that reuses the memory of an argument, that of the argument."""
    header, _, _ = text.partition("\n")
    found = re.search(r"input_output_alias=\{(.*?)\}, \w+=", header)
    pairs = _DONATED.findall(found[1]) if found else ()
    return {int(index.split(",")[0] or 0): int(argument) for index, argument in pairs}
