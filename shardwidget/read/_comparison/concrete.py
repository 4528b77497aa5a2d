"""Where the compiled program puts its values.

The program is compiled as it is: its collectives, and the places of its arguments and results, come from there.
Each equation only gets a name of its own in the name stack, so that a collective shows which equation it was added for:
``jit(f)/jvp(shardwidget7)/dot_general``. How all values in between are sharded comes from a second compile, with an
inspection after every equation. Inspections keep the compiler from fusing and so can add collectives: where that
happened, their results are marked. Both compile at once: XLA does not block Python.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

from jax.sharding import AxisType, Mesh

from shardwidget import _jax
from shardwidget.document import HloCollective, Program
from shardwidget.read._comparison.lowered import ValuePlacement, boundary_placement, inspected_results, lowered
from shardwidget.read._comparison.question import ComparedCall
from shardwidget.read._comparison.tree import TAG, Line, Tree
from shardwidget.read._entries import entries
from shardwidget.read._jaxpr.value import Value
from shardwidget.read._processes.together import compiling
from shardwidget.read._program.programs import program as read_program

TAGS = re.compile(rf"(?:/|^|(?<=\()){TAG}(\d+)(?=[/)]|$)")

FUSED = 1_000
"""The most equations for which fusing shortens the compilation."""

ARGUMENTS, OUTPUTS = -1, -2
"""In place of a line, for collectives that move an argument or a result."""


@dataclass(frozen=True)
class Concrete:
    """A compiled program, and where it puts its values."""

    program: Program
    caused: Mapping[int, Sequence[tuple[int, HloCollective]]]
    """The collectives of each line, with their indices; those of arguments at ``ARGUMENTS``, of
    results at ``OUTPUTS``."""
    arguments: tuple[ValuePlacement | None, ...]
    """Where each argument is placed; None where the program does not take it."""
    outputs: tuple[ValuePlacement, ...]
    places: Mapping[int, Mapping[int, ValuePlacement]]
    """By line, by index of the result."""
    disturbed: frozenset[int]
    """Lines whose shardings come from a program that has other collectives there than this one."""
    record: _jax.Record | None = None
    """How its values came to be split; None where that is not known."""
    refused: str = ""
    """Why the compiler could not be asked where the values in between are; empty if it was."""
    among: Mapping[int, Sequence[int]] = field(default_factory=dict)
    """By index of a collective, lines of which one caused it, where nothing tells which."""


class OnOneDeviceError(Exception):
    """The program uses nothing that is on its mesh."""


def compiled(tree: Tree, call: ComparedCall, mesh: Mesh) -> Concrete:
    """Compiles a program for a mesh, without running it.

    Args:
        tree: the program.
        call: the function and its arguments.
        mesh: the devices to compile for.

    Raises:
        OnOneDeviceError: it is compiled for one device.
        Exception: the program does not compile.
    """
    places: dict[int, dict[int, ValuePlacement]] = {}
    refused = ""
    inspected: Program | None = None
    # An interrupt waits for both: what XLA compiles cannot be stopped.
    with compiling(call.function, mesh.devices.flat), ThreadPoolExecutor(2) as threads:
        own = lowered(tree, call, mesh)
        running = threads.submit(_jax.compiled, own, quickly(mesh))
        asking = None
        if mesh.size > 1:  # Otherwise nothing is partitioned.
            try:
                inspecting = lowered(tree, call, mesh, places)
                asking = threads.submit(_jax.compiled, inspecting, only_partitioned(mesh, len(tree.lines)), kept=False)
            except Exception as error:
                refused = str(error).split("\n")[0]
        plain = running.result()
        # Only now: one thread at a time may use a module, and this one was being compiled.
        record = _jax.recorded(own) if mesh.size > 1 else None
        inputs, outputs = _jax.boundary_shardings(plain)
        if mesh.size > max((len(s.device_set) for s in (*inputs, *outputs) if s is not None), default=1) == 1:
            raise OnOneDeviceError
        program, caused = _attributed(read_program(plain, mesh=mesh, name=call.function), call.names)
        if asking:
            try:
                inspected = read_program(asking.result(), mesh=mesh)
            except Exception as error:
                refused = str(error).split("\n")[0]
    disturbed: frozenset[int] = frozenset()
    if mesh.size == 1:
        for k, line in enumerate(tree.lines):
            places[k] = {i: ValuePlacement(((),) * v.aval.ndim, "{replicated}") for i, v in inspected_results(line)}
    if inspected:
        places |= {k: _as_typed(tree.lines[k]) for k in places if _is_partly_manual(tree, k)}
        disturbed = _disturbed(tree, caused, _caused(inspected.collectives)[0])
    results = tuple(boundary_placement(s, mesh, len(v.aval.shape)) for s, v in _zip(outputs, tree.results))
    return Concrete(
        program,
        _with_outputs(tree, caused, places, results),
        tuple(
            None if s is None else boundary_placement(s, mesh, len(v.aval.shape))
            for s, v in _zip(inputs, tree.arguments)
        ),
        results,
        places,
        disturbed,
        record,
        refused,
    )


def on_lines(concrete: Concrete, lines: Mapping[int, int]) -> Concrete:
    """What is known of the lines of a program, assigned to the lines of another.

    Args:
        concrete: the compiled program.
        lines: its lines, by those of the other. The collectives of one without another go to the next that has one.
    """
    back = {b: a for a, b in lines.items()}
    matched = sorted(back)
    caused: dict[int, list[tuple[int, HloCollective]]] = defaultdict(list)
    for line, found in concrete.caused.items():
        after = next((b for b in matched if b >= line), matched[-1] if matched else line)
        caused[line if line < 0 else back.get(after, line)] += found
    return replace(
        concrete,
        caused=caused,
        places={back[b]: put for b, put in concrete.places.items() if b in back},
        disturbed=frozenset(back[b] for b in concrete.disturbed if b in back),
        record=None,  # Its paths have the other program's numbers.
    )


def quickly(mesh: Mesh) -> dict[str, Any] | None:
    """Options for a program that is never run: on CPUs its machine code is not optimized.

    Collectives, shardings and memory are decided before that, and are the same.
    """
    if not _on_cpus(mesh):
        return None
    return {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}


def only_partitioned(mesh: Mesh, equations: int = 1) -> dict[str, Any] | None:
    """Options for a program of which only collectives and shardings count: on CPUs it is fused otherwise, or not."""
    return _jax.quick_options(fused=equations <= FUSED) if _on_cpus(mesh) else None


def _on_cpus(mesh: Mesh) -> bool:
    return mesh.devices.flat[0].platform == "cpu"


def _attributed(
    program: Program, names: Sequence[str]
) -> tuple[Program, Mapping[int, Sequence[tuple[int, HloCollective]]]]:
    """A program in JAX's own paths, and its collectives by line."""
    caused, collectives = _caused(program.collectives)
    named = []
    for c in collectives:
        argument = re.fullmatch(r"args\[(\d+)\]", c.op)
        named.append(replace(c, op=names[int(argument[1])]) if argument else c)
    caused = {line: [(k, named[k]) for k, _ in found] for line, found in caused.items()}
    return replace(program, collectives=tuple(named)), caused


