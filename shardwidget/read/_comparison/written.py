"""Fixes of a stop as changes to the user's source."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import jax
from jax.extend.core import Literal

from shardwidget import _jax
from shardwidget.read._comparison.tree import Line, Tree
from shardwidget.read._entries import Entries, entries_text
from shardwidget.read._jaxpr.rewrite import Edit, SourceText, last_name, source_text, span_of_node, spelled
from shardwidget.read._jaxpr.syntax import as_unparsed, names_at, span_of
from shardwidget.read._jaxpr.taken import mapped
from shardwidget.read._jaxpr.value import Value

PRODUCTS = frozenset({"matmul", "dot", "einsum", "tensordot", "dot_general", "conv_general_dilated"})
"""Functions that take ``out_sharding``."""


class WrittenSource:
    """The source of a program's lines.

    Args:
        tree: the program.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._givers = {id(v): line for line in tree.lines for v in line.outputs}
        self._numbers = {id(line): k for k, line in enumerate(tree.lines)}

    def product(self, line: Line, dims: Sequence[Sequence[str]]) -> Iterator[Edit]:
        """The product or convolution of a line with ``out_sharding``."""
        if (found := self._expression(line)) is None or (ordered := self._as_returned(line, dims)) is None:
            return
        source, node = found
        for spec in _specs(ordered):
            option = f"out_sharding={spec}"
            code = ""
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
                code = f"jnp.matmul({source.segment(node.left)}, {source.segment(node.right)}, {option})"
            elif isinstance(node, ast.Call) and last_name(node.func) in PRODUCTS:
                given = [source.segment(part) for part in (*node.args, *node.keywords)]
                if any(k.arg == "out_sharding" for k in node.keywords):
                    return
                yield from _found(source.edit([(node, spelled(_call(source, node.func, [*given, option]), source))]))
                if isinstance(node.func, ast.Attribute):  # x.dot(w) takes no option.
                    given.insert(0, source.segment(node.func.value))
                code = f"jnp.{last_name(node.func)}({', '.join([*given, option])})"
            if code:
                yield from _found(source.edit([(node, spelled(code, source))]))

    def resharded(self, line: Line, layouts: Iterable[tuple[int, Entries]]) -> Iterator[Edit]:
        """The line with some operands resharded in place; those that its expression makes follow."""
        if (found := self._expression(line)) is None:
            return
        source, node = found
        wanted: list[tuple[ast.expr, Entries]] = []
        for k, dims in layouts:
            value, dims = self._before_promotion(line.inputs[k], dims, line)
            nodes = [] if isinstance(value, Literal) else list(self._standing_for(value, node, source))
            # A constant follows what it is used with.
            if not nodes and not isinstance(value, Literal) and not self._is_made_within(value, line):
                return
            wanted += [(n, dims) for n in nodes]
        for fewer in (0, 1) if wanted else ():
            changes = [
                (n, spelled(f"jax.reshard({source.segment(n)}, {entries_text(dims[fewer:])})", source))
                for n, dims in wanted
            ]
            yield from _found(source.edit(changes))

    def left(self, line: Line, names: Sequence[str], dims: Entries, compiled: Mapping[int, Entries]) -> Iterator[Edit]:
        """The expression of a line left to the compiler, as a function of some names."""
        if (found := self._expression(line)) is None:
            return
        source, node = found
        number, listed = self._numbers[id(line)], ", ".join(names)
        last = self.last(number)
        final = dims if last == number else compiled.get(last, dims)
        if isinstance(node, ast.Subscript):
            array, index = source.segment(node.value), source.segment(node.slice)
            for spec in _specs(final):
                yield from _found(
                    source.edit([(node, spelled(f"{array}.at[{index}].get(out_sharding={spec})", source))])
                )
        objects = _objects(node)
        arrays = ", ".join(name for name in names if name not in objects)
        # An object that is no pytree, such as a model of a plain class, is closed over.
        for taken in dict.fromkeys(filter(None, (listed, arrays))):
            for spec in _specs(final):
                code = f"jax.sharding.auto_axes(lambda {taken}: {source.segment(node)}, out_sharding={spec})({taken})"
                yield from _found(source.edit([(node, spelled(code, source))]))

    def row_by_row(self, line: Line) -> Edit | None:
        """``x[jnp.arange(n), i]`` with ``vmap``; None where the line is another."""
        if (found := self._expression(line)) is None:
            return None
        source, node = found
        code = mapped(source, node)
        return source.edit([(node, spelled(code, source))]) if code else None

    def constant(self, line: Line) -> list[bool]:
        """Whether each operand of a line is the same in every turn of the loops around it."""
        return [isinstance(v, Literal) or self._loops(self._scope(v)) != self._loops(line.scope) for v in line.inputs]

    def _scope(self, value: Value) -> int:
        giver = self._givers.get(id(value))
        return giver.scope if giver is not None else self._tree.changing.get(id(value), -1)

    def _loops(self, scope: int) -> tuple[int, ...]:
        found: tuple[int, ...] = ()
        while scope >= 0:
            found += (scope,) if self._tree.scopes[scope].kind == "loop" else ()
            scope = self._tree.scopes[scope].parent
        return found

    def is_whole(self, line: Line) -> bool:
        """Whether a line gives the value of its expression, and nothing else in it does."""
        if not line.frames or _jax.control_of(line.eqn):
            return False
        here = span_of(line.frames[0])
        alike = [one for one in self._tree.lines if one.frames and span_of(one.frames[0]) == here]
        return alike[-1] is line and all(one.scope == line.scope for one in alike)

    def counts(self, value: Value | Literal) -> bool:
        """Whether a value is 0, 1, 2 …, which each device makes as it is asked for."""
        giver = self._givers.get(id(value))
        return giver is not None and _jax.name_of(giver.eqn) == "iota"

    def counted(self, value: Value | Literal, sharding: jax.sharding.NamedSharding) -> Any:
        """Such a value with a sharding."""
        params = self._givers[id(value)].eqn.params
        return jax.lax.broadcasted_iota(params["dtype"], params["shape"], params["dimension"], out_sharding=sharding)

    def last(self, number: int) -> int:
        """The line that gives the value of the expression that a line is from, both by their index."""
        line = self._tree.lines[number]
        for k, after in enumerate(self._tree.lines[number + 1 :], number + 1):
            here = bool(after.frames and line.frames) and span_of(after.frames[0]) == span_of(line.frames[0])
            if not here or after.scope != line.scope:
                return k - 1
        return len(self._tree.lines) - 1

    def _is_made_within(self, value: Value | Literal, line: Line) -> bool:
        """Whether the expression of a line makes a value itself."""
        giver = self._givers.get(id(value))
        return bool(giver and giver.frames and span_of(giver.frames[0]) == span_of(line.frames[0]))

    def _before_promotion(self, value: Value | Literal, dims: Entries, line: Line) -> tuple[Value | Literal, Entries]:
        """An operand, and the axes of its dimensions, before the expression gave it the dtype and rank of another."""
        while self._is_made_within(value, line):
            eqn = self._givers[id(value)].eqn
            if _jax.name_of(eqn) == "broadcast_in_dim":
                dims = tuple(dims[d] for d in eqn.params["broadcast_dimensions"])
            elif _jax.name_of(eqn) != "convert_element_type":
                break
            value = self._givers[id(value)].inputs[0]
        return value, dims

    def turns(self, line: Line) -> int | None:
        """How often the loops around a line run it; None where that is not known."""
        found, scope = 1, line.scope
        while scope >= 0:
            times = self._tree.scopes[scope].times
            if times is None:
                return None
            found, scope = found * times, self._tree.scopes[scope].parent
        return found

    def _expression(self, line: Line) -> tuple[SourceText, ast.expr] | None:
        """What the user wrote for a line; None where that is a library's, or differentiation made the line."""
        if not line.frames or line.derived or _jax.is_library_file(line.frames[0].file_name):
            return None
        source = source_text(line.frames[0].file_name)
        node = source.expression(span_of(line.frames[0]))
        return None if node is None else (source, node)

    def _as_returned(self, line: Line, dims: Sequence[Sequence[str]]) -> list[tuple[str, ...]] | None:
        """The axes of a product's dimensions as the expression returns them; None where it does more than that."""
        number, here = self._numbers[id(line)], line.frames[0]
        ordered = [tuple(d) for d in dims]
        value = line.outputs[0]
        for after in self._tree.lines[number + 1 :]:
            if not after.frames or span_of(after.frames[0]) != span_of(here) or after.scope != line.scope:
                break
            if value not in after.inputs:
                return None
            if _jax.name_of(after.eqn) == "transpose":
                ordered = [ordered[d] for d in after.eqn.params["permutation"]]
            elif _jax.name_of(after.eqn) != "convert_element_type":
                return None
            value = after.outputs[0]
        return ordered

    def _standing_for(self, value: Value, node: ast.expr, source: SourceText) -> Iterator[ast.expr]:
        """The operands of an expression that stand for a value."""
        giver = self._givers.get(id(value))
        frames = giver.frames if giver is not None else []
        span = span_of(frames[0]) if frames else None
        # What the user's function returned has the name that its caller gave it.
        names = {as_unparsed(value.name), *(found[0] for frame in frames[1:] if len(found := names_at(frame)) == 1)}
        for operand in _operands(node):
            if ast.unparse(operand) in names or span_of_node(operand) == span:
                yield operand


