"""``read.program``: the collectives of a compiled program, by the user's mesh axes and source lines."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import jax
from jax.sharding import Mesh as JaxMesh

from shardwidget import cost
from shardwidget.document import (
    HloCollective,
    Listing,
    MemoryTotals,
    Mesh,
    Nest,
    Plan,
    Program,
    ProgramDiff,
    Programs,
    Work,
)
from shardwidget.findings.program import with_findings
from shardwidget.read._jaxpr.sources import listing_at
from shardwidget.read._mesh import read_devices, read_mesh
from shardwidget.read._program.executable import Executable, executable_of
from shardwidget.read._program.hlo_collective import HloCollectives
from shardwidget.read._program.loops import Entered, walk
from shardwidget.read._program.module import Module
from shardwidget.read._program.origin import InstructionOrigin
from shardwidget.read._program.pasted import is_module, pasted
from shardwidget.read._target import interconnect_of, target_of, wraps_of

OTHER_MESH = (
    "the program is compiled for {program}, and the mesh {shape} has {mesh}. "
    "Give the mesh that its arguments are on, or leave mesh= out: it is then found in the program."
)

NO_PROGRAMS = "there are no programs to compare. Give some by name: {'data parallel': (f, x, w), 'sharded': compiled}."

UNNAMED_PROGRAMS = (
    "programs to compare are given by name, in a dict: {{'data parallel': (f, x, w), 'sharded': compiled}}; "
    "got a {type}."
)

EMPTY_PROGRAM = "the program {name!r} is an empty tuple. Give a function and its arguments: {{{name!r}: (f, x, w)}}."

OF_PROGRAM = "This is about {name!r}, one of the programs to compare."

NOT_LOWERED = (
    "what the compiler adds is found by comparing with the lowered program, which a {type} does not have. Give the "
    "function and its arguments, or what jax.jit(f).lower(...) gave."
)

LONGEST = 400
"""The most characters kept of an instruction that cannot be read."""


def program(
    f: Callable[..., Any] | jax.stages.Traced | jax.stages.Lowered | jax.stages.Compiled | Executable | str,
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    mesh: JaxMesh | None = None,
    name: str | None = None,
    interconnect: str | cost.Interconnect | None = None,
) -> Program:
    """Reads which collectives a compiled program has, over which mesh axes, by which line. Nothing is run.

    Args:
        f: a function, jitted or not; or what ``jax.jit(f).trace(...)``, ``lower(...)``, its ``compile()`` or
            ``read.compiled`` gave; or, with ``mesh=``, the text of a compiled module, or groups out of one:
            ``replica_groups={{0,1},{2,3}}``, ``[2,4]<=[8]``. Shardings and donations that the function was
            jitted with are respected.
        *args: arguments of the function: arrays, or ``jax.ShapeDtypeStruct``s with a sharding, which need no data.
        kwargs: keyword arguments of the function.
        mesh: the mesh whose axes collectives are named by. If not given, that of the arguments' shardings, else the
            one that is set (``jax.set_mesh``), else that of the program's first ``shard_map``.
        name: what to call the program; if not given, the function's name.
        interconnect: what estimated times are shown for first: a name in ``cost.INTERCONNECTS``, or one of your own. If
            not given, the one that connects the mesh's devices, or ``cost.DEFAULT``.

    Returns:
        The program. Parts of its text that cannot be read are listed in ``.unread``.

    Raises:
        ValueError: the mesh has other devices than the program, or is abstract; there is no such interconnect; or a
            text came without a mesh, or cannot be read.
        TypeError: ``f`` is not a program, or is already compiled or lowered and was given arguments too; the mesh is
            not a mesh; or an argument is a tracer.
    """
    cost.interconnects(interconnect)  # A wrong name is reported before anything is compiled.
    executable = executable_of(f, args, mesh, kwargs)
    if isinstance(f, str) and not is_module(f):
        return _of_groups(f, executable, name)
    return of_executable(executable, name, interconnect)


def added(
    f: Callable[..., Any] | jax.stages.Traced | jax.stages.Lowered | Executable,
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    mesh: JaxMesh | None = None,
    name: str | None = None,
    interconnect: str | cost.Interconnect | None = None,
) -> ProgramDiff:
    """Compares what a program asks for with what the compiler makes of it: which collectives the compiler added.

    Before are the collectives of the lowered module: those that the program itself writes, in a ``shard_map``, with
    what differentiation makes of them. After are those of the compiled program, once the compiler has partitioned and
    optimised it. They are matched by operation, mesh axes and line. Nothing is run.

    Args:
        f: a function, jitted or not; or what ``jax.jit(f).trace(...)``, ``lower(...)`` or ``read.compiled`` gave.
        *args: as in ``program``.
        kwargs: as in ``program``.
        mesh: as in ``program``.
        name: as in ``program``.
        interconnect: as in ``program``.

    Raises:
        ValueError: as in ``program``.
        TypeError: as in ``program``; or ``f`` is a compiled program or its text, of which the lowered one is not known.
    """
    cost.interconnects(interconnect)
    executable = executable_of(f, args, mesh, kwargs)
    if executable.lowered is None:
        raise TypeError(NOT_LOWERED.format(type=type(f).__name__))
    text = executable.lowered.as_text(dialect="hlo", debug_info=True)
    # It is not partitioned yet, except where the program does it by hand: in these parts groups count partitions.
    text = re.sub(r"^HloModule [^,\s]+", rf"\g<0>, num_partitions={len(executable.devices)}", text, count=1)
    own = replace(executable, text=text, compiled=None, note="")
    asked = replace(of_executable(own, name, interconnect), lowered=True)
    return asked.diff(of_executable(executable, name, interconnect))


def _of_groups(text: str, executable: Executable, name: str | None) -> Program:
    """Only groups: their axes, without bytes or times."""
    mesh, _ = mesh_of(executable)
    found = pasted(text, mesh)
    return Program(
        mesh=mesh,
        collectives=(found,),
        wraps=wraps_of(mesh),
        name=found.kind if name is None else name,
        instructions=1,
        note=f"{found.groups_text}: {found.groups_meaning}.",
        jax_version=jax.__version__,
    )


def of_executable(executable: Executable, name: str | None, interconnect: str | cost.Interconnect | None) -> Program:
    """Reads what is already compiled.

    Args:
        executable: what to read.
        name: as of ``program``.
        interconnect: as of ``program``.
    """
    interconnects = cost.interconnects(interconnect)
    document, order = mesh_of(executable)
    fitting = interconnect_of(document.kind)
    known = {one.name: k for k, one in enumerate(interconnects)}
    own = interconnects[known[fitting]] if fitting else None
    reading = collectives_of(executable.text, document, order, interconnects, own)
    read = Program(
        mesh=document,
        collectives=reading.collectives,
        nests=reading.nests,
        plans=reading.plans,
        interconnects=tuple(known),
        interconnect=known[fitting or cost.DEFAULT] if interconnect is None else 0,
        wraps=wraps_of(document),
        name=name if name is not None else executable.name or reading.name,
        target=target_of(document),
        instructions=reading.instructions,
        memory=memory_totals(executable.compiled, document.platform),
        work=_work(executable.compiled),
        listings=reading.listings(),
        unread=reading.unread,
        note=" ".join(filter(None, (executable.note, _note(document, reading)))),
        jax_version=jax.__version__,
        module_text=executable.text,
    )
    return with_findings(read)


def programs(
    named: Mapping[str, Any],
    *,
    kwargs: Mapping[str, Any] | None = None,
    mesh: JaxMesh | None = None,
    interconnect: str | cost.Interconnect | None = None,
) -> Programs:
    """Reads programs to be shown side by side.

    Args:
        named: for each name a ``Program``, a ``Lowered``, a ``Compiled``, or a tuple of a function and its arguments.
        kwargs: keyword arguments for those that are given as a function.
        mesh: as in ``program``, for all.
        interconnect: as in ``program``, for all.

    Raises:
        TypeError: they are not given by name, or one of them can be neither compiled nor read.
        ValueError: there are none, or ``program`` raises it for one of them.
    """
    if not isinstance(named, Mapping):
        raise TypeError(UNNAMED_PROGRAMS.format(type=type(named).__name__))
    if not named:
        raise ValueError(NO_PROGRAMS)
    read = tuple(_one_of(str(name), of, kwargs, mesh, interconnect) for name, of in named.items())
    return Programs(read[0].mesh, read)


def _one_of(
    name: str,
    of: Any,
    kwargs: Mapping[str, Any] | None,
    mesh: JaxMesh | None,
    interconnect: str | cost.Interconnect | None,
) -> Program:
    if isinstance(of, Program):
        return replace(of, name=name)
    if isinstance(of, tuple) and not of:
        raise TypeError(EMPTY_PROGRAM.format(name=name))
    f, *args = of if isinstance(of, tuple) else (of,)
    is_read = isinstance(f, str | jax.stages.Traced | jax.stages.Lowered | jax.stages.Compiled | Executable)
    try:
        return program(f, *args, kwargs=None if is_read else kwargs, mesh=mesh, name=name, interconnect=interconnect)
    except Exception as error:
        error.add_note(OF_PROGRAM.format(name=name))
        raise


@dataclass(frozen=True)
class Reading:
    """What was read from a module."""

    collectives: tuple[HloCollective, ...]
    origins: tuple[tuple[InstructionOrigin, ...], ...]
    """The origin of each collective: JAX's path of its operation, and all its frames; several for a combined one."""
    nests: tuple[Nest, ...]
    plans: tuple[Plan, ...]
    unread: tuple[str, ...]
    instructions: int
    name: str
    """The name of the module, without ``jit_``."""

    def listings(self) -> tuple[Listing, ...]:
        """The functions that the collectives' lines are in."""
        found: dict[Listing, None] = {}
        for origin in itertools.chain(*self.origins):
            listing = listing_at(origin.file, origin.source.line) if origin.source else None
            if listing:
                found.setdefault(listing)
        return tuple(found)


