"""The events of instructions in a profile, of every platform in one form.

CPU: lines are threads; each event of an instruction names its module, device and run. An instruction that continues
in other threads ends with an ``end:`` event, which names its beginning.
TPU: one plane per device, with the lines ``XLA Ops`` (instructions, by their whole text) and ``XLA Modules`` (calls).
GPU: one plane per device, one line per stream; each kernel names its instruction and module. If it has derived
``XLA Ops`` from them already, that line is read.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jax.profiler import ProfileData

from shardwidget.read import _errors

_DEVICE = re.compile(r"/device:(?:GPU|TPU|[A-Z]+):(\d+)$")
_OPS, _ASYNC, _MODULES = "XLA Ops", "Async XLA Ops", "XLA Modules"


_Row = tuple[int, int, str, int, int]
"""Device, run, name, start and end of an event; as ``Executions`` has them."""


@dataclass(frozen=True)
class Executions:
    """Instructions that ran on devices: one entry per event; all arrays int64 of shape ``[events]``."""

    names: tuple[str, ...]
    """Of the instructions, each once."""
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
    def of(rows: Sequence[_Row]) -> Executions:
        """Events as columns."""
        device, run, name, start, end = zip(*rows, strict=True)
        index = {each: k for k, each in enumerate(dict.fromkeys(name))}
        columns = ([index[each] for each in name], device, run, start, end)
        return Executions(tuple(index), *(np.array(column, np.int64) for column in columns))

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


def read_profile(data: Any, module: str) -> Profile:
    """Reads the events of a module's instructions.

    Args:
        data: the bytes of an ``XSpace``, what ``.xplane.pb`` files hold; or a ``ProfileData``.
        module: name of the module: ``jit_step``.

    Raises:
        ValueError: the data cannot be read, or there are no events of this module.
    """
    try:
        if isinstance(data, bytes):
            data = ProfileData.from_serialized_xspace(data)
        planes = list(data.planes)
    except RuntimeError as error:
        size = len(data) if isinstance(data, bytes) else 0
        raise ValueError(_errors.DAMAGED_PROFILE.format(size=size, error=_errors.first_line(error))) from error
    found, began = _found(planes)
    modules = Counter[str]()
    for (name, _), events in found.items():
        modules[name] += len(events)
    of = {key: events for key, events in found.items() if key[0] == module}
    if not of:
        raise ValueError(_missing(planes, modules, module))
    # Compiled twice, a program has one name and two ids; the one that ran more is used.
    return Profile(Executions.of(max(of.values(), key=len)), modules, began)


def _found(planes: list[Any]) -> tuple[dict[tuple[str, int], list[_Row]], int]:
    """Events by module and its id, and when the profile began."""
    found: dict[tuple[str, int], list[_Row]] = {}
    began = 0
    with warnings.catch_warnings():
        # jaxlib makes classes on first use, as Python 3.13 deprecates: where that is an error, the process aborts.
        warnings.simplefilter("ignore", DeprecationWarning)
        for plane in planes:
            device = _DEVICE.match(plane.name)
            if plane.name == "Task Environment":
                began = int(dict(plane.stats).get("profile_start_time", 0))
            if plane.name == "/host:CPU":
                events = _of_cpu(plane)
            elif device:
                events = _of_device(plane, int(device[1]))
            else:
                continue
            for key, ran in events:
                found.setdefault(key, []).append(ran)
    return found, began


def _of_cpu(plane: Any) -> Iterator[tuple[tuple[str, int], _Row]]:
    ends: dict[int, int] = {}
    begun = []
    others: set[str] = set()  # Reading the stats of an event takes longest: most events are not operations.
    for line in plane.lines:
        for event in line.events:
            if (called := event.name) in others:
                continue
            stats = dict(event.stats)
            # Only numbers and names are kept: a dict for each event would keep the garbage collector busy.
            if (name := stats.get("hlo_op")) is not None:
                key = stats.get("hlo_module", ""), stats.get("program_id", -1)
                start = int(event.start_ns)
                where = stats.get("device_ordinal", 0), stats.get("run_id", -1)
                begun.append((key, where, name, start, start + int(event.duration_ns), stats.get("_p", -2)))
            elif called.startswith("end: "):
                ends[stats.get("_c", -1)] = int(event.start_ns)
            else:
                others.add(called)
    for key, where, name, start, end, number in begun:
        yield key, (*where, name, start, max(end, ends.get(number, 0)))


def _of_device(plane: Any, device: int) -> Iterator[tuple[tuple[str, int], _Row]]:
    lines = {line.name: line for line in plane.lines}
    calls = _calls(lines[_MODULES]) if _MODULES in lines else []
    derived = [lines[name] for name in (_OPS, _ASYNC) if name in lines]
    known: set[str] = set()
    for line in derived or (line for line in lines.values() if line.name.startswith("Stream")):
        names = set()
        for event in line.events:
            stats = dict(event.stats)
            if not derived and "hlo_op" not in stats:
                continue
            name = stats.get("hlo_op") or _instruction(event.name)
            # What runs alongside others is in both lines: begun and awaited in one, as a whole in the other.
            if name in known:
                continue
            names.add(name)
            start, end = int(event.start_ns), int(event.start_ns + event.duration_ns)
            inside = next((c for c in reversed(calls) if c[0] <= start < c[1]), None)
            module = stats.get("hlo_module") or (inside[2] if inside else "")
            program = stats.get("program_id", inside[3] if inside else -1)
            run = stats.get("run_id", inside[4] if inside else -1)
            yield (module, program), (device, run, name, start, end)
        known |= names


def _calls(line: Any) -> list[tuple[int, int, str, int, int]]:
    """Start, end, module, its id, and the run of each call of a module on a device."""
    found = sorted(line.events, key=lambda event: event.start_ns)
    return [
        (int(e.start_ns), int(e.start_ns + e.duration_ns), *_module(e.name), dict(e.stats).get("run_id", k))
        for k, e in enumerate(found)
    ]


def _module(name: str) -> tuple[str, int]:
    """``jit_step(123)`` as its name and id."""
    found = re.match(r"(.*)\((\d+)\)$", name)
    return (found[1], int(found[2])) if found else (name, -1)


def _instruction(text: str) -> str:
    """The name in ``%fusion.1 = f32[8] fusion(…)``."""
    found = re.match(r"%?([\w.\-]+)", text)
    return found[1] if found else text


def _missing(planes: list[Any], modules: Counter[str], module: str) -> str:
    if not modules:
        names = ", ".join(plane.name for plane in planes) or "nothing at all"
        return _errors.NO_EVENTS.format(planes=names)
    listed = ", ".join(f"{name} ({count} events)" for name, count in modules.most_common(5))
    return _errors.OTHER_PROGRAM.format(module=module, found=listed)
