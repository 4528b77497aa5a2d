"""``read.run``: a program's calls as they ran, from JAX's profiler."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh as JaxMesh

from shardwidget import _jax, cost
from shardwidget.document import HloCollective, MeasuredCollective, Program, Run
from shardwidget.measured.build import Measured, build
from shardwidget.read._program.executable import Executable, executable_of
from shardwidget.read._program.module import Module
from shardwidget.read._program.programs import of_executable
from shardwidget.read._program.timing import NOT_RUNNING, WARM_UP, calls
from shardwidget.read._run.calls import check, events_of, halves_joined, positions_of
from shardwidget.read._run.embedded import ALONE, program_in
from shardwidget.read._run.host import copy_speed, describe
from shardwidget.read._run.join import join
from shardwidget.read._run.trace import read_profile
from shardwidget.read._target import interconnect_of

PROFILING = (
    "a profile is already being taken (jax.profiler), and two cannot run at once in one process. "
    "Stop it first: jax.profiler.stop_trace()."
)

NO_PROFILE = "{path!r} cannot be read: {error}. Give the .xplane.pb file that jax.profiler.trace wrote."

SEVERAL_PROFILES = "{path!r} has profiles of several hosts. Give the file of one: {names}."

NO_PROGRAM_OF_PROFILE = (
    "program= is the program that ran: program=(f, x, w), or program=jax.jit(f).lower(x, w).compile(); got a {type}."
)

ONE_MEASURED = "a profile that was already taken needs no arguments to call; got {count} arguments."

Progress = Callable[[int, int], None]
"""Called with how many calls were made, and how many there are in all."""


def run(
    f: Callable[..., Any] | jax.stages.Compiled | str | os.PathLike[str],
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    n: int = 5,
    mesh: JaxMesh | None = None,
    name: str | None = None,
    interconnect: str | cost.Interconnect | None = None,
    program: Any = None,
    process: int | None = None,
    progress: Progress | None = None,
) -> Run:
    """Measures a program: runs it under JAX's profiler, and reads what every device did, and when.

    In a program of several processes all call it, as they call the program; each gets the lanes of its own
    devices, and ``Run.merge`` joins them.

    Args:
        f: a function, jitted or not, or what ``lower(...).compile()`` gave; or the path of a profile that was already
            taken, ``….xplane.pb``, or of the folder given to ``jax.profiler.trace``, whose last one is read: then
            nothing is run.
        *args: arguments of the function. Donated ones are copied before each call.
        kwargs: its keyword arguments.
        n: number of measured calls, after warm-up calls.
        mesh: the mesh whose axes collectives are named by; as in ``read.program``.
        name: what to call the run; if not given, the function's name.
        interconnect: what estimates and the peak are for; as in ``read.program``. If not given, the one that connects
            the devices; CPU devices have none, and there the speed of a copy in memory is measured.
        program: of a profile that was already taken: the program that ran, as a ``Compiled``, a ``Lowered``, or a tuple
            of a function and its arguments; if not given, the one in the profile that ran longest.
        process: for a profile that was already taken: the process that took it; if not given, this one.
        progress: called with how many calls were made, and how many there are in all.

    Returns:
        The run: lanes, collectives, shares. What has no source line is named in ``.unjoined``.

    Raises:
        ValueError: there is nothing to run; the profile cannot be read, has no events, or is of another program.
        TypeError: ``f`` is not a program, or ``program=`` is not one.
        RuntimeError: a profile is already being taken.
    """
    cost.interconnects(interconnect)
    if isinstance(f, str | os.PathLike):
        if args or kwargs:
            raise ValueError(ONE_MEASURED.format(count=len(args) + len(kwargs or {})))
        data = _file(f)
        executable = _embedded(data, mesh) if program is None else executable_of(*_program_of(program), mesh)
    elif _jax.is_profiling():  # Not even the calls that warm up may be in the user's profile.
        raise RuntimeError(PROFILING)
    elif not _jax.is_running():
        raise ValueError(NOT_RUNNING)
    else:
        executable, data = executable_of(f, args, mesh, kwargs), None
    document = of_executable(executable, name, interconnect)
    module = Module.parse(executable.text)
    if data is None:
        data = _measure(f, args, kwargs, n, mesh, progress)
    return of_profile(data, module, document, interconnect=interconnect, process=process, note=executable.note)


def of_profile(
    data: bytes,
    module: Module,
    program: Program,
    *,
    interconnect: str | cost.Interconnect | None = None,
    process: int | None = None,
    note: str = "",
) -> Run:
    """Reads a run from a profile and a module.

    Args:
        data: an ``XSpace``, what ``.xplane.pb`` files hold.
        module: what ran.
        program: what was read of the same module.
        interconnect: what estimates and the peak are for.
        process: whose profile it is.
        note: what else to say of the program.

    Raises:
        ValueError: as in ``run``.
    """
    profile = read_profile(data, module)
    joined = join(set(profile.events.names), module, program)
    operations = list(joined.operations.values())
    index = {name: k for k, name in enumerate(joined.operations)}
    number = np.array([index.get(name, -1) for name in profile.events.names])
    process = program.mesh.this_process if process is None else process
    positions = positions_of(program.mesh, process)
    ran = halves_joined(profile.events, joined.ends)
    ran = ran[number[ran.name] >= 0]
    check(ran, operations, number, module.name)
    events = events_of(ran, operations, number, positions, profile, process)
    unit, peak, seconds = _interconnect(program, interconnect)
    return build(
        Measured(
            mesh=program.mesh,
            name=program.name,
            target=program.target,
            operations=tuple(operations),
            collectives=tuple(_unmeasured(c, seconds(c)) for c in program.collectives),
            events=events,
            interconnect=unit,
            peak=peak,
            note=" ".join(filter(None, (note, describe(program.mesh)))),
            jax_version=jax.__version__,
        )
    )


def _file(path: str | os.PathLike[str]) -> bytes:
    try:
        return _profile_in(Path(path)).read_bytes()
    except OSError as error:
        raise ValueError(NO_PROFILE.format(path=os.fspath(path), error=error.strerror)) from error


def _profile_in(path: Path) -> Path:
    """The last profile that a folder has; a file is what it is.

    Raises:
        ValueError: there is none, or there are several of the same time.
    """
    if not path.is_dir():
        return path
    found = sorted(path.rglob("*.xplane.pb"), key=lambda file: file.stat().st_mtime)
    if not found:
        raise ValueError(NO_PROFILE.format(path=os.fspath(path), error="there is no .xplane.pb file in it"))
    hosts = sorted(file for file in found if file.parent == found[-1].parent)
    if len(hosts) > 1:
        raise ValueError(SEVERAL_PROFILES.format(path=os.fspath(path), names=", ".join(map(str, hosts))))
    return hosts[0]


def _embedded(data: bytes, mesh: JaxMesh | None) -> Executable:
    """The program that a profile holds, on a mesh or on what stands for its devices."""
    held = program_in(data)
    if mesh is not None:
        return Executable(held.on(mesh.size), tuple(mesh.devices.flat), mesh, True, "", note=held.note)
    ran = read_profile(data, Module.parse(held.text)).events
    size = max(held.size, int(ran.device.max()) + 1)
    note = " ".join(filter(None, (held.note, ALONE)))
    return Executable(held.on(size), held.devices(size), None, False, "", note=note)


def _program_of(program: Any) -> tuple[Any, tuple[Any, ...]]:
    f, *args = program if isinstance(program, tuple) and program else (program,)
    if not isinstance(f, jax.stages.Lowered | jax.stages.Compiled) and not (callable(f) and isinstance(program, tuple)):
        raise TypeError(NO_PROGRAM_OF_PROFILE.format(type=type(program).__name__))
    return f, tuple(args)


def _measure(
    f: Any,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any] | None,
    n: int,
    mesh: JaxMesh | None,
    progress: Progress | None,
) -> bytes:
    """The profile of n calls, an ``XSpace``."""
    report = progress or (lambda done, of: None)
    with calls(f, args, kwargs=kwargs, n=n, mesh=mesh) as ready:
        for _ in range(WARM_UP):
            ready()()
        report(0, n)
        profile = _jax.ProfilerSession()
        try:
            profile.start()
        except RuntimeError as error:
            raise RuntimeError(PROFILING) from error
        try:
            # Copies of donated arguments are programs of their own, which their names identify.
            for done in range(n):
                ready()()
                report(done + 1, n)
        finally:
            data = profile.stop()
    return data


def _unmeasured(c: HloCollective, seconds: float) -> MeasuredCollective:
    return MeasuredCollective(
        kind=c.kind,
        semantics=c.semantics,
        axes=c.axes,
        irregular=c.irregular,
        within=c.within,
        positions=c.positions,
        group_size=c.group_size,
        pairs=c.pairs,
        source=c.source,
        backward=c.backward,
        by_user=c.by_user,
        name=c.name,
        bytes_per_device=c.bytes_per_device,
        estimate_s=seconds,
    )


def _interconnect(
    program: Program, given: str | cost.Interconnect | None
) -> tuple[str, float, Callable[[HloCollective], float]]:
    """What estimates are for, its bytes per second, and the estimate of a collective on it."""
    if given is None and not interconnect_of(program.mesh.kind):
        if program.mesh.platform != "cpu":
            return "", 0.0, lambda c: 0.0
        speed = copy_speed()
        return "a copy on this host", speed, lambda c: c.bytes_per_device / speed
    name = program.interconnects[program.interconnect]
    peak = given.bandwidth if isinstance(given, cost.Interconnect) else cost.INTERCONNECTS[name].bandwidth
    k = program.interconnect
    return name, peak, lambda c: max(c.latency[k], c.bandwidth[k])