def collectives_of(
    text: str,
    mesh: Mesh,
    order: tuple[int, ...],
    interconnects: tuple[cost.Interconnect, ...],
    fitting: cost.Interconnect | None = None,
) -> Reading:
    """Reads the collectives out of the text of a compiled module.

    Args:
        text: what ``compiled.as_text()`` gave.
        mesh: the user's mesh, as a document.
        order: mesh position of each device of the program, in the order of its device assignment.
        interconnects: what times are estimated for.
        fitting: the one of them that connects these devices; None where none does.
    """
    module = Module.parse(text)
    reader = HloCollectives(module, mesh, order, interconnects, fitting)
    walked = walk(module)
    unread = list(module.unread)
    read = []
    for found in walked.found:
        try:
            read.append(reader.of(found))
        except ValueError as error:
            unread.append(f"{found.instruction.text.strip()[:LONGEST]}: {error}")
    return Reading(
        tuple(collective for collective, _ in read),
        tuple(origins for _, origins in read),
        tuple(_nest(entered, reader.origins.at(entered.instruction)) for entered in walked.entered),
        tuple(reader.plans),
        tuple(unread),
        module.size,
        module.name.removeprefix("jit_"),
    )


def _nest(entered: Entered, origin: InstructionOrigin) -> Nest:
    source, name = origin.source, entered.name
    if entered.kind in ("loop", "condition") and source is not None:
        # JAX lowers all its loops to the same instruction; the user's line shows which one was written.
        written = re.search(r"\b(scan|fori_loop|while_loop|map|associative_scan)\(", source.text)
        name = written[1] if written else name
    return Nest(entered.kind, name, entered.parent, entered.times, source, origin.backward)


