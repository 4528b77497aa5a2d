"""Candidates compiled for the target at the lowest effort, and what is known of them kept on disk."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import importlib.metadata
import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
from jax.sharding import Mesh

from shardwidget import _jax
from shardwidget._version import __version__
from shardwidget.document import Figures, HloCollective, Program, Sent
from shardwidget.document.serial import from_plain, to_plain
from shardwidget.read._program.executable import Executable
from shardwidget.read._program.programs import of_executable
from shardwidget.read._search.machine import Machine

LOW_EFFORT: tuple[Mapping[str, Any], ...] = (
    {"exec_time_optimization_effort": -1.0, "memory_fitting_effort": -1.0},
    {"optimization_level": "O0", "memory_fitting_level": "O0"},
)
"""Options of XLA for TPUs, of older and of newer ones: a third of the time, for the same collectives within 0.3 % in 12
of 13 programs. Weights in float32 are gathered so, which full effort rounds to bfloat16 first."""


def compiled_figures(
    lowered: jax.stages.Lowered, mesh: Mesh, machine: Machine, estimated: Figures, batch_axes: frozenset[str]
) -> Figures:
    """What a candidate takes by its compiled program. Its compute stays as estimated.

    Raises:
        Exception: what the compiler raises: that it needs more memory than there is, for example.
    """
    kept = _file(lowered, machine)
    if kept is not None and kept.is_file():
        with contextlib.suppress(OSError, ValueError):
            found = from_plain(Figures, json.loads(kept.read_text(encoding="utf-8")))
            return dataclasses.replace(found, compute_s=estimated.compute_s)
    program = compiled_program(lowered, mesh, machine)
    memory = program.memory
    bytes_ = 0 if memory is None else memory.arguments + memory.temporaries + memory.outputs - memory.aliased
    sent, around = [], _Around()
    for each in program.collectives:
        times = each.times or 1
        hidden = bool(batch_axes & set(each.axes))
        seconds = around.seconds(each, program.seconds(each))
        bytes_sent = each.bytes_per_device * times
        sent.append(Sent(each.axes, each.kind, times, each.nest >= 0, bytes_sent, seconds, hidden))
    exposed, hidden_s = (math.fsum(s.seconds for s in sent if s.hidden is h) for h in (False, True))
    arguments = estimated.arguments if memory is None else memory.arguments
    figures = Figures(estimated.compute_s, exposed, hidden_s, arguments, bytes_, _together(sent))
    if kept is not None:
        _keep(kept, figures)
    return figures


class _Around:
    """Rings of permutations that XLA sends both ways around at once: they take the time of the longer way."""

    def __init__(self) -> None:
        self._of: dict[Any, list[float]] = {}

    def seconds(self, each: HloCollective, alone: float) -> float:
        """What a collective adds to the time of those before it."""
        if not (each.asynchronous and each.pairs):
            return alone
        ways = [tuple(sorted(each.pairs)), tuple(sorted((b, a) for a, b in each.pairs))]
        taken = self._of.setdefault((each.op, each.source, min(ways)), [0.0, 0.0])
        before = max(taken)
        taken[ways[0] < ways[1]] += alone
        return max(taken) - before


def compiled_program(lowered: jax.stages.Lowered, mesh: Mesh, machine: Machine, function: str = "") -> Program:
    """A candidate's program, compiled at the lowest effort."""
    compiled = _at_low_effort(lowered) if machine.platform == "tpu" else _jax.compiled(lowered, _quick(machine))
    text = compiled.as_text() or ""
    return of_executable(Executable(text, tuple(mesh.devices.flat), mesh, True, function, compiled), None, None)


def _at_low_effort(lowered: jax.stages.Lowered) -> jax.stages.Compiled:
    """Compiled for TPUs. Options come and go with libtpu: where it does not have some, others are tried, then none."""
    for options in LOW_EFFORT:
        try:
            return _jax.compiled(lowered, dict(options))
        except Exception as error:
            if not any(f"No such compile option: '{name}'" in str(error) for name in options):
                raise
    return _jax.compiled(lowered)


def _together(sent: list[Sent]) -> tuple[Sent, ...]:
    """Collectives that are alike as one."""
    sums: dict[tuple[Any, ...], tuple[int, float]] = {}
    for s in sent:
        key = (s.axes, s.kind, s.times, s.in_loop, s.hidden)
        known = sums.get(key, (0, 0.0))
        sums[key] = known[0] + s.bytes, known[1] + s.seconds
    return tuple(Sent(a, k, t, loop, b, sec, hid) for (a, k, t, loop, hid), (b, sec) in sums.items())


def _quick(machine: Machine) -> dict[str, Any] | None:
    return _jax.quick_options() if machine.platform == "cpu" else None


def _file(lowered: jax.stages.Lowered, machine: Machine) -> Path | None:
    """Where the figures are kept; None for devices that are there, whose order is not in the key.

    JAX's own cache of compiled programs has no hits for a topology.
    """
    if not machine.topology:
        return None
    try:
        compiler = importlib.metadata.version("libtpu")
    except importlib.metadata.PackageNotFoundError:
        return None
    key = repr((lowered.as_text(), machine.topology, LOW_EFFORT, compiler, jax.__version__, __version__))
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home, "shardwidget", "search", hashlib.sha256(key.encode()).hexdigest() + ".json")


def _keep(file: Path, figures: Figures) -> None:
    with contextlib.suppress(OSError):  # A home that cannot be written is no reason to fail.
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(f".{os.getpid()}")
        part.write_text(json.dumps(to_plain(figures)), encoding="utf-8")
        part.replace(file)
