"""How each value of a program came to be split: what Shardy's propagation itself records."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import jax

from shardwidget._jax.inlining import erase_unused, inlined, path_of
from shardwidget._jax.propagation import inside, state_rules

_IMPORT = "builtin.module(sdy-import-pipeline)"
_PROPAGATE = (
    "builtin.module(sdy-user-priority-propagate"
    "{debug-sharding-origins=true debug-propagation-edge-sharding=true keep-sharding-rules=true})"
)


class Factored(NamedTuple):
    """What an operation does to the dimensions of its operands and results."""

    operands: tuple[tuple[str, ...], ...]
    """For each dimension of each operand, letters: dimensions that share one are split alike."""
    results: tuple[tuple[str, ...], ...]
    summed: str
    """The letters of dimensions that are summed."""


class Passing(NamedTuple):
    """An axis was passed on."""

    step: int
    """Which step of the propagation it was, from 0."""
    operation: int
    """Index in ``Record.operations``; -1 where a value is returned."""
    giver: int
    """Index in ``Record.values``."""


@dataclass(slots=True)
class Recorded:
    """A value."""

    shape: tuple[int, ...]
    dims: tuple[tuple[str, ...], ...] | None
    """The axes of each dimension, as Shardy writes them: ``data``, or ``data:(1)2`` for a part of an axis; None where
    it has no sharding."""
    origins: Mapping[str, str]
    """By axis, what gave it: ``self``, ``input: 0``, ``constraint_0``, ``mc_0_output: 0``, ``output: 0``."""
    closed: tuple[bool, ...] = ()
    """Whether each dimension takes no more axes than were given; empty where it has no sharding."""
    passed: dict[str, Passing] = field(default_factory=dict)
    """By axis, how it got here; none where it was given here."""


class Operation(NamedTuple):
    """An operation, or an edge along which a loop, a branch or a region passes a value on."""

    name: str
    path: str
    """The name stack, with those of the calls around it."""
    operands: tuple[int, ...]
    """Indices in ``Record.values``."""
    results: tuple[int, ...]
    label: str
    """What origins call it, as ``constraint_0``; empty for most."""
    rule: Factored | None
    takes: tuple[int, ...] = ()
    """Indices in ``Record.values`` of what a region takes, inside it."""


@dataclass(frozen=True)
class Record:
    """What Shardy's propagation did to a program."""

    values: tuple[Recorded, ...]
    operations: tuple[Operation, ...]
    arguments: tuple[int, ...]
    """Indices in ``values`` of the program's arguments."""
    results: tuple[int, ...]
    """Indices in ``values`` of what it returns, as it is returned."""
    returned: tuple[int, ...]
    """The same, as it is computed."""
    steps: int
    """How many steps the propagation had."""


def recorded(lowered: jax.stages.Lowered) -> Record | None:
    """What Shardy's propagation does to a program, step by step, found out on a copy of the lowered module.

    Functions are inlined into their calls, since propagation enters no function. Shardy writes its record as
    attributes, which the verifier then refuses for edges of loops: the pass has ended by then, and the copy is whole.

    JAX 0.9 - 0.12: names of passes, options and attributes are not promised. None where one is missing, or where the
    program is too large.
    """
    from jax.extend.mlir import ir, passmanager

    module: Any = lowered.compiler_ir()
    try:
        with module.context:
            copy = module.operation.clone()
            if not inlined(copy):
                return None
            erase_unused(copy)
            state_rules(copy)
            passmanager.PassManager.parse(_IMPORT).run(copy)
            manager = passmanager.PassManager.parse(_PROPAGATE)
            try:
                manager.run(copy)
            except ir.MLIRError as error:
                if "propagation_edges" not in str(error) and "data_flow_edge" not in str(error):
                    return None
            return _Reader(copy).record()
    except (ir.MLIRError, ValueError, AttributeError, KeyError, IndexError, TypeError):
        return None


_SHARDING = re.compile(r"<@[\w.\-]+, \[((?:\{[^{}]*\}(?:p\d+)?(?:, )?)*)\][^<>]*>")
_AXIS = re.compile(r'"([^"]+)"(?::(\(\d+\)\d+))?')
_EDGE = re.compile(r'step-(\d+) = |"([^"]+)"(?::(\(\d+\)\d+))? = (operand|result)-(\d+) -> \[([^\]]*)\]')
_ORIGIN = re.compile(r'"?([\w.\-]+?(?::\(\d+\)\d+)?)"? = "([^"]*)"')
_ORIGINS = "sdy.sharding_origins"
_EACH = re.compile(r"\{([^{}]*)\}")
_DIMENSIONS = re.compile(r"\[([^\[\]]*)\]")
_SUMMED = re.compile(r"reduction=\{([^}]*)\}")