def mesh_of(executable: Executable) -> tuple[Mesh, tuple[int, ...]]:
    """The user's mesh, and its position of each device of the program."""
    devices = executable.devices
    if executable.mesh is None:
        return read_devices(devices), tuple(range(len(devices)))
    of_mesh = {_key(device): p for p, device in enumerate(executable.mesh.devices.flat)}
    if len(of_mesh) != len(devices) or any(_key(device) not in of_mesh for device in devices):
        if not executable.given:
            return read_devices(devices), tuple(range(len(devices)))
        raise ValueError(
            OTHER_MESH.format(
                program=_named(devices),
                mesh=_named(list(executable.mesh.devices.flat)),
                shape=dict(executable.mesh.shape),
            )
        )
    return read_mesh(executable.mesh), tuple(of_mesh[_key(device)] for device in devices)


def _key(device: Any) -> tuple[str, str, int]:
    # Two descriptions of one TPU topology have devices that are equal only in this.
    return device.platform, device.device_kind, device.id


def _named(devices: Any) -> str:
    ids = sorted(device.id for device in devices)
    listed = ", ".join(map(str, ids[:8])) + (" …" if len(ids) > 8 else "")
    return f"{len(ids)} × {devices[0].device_kind} (ids {listed})"


def _note(mesh: Mesh, reading: Reading) -> str:
    if not reading.instructions:
        return "The text of the compiled program cannot be read, so its collectives are not known."
    notes = []
    if not reading.collectives and not reading.unread:
        alone = "It runs on one device, which has no other to send to" if mesh.size == 1 else "No device sends anything"
        notes.append(f"{alone}: the program has no collectives.")
    if not mesh.axes and mesh.size > 1:
        notes.append("No mesh was found, so groups are not named by axes: give mesh=.")
    if widened := sorted({(c.widened_from, _wide(c)) for c in reading.collectives if c.widened_from}):
        count = sum(bool(c.widened_from) for c in reading.collectives)
        said = " and ".join(f"{_of_jax(narrow)} as {_of_jax(wide)}" for narrow, wide in widened)
        notes.append(
            f"XLA computes {said} on CPUs: {count} of the collectives send more bytes here than on a TPU or a GPU."
        )
    return " ".join(notes)