def _caused(
    collectives: Sequence[HloCollective],
) -> tuple[dict[int, list[tuple[int, HloCollective]]], list[HloCollective]]:
    """Collectives by the lines that their names identify, and the same without these names."""
    caused: dict[int, list[tuple[int, HloCollective]]] = defaultdict(list)
    cleaned = []
    for k, c in enumerate(collectives):
        tags = TAGS.findall(c.op)
        c = replace(c, op=TAGS.sub("", c.op))
        if tags:
            caused[int(tags[-1])].append((k, c))
        elif re.fullmatch(r"args\[(\d+)\]", c.op):
            caused[ARGUMENTS].append((k, c))
        cleaned.append(c)
    return caused, cleaned


def _is_partly_manual(tree: Tree, line: int) -> bool:
    control = _jax.control_of(tree.lines[line].eqn)
    return (
        isinstance(control, _jax.ShardMap)
        and len(control.axes) < len(control.mesh.axis_names)
        and AxisType.Explicit in control.mesh.axis_types
    )


def _as_typed(line: Line) -> dict[int, ValuePlacement]:
    """Results of a region that leaves axes Explicit: JAX lays them out as their types say, after the inspection."""
    specs = {k: v.aval.sharding.spec for k, v in inspected_results(line)}
    avals: list[Any] = [v.aval for v in line.eqn.outvars]
    return {k: ValuePlacement(entries(spec, avals[k].ndim), str(spec)) for k, spec in specs.items()}


def _disturbed(
    tree: Tree,
    plain: Mapping[int, Sequence[tuple[int, HloCollective]]],
    inspected: Mapping[int, Sequence[tuple[int, HloCollective]]],
) -> frozenset[int]:
    """Lines at which inspections changed the collectives, and those that produce their operands."""

    def sent(of: Mapping[int, Sequence[tuple[int, HloCollective]]], line: int) -> Counter[Any]:
        return Counter((c.kind, c.axes, c.shapes) for _, c in of.get(line, ()))

    lines = {k for k in plain.keys() | inspected.keys() if k >= 0}
    all_alike = sum((sent(plain, k) for k in lines), Counter()) == sum((sent(inspected, k) for k in lines), Counter())
    if all_alike:
        return frozenset()
    changed = {k for k in lines if sent(plain, k) != sent(inspected, k)}
    giver = {id(v): k for k, line in enumerate(tree.lines) for v in line.outputs}
    operands = [v for k in changed for v in tree.lines[k].inputs if isinstance(v, Value)]
    return frozenset(changed | {giver[id(v)] for v in operands if id(v) in giver})


def _with_outputs(
    tree: Tree,
    caused: Mapping[int, Sequence[tuple[int, HloCollective]]],
    places: Mapping[int, Mapping[int, ValuePlacement]],
    results: Sequence[ValuePlacement],
) -> Mapping[int, Sequence[tuple[int, HloCollective]]]:
    """The same, with the all-gathers of results that are split in the program and returned whole set apart.

    XLA names such a gather after the equations whose result it gathers.
    """
    givers = {id(v): (k, i) for k, line in enumerate(tree.lines) for i, v in enumerate(line.outputs)}
    moved: dict[int, tuple[int, HloCollective]] = {}
    for result, put in zip(tree.results, results, strict=True):
        value: Any = result
        while id(value) in givers and put.dims is not None and not any(put.dims):
            k, i = givers[id(value)]
            if not any(((place := places.get(k, {}).get(i)) and place.dims) or ()):
                break
            moved |= {number: (number, c) for number, c in caused.get(k, ()) if c.semantics.gathers}
            alike = [v for v in tree.lines[k].inputs if isinstance(v, Value) and v.aval.shape == value.aval.shape]
            value = alike[0] if alike else None
    kept = {k: [(number, c) for number, c in found if number not in moved] for k, found in caused.items()}
    return kept | {OUTPUTS: list(moved.values())}


def _zip(shardings: Sequence[Any], values: Sequence[Any]) -> zip[tuple[Any, Any]]:
    # After those of the values come those of what a jax.Ref holds.
    return zip(shardings[: len(values)], values, strict=True)
