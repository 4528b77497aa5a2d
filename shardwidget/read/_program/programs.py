"""``read.program``: the collectives of a compiled program, by the user's mesh axes and source lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import jax
from jax.sharding import Mesh as JaxMesh

from shardwidget import cost
from shardwidget.document import (
    Mesh,
    Program,
    ProgramDiff,
    Programs,
)
from shardwidget.findings.program import with_findings
from shardwidget.read._mesh import read_devices, read_mesh
from shardwidget.read._program.analysis import memory_totals, work_of
from shardwidget.read._program.executable import Executable, executable_of
from shardwidget.read._program.pasted import is_module, pasted
from shardwidget.read._program.reading import collectives_of, note_of
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
        work=work_of(executable.compiled),
        listings=reading.listings(),
        unread=reading.unread,
        note=" ".join(filter(None, (executable.note, note_of(document, reading)))),
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
