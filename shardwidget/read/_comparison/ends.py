"""The first and the last row: where the arguments of a program are placed, and its results."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from jax.extend.core import Literal
from jax.sharding import AbstractMesh, NamedSharding

from shardwidget import _jax
from shardwidget._jax import AnyMesh
from shardwidget.document import Compared, Row
from shardwidget.read._comparison.concrete import ARGUMENTS, OUTPUTS, Concrete
from shardwidget.read._comparison.explicit import Explicit
from shardwidget.read._comparison.lowered import ValuePlacement
from shardwidget.read._comparison.question import ComparedCall
from shardwidget.read._comparison.rows import compared, decision_of
from shardwidget.read._comparison.tree import Line, Tree
from shardwidget.read._entries import Entries, entries
from shardwidget.read._jaxpr.value import Value


def arguments_row(tree: Tree, call: ComparedCall, mesh: AbstractMesh | None, concrete: Concrete | None) -> Row:
    """The row of the arguments.

    Args:
        tree: the program.
        call: its arguments.
        mesh: with all axes Explicit; None where types are not asked for.
        concrete: the compiled program, if there is one.
    """
    values = []
    for k, (value, type_) in enumerate(zip(tree.arguments, _types(tree, call, mesh), strict=True)):
        put = concrete.arguments[k] if concrete else None
        unseen = "The program does not use it." if concrete and put is None else ""
        values.append(compared(value, type_, put, local=False, unseen=unseen, unsaid=""))
    caused = concrete.caused.get(ARGUMENTS, ()) if concrete else ()
    return Row("arguments", tuple(values), inputs=call.parameters, collectives=tuple(k for k, _ in caused))


def outputs_row(
    tree: Tree, call: ComparedCall, mesh: AbstractMesh | None, explicit: Explicit, concrete: Concrete | None
) -> Row:
    """The row of the results, where the program really returns them.

    Args:
        tree: the program.
        call: its arguments.
        mesh: with all axes Explicit; None where types are not asked for.
        explicit: its types.
        concrete: the compiled program, if there is one.
    """
    names, arguments = call.gradient_names, _types(tree, call, mesh)
    types: dict[int, Any] = {id(v): t for v, t in zip(tree.arguments, arguments, strict=True)}
    for k, found in explicit.types.items():
        types |= {id(v): t for v, t in zip(tree.lines[k].outputs, found, strict=False)}
    why = _Why(tree, concrete, mesh) if concrete and mesh else None
    values: list[Compared] = []
    for k, result in enumerate(tree.results):
        literal = isinstance(result, Literal)
        named = names[k] if len(names) == len(tree.results) else str(result.val) if literal else result.name
        put = concrete.outputs[k] if concrete else None
        value = Value(-1, result.aval, named)
        row = compared(value, types.get(id(result)), put, local=False, unseen="", unsaid="")
        values.append(_because(row, why.of(result, put) if why and put and not literal else ""))
    inputs = tuple(dict.fromkeys(v.name for v in tree.results if isinstance(v, Value)))
    caused = concrete.caused.get(OUTPUTS, ()) if concrete else ()
    return Row("outputs", tuple(values), inputs=inputs, collectives=tuple(k for k, _ in caused))


def _types(tree: Tree, call: ComparedCall, mesh: AbstractMesh | None) -> list[Any]:
    """Types of the arguments on an Explicit mesh."""
    if mesh is None:
        return [None] * len(tree.arguments)
    return [
        _jax.with_sharding(v.aval, NamedSharding(mesh, shape.sharding.spec)) if hasattr(v.aval, "shape") else v.aval
        for v, shape in zip(tree.arguments, call.on(mesh), strict=True)
    ]


def _because(value: Compared, reason: str) -> Compared:
    return replace(value, note=" ".join(filter(None, (value.note, reason))))


class _Why:
    """Why results of a program are whole on every device.

    Args:
        tree: the program.
        concrete: the same, compiled.
        mesh: that of the program.
    """

    def __init__(self, tree: Tree, concrete: Concrete, mesh: AnyMesh) -> None:
        self._mesh = mesh
        self._tree = tree
        self._concrete = concrete
        self._givers = {id(v): (k, i) for k, line in enumerate(tree.lines) for i, v in enumerate(line.outputs)}
        self._arguments: Mapping[int, ValuePlacement | None] = {
            id(v): put for v, put in zip(tree.arguments, concrete.arguments, strict=True)
        }

    def of(self, result: Value, put: ValuePlacement) -> str:
        """The reason for a result; empty where it is split, or where there is nothing to split."""
        if put.dims is None or any(put.dims) or not result.aval.shape or self._mesh.size == 1:
            return ""
        return self._uneven(result) or self._since(result)

    def _uneven(self, value: Value) -> str:
        """Where it is split in the program, and a dimension cannot be cut into equal parts."""
        line = self._line(value)
        wanted = [self._dims(value)]
        if line is not None and _jax.name_of(line.eqn) == "sharding_constraint":
            wanted.insert(0, entries(line.eqn.params["sharding"].spec, len(value.aval.shape)))
        for d, axes in enumerate(next((dims for dims in wanted if dims and any(dims)), ())):
            parts, size = math.prod(self._mesh.shape[a] for a in axes), value.aval.shape[d]
            if size % parts:
                return (
                    f"Dim {d} has {size} elements, which {parts} devices along {' and '.join(axes)} cannot share "
                    f"evenly: jit returns {value.name if value.is_named else 'it'} replicated, although it is split"
                    f"{_at(line)}."
                )
        return ""

    def _since(self, value: Value) -> str:
        """The first line from the end on whose operands are split and whose result is not."""
        seen: set[int] = set()
        while id(value) not in seen:
            seen.add(id(value))
            line = self._line(value)
            if line is None:
                return f"Replicated because {value.name} is." if id(value) in self._arguments else ""
            operands = [v for v in line.inputs if isinstance(v, Value)]
            if any(any(self._dims(v) or ()) for v in operands):
                return f"Replicated since {_at(line)[4:] or _jax.name_of(line.eqn)}, because {self._cause(line)}."
            wide = [v for v in operands if getattr(v.aval, "shape", ())]
            if not wide:
                return f"Replicated because it is made so{_at(line)}."
            value = max(wide, key=lambda v: v.aval.size)
        return ""

    def _cause(self, line: Line) -> str:
        if decision := decision_of(line):
            return f"{decision} asks for it"
        number = next(k for k, other in enumerate(self._tree.lines) if other is line)
        caused = [c for _, c in self._concrete.caused.get(number, ())]
        words = dict.fromkeys(f"{c.kind} over {' and '.join(c.axes)}" if c.axes else c.kind for c in caused)
        if words:
            return f"its {' and its '.join(words)} gives every device the whole array"
        return f"the compiler keeps the result of {_jax.name_of(line.eqn)} whole"

    def _line(self, value: Value) -> Line | None:
        found = self._givers.get(id(value))
        return None if found is None else self._tree.lines[found[0]]

    def _dims(self, value: Value) -> Entries | None:
        if id(value) in self._arguments:
            put = self._arguments[id(value)]
        else:
            line, k = self._givers.get(id(value), (-1, 0))
            put = self._concrete.places.get(line, {}).get(k)
        return put.dims if put else None


def _at(line: Line | None) -> str:
    """`` at line 3``; empty where the line is not known."""
    return f" at line {line.frames[0].start_line}" if line is not None and line.frames else ""
