"""The events of instructions in a profile, of every platform in one form.

CPU: lines are threads; each event of an instruction names its module, device and run. An instruction that continues
in other threads ends with an ``end:`` event, which names its beginning.
TPU: one plane per device, with the lines ``XLA Ops`` (instructions, by their whole text) and ``XLA Modules`` (calls).
GPU: one plane per device, one line per stream; each kernel names its instruction and module, or the CUDA graph that it
is launched in. The call that a kernel is in follows from where the host launched it. If the profiler has derived
``XLA Ops`` from them already, that line is read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shardwidget.read import _errors
from shardwidget.read._program.module import Module
from shardwidget.read._run.graphs import Graphs, is_graph
from shardwidget.read._run.xspace import Plane, planes

DAMAGED_PROFILE = (
    "the profile cannot be read ({size} bytes): it is cut off or is not an .xplane.pb file. {error}. "
    "Take it again: with jax.profiler.trace(folder): …"
)

NO_EVENTS = (
    "the profile has no events of compiled programs (it has {planes}). Run the program inside the profile, "
    "and wait for its results there: jax.block_until_ready(f(x))."
)

OTHER_PROGRAM = (
    "the profile has no events of {module}: it has {found}. Give the program that ran: program=(f, x, w), "
    "with the same shapes and shardings."
)

_DEVICE = re.compile(r"/device:(?:GPU|TPU|[A-Z]+):(\d+)$")
_OPS, _ASYNC, _MODULES = "XLA Ops", "Async XLA Ops", "XLA Modules"
_HOST, _CALL = "/host:CPU", ":XLA GPU module"
"""The plane of the host, and how its events of calls of modules for GPUs end."""

_Key = tuple[str, int]
"""A module: its name and id."""


@dataclass(frozen=True)
class Executions:
    """Instructions that ran on devices: one entry per event; all arrays int64 of shape ``[events]``."""

    names: tuple[str, ...]
    """The names of the instructions, each once."""
    name: np.ndarray
    """Index in ``names``."""
    device: np.ndarray
    """Ordinal of the device on its host."""
    run: np.ndarray
    """The profiler's number for the call; -1 where it has none."""
    start: np.ndarray
    """Nanoseconds."""
    end: np.ndarray

    @staticmethod
    def of(names: Sequence[str], *columns: np.ndarray) -> Executions:
        """Events whose names may stand in ``names`` more than once."""
        index = {each: k for k, each in enumerate(dict.fromkeys(names))}
        name, *others = columns
        return Executions(tuple(index), np.array([index[each] for each in names], np.int64)[name], *others)

    @staticmethod
    def joined(parts: Sequence[Executions]) -> Executions:
        """The events of several planes."""
        begins = np.cumsum([0, *(len(part.names) for part in parts)])
        name = [part.name + begin for part, begin in zip(parts, begins, strict=False)]
        others = zip(*(part.columns[1:] for part in parts), strict=True)
        names = [each for part in parts for each in part.names]
        return Executions.of(names, np.concatenate(name), *map(np.concatenate, others))

    def __getitem__(self, index: np.ndarray) -> Executions:
        return Executions(self.names, *(column[index] for column in self.columns))

    @property
    def columns(self) -> tuple[np.ndarray, ...]:
        """The arrays, in the order of the fields."""
        return self.name, self.device, self.run, self.start, self.end


@dataclass(frozen=True)
class Profile:
    """The events of one module."""

    events: Executions
    modules: Counter[str]
    """Events of each module that the profile has."""
    began: int
    """When the profile began, in nanoseconds since 1970; 0 where it is not recorded."""


def read_profile(data: bytes, module: Module) -> Profile:
    """Reads the events of a module's instructions.

    Args:
        data: an ``XSpace``, what ``.xplane.pb`` files hold.
        module: what ran.

    Raises:
        ValueError: the data cannot be read, or there are no events of this module.
    """
    found, ran = _read(data, module)
    size = {key: sum(len(part.start) for part in parts) for key, parts in ran.items()}
    modules = Counter[str]()
    for (name, _), count in size.items():
        modules[name] += count
    if module.name not in modules:
        raise ValueError(_missing(found, modules, module.name))
    # Compiled twice, a program has one name and two ids; the one that ran more is used.
    most = max((key for key in ran if key[0] == module.name), key=lambda key: size[key])
    began = next((plane.number("profile_start_time") for plane in found if plane.name == "Task Environment"), 0)
    return Profile(Executions.joined(ran[most]), modules, began)


def longest(data: bytes) -> Counter[tuple[str, int]]:
    """How long the instructions of each module ran, in nanoseconds, by its name and id; id -1 where there is none.

    Raises:
        ValueError: the data cannot be read, or has no events of compiled programs.
    """
    found, ran = _read(data, Module.parse(""))
    if not ran:
        raise ValueError(_missing(found, Counter(), ""))
    return Counter({key: sum(int((part.end - part.start).sum()) for part in parts) for key, parts in ran.items()})


