"""The lines that the collectives of a program belong to, where it was compiled without names of lines."""

from __future__ import annotations

import itertools
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from jax.sharding import Mesh

from shardwidget.document import HloCollective, Program
from shardwidget.findings.program import path_within
from shardwidget.read._comparison.lowered import ValuePlacement
from shardwidget.read._comparison.tree import Line, Tree
from shardwidget.read._jaxpr.value import Value
from shardwidget.read._program.module import Module
from shardwidget.read._program.origin import Origins

_NAMED = re.compile(r"\s+(?:ROOT )?%?([\w.\-]+) = ").match
"""The name of the instruction that a line of a module is."""

Key = tuple[str, Any]
"""The path of an operation, and the line of the user's that it is in."""


class Owners(NamedTuple):
    """The lines that collectives belong to."""

    caused: Mapping[int, Sequence[tuple[int, HloCollective]]]
    """The collectives of each line, with their indices."""
    among: Mapping[int, tuple[int, ...]]
    """By index of a collective, lines of which it belongs to one, where nothing tells which."""


def owners(
    tree: Tree,
    paths: Iterable[tuple[int, str]],
    places: Iterable[tuple[Value, ValuePlacement]],
    mesh: Mesh,
    program: Program,
) -> Owners:
    """Finds the lines of a program's collectives.

    A collective has the path and the source of its operation. Of several operations that have the same, it is the one
    at its column, whose values on a device have its shape. What a Python loop writes again and again has the same of
    all these: there collectives are in the order of the lines, if each line needs the one before it, and there are as
    many. What XLA combines belongs to each of as many lines.

    Args:
        tree: the program.
        paths: of each operation that it is lowered to, the line and the path.
        places: where values are.
        mesh: the devices.
        program: the same, compiled.
    """
    lines: dict[Key, dict[int, None]] = defaultdict(dict)
    sought = {path_within(c.op) for c in program.collectives}
    for line, path in paths:
        if line >= 0 and (within := path_within(path)) in sought:
            lines[within, tree.lines[line].source].setdefault(line)
    alike = _Alike(tree, places, mesh, program)
    caused: dict[int, list[tuple[int, HloCollective]]] = defaultdict(list)
    several: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for k, c in enumerate(program.collectives):
        found = tuple(lines.get((path_within(c.op), c.source), ()))
        if len(found) > 1:
            found = alike.left(c, found)
        if len(found) == len(c.shapes) or len(found) == 1:
            for line in found:
                caused[line].append((k, c))
        elif found:
            several[found].append(k)
    among: dict[int, tuple[int, ...]] = {}
    for found, numbers in several.items():
        if len(found) == len(numbers) and alike.each_needs_the_last(found):
            for line, k in zip(found, numbers, strict=True):
                caused[line].append((k, program.collectives[k]))
        else:
            among |= dict.fromkeys(numbers, found)
    return Owners(caused, among)


