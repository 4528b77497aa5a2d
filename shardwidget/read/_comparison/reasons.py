"""Why values are split as they are: Shardy's record of its propagation, between the values of a comparison's rows."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from jax.sharding import AxisType

from shardwidget import _jax
from shardwidget.document import HloCollective
from shardwidget.document.why import Cause, Given, Group, Reason, chain_of
from shardwidget.read._comparison.alike import Dim, alike, dim_of, lettered, wanted
from shardwidget.read._comparison.concrete import Concrete
from shardwidget.read._comparison.lazily import Lazily
from shardwidget.read._comparison.owners import on_a_device, shapes_of
from shardwidget.read._comparison.propagated import line_of_path, results_of
from shardwidget.read._comparison.rows import decision_of
from shardwidget.read._comparison.tree import Tree
from shardwidget.read._entries import Entries
from shardwidget.read._jaxpr.value import Value

At = tuple[int, int]
"""A value of a comparison: the index of its row, and its own in the row."""


_MOVES = frozenset({"stablehlo.convert", "stablehlo.reshape", "stablehlo.transpose"})
"""Operations behind which XLA may name a collective after what takes their result."""


End = tuple[tuple[str, ...], Dim, int]
"""Axes that end where a dimension is made whole, what has the reason, and the value that they split until there."""


class _Way(NamedTuple):
    """How an axis came to a value."""

    end: int
    """The value of the record that it leads back to: the nearest one of a row, or what gave the axis."""
    operations: tuple[int, ...]
    """The operations that passed it on, the nearest first."""
    step: int
    back: bool


class Found(NamedTuple):
    """What a ``Comparison`` says of why."""

    reasons: Sequence[Reason] = ()
    """Each is made when it is asked for."""
    groups: tuple[Group, ...] = ()
    causes: tuple[Cause, ...] = ()
    steps: int = 0


def reasons_of(tree: Tree, concrete: Concrete | None) -> Found:
    """A reason for each dimension and axis of each value, and the reasons of each collective.

    Only what the compiled program agrees with: where it splits a value otherwise, there is no reason.

    Args:
        tree: the program.
        concrete: the same, compiled.
    """
    if concrete is None or concrete.record is None:
        return Found()
    found = _Reasons(tree, concrete, concrete.record)
    groups, at = found.groups()
    reasons = found.reasons(at)
    return Found(reasons, groups, (*found.causes(), *found.common_causes(reasons)), concrete.record.steps)


class _Reasons:
    def __init__(self, tree: Tree, concrete: Concrete, record: _jax.Record) -> None:
        self.tree, self.concrete, self.record = tree, concrete, record
        self.lines = [line_of_path(operation.path) for operation in record.operations]
        self.takes: dict[int, list[int]] = defaultdict(list)
        """By line, the values of the record that its operations take."""
        for operation, line in zip(record.operations, self.lines, strict=True):
            self.takes[line] += operation.operands
        self._ways: dict[tuple[int, str], _Way] = {}
        self._ends: dict[tuple[int, str], int] = {}
        self.labels: dict[int, str] = {}
        """What origins call the values that were given their sharding."""
        self.entered: dict[int, list[str]] = defaultdict(list)
        """What origins may call a value that regions take, although it was given its sharding elsewhere."""
        self.constraints: dict[int, int] = {}
        """By value, the operation that constrains it."""
        for k, operation in enumerate(record.operations):
            if operation.name == "sdy.sharding_constraint":
                self.labels[operation.results[0]] = operation.label
                self.constraints[operation.results[0]] = k
            elif operation.label:
                self.labels |= {v: f"{operation.label}_input: {i}" for i, v in enumerate(operation.takes)}
                self.labels |= {v: f"{operation.label}_output: {i}" for i, v in enumerate(operation.results)}
                for i, v in enumerate(operation.operands):
                    self.entered[v].append(f"{operation.label}_input: {i}")
        self.labels |= {v: f"input: {i}" for i, v in enumerate(record.arguments)}
        self.labels |= {v: f"output: {i}" for i, v in enumerate(record.results)}
        self.givers: dict[int, At] = {id(v): (0, k) for k, v in enumerate(tree.arguments)}
        """By the identity of a value of the tree, where it is."""
        self.givers |= {id(v): (n + 1, k) for n, line in enumerate(tree.lines) for k, v in enumerate(line.outputs)}
        self.at: dict[int, At] = {}
        """By value of the record, the value of a row that it is."""
        taken = [k for k, put in enumerate(concrete.arguments) if put is not None]
        for k, v in zip(taken, record.arguments, strict=False):
            self.at[v] = (0, k)
        for line, results in results_of(tree, record).items():
            for k, v in enumerate(results):
                self.at.setdefault(v, (line + 1, k))
        for k, v in enumerate(record.results):
            self.at.setdefault(v, (len(tree.lines) + 1, k))
        self.places = {at: v for v, at in self.at.items()}
        """By the value of a row, the one of the record."""
        self.number: dict[tuple[int, int, str], int] = {}
        """By value of the record, dimension and axis, the index of the reason."""
        for v, at in sorted(self.at.items(), key=lambda item: item[1]):
            compiled = self.compiled(at)
            for d, axes in enumerate(record.values[v].dims or ()):
                for axis in axes:
                    if compiled is not None and axis in compiled[d] and self._origin(v, axis):
                        self.number[v, d, axis] = len(self.number)
        self.whole = _Whole(self)
        self.split: dict[int, list[tuple[str, int]]] = defaultdict(list)
        """By value of the record, the axes that split it, each with the index of the reason."""
        for (v, _, axis), k in self.number.items():
            self.split[v].append((axis, k))
        self.unchanged = tuple(self._passed_unchanged())
        first = len(self.number) + len(self.unchanged)
        self.kept = {one: first + k for k, one in enumerate(self.whole.ways)}
        """By value of the record and dimension that is kept whole, the index of the reason."""

    def reasons(self, groups: Mapping[int, int]) -> Lazily[Reason]:
        """A reason for each number, then those of values that are their operand, then of what is kept whole.

        Args:
            groups: by number, the group that it is in.
        """
        numbers, kept = tuple(self.number), tuple(self.kept)
        first = len(numbers) + len(self.unchanged)

        def made(k: int) -> Reason:
            if k < len(numbers):
                return self._reason(*numbers[k], groups.get(k, -1))
            if k >= first:
                return self._kept(*kept[k - first])
            giver, row = self.unchanged[k - len(numbers)]
            return replace(reasons[giver], row=row, value=0, given="", through=(row,), giver=giver, step=-1, lost=())

        reasons = Lazily(first + len(kept), made)
        return reasons

    def _kept(self, v: int, dim: int) -> Reason:
        """Why a dimension is whole."""
        giver, operations = self.whole.ways[v, dim]
        through = tuple(dict.fromkeys(self._row(o) for o in operations))
        if giver is None:
            return Reason(*self.at[v], dim, "", "shard_map" if through else self._given(v), through)
        return Reason(*self.at[v], dim, "", through=through, back=giver[0] > v, giver=self.kept[giver])

    def causes(self) -> tuple[Cause, ...]:
        """The splits of operands over the axes of each collective that the compiler inserted."""
        found = []
        for line, caused in sorted(self.concrete.caused.items()):
            if 0 <= line < len(self.tree.lines):
                for number, collective in caused:
                    if mine := self._needed(line, collective):
                        found.append(Cause(number, line + 1, tuple(mine)))
        return tuple(found)

    def common_causes(self, reasons: Sequence[Reason]) -> Iterator[Cause]:
        """What each line follows from that a collective may belong to: the splits nearest to them."""
        for number, lines in self.concrete.among.items():
            collective = self.concrete.program.collectives[number]
            chains = [[chain_of(reasons, k) for k in self._split(line, collective.axes)] for line in lines]
            common = set.intersection(*({k for chain in of for k in chain} for of in chains))
            nearest = (next((k for k in reversed(chain) if k in common), None) for chain in chains[0])
            ended = [k for line in lines for k in self._ended(line, collective)]
            if mine := tuple(k for k in dict.fromkeys((*ended, *nearest)) if k is not None):
                yield Cause(number, None, mine)

    def _needed(self, line: int, collective: HloCollective) -> list[int]:
        """What is made whole that a line makes or takes, then the splits over the axes of a collective."""
        found = [*self._ended(line, collective), *self._before(line, collective)]
        # A region takes each operand as it says, whatever the others are.
        if not found or _jax.name_of(self.tree.lines[line].eqn) != "shard_map":
            found += self._split(line, collective.axes)
        return list(dict.fromkeys(found))

    def _ended(self, line: int, collective: HloCollective) -> Iterator[int]:
        """The reasons of what is made whole that a line makes or takes, and that a collective may move.

        XLA names a gather for a constraint after the operation before it or, where it marks its own, the one after it.
        """
        made = {self.places.get(self.givers[id(v)]) for v in self.tree.lines[line].outputs}
        for (v, _), (split, end, _) in self.whole.ends.items():
            if v in made and end in self.kept and not {*collective.axes}.isdisjoint(split):
                yield self.kept[end]
        yield from (self.kept[end] for end, _ in self._taken(line, collective))

    def _before(self, line: int, collective: HloCollective) -> Iterator[int]:
        """The reasons of the splits that end where what a line takes was made whole."""
        for (_, dim), before in self._taken(line, collective):
            found = (self._nearest(before, dim, axis) for axis in collective.axes)
            yield from (k for k in found if k is not None)

    def _taken(self, line: int, collective: HloCollective) -> Iterator[tuple[Dim, int]]:
        """What was made whole that a line takes, each with the value before it, which a collective moves."""
        axes, shapes = {*collective.axes}, {tuple(sorted(shape)) for shape in shapes_of(collective)}
        for v in dict.fromkeys((*self._operands(line), *self.takes[line])):
            for d in range(len(self.record.values[v].shape)):
                split, end, before = self.whole.start((v, d)) or ((), (v, d), v)
                known = end in self.kept and not axes.isdisjoint(split)
                if known and self._on_a_device(before, end[1], split) in shapes:
                    yield end, before

    def _on_a_device(self, v: int, dim: int, axes: Sequence[str]) -> tuple[int, ...]:
        """The sizes of a value on a device in any order, one of its dimensions split over some axes."""
        size = {axis.name: axis.size for axis in self.concrete.program.mesh.axes}
        at = self.record.values[v]
        split = [axes if d == dim else own for d, own in enumerate(at.dims or ((),) * len(at.shape))]
        return tuple(sorted(on_a_device(at.shape, split, size)))

    def _operands(self, line: int) -> set[int]:
        """The values of the record that a line takes."""
        inputs = dict.fromkeys(self.givers.get(id(v)) for v in self.tree.lines[line].inputs if isinstance(v, Value))
        return {self.places[at] for at in inputs if at in self.places}

    def _split(self, line: int, axes: Sequence[str]) -> list[int]:
        """The reasons of the operands of a line that are split over some axes."""
        mine = sorted(k for v in self._operands(line) for axis, k in self.split.get(v, ()) if axis in axes)
        return mine or self._behind(line, axes)

    def _behind(self, line: int, axes: Sequence[str]) -> list[int]:
        """The reasons behind the operands of a line that no row has, such as the slices that a loop's body takes."""
        operands = ((v, axis) for v in self.takes[line] for axis in axes)
        found = (self._nearest(v, dim_of(self.record.values[v], axis), axis) for v, axis in operands)
        return list(dict.fromkeys(k for k in found if k is not None))

    def _passed_unchanged(self) -> Iterator[tuple[int, int]]:
        """Reasons, each with a row of the same value, as that of ``stop_gradient``: nothing computes it."""
        computed = {line for line in self.lines if line >= 0}
        for n, line in enumerate(self.tree.lines):
            if n in computed or line.local or len(line.inputs) != 1 or len(line.outputs) != 1:
                continue
            at = self.givers.get(id(line.inputs[0]), (-1, 0))
            dims = self.compiled((n + 1, 0))
            if at in self.places and dims is not None and dims == self.compiled(at):
                yield from ((k, n + 1) for _, k in self.split.get(self.places[at], ()))

    def groups(self) -> tuple[tuple[Group, ...], dict[int, int]]:
        """What was given one axis for the same, and by reason the index of its group."""
        joined = alike(self.record)
        given: dict[Any, list[int]] = defaultdict(list)
        returned = frozenset(self.record.results)
        for (v, _, axis), k in self.number.items():
            # What jit is told to return is a constraint of no row, just before it is returned.
            end = self._end(v, axis)
            told = v in returned and end in self.constraints and end not in self.at
            if self.record.values[v].origins.get(axis) == "self" or told:
                given[joined.of((v, axis))].append(k)
        several = {one: n for n, one in enumerate(one for one, reasons in given.items() if len(reasons) > 1)}
        at = {k: n for (v, _, axis), k in self.number.items() if (n := several.get(joined.of((v, axis)))) is not None}
        return tuple(Group(tuple(given[one])) for one in several), at

    def compiled(self, at: At) -> Entries | None:
        """The mesh axes of each dimension of a row's value, in the compiled program."""
        row, k = at
        if row < 0:
            return None
        if row == 0:
            put = self.concrete.arguments[k]
        elif row <= len(self.tree.lines):
            put = self.concrete.places.get(row - 1, {}).get(k)
        else:
            put = self.concrete.outputs[k] if k < len(self.concrete.outputs) else None
        return put.dims if put else None

    def _reason(self, v: int, dim: int, axis: str, group: int) -> Reason:
        row, k = self.at[v]
        way = self._way(v, axis)
        d = dim_of(self.record.values[way.end], axis)
        giver = self.number.get((way.end, d, axis), -1) if way.operations else -1
        through = tuple(dict.fromkeys(self._row(o) for o in way.operations))
        lost, because, wanted = self._lost(v, axis, way)
        given = "" if giver >= 0 else self._given(self._end(v, axis))
        return Reason(row, k, dim, axis, given, through, way.back, giver, way.step, lost, because, wanted, group)

    def _row(self, operation: int) -> int:
        return len(self.tree.lines) + 1 if operation < 0 else self.lines[operation] + 1

    def _way(self, v: int, axis: str) -> _Way:
        """The way back of an axis to the nearest value of a row, else to what gave it."""
        known = self._ways.get((v, axis))
        if known is None:
            known = self._ways[v, axis] = self._walked(v, axis)
        return known

    def _walked(self, v: int, axis: str) -> _Way:
        operations: list[int] = []
        step, back, seen = -1, False, {v}
        while passing := self.record.values[v].passed.get(axis):
            if passing.giver in seen:
                break
            if not operations:
                step = passing.step
                made = (
                    self.record.results if passing.operation < 0 else self.record.operations[passing.operation].results
                )
                back = v not in made
            operations.append(passing.operation)
            v = passing.giver
            seen.add(v)
            if (v, dim_of(self.record.values[v], axis), axis) in self.number:
                break
        return _Way(v, tuple(operations), step, back)

    def _end(self, v: int, axis: str) -> int:
        """The value that gave an axis, at the end of the way back."""
        path: dict[int, None] = {}
        while (end := self._ends.get((v, axis))) is None:
            path[v] = None
            passing = self.record.values[v].passed.get(axis)
            if passing is None:
                end = v
                break
            if passing.giver in path:
                return v
            v = passing.giver
        self._ends |= {(each, axis): end for each in path}
        return end

    def _origin(self, v: int, axis: str) -> bool:
        """Whether the way back ends where the record says that the axis comes from."""
        said = self.record.values[v].origins.get(axis, "")
        end = self._end(v, axis)
        if end in self.labels and said in (self.labels[end], *self.entered[end]):
            return True
        return said == "self" and v == end

    def _given(self, end: int) -> Given:
        label = self.labels[end]
        if label.startswith("input"):
            return "argument"
        if label.startswith("output"):
            return "jit"
        if end not in self.constraints:
            return "shard_map"
        number = self.lines[self.constraints[end]]
        line = self.tree.lines[number] if number >= 0 else None
        if line is not None and decision_of(line):
            return "constraint"
        typed = line is not None and AxisType.Explicit in _jax.context_mesh(line.eqn).axis_types
        return "type" if typed else "jit"

    def _lost(self, v: int, axis: str, way: _Way) -> tuple[tuple[int, ...], str, int]:
        """Who else asked for the axis in the operations that passed it on, why they lost, what they want of the end."""
        found: dict[int, None] = {}
        because, wanted = "", -1
        for o in way.operations:
            if o < 0 or (rule := self.record.operations[o].rule) is None:
                continue
            operation = self.record.operations[o]
            tensors = list(zip((*operation.operands, *operation.results), (*rule.operands, *rule.results), strict=True))
            won = {letters[d] for t, letters in tensors if t == v and (d := dim_of(self.record.values[t], axis)) >= 0}
            for t, letters in tensors:
                d = dim_of(self.record.values[t], axis)
                if d < 0 or letters[d] in won or not won:
                    continue
                blocked = [
                    (u, theirs.index(letters[d]))
                    for u, theirs in tensors
                    if letters[d] in theirs and dim_of(self.record.values[u], axis) != theirs.index(letters[d])
                ]
                if blocked and (asked := self._nearest(t, d, axis)) is not None:
                    found.setdefault(asked)
                    because = because or self._blocked(*blocked[0], axis)
                    wanted = next((d for u, d in blocked if u == way.end), wanted)
            v = self.record.values[v].passed[axis].giver
        return tuple(found), because, wanted

    def _nearest(self, v: int, dim: int, axis: str) -> int | None:
        """The reason of a value, or of the one that gave it the axis."""
        if (v, dim, axis) in self.number:
            return self.number[v, dim, axis]
        end = self._way(v, axis).end
        return self.number.get((end, dim_of(self.record.values[end], axis), axis))

    def _blocked(self, v: int, dim: int, axis: str) -> str:
        row, k = self.at.get(v, (-1, 0))
        name = "the other operand" if row < 0 else self._name(row, k)
        already = dim_of(self.record.values[v], axis)
        if already < 0:
            return f"Dim {dim} of {name} would have to be split over {axis} too."
        return (
            f"Dim {dim} of {name} would have to be split over {axis} too, but the axis already splits its dim "
            f"{already}: an axis splits one dimension of an array."
        )

    def _name(self, row: int, k: int) -> str:
        if row == 0:
            return self.tree.arguments[k].name
        return self.tree.lines[row - 1].outputs[k].name if row <= len(self.tree.lines) else "the result"