def _specs(dims: Sequence[Sequence[str]]) -> list[str]:
    """The spec of a result, and that without the dimension that ``vmap`` adds."""
    return [entries_text([tuple(d) for d in dims[fewer:]]) for fewer in (0, 1)]


def _call(source: SourceText, function: ast.expr, arguments: Sequence[str]) -> str:
    return f"{source.segment(function)}({', '.join(arguments)})"


def _found(edit: Edit | None) -> list[Edit]:
    return [] if edit is None else [edit]


def _operands(node: ast.expr) -> Iterator[ast.expr]:
    """What an expression is applied to, through tuples and lists that are written out."""
    if isinstance(node, ast.BinOp):
        yield from (node.left, node.right)
    elif isinstance(node, ast.Call):
        parts = [*node.args, *(k.value for k in node.keywords)]
        if isinstance(node.func, ast.Attribute):
            parts.append(node.func.value)
        while parts:
            part = parts.pop(0)
            if isinstance(part, ast.Tuple | ast.List):
                parts = [*part.elts, *parts]
            else:
                yield part


def _objects(node: ast.expr) -> set[str]:
    """Names in an expression of which it takes attributes alone: ``self`` of ``x @ self.w``."""
    based = {id(n.value) for n in ast.walk(node) if isinstance(n, ast.Attribute)}
    named = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
    return {n.id for n in named} - {n.id for n in named if id(n) not in based}