class _Alike:
    """Tells lines apart that have the same path and source."""

    def __init__(
        self, tree: Tree, places: Iterable[tuple[Value, ValuePlacement]], mesh: Mesh, program: Program
    ) -> None:
        self._tree, self._program, self._mesh = tree, program, mesh
        self._places = {id(v): (v.aval.shape, put) for v, put in places}
        self._names = {id(v): v.name for v in tree.arguments}
        self._whole: dict[int, Value] = {}
        for part, whole in tree.slices:
            self._whole[id(part)] = self._whole.get(id(whole), whole)
        self._columns: dict[str, tuple[int, int]] | None = None
        self._local: dict[tuple[int, tuple[str, ...]], tuple[int, ...] | None] = {}
        self._givers = {id(v): k for k, line in enumerate(tree.lines) for v in line.outputs}
        self._left: dict[Any, tuple[int, ...]] = {}

    def left(self, c: HloCollective, lines: tuple[int, ...]) -> tuple[int, ...]:
        """The lines that a collective may belong to."""
        at = self._column(c.name)
        key = at, c.kind, tuple(c.shapes), c.axes, c.operand, lines
        if key not in self._left:  # What a Python loop writes has as many collectives as lines, all alike.
            self._left[key] = self._found(c, at, lines)
        return self._left[key]

    def _found(self, c: HloCollective, at: tuple[int, int], lines: tuple[int, ...]) -> tuple[int, ...]:
        lines = tuple(k for k in lines if at in self._columns_of(k)) or lines
        shapes = shapes_of(c)
        if c.operand:
            lines = tuple(k for k in lines if c.operand in self._arguments_of(k)) or lines
        for moved in self._moved(c):
            if found := tuple(k for k in lines if shapes & set(moved(self._tree.lines[k]))):
                return found
        return lines

    def each_needs_the_last(self, lines: Sequence[int]) -> bool:
        """Whether each line needs what the one before it computes."""
        return all(self._needs(after, before) for before, after in itertools.pairwise(lines))

    def _column(self, name: str) -> tuple[int, int]:
        """Line and column of an instruction; zeros where it has none."""
        if self._columns is None:
            sent = {c.name for c in self._program.collectives}
            lines = self._program.module_text.split("\n")
            # Other instructions are most of a module.
            module = Module.parse("\n".join(a for a in lines if (found := _NAMED(a)) is None or found[1] in sent))
            origins = Origins(module)
            instructions = (i for of in module.computations.values() for i in of.instructions if i.name in sent)
            self._columns = {i.name: (f.line, f.column) for i in instructions for f in origins.at(i).called()[:1]}
        return self._columns.get(name, (0, 0))

    def _columns_of(self, line: int) -> set[tuple[int, int]]:
        first = self._tree.lines[line].frames[:1]
        return {(f.start_line, column) for f in first for column in (f.start_column, f.end_column)}

    def _arguments_of(self, line: int) -> Iterator[str]:
        """The names of the program's arguments that a line takes, whole or in slices."""
        for value in self._tree.lines[line].inputs:
            whole = self._whole.get(id(value), value)
            yield from [self._names[id(whole)]] if id(whole) in self._names else []

    def _moved(self, c: HloCollective) -> Sequence[Callable[[Line], Iterator[Any]]]:
        """The shapes on a device of what such a collective may move for a line, the likeliest first.

        A whole sum is of results alone, and may be cut along its axes afterwards. What is gathered is mostly an
        operand.
        """
        if c.semantics.combines:
            sums = [lambda of: self._of(of.outputs), lambda of: self._of(of.outputs, c.axes)]
            return sums if c.semantics.replicates else sums[1:]
        every = [lambda of: self._of([*of.outputs, *of.inputs])]
        return [lambda of: self._of(of.inputs), *every] if c.semantics.gathers else every

    def _of(self, values: Iterable[Any], whole: Sequence[str] = ()) -> Iterator[Any]:
        """The shapes of values on a device; ``whole`` along some axes."""
        for value in values:
            if (known := self._places.get(id(value))) is not None:
                key = id(value), tuple(whole)
                if key not in self._local:  # Lines that are alike are asked for each of their collectives.
                    self._local[key] = _on_a_device(*known, self._mesh, whole)
                yield self._local[key]

    def _needs(self, after: int, before: int) -> bool:
        left, seen = [after], {after}
        while left:
            inputs = (v for v in self._tree.lines[left.pop()].inputs if isinstance(v, Value))
            for giver in {self._givers.get(id(v), -1) for v in inputs} - seen:
                if giver == before:
                    return True
                seen.add(giver)
                if giver > before:
                    left.append(giver)
        return False


def _on_a_device(shape: Sequence[int], put: ValuePlacement, mesh: Mesh, whole: Sequence[str]) -> tuple[int, ...] | None:
    if put.dims is None or len(put.dims) != len(shape):
        return None
    return on_a_device(shape, [[a for a in axes if a not in whole] for axes in put.dims], mesh.shape)


def on_a_device(shape: Sequence[int], split: Sequence[Sequence[str]], sizes: Mapping[str, int]) -> tuple[int, ...]:
    """The shape of a value on a device, without the dimensions of 1, which a slice of an array may keep.

    Args:
        shape: the shape of the whole.
        split: for each dimension, the mesh axes that split it.
        sizes: of the mesh axes; what is not among them, such as a part of one, splits nothing.
    """
    parts = (math.prod(sizes.get(a, 1) for a in axes) for axes in split)
    return _without_ones(-(-n // part) for n, part in zip(shape, parts, strict=True))


def shapes_of(c: HloCollective) -> set[tuple[int, ...]]:
    """The shapes that a collective moves, as ``on_a_device`` gives them."""
    return {_without_ones(map(int, re.findall(r"\d+", shape.partition("[")[2]))) for shape in c.shapes}


def _without_ones(shape: Iterable[int]) -> tuple[int, ...]:
    return tuple(n for n in shape if n != 1)