class _Reader:
    def __init__(self, module: Any) -> None:
        self.values: list[Recorded] = []
        self.operations: list[Operation] = []
        self.number: dict[Any, int] = {}
        self.ends: dict[Any, Sequence[Any]] = {}
        """By the first result of an operation, what each of its regions returns."""
        self.texts: dict[Any, str] = {}
        """What attributes are written as: many operations share one, and writing it takes longer than all else."""
        self.steps = 0
        self.function = next(f for f in inside(module) if f.name == "func.func")

    def record(self) -> Record:
        function = self.function
        block = function.regions[0].blocks[0]
        given = _each(function.attributes, "arg_attrs", len(block.arguments))
        arguments = tuple(
            self._value(v, a.get("sdy.sharding", ""), _origins(a.get(_ORIGINS, "")))
            for v, a in zip(block.arguments, given, strict=True)
        )
        self._edges_first(function)
        self._read(function)
        results = []
        returned = _last(block).operands
        for value, a in zip(returned, _each(function.attributes, "res_attrs", len(returned)), strict=True):
            text, origins = a.get("sdy.sharding", ""), _origins(a.get(_ORIGINS, ""))
            dims = _dims(text)
            self.values.append(Recorded(tuple(value.type.shape), dims, origins, _closed(text)))
            results.append(len(self.values) - 1)
            self._pass(a.get("sdy.propagation_edges", ""), -1, [self.number[value]], results[-1:])
            for axis in (axis for axes in dims or () for axis in axes):
                if origins.get(axis) != "self":  # A result that is as the value that is returned has no edge.
                    self.values[-1].passed.setdefault(axis, Passing(-1, -1, self.number[value]))
        computed = tuple(self.number[value] for value in returned)
        return Record(tuple(self.values), tuple(self.operations), arguments, tuple(results), computed, self.steps)

    def _value(self, value: Any, sharding: str, origins: Mapping[str, str]) -> int:
        shape = tuple(getattr(value.type, "shape", ()))
        self.values.append(Recorded(shape, _dims(sharding), origins, _closed(sharding)))
        self.number[value] = len(self.values) - 1
        return self.number[value]

    def _edges_first(self, operation: Any) -> None:
        """Numbers what loops, branches and regions return and take: each is one value with the edge that it is on."""
        within = []
        for inner in inside(operation):
            if inner.name == "sdy.data_flow_edge":
                attributes = inner.attributes
                sharding, origins = self._text(attributes, "sharding"), self._text(attributes, _ORIGINS)
                self.number[inner.operands[0]] = self._value(inner.results[0], sharding, _origins(origins))
            elif len(inner.regions):
                within.append(inner)
        for inner in within:
            for region in inner.regions if inner.name == "stablehlo.while" else ():
                for argument, result in zip(region.blocks[0].arguments, inner.results, strict=True):
                    if result in self.number:
                        self.number[argument] = self.number[result]
            self._edges_first(inner)

    def _read(self, operation: Any) -> None:
        for region in operation.regions:
            for block in region.blocks:
                for value in block.arguments:
                    if value not in self.number:
                        self._value(value, "", {})
        edges = []
        for inner in inside(operation):
            name = inner.name
            if name == "sdy.data_flow_edge":
                edges.append(inner)  # It follows what it is of, whose operands are numbered by then.
                continue
            if name in ("func.return", "stablehlo.return", "sdy.return"):
                continue
            attributes, results = inner.attributes, [*inner.results]
            self._results(name, attributes, results)
            if len(inner.regions):
                self._read(inner)
            operands = tuple(self.number[v] for v in inner.operands)
            self._add(inner, name, attributes, operands, tuple(self.number[v] for v in results))
        for edge in edges:
            self._edge(edge)

    def _results(self, name: str, attributes: Any, results: Sequence[Any]) -> None:
        said = self._text(attributes, _ORIGINS)
        if name == "sdy.sharding_constraint":
            self._value(results[0], self._text(attributes, "sharding"), _origins(said))
            return
        shardings, origins = _each_sharding(self._text(attributes, "sdy.sharding")), _each_origins(said)
        for k, value in enumerate(results):
            if value not in self.number:
                alike = len(shardings) == len(results), len(origins) == len(results)
                self._value(value, shardings[k] if alike[0] else "", origins[k] if alike[1] else {})

    def _edge(self, edge: Any) -> None:
        from jax.extend.mlir import ir

        value = edge.operands[0]
        owner = value.owner
        if isinstance(owner, ir.Block):  # What a region takes.
            argument = ir.BlockArgument(value).arg_number
            operands = (self.number[owner.owner.operands[argument]],)
            results = (self.number[edge.results[0]],)
            self._add(edge, edge.name, edge.attributes, operands, results, path_of(owner.owner))
            return
        owner = getattr(owner, "operation", owner)
        at = ir.OpResult(value).result_number
        returned = self.ends.get(owner.results[0])
        if returned is None:
            returned = self.ends[owner.results[0]] = [_last(region.blocks[0]).operands for region in owner.regions]
        if owner.name == "stablehlo.while":
            sources = [owner.operands[at], returned[1][at]]
        elif owner.name == "stablehlo.optimization_barrier":
            sources = [owner.operands[at]]
        elif owner.name in ("stablehlo.case", "stablehlo.if"):
            sources = [values[at] for values in returned]
        else:  # A region's results are as it says.
            sources = []
        operands = tuple(self.number[v] for v in sources)
        self._add(edge, edge.name, edge.attributes, operands, (self.number[edge.results[0]],))

    def _add(
        self,
        operation: Any,
        name: str,
        attributes: Any,
        operands: tuple[int, ...],
        results: tuple[int, ...],
        path: str = "",
    ) -> None:
        label = attributes["sdy.sharding_origin_name"].value if "sdy.sharding_origin_name" in attributes else ""
        takes = ()
        if name == "sdy.manual_computation":
            takes = tuple(self.number[v] for v in operation.regions[0].blocks[0].arguments)
        rule = _rule(self._text(attributes, "sdy.sharding_rule"))
        self.operations.append(Operation(name, path or path_of(operation), operands, results, label, rule, takes))
        if "sdy.propagation_edges" in attributes:
            self._pass(str(attributes["sdy.propagation_edges"]), len(self.operations) - 1, operands, results)

    def _text(self, attributes: Any, name: str) -> str:
        if name not in attributes:
            return ""
        attribute = attributes[name]
        if (text := self.texts.get(attribute)) is None:
            text = self.texts[attribute] = str(attribute)
        return text

    def _pass(self, edges: str, operation: int, operands: Sequence[int], results: Sequence[int]) -> None:
        step = -1
        at = {"operand": operands, "result": results}
        for number, axis, part, kind, index, targets in _EDGE.findall(edges):
            if number:
                step = int(number)
                self.steps = max(self.steps, step + 1)
                continue
            name = f"{axis}:{part}" if part else axis
            for target in filter(None, targets.split(", ")):
                to, _, k = target.partition("-")
                value = self.values[at[to][int(k)]]
                known = value.passed.get(name)
                if known is None or step < known.step:
                    value.passed[name] = Passing(step, operation, at[kind][int(index)])


