"""What Shardy makes of a lowered program: its operations as plain data, with sizes on a device and collectives.

JAX 0.9 – 0.12: names of passes and operations, and the text of attributes, are not promised.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax

from shardwidget._jax.propagation import state_rules

ENTERS_FUNCTIONS = jax.__version_info__ >= (0, 10)
"""Whether Shardy follows values into called functions. That of JAX 0.9 does not: there, figures would be wrong."""

_PASSES = (
    "builtin.module(sdy-propagation-pipeline,"
    "func.func(sdy-insert-explicit-reshards{enable-full-version=true},sdy-reshard-to-collectives))"
)
_MESH = re.compile(r'"([^"]+)"=(\d+)')
_ONE = re.compile(r"<@[\w.\-]+, \[((?:\{[^{}]*\},? ?)*)\][^<>]*>")
_AXIS = re.compile(r'"([^"]+)"(?::\((\d+)\)(\d+))?')
_NUMBERS = re.compile(r"-?\d+")

Axes = tuple[tuple[str, int], ...]
"""Mesh axes with their sizes. A part of an axis has its own size."""


class PartitionError(Exception):
    """Shardy cannot be run on a program, or gives something else than the versions that are known."""


@dataclass(eq=False, slots=True)
class Value:
    """A result or an argument."""

    shape: tuple[int, ...]
    local: tuple[int, ...]
    """The shape on a device."""
    width: float
    """Bytes of an element."""
    uses: int = 0

    @property
    def bytes(self) -> int:
        """Bytes on a device."""
        return math.ceil(math.prod(self.local) * self.width)


@dataclass(eq=False, slots=True)
class Op:
    """An operation. Functions that are called are in it, walked anew for each call."""

    name: str
    operands: tuple[Value, ...]
    results: tuple[Value, ...]
    axes: Axes = ()
    """Of a collective: what it goes over."""
    key: str = ""
    """Of a collective: equal for two that do the same to one value."""
    summed: int = 1
    """Of a product: how many products each element of the result sums on a device."""
    bodies: tuple[Block, ...] = ()
    times: int = 1
    """Of a loop: iterations, 1 where that is not known."""
    line: str = ""
    """Where it was traced: file:line."""


@dataclass(eq=False, slots=True)
class Block:
    """Operations in order."""

    arguments: tuple[Value, ...]
    ops: list[Op]
    results: tuple[Value, ...]


def partitioned(lowered: jax.stages.Lowered) -> Block:
    """A program as Shardy divides it, with the collectives that it inserts.

    Raises:
        PartitionError: it cannot be done; the message says why.
    """
    from jax.extend.mlir import ir, passmanager

    module: Any = lowered.compiler_ir()
    try:
        copy = module.operation.clone()
        with module.context:
            state_rules(copy)
            passmanager.PassManager.parse(_PASSES).run(copy)
        return _Reader(copy).main()
    except (ir.MLIRError, ValueError, AttributeError, KeyError, IndexError) as error:
        raise PartitionError(str(error).partition("\n")[0]) from error


class _Reader:
    def __init__(self, module: Any) -> None:
        self._functions: dict[str, Any] = {}
        self._sizes: dict[str, int] = {}
        meshes = 0
        for op in _operations(module.regions[0].blocks[0]):
            if op.name == "func.func":
                self._functions[op.attributes["sym_name"].value] = op
            elif op.name == "sdy.mesh":
                meshes += 1
                self._sizes = {n: int(s) for n, s in _MESH.findall(str(op.attributes["mesh"]))}
        if meshes != 1:
            raise ValueError(f"the program names {meshes} meshes")

    def main(self) -> Block:
        function = self._functions["main"]
        return self._called(function, None)

    def _called(self, function: Any, operands: Sequence[Value] | None) -> Block:
        block = function.regions[0].blocks[0]
        if operands is None:
            has_any = "arg_attrs" in function.attributes
            given = list(function.attributes["arg_attrs"]) if has_any else []
            texts = [str(a["sdy.sharding"]) if "sdy.sharding" in a else "" for a in given]
            texts += [""] * (len(block.arguments) - len(texts))
            operands = [self._value(a.type, s) for a, s in zip(block.arguments, map(_first, texts), strict=True)]
        return self._block(block, operands, {})

    def _block(self, block: Any, arguments: Sequence[Value], outer: Mapping[Any, Value]) -> Block:
        values = dict(outer) | dict(zip(block.arguments, arguments, strict=True))
        ops: list[Op] = []
        results: tuple[Value, ...] = ()
        for op in _operations(block):
            operands = tuple(values[o] for o in op.operands)
            for operand in operands:
                operand.uses += 1
            if op.name in ("func.return", "stablehlo.return", "sdy.return"):
                results = operands
                continue
            made = self._op(op, operands, values)
            values.update(zip(op.results, made.results, strict=True))
            ops.append(made)
        return Block(tuple(arguments), ops, results)

    def _op(self, op: Any, operands: tuple[Value, ...], values: Mapping[Any, Value]) -> Op:
        attributes = op.attributes
        key = "sdy.sharding" if "sdy.sharding" in attributes else "out_sharding"
        texts = _ONE.findall(str(attributes[key])) if key in attributes else []
        texts += [""] * (len(op.results) - len(texts))
        results = tuple(self._value(r.type, s) for r, s in zip(op.results, texts, strict=True))
        made = Op(op.name, operands, results)
        if op.name == "func.call":
            made.bodies = (self._called(self._functions[attributes["callee"].value], operands),)
        elif op.name == "stablehlo.while":
            test, body = (r.blocks[0] for r in op.regions)
            made.times = _trips(test)
            # A carry has the sharding of the loop's result.
            carries = [Value(r.shape, r.local, r.width) for r in results]
            made.bodies = (self._block(body, carries, values),)
        elif op.name in ("stablehlo.case", "stablehlo.if"):
            made.bodies = tuple(self._block(r.blocks[0], (), values) for r in op.regions)
        elif op.name in ("stablehlo.dot_general", "stablehlo.convolution"):
            made.summed = _summed(op, operands, results)
        elif op.name.startswith("sdy."):
            made.axes, made.key = self._moved(op)
        return made

    def _moved(self, op: Any) -> tuple[Axes, str]:
        known = ("gathering_axes", "reduction_axes", "slicing_axes", "reduce_scatter_axes", "params", "out_sharding")
        written = {name: str(op.attributes[name]) for name in known if name in op.attributes}
        named = " ".join(text for name, text in written.items() if name != "out_sharding")
        if op.name == "sdy.collective_permute":
            # It says only what comes out: it goes over the axes that stand elsewhere than before.
            named = written["out_sharding"]
        axes = dict.fromkeys((n, int(size or self._sizes[n])) for n, _, size in _AXIS.findall(named))
        return tuple(axes), f"{op.name} {written}"

    def _value(self, type_: Any, text: str) -> Value:
        if not hasattr(type_, "shape"):
            return Value((), (), 0)
        shape = tuple(type_.shape)
        return Value(shape, self._local(shape, text), _width(str(type_.element_type)))

    def _local(self, shape: tuple[int, ...], text: str) -> tuple[int, ...]:
        if not text:
            return shape
        parts = re.findall(r"\{([^{}]*)\}", text)
        divided = []
        for size, part in zip(shape, parts, strict=True):
            by = math.prod(int(s or self._sizes[n]) for n, _, s in _AXIS.findall(part))
            divided.append(-(-size // by))
        return tuple(divided)


def _operations(block: Any) -> list[Any]:
    return [op.operation for op in block.operations]


def _first(text: str) -> str:
    found = _ONE.search(text)
    return found[1] if found else ""


def _trips(test: Any) -> int:
    """Iterations of a loop that counts from 0 to the constant in its test; 1 for any other."""
    for op in _operations(test):
        if op.name in ("stablehlo.constant", "sdy.constant"):
            found = re.match(r"dense<(\d+)> : tensor<u?i\d+>", str(op.attributes["value"]))
            if found:
                return int(found[1])
    return 1


def _summed(op: Any, operands: Sequence[Value], results: Sequence[Value]) -> int:
    if op.name == "stablehlo.convolution":
        numbers = re.search(r"x\[([^\]]*)\]->", str(op.attributes["dimension_numbers"]))
        out = numbers[1].replace(" ", "").split(",").index("o") if numbers else -1
        kernel = operands[1].local
        return math.prod(kernel) // max(1, kernel[out])
    # #stablehlo.dot<lhs_batching_dimensions = [0], …, lhs_contracting_dimensions = [2], …>
    found = re.search(r"lhs_contracting_dimensions = \[([^\]]*)\]", str(op.attributes["dot_dimension_numbers"]))
    over = [int(d) for d in _NUMBERS.findall(found[1])] if found else []
    return math.prod(operands[0].local[d] for d in over)


@functools.cache
def _width(element: str) -> float:
    if element.startswith("complex"):
        return 2 * _width(element[8:-1])
    bits = re.search(r"\d+", element.replace("f8", "8,", 1) if element.startswith("f8") else element)
    return max(1, int(bits[0])) / 8 if bits and int(bits[0]) > 1 else 1
