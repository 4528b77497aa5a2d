"""The text of a program in Shardy's ``mpmd`` dialect: fragment calls on meshes, and transfers between them."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from dataclasses import replace

from shardwidget.document import Schedule
from shardwidget.pipeline.lists import of_units
from shardwidget.pipeline.tasks import Task, Unit
from shardwidget.read._schedule.sizes import send_bytes

# %2:2 = mpmd.fragment_call<mesh="mesh2", origin=["stage2", "stage2"(1)]> @fragment(%1) {call_counter = 0 : ui32} : …
_CALL = re.compile(r'(%\w+)(?::\d+)? = mpmd\.fragment(?:_call)?<mesh="([^"]+)", origin=\[([^\]]*)\]')
_ORIGIN = re.compile(r'"([^"]+)"(?:\((\d+)\))?')
_COUNTER = re.compile(r"call_counter = (\d+)")
_TRANSFER = re.compile(r"mpmd\.transfer (%\w+)(?:#\d+)? *(?:\{[^}]*\})? *: *\(([^)]*)\)")
_TENSOR = re.compile(r"tensor<((?:\d+x)*)([a-z]+)(\d+)[^>]*>")
_MESHES = re.compile(r"mpmd\.topology<(.*)")
_MESH = re.compile(r'<"([^"]+)"')


def schedule(text: str) -> Schedule:
    """The schedule of a program: each mesh is a rank, each origin a stage, with ``(1)`` after it in the backward pass.

    The n-th call of an origin works on microbatch n, unless the call names another.

    Raises:
        ValueError: no call names its origin, or the schedule is impossible.
    """
    meshes = _meshes(text)
    stages: dict[str, int] = {}
    ranks: dict[str, list[Unit]] = {mesh: [] for mesh in meshes}
    seen: Counter[tuple[str, str]] = Counter()
    made_by: dict[str, Task] = {}
    sizes: dict[Task, int] = defaultdict(int)
    unnamed = 0
    for line in text.splitlines():
        if call := _CALL.search(line):
            origins = _ORIGIN.findall(call[3])
            if not origins:
                unnamed += 1
                continue
            unit = _unit(origins, line, stages, seen)
            ranks.setdefault(call[2], []).append(unit)
            made_by[call[1]] = unit[0]
        elif (move := _TRANSFER.search(line)) and move[1] in made_by:
            sizes[made_by[move[1]]] += _bytes(move[2])
    if not stages:
        raise ValueError("no mpmd.fragment_call in this text names its origin, so the stages are not known")
    made = of_units([units for units in ranks.values() if units], "")
    note = f"{unnamed} calls name no origin and are left out" if unnamed else ""
    return replace(made, send_bytes=send_bytes(sizes, made.stages), note=note)


def _meshes(text: str) -> list[str]:
    topology = _MESHES.search(text.replace("\n", " "))
    return list(dict.fromkeys(_MESH.findall(topology[1].split(">>>")[0]))) if topology else []


def _unit(origins: list[tuple[str, str]], line: str, stages: dict[str, int], seen: Counter[tuple[str, str]]) -> Unit:
    counter = _COUNTER.search(line)
    tasks = []
    for name, transposed in dict.fromkeys(origins):
        stage = stages.setdefault(name, len(stages))
        count = seen[name, transposed]
        seen[name, transposed] += 1
        tasks.append(Task(stage, "B" if transposed not in ("", "0") else "F", int(counter[1]) if counter else count))
    return tuple(tasks)


def _bytes(types: str) -> int:
    """Bytes of all tensors of a list of types; 0 where aliases hide them."""
    return sum(
        math.prod(int(n) for n in shape.split("x") if n) * max(int(bits) // 8, 1)
        for shape, _, bits in _TENSOR.findall(types)
    )