def _wide(c: HloCollective) -> str:
    """The dtype that a collective sends."""
    return c.shapes[0].partition("[")[0]


def _of_jax(dtype: str) -> str:
    """A dtype as JAX shortens it, of which XLA calls signed integers s8."""
    return re.sub(r"^s(?=\d)", "i", dtype)


def memory_totals(compiled: Any, platform: str) -> MemoryTotals | None:
    """What the compiler reports about memory; None where it reports nothing."""
    stats = _analysis(compiled.memory_analysis) if compiled is not None else None
    if stats is None:
        return None
    return MemoryTotals(
        arguments=stats.argument_size_in_bytes,
        outputs=stats.output_size_in_bytes,
        temporaries=stats.temp_size_in_bytes,
        aliased=stats.alias_size_in_bytes,
        code=stats.generated_code_size_in_bytes,
        # On CPU it counts only arguments; on TPU also those that are in the host's memory.
        peak=0 if platform == "cpu" else max(0, getattr(stats, "peak_memory_in_bytes", 0) - _on_host(stats)),
    )


def _on_host(stats: Any) -> int:
    return getattr(stats, "host_argument_size_in_bytes", 0)


def _work(compiled: Any) -> Work | None:
    found = _analysis(compiled.cost_analysis) if compiled is not None else None
    if not found:
        return None
    figures = (float(found.get(key, -1)) for key in ("flops", "bytes accessed", "optimal_seconds"))
    return Work(*(figure if figure >= 0 else -1.0 for figure in figures))


def _analysis(analysis: Callable[[], Any]) -> Any:
    """An analysis; None where the backend makes none."""
    try:
        return analysis()
    except (NotImplementedError, RuntimeError, AttributeError):
        return None