def _read(data: bytes, module: Module) -> tuple[list[Plane], dict[_Key, list[Executions]]]:
    """The planes of a profile, and the instructions that ran, by module."""
    try:
        found, ran = planes(data), dict[_Key, list[Executions]]()
        launches = next((_launches(plane) for plane in found if plane.name == _HOST), _NO_LAUNCHES)
        for plane in found:
            for key, events in _executions(plane, Graphs(module), launches):
                ran.setdefault(key, []).append(events)
    except ValueError as error:
        raise ValueError(DAMAGED_PROFILE.format(size=len(data), error=_errors.first_line(error))) from error
    return found, ran


def _executions(plane: Plane, graphs: Graphs, launches: _Launches) -> Iterator[tuple[_Key, Executions]]:
    """The instructions that a plane recorded, by module."""
    device = _DEVICE.match(plane.name)
    if plane.name == _HOST:
        yield from _of_cpu(plane)
    elif device:
        yield from _of_device(plane, int(device[1]), graphs, launches)


class _Launches(NamedTuple):
    """What a host launched on GPUs in calls of modules; arrays int64 of shape ``[launches]``."""

    number: np.ndarray
    """What the profiler calls ``correlation_id``."""
    call: np.ndarray
    """The call, numbered from 1."""


_NO_LAUNCHES = _Launches(*np.zeros((2, 0), np.int64))


def _launches(host: Plane) -> _Launches:
    calls = [key for key, name in host.names.items() if name.endswith(_CALL)]
    if not calls:
        return _NO_LAUNCHES
    events = host.events(host.lines, ["correlation_id"])
    number = events.stats["correlation_id"].numbers(-1)
    begun = np.flatnonzero(np.isin(events.name, calls))
    begun = begun[np.argsort(events.start[begun], kind="stable")]
    found, numbered = np.zeros((2, len(number)), np.int64)
    numbered[begun] = np.arange(1, len(begun) + 1)
    for line in np.unique(events.line[begun]).tolist():  # One thread runs one module at a time.
        own, here = begun[events.line[begun] == line], events.line == line
        last = np.searchsorted(events.start[own], events.start[here], side="right") - 1
        inside = (last >= 0) & (events.start[here] <= events.end[own[last]])
        found[here] = np.where(inside, numbered[own[last]], 0)
    launched = (number >= 0) & (found > 0)
    return _Launches(number[launched], found[launched])


def _of_cpu(plane: Plane) -> Iterator[tuple[_Key, Executions]]:
    stats = ("hlo_op", "hlo_module", "program_id", "run_id", "device_ordinal", "_p", "_c")
    events = plane.events(plane.lines, stats)
    names, name = plane.texts(events.stats["hlo_op"])
    modules, module = plane.texts(events.stats["hlo_module"])
    program, run, device, number, of = (
        events.stats[stat].numbers(default)
        for stat, default in (("program_id", -1), ("run_id", -1), ("device_ordinal", 0), ("_p", -2), ("_c", -1))
    )
    ends = np.isin(events.name, [key for key, name in plane.names.items() if name.startswith("end: ")])
    end = np.maximum(events.end, _looked_up(number, of[ends], events.start[ends]))
    ran = name >= 0
    events = Executions.of(names, *(column[ran] for column in (name, device, run, events.start, end)))
    yield from _by_module(modules, module[ran], program[ran], events)


def _of_device(plane: Plane, device: int, graphs: Graphs, launches: _Launches) -> Iterator[tuple[_Key, Executions]]:
    derived = [line for name in (_OPS, _ASYNC) for line in plane.lines if line.name == name]
    lines = derived or [line for line in plane.lines if line.name.startswith("Stream")]
    events = plane.events(lines, ("hlo_op", "hlo_module", "program_id", "run_id", "correlation_id"))
    ops, op = plane.texts(events.stats["hlo_op"])
    modules, module = plane.texts(events.stats["hlo_module"])
    program, run = (events.stats[stat].numbers(-1) for stat in ("program_id", "run_id"))
    launch = events.stats["correlation_id"].numbers(-1)
    run = np.where(run < 0, _looked_up(launch, launches.number, launches.call) - 1, run)
    calls = _calls(plane)
    if calls is not None:
        inside = calls.at(events.start)
        module = np.where(module < 0, calls.module[inside] + len(modules), module)
        program = np.where(program < 0, calls.program[inside], program)
        run = np.where(run < 0, calls.run[inside], run)
        modules = [*modules, *calls.modules]
    ids, written = np.unique(events.name, return_inverse=True)
    texts = [plane.names.get(key, "") for key in ids.tolist()]
    names = [*ops, *map(_instruction, texts)]
    name = np.where(op < 0, len(ops) + written, op)
    in_graph = np.array([False, *map(is_graph, ops)])[op + 1]
    if in_graph.any():
        order = np.argsort(events.start, kind="stable")
        called = [(names[k] if k >= 0 else "") for k in np.where(in_graph, -1, name)[order].tolist()]
        kernels = [texts[k] for k in written[order].tolist()]
        numbers = np.where(in_graph, launch, _NO_LAUNCH)[order].tolist()
        name[order] = len(names) + np.arange(len(order))
        names += _in_graphs(graphs, numbers, kernels, called)
    ran = Executions.of(names, name, np.full(len(name), device), run, events.start, events.end)
    kept = op >= 0
    if derived:
        # What runs alongside others is in both lines: begun and awaited in one, as a whole in the other.
        first = np.full(len(ran.names), len(lines))
        np.minimum.at(first, ran.name, events.line)
        kept = events.line == first[ran.name]
    yield from _by_module(modules, module[kept], program[kept], ran[kept])