def _each(attributes: Any, name: str, count: int) -> list[dict[str, str]]:
    """The attributes of each argument or result of a function, as text."""
    if name not in attributes:
        return [{}] * count
    return [{each.name: str(each.attr) for each in one} for one in attributes[name]]


def _last(block: Any) -> Any:
    return block.operations[len(block.operations) - 1]


@functools.lru_cache(1024)
def _dims(text: str) -> tuple[tuple[str, ...], ...] | None:
    found = _SHARDING.search(text)
    return tuple(tuple(_axes(each)) for each in _EACH.findall(found[1])) if found else None


@functools.lru_cache(1024)
def _closed(text: str) -> tuple[bool, ...]:
    found = _SHARDING.search(text)
    return tuple("?" not in each for each in _EACH.findall(found[1])) if found else ()


@functools.lru_cache(1024)
def _each_sharding(text: str) -> tuple[str, ...]:
    return tuple(found[0] for found in _SHARDING.finditer(text))


def _axes(text: str) -> Iterator[str]:
    for axis, part in _AXIS.findall(text):
        yield f"{axis}:{part}" if part else axis


@functools.lru_cache(1024)
def _origins(text: str) -> Mapping[str, str]:
    return dict(_ORIGIN.findall(text))


@functools.lru_cache(1024)
def _each_origins(text: str) -> tuple[Mapping[str, str], ...]:
    return tuple(map(_origins, _EACH.findall(text)))


@functools.lru_cache(1024)
def _rule(text: str) -> Factored | None:
    # <([i, j], [j, k])->([i, k]) {i=8, j=4, k=2} reduction={j}>
    operands, arrow, rest = text.partition(")->(")
    results, brace, rest = rest.partition(") {")
    if not (arrow and brace):
        return None
    sides = [tuple(_letters(each) for each in _DIMENSIONS.findall(side)) for side in (operands, results)]
    summed = _SUMMED.search(rest)
    return Factored(sides[0], sides[1], summed[1].replace(", ", "") if summed else "")


def _letters(dimensions: str) -> tuple[str, ...]:
    return tuple(each for each in dimensions.split(", ") if each)
