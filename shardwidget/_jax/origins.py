"""How each value of a program came to be split: what Shardy's propagation itself records."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import jax

from shardwidget._jax.propagation import inside, name_of

_IMPORT = "builtin.module(sdy-import-pipeline)"
_PROPAGATE = (
    "builtin.module(sdy-user-priority-propagate"
    "{debug-sharding-origins=true debug-propagation-edge-sharding=true keep-sharding-rules=true})"
)
_PATH = "shardwidget.path"
MOST_OPERATIONS = 40_000
"""The most operations of a program that is recorded, its functions counted at each call."""


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


@dataclass
class Recorded:
    """A value."""

    shape: tuple[int, ...]
    dims: tuple[tuple[str, ...], ...] | None
    """The axes of each dimension, as Shardy writes them: ``data``, or ``data:(1)2`` for a part of an axis; None where
    it has no sharding."""
    origins: Mapping[str, str]
    """By axis, what gave it: ``self``, ``input: 0``, ``constraint_0``, ``mc_0_output: 0``, ``output: 0``."""
    passed: dict[str, Passing] = field(default_factory=dict)
    """By axis, how it got here; none where it was given here."""


@dataclass(frozen=True)
class Operation:
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
            if not _inlined(copy):
                return None
            _erase_unused(copy)
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


# Inlining.


def _inlined(module: Any) -> bool:
    """Puts the body of each function in place of its calls; False where that makes the module too large."""
    functions = {f.attributes["sym_name"].value: f for f in inside(module) if f.name == "func.func"}
    ready: set[str] = set()
    made = 0

    def prepare(name: str) -> None:
        if name not in ready:
            ready.add(name)
            expand_in(functions[name])

    def expand_in(operation: Any) -> None:
        nonlocal made
        for inner in list(inside(operation)):
            if made > MOST_OPERATIONS:
                return
            if inner.name == "func.call":
                callee = inner.attributes["callee"].value
                prepare(callee)
                made += _expand(inner, functions[callee])
                inner.erase()
            else:
                made += 1
                expand_in(inner)

    prepare("main")
    for name, function in functions.items():
        if name != "main":
            function.erase()
    return made <= MOST_OPERATIONS


def _expand(call: Any, function: Any) -> int:
    """Clones the body of a function before a call, and gives its results to those that use the call's."""
    from jax.extend.mlir import ir

    body = function.regions[0].blocks[0]
    now: dict[Any, Any] = dict(zip(body.arguments, call.operands, strict=True))
    before, count, path = ir.InsertionPoint(call), 0, _path(call)
    for operation in body.operations:
        original = operation.operation
        if original.name == "func.return":
            for result, value in zip(call.results, original.operands, strict=True):
                result.replace_all_uses_with(now.get(value, value))
            break
        clone = original.clone(ip=before)
        count += _moved(clone, now, path)
        now.update(zip(original.results, clone.results, strict=True))
    return count


def _moved(operation: Any, now: Mapping[Any, Any], path: str) -> int:
    from jax.extend.mlir import ir

    for k, value in enumerate(operation.operands):
        if value in now:
            operation.operands[k] = now[value]
    operation.attributes[_PATH] = ir.StringAttr.get(f"{path}/{_path(operation)}")
    return 1 + sum(_moved(inner, now, path) for inner in inside(operation))


def _erase_unused(operation: Any) -> None:
    """Erases operations that nothing uses.

    jaxlib 0.10: where there are some, Shardy may end the process while it writes its record.
    """
    for inner in reversed(list(inside(operation))):
        _erase_unused(inner)
        computes = inner.name.startswith("stablehlo.") and inner.name not in _ACTS
        if not computes or (len(inner.regions) and inner.name not in _COMBINES):
            continue
        if len(inner.results) and not any(True for result in inner.results for _ in result.uses):
            inner.erase()


_ACTS = frozenset(f"stablehlo.{name}" for name in ("custom_call", "infeed", "outfeed", "recv", "send"))
"""Operations without a body that do more than give a result."""

_COMBINES = frozenset(
    f"stablehlo.{name}" for name in ("reduce", "reduce_window", "scatter", "select_and_scatter", "sort")
)
"""Operations whose body combines two elements, and does no more."""


def _path(operation: Any) -> str:
    attributes = operation.attributes
    return attributes[_PATH].value if _PATH in attributes else name_of(operation.location)


# Reading.

_SHARDING = re.compile(r"<@[\w.\-]+, \[((?:\{[^{}]*\}(?:p\d+)?(?:, )?)*)\][^<>]*>")
_AXIS = re.compile(r'"([^"]+)"(?::(\(\d+\)\d+))?')
_EDGE = re.compile(r'step-(\d+) = |"([^"]+)"(?::(\(\d+\)\d+))? = (operand|result)-(\d+) -> \[([^\]]*)\]')
_ORIGIN = re.compile(r'"?([\w.\-]+?(?::\(\d+\)\d+)?)"? = "([^"]*)"')
_DIMENSIONS = re.compile(r"\[([^\[\]]*)\]")
_SUMMED = re.compile(r"reduction=\{([^}]*)\}")