class _Whole:
    """Dimensions that are whole because that was asked for: given so, behind a constraint, or where a region begins."""

    def __init__(self, of: _Reasons) -> None:
        self._of, self._values = of, of.record.values
        self.ways: dict[Dim, tuple[Dim | None, tuple[int, ...]]] = {}
        """By value of the record and dimension, the value of a row that passed it on, with the operations between, the
        nearest first; None where it was given here, or by the region that the operation leads into."""
        for v in sorted(of.at.keys() & of.labels.keys(), key=of.at.__getitem__):
            known = [d for d in self._given(v) if self._is_compiled(v, d) and self._is_kept_whole(v, d)]
            self.ways |= {(v, d): (None, ()) for d in known}
        self.ends: dict[Dim, End] = {}
        """What a constraint makes whole, and the same before it; and what a region takes whole."""
        self._made = {r: o for o, operation in enumerate(of.record.operations) for r in operation.results}
        self._held: dict[Dim, tuple[Dim, int] | None] = {}
        """What is whole behind a constraint that splits came to: by what, and through which operation."""
        regions = {v for operation in of.record.operations for v in operation.takes}
        for o, operation in enumerate(of.record.operations):
            if operation.name == "sdy.sharding_constraint":
                self._behind(o)
            elif operation.operands and not regions.isdisjoint(operation.results):
                self._into(o)
            elif self._held:
                self._passed_on(o)
        for one in self._held:
            if one not in self.ways and one[0] in of.at and self._is_compiled(*one):
                self._walk(one)

    def _walk(self, one: Dim) -> None:
        at, operations = one, []
        while (step := self._held[at]) is not None:
            at, o = step
            operations.append(o)
            if at in self.ways:
                self.ways[one] = at, tuple(operations)
                return

    def start(self, at: Dim) -> End | None:
        """What was made whole and passed on as it is; None where nothing was."""
        while (step := self._held.get(at)) and self._of.record.operations[step[1]].name in _MOVES:
            at = step[0]
        return None if step else self.ends.get(at)

    def _given(self, v: int) -> Iterator[int]:
        """The dimensions of a value that are given as whole, where there is something to split."""
        at = self._values[v]
        for d, (closed, axes) in enumerate(zip(at.closed, at.dims or (), strict=True)):
            if closed and not axes and at.shape[d] > 1:
                yield d

    @functools.cached_property
    def _wanted(self) -> frozenset[Dim]:
        return wanted(self._of.record)

    def _is_kept_whole(self, v: int, dim: int) -> bool:
        """Whether it would be split otherwise; what an argument or a region is given as needs no other reason."""
        asked = self._of.labels[v].startswith("output") or v in self._of.constraints
        return not asked or (v, dim) in self._wanted

    def _is_compiled(self, v: int, dim: int, axes: tuple[str, ...] = ()) -> bool:
        """Whether a dimension is compiled as whole, or split over some axes."""
        compiled = self._of.compiled(self._of.at[v])
        return compiled is not None and dim < len(compiled) and compiled[dim] in ((), axes)

    def _behind(self, o: int) -> None:
        """What a constraint makes whole that is split before it."""
        operation = self._of.record.operations[o]
        (before,), (after,) = operation.operands, operation.results
        for d in self._given(after):
            if axes := self._reaching(before, d):
                self._held[after, d] = None
                self.ends[before, d] = self.ends[after, d] = axes, (after, d), before
                # XLA may make it whole before the constraint already.
                known = (after, d) in self.ways and before in self._of.at and before not in self._of.labels
                if known and self._is_compiled(before, d):
                    self.ways[before, d] = (after, d), (o,)

    def _into(self, o: int) -> None:
        """What a region takes whole that is split before it. Inside it, values have the shapes of a device."""
        operation = self._of.record.operations[o]
        (before,), (after,) = operation.operands, operation.results
        at = self._values[before]
        for d, axes in enumerate(at.dims or ()):
            whole = axes and at.shape[d] == self._values[after].shape[d]
            if whole and before in self._of.at and self._is_compiled(before, d, axes):
                self.ways[before, d] = None, (o,)
                self.ends[before, d] = self.ends[after, d] = axes, (before, d), before

    def _reaching(self, v: int, dim: int) -> tuple[str, ...]:
        """The axes that split a dimension before a constraint. JAX 0.9: its operand is constrained with it."""
        at = self._values[v]
        if not at.dims or at.dims[dim] or not at.closed[dim] or v not in self._made:
            return at.dims[dim] if at.dims else ()
        operands, results = lettered(self._of.record.operations[self._made[v]])
        letter = next((letters[dim] for r, letters in results if r == v), None)
        for u, letters in operands:
            if letter in letters and (dims := self._values[u].dims) and dims[letters.index(letter)]:
                return dims[letters.index(letter)]
        return ()

    def _passed_on(self, o: int) -> None:
        operands, results = lettered(self._of.record.operations[o])
        for v, letters in operands:
            for d, letter in enumerate(letters):
                for r, theirs in results if (v, d) in self._held else ():
                    at = theirs.index(letter) if letter in theirs and r not in self._of.labels else -1
                    if at >= 0 and not (self._values[r].dims or ((),) * (at + 1))[at]:
                        self._held.setdefault((r, at), ((v, d), o))
