"""What chains of ``Comparison.why`` end in, taken away in the lowered module before it is compiled."""

from __future__ import annotations

import contextlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any
from unittest import mock

import jax
from jax.extend.mlir import ir

from shardwidget._jax.propagation import inside, name_of
from shardwidget.document import Comparison, Reason
from shardwidget.read._comparison import concrete
from shardwidget.read._comparison.propagated import line_of_path

Splits = set[tuple[int, str]]
"""Dimensions and axes."""


@contextlib.contextmanager
def cut(c: Comparison, ends: Iterable[Reason]) -> Iterator[None]:
    """What is compared in the block is compiled without some ends of chains.

    Results, constraints and types lose the axis. Arguments, and what a ``shard_map`` takes or returns, are exchanged
    for zeros, so that they ask nothing of the values around them.

    Args:
        c: the comparison of the same function.
        ends: some of its reasons that nothing passed on.
    """
    lowered = concrete.lowered
    away = _Away(c, ends)

    def changed(*args: Any, **options: Any) -> jax.stages.Lowered:
        made = lowered(*args, **options, keep_unused=True)
        away.of(made.compiler_ir())
        return made

    with mock.patch.object(concrete, "lowered", changed):
        yield


class _Away:
    def __init__(self, c: Comparison, ends: Iterable[Reason]) -> None:
        self._arguments: set[int] = set()
        self._results: defaultdict[int, Splits] = defaultdict(set)
        self._lines: defaultdict[int, Splits] = defaultdict(set)
        self._takes: set[int] = set()
        self._returns: set[int] = set()
        for end in ends:
            if end.given == "shard_map":
                rows = end.through or (end.row,)
                (self._takes if end.through else self._returns).add(rows[-1] - 1)
            elif end.row == 0:
                self._arguments.add(end.value)
            elif end.row == len(c.rows) - 1:
                self._results[end.value].add((end.dim, end.axis))
            else:
                self._lines[end.row - 1].add((end.dim, end.axis))

    def of(self, module: Any) -> None:
        with module.context, ir.Location.unknown():
            for function in inside(module.operation):
                if function.name == "func.func" and function.attributes["sym_name"].value == "main":
                    self._main(function)
                self._visit(function)

    def _main(self, function: Any) -> None:
        block = function.regions[0].blocks[0]
        for k in self._arguments:
            argument = block.arguments[k]
            argument.replace_all_uses_with(_zeros(argument.type, ir.InsertionPoint.at_block_begin(block)))
        if "res_attrs" not in function.attributes:
            return
        each = []
        for k, one in enumerate(function.attributes["res_attrs"]):
            known = {entry.name: entry.attr for entry in one}
            if k in self._results and "sdy.sharding" in known:
                known["sdy.sharding"] = _without(known["sdy.sharding"], self._results[k])
            each.append(ir.DictAttr.get(known))
        function.attributes["res_attrs"] = ir.ArrayAttr.get(each)

    def _visit(self, operation: Any) -> None:
        for inner in list(inside(operation)):
            line = line_of_path(name_of(inner.location))
            if inner.name == "sdy.sharding_constraint" and line in self._lines:
                inner.attributes["sharding"] = _without(inner.attributes["sharding"], self._lines[line])
            elif inner.name == "sdy.manual_computation":
                for k, operand in enumerate(inner.operands if line in self._takes else ()):
                    inner.operands[k] = _zeros(operand.type, ir.InsertionPoint(inner))
                for result in inner.results if line in self._returns else ():
                    result.replace_all_uses_with(_zeros(result.type, ir.InsertionPoint(inner)))
            self._visit(inner)


def _without(sharding: Any, splits: Splits) -> Any:
    found = re.fullmatch(r"(.*?\[)((?:\{[^{}]*\}(?:p\d+)?(?:, )?)*)(\].*)", str(sharding))
    assert found is not None, sharding
    dims = re.findall(r"\{([^{}]*)\}", found[2])
    for dim, axis in splits:
        if dim >= len(dims):  # A line may constrain other values than its result: the counter of a loop.
            continue
        kept = [entry for entry in dims[dim].split(", ") if not entry.startswith(f'"{axis}"')]
        dims[dim] = ", ".join(kept)
    return ir.Attribute.parse(found[1] + ", ".join(f"{{{dim}}}" for dim in dims) + found[3])


def _zeros(kind: Any, at: Any) -> Any:
    element = str(ir.RankedTensorType(kind).element_type)
    zero = "(0.0, 0.0)" if "complex" in element else "0.0" if "f" in element else "false" if element == "i1" else "0"
    value = ir.Attribute.parse(f"dense<{zero}> : {kind}")
    return ir.Operation.create("stablehlo.constant", results=[kind], attributes={"value": value}, ip=at).results[0]