def _in_graphs(graphs: Graphs, launch: list[int], kernels: list[str], instructions: list[str]) -> list[str]:
    """The instruction of each event of a device; that of a kernel in a CUDA graph is found, or it keeps its own name.

    Args:
        graphs: the schedules.
        launch: by event, in the order in which they ran, the launch of a graph that it is of; ``_NO_LAUNCH`` for none.
        kernels: names of kernels.
        instructions: names of instructions, of those that are of no graph.
    """
    out = list(instructions)
    known: dict[tuple[str, ...], list[str]] = {}
    together: dict[int, list[int]] = {}
    for k, number in enumerate(launch):
        if number != _NO_LAUNCH:
            together.setdefault(number, []).append(k)
    for those in together.values():
        after = out[those[0] - 1] if those[0] else ""
        key = after, *(kernels[k] for k in those)
        found = known.get(key) or known.setdefault(key, graphs.instructions(key[1:], after))
        for k, name in zip(those, found, strict=True):
            out[k] = name or kernels[k]
    return out


_NO_LAUNCH = -2
"""Of an event that no CUDA graph launched."""


@dataclass(frozen=True)
class _Calls:
    """Calls of modules on a device, in order; arrays int64 of shape ``[calls + 1]``. The last is no call."""

    modules: list[str]
    module: np.ndarray
    """Index in ``modules``."""
    program: np.ndarray
    """Id of the module."""
    run: np.ndarray
    start: np.ndarray
    end: np.ndarray

    def at(self, time: np.ndarray) -> np.ndarray:
        """The call that is running at some times; -1 where there is none."""
        call = np.searchsorted(self.start[:-1], time, side="right") - 1
        return np.where(time < self.end[call], call, -1)


def _calls(plane: Plane) -> _Calls | None:
    lines = [line for line in plane.lines if line.name == _MODULES]
    if not lines:
        return None
    events = plane.events(lines, ["run_id"])
    order = np.argsort(events.start, kind="stable")
    run = events.stats["run_id"]
    run = np.where(run.form > 0, run.value, np.argsort(order))[order]
    of = [_module(plane.names.get(key, "")) for key in events.name[order].tolist()]
    return _Calls(
        modules=[*(name for name, _ in of), ""],
        module=np.arange(len(of) + 1),
        program=np.array([*(program for _, program in of), -1]),
        run=np.r_[run, -1],
        start=np.r_[events.start[order], 0],
        end=np.r_[events.end[order], 0],
    )


def _by_module(
    modules: list[str], module: np.ndarray, program: np.ndarray, ran: Executions
) -> Iterator[tuple[_Key, Executions]]:
    """Events by module, in their order; of a module of no name, -1."""
    pairs, which = np.unique(np.stack([module, program]), axis=1, return_inverse=True)
    for k, (name, number) in enumerate(pairs.T.tolist()):
        yield (modules[name] if name >= 0 else "", number), ran[which.reshape(-1) == k]


def _looked_up(keys: np.ndarray, known: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The value of each key; 0 where it is not known."""
    if not len(known):
        return np.zeros(len(keys), np.int64)
    order = np.argsort(known, kind="stable")
    at = order[np.minimum(np.searchsorted(known[order], keys, side="left"), len(known) - 1)]
    return np.where(known[at] == keys, values[at], 0)


def _module(name: str) -> tuple[str, int]:
    """``jit_step(123)`` as its name and id."""
    found = re.match(r"(.*)\((\d+)\)$", name)
    return (found[1], int(found[2])) if found else (name, -1)


def _instruction(text: str) -> str:
    """The name in ``%fusion.1 = f32[8] fusion(…)``."""
    found = re.match(r"%?([\w.\-]+)", text)
    return found[1] if found else text


def _missing(planes: list[Plane], modules: Counter[str], module: str) -> str:
    if not modules:
        names = ", ".join(plane.name for plane in planes) or "nothing at all"
        return NO_EVENTS.format(planes=names)
    listed = ", ".join(f"{name} ({count} events)" for name, count in modules.most_common(5))
    return OTHER_PROGRAM.format(module=module, found=listed)
