"""The events of a profile, by call, device and operation of the program."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping

import numpy as np

from shardwidget.document import Mesh, Operation
from shardwidget.measured.events import Events
from shardwidget.read._run.trace import Executions, Profile

OTHER_INSTRUCTIONS = (
    "the profile has events of {module}, and only {share:.0%} of their time is in instructions that this program has: "
    "it was compiled from other code or for other shapes. Unknown instructions: {names}."
)

OTHER_DEVICES_OF_PROFILE = (
    "the profile has device {device} of its host, and the program runs on {count} devices of process {process}. "
    "Give the process whose profile it is: process=."
)

LEAST_KNOWN = 0.5
"""The least share of the measured time that must be in instructions of the program."""


def halves_joined(of: Executions, ends: Mapping[str, str]) -> Executions:
    """Events, with the two halves of an asynchronous collective as one: from the start of the first to the end."""
    half = np.array([name in ends or name in ends.values() for name in of.names])[of.name]
    if not half.any():
        return of
    halves = of[half]
    rows, begun = [], dict[tuple[int, int, str], list[int]]()
    for k in np.argsort(halves.start, kind="stable").tolist():
        name, device, run, start, end = (int(column[k]) for column in halves.columns)
        first = ends.get(of.names[name])
        key = device, run, first or of.names[name]
        if first is None:
            begun.setdefault(key, []).append(len(rows))
            rows.append([name, device, run, start, end])
        elif waiting := begun.get(key):
            row = rows[waiting.pop(0)]
            row[-1] = max(row[-1], end)
    both = zip(of[~half].columns, np.array(rows, np.int64).reshape(-1, 5).T, strict=True)
    return Executions(of.names, *map(np.concatenate, both))


def check(ran: Executions, operations: list[Operation], number: np.ndarray, module: str) -> None:
    took = np.asarray(ran.end - ran.start, float)
    known = np.array([o.known for o in operations])[number[ran.name]]
    share = float(took[known].sum() / took.sum()) if took.sum() else 1.0
    if share < LEAST_KNOWN:
        names = ", ".join([o.name for o in operations if not o.known][:5])
        raise ValueError(OTHER_INSTRUCTIONS.format(module=module, share=share, names=names))


def positions_of(mesh: Mesh, process: int) -> np.ndarray:
    """Mesh positions of a process's devices, in the order of their ids: their ordinals on the host."""
    own = np.flatnonzero(mesh.process.array() == process)
    return own[np.argsort(mesh.device_ids.array()[own])]


def events_of(
    ran: Executions,
    operations: list[Operation],
    number: np.ndarray,
    positions: np.ndarray,
    profile: Profile,
    process: int,
) -> Events:
    ordinals, seat = np.unique(ran.device, return_inverse=True)
    # Ordinals are those of the host; a program may leave some of its devices out.
    if len(ordinals) > len(positions):
        raise ValueError(OTHER_DEVICES_OF_PROFILE.format(device=ordinals[-1], count=len(positions), process=process))
    order = np.lexsort((ran.start, ran.device))
    ran, seat = ran[order], seat[order]
    operation = number[ran.name]
    parts = [slice(*ends) for ends in itertools.pairwise([*np.searchsorted(seat, range(len(ordinals))), len(seat)])]
    numbered = [_calls(ran.run[part], operation[part], operations) for part in parts]
    # A profile that was begun during a call has it only on some devices: what all have is counted from the end.
    most = min(int(calls.max()) + 1 for calls in numbered)
    call = np.concatenate([calls - (int(calls.max()) + 1 - most) for calls in numbered])
    kept = call >= 0
    start = profile.began + ran.start
    columns = positions[seat], call, operation, start, start + ran.end - ran.start
    return Events(*columns)[kept]


def _calls(run: np.ndarray, operation: np.ndarray, operations: list[Operation]) -> np.ndarray:
    """For each event of a device, in order, the call that it is in.

    Where the profiler does not say, it follows from how often each instruction ran. One outside of loops runs once in
    a call; on GPUs it may start several kernels, as many in every call.
    """
    if (run >= 0).all():
        _, first, at = np.unique(run, return_index=True, return_inverse=True)
        return np.argsort(np.argsort(first))[at]
    counts = Counter(operation.tolist())
    each = {o: math.prod(operations[o].trips) for o in counts if operations[o].known}
    count = min((counts[o] // runs for o, runs in each.items() if runs), default=1) or 1
    seen, out = Counter[int](), []
    for o in operation.tolist():
        # What is in a loop of unknown length belongs to the current call.
        even = counts[o] % count == 0 and each.get(o)
        out.append(seen[o] * count // counts[o] if even else out[-1] if out else 0)
        seen[o] += 1
    return np.array(out, np.int64)