class _Reader:
    def __init__(self, module: Any) -> None:
        self.values: list[Recorded] = []
        self.operations: list[Operation] = []
        self.number: dict[Any, int] = {}
        self.steps = 0
        self.function = next(f for f in inside(module) if f.name == "func.func")

    def record(self) -> Record:
        function = self.function
        block = function.regions[0].blocks[0]
        given = _each(function.attributes, "arg_attrs", len(block.arguments))
        arguments = tuple(
            self._value(v, _dims(a.get("sdy.sharding", "")), _origins(a.get("sdy.sharding_origins", "")))
            for v, a in zip(block.arguments, given, strict=True)
        )
        self._edges_first(function)
        self._read(function)
        results = []
        returned = list(block.operations)[-1].operands
        for value, a in zip(returned, _each(function.attributes, "res_attrs", len(returned)), strict=True):
            dims, origins = _dims(a.get("sdy.sharding", "")), _origins(a.get("sdy.sharding_origins", ""))
            self.values.append(Recorded(tuple(value.type.shape), dims, origins))
            results.append(len(self.values) - 1)
            self._pass(a.get("sdy.propagation_edges", ""), -1, [self.number[value]], results[-1:])
            for axis in (axis for axes in dims or () for axis in axes):
                if origins.get(axis) != "self":  # A result that is as the value that is returned has no edge.
                    self.values[-1].passed.setdefault(axis, Passing(-1, -1, self.number[value]))
        return Record(tuple(self.values), tuple(self.operations), arguments, tuple(results), self.steps)

    def _value(self, value: Any, dims: Any, origins: Mapping[str, str]) -> int:
        self.values.append(Recorded(tuple(getattr(value.type, "shape", ())), dims, origins))
        self.number[value] = len(self.values) - 1
        return self.number[value]

    def _edges_first(self, operation: Any) -> None:
        """Numbers what loops, branches and regions return and take: each is one value with the edge that it is on."""
        for inner in inside(operation):
            if inner.name == "sdy.data_flow_edge":
                dims = _dims(_text(inner, "sharding"))
                here = self._value(inner.results[0], dims, _origins(_text(inner, "sdy.sharding_origins")))
                self.number[inner.operands[0]] = here
        for inner in inside(operation):
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
                        self._value(value, None, {})
        edges = []
        for inner in inside(operation):
            if inner.name == "sdy.data_flow_edge":
                edges.append(inner)  # It follows what it is of, whose operands are numbered by then.
                continue
            if inner.name in ("func.return", "stablehlo.return", "sdy.return"):
                continue
            self._results(inner)
            self._read(inner)
            self._operation(inner)
        for edge in edges:
            self._edge(edge)

    def _results(self, operation: Any) -> None:
        if operation.name == "sdy.sharding_constraint":
            origins = _origins(_text(operation, "sdy.sharding_origins"))
            self._value(operation.results[0], _dims(_text(operation, "sharding")), origins)
            return
        count = len(operation.results)
        shardings = _SHARDING.findall(_text(operation, "sdy.sharding"))
        origins = re.findall(r"\{([^{}]*)\}", _text(operation, "sdy.sharding_origins"))
        for k, value in enumerate(operation.results):
            if value not in self.number:
                dims = _split(shardings[k]) if len(shardings) == count else None
                self._value(value, dims, _origins(origins[k]) if len(origins) == count else {})

    def _operation(self, operation: Any) -> None:
        operands = tuple(self.number[v] for v in operation.operands)
        results = tuple(self.number[v] for v in operation.results)
        self._add(operation, operands, results, _text(operation, "sdy.propagation_edges"))

    def _edge(self, edge: Any) -> None:
        from jax.extend.mlir import ir

        owner = edge.operands[0].owner
        if isinstance(owner, ir.Block):  # What a region takes.
            argument = next(k for k, value in enumerate(owner.arguments) if value == edge.operands[0])
            operands = (self.number[owner.owner.operands[argument]],)
            path, edges = _path(owner.owner), _text(edge, "sdy.propagation_edges")
            self._add(edge, operands, (self.number[edge.results[0]],), edges, path)
            return
        owner = getattr(owner, "operation", owner)
        at = next(k for k, value in enumerate(owner.results) if value == edge.operands[0])
        returned = [list(region.blocks[0].operations)[-1].operands for region in owner.regions]
        if owner.name == "stablehlo.while":
            sources = [owner.operands[at], returned[1][at]]
        elif owner.name == "stablehlo.optimization_barrier":
            sources = [owner.operands[at]]
        elif owner.name in ("stablehlo.case", "stablehlo.if"):
            sources = [values[at] for values in returned]
        else:  # A region's results are as it says.
            sources = []
        operands = tuple(self.number[v] for v in sources)
        self._add(edge, operands, (self.number[edge.results[0]],), _text(edge, "sdy.propagation_edges"))

    def _add(
        self, operation: Any, operands: tuple[int, ...], results: tuple[int, ...], edges: str, path: str = ""
    ) -> None:
        attributes = operation.attributes
        label = attributes["sdy.sharding_origin_name"].value if "sdy.sharding_origin_name" in attributes else ""
        takes = ()
        if operation.name == "sdy.manual_computation":
            takes = tuple(self.number[v] for v in operation.regions[0].blocks[0].arguments)
        rule = _rule(_text(operation, "sdy.sharding_rule"))
        self.operations.append(
            Operation(operation.name, path or _path(operation), operands, results, label, rule, takes)
        )
        self._pass(edges, len(self.operations) - 1, operands, results)

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


def _text(operation: Any, name: str) -> str:
    return str(operation.attributes[name]) if name in operation.attributes else ""


def _dims(text: str) -> tuple[tuple[str, ...], ...] | None:
    found = _SHARDING.search(text)
    return _split(found[1]) if found else None


def _split(dimensions: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(_axes(each)) for each in re.findall(r"\{([^{}]*)\}", dimensions))


def _axes(text: str) -> Iterator[str]:
    for axis, part in _AXIS.findall(text):
        yield f"{axis}:{part}" if part else axis


def _origins(text: str) -> dict[str, str]:
    return dict(_ORIGIN.findall(text))


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
