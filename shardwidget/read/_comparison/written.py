"""Fixes of a stop as changes to the user's source."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from jax.extend.core import Literal

from shardwidget import _jax
from shardwidget.read._comparison.tree import Line, Tree
from shardwidget.read._entries import Entries, entries_text
from shardwidget.read._jaxpr.rewrite import Edit, SourceText, last_name, source_text, span_of_node, spelled
from shardwidget.read._jaxpr.syntax import span_of
from shardwidget.read._jaxpr.value import Value

PRODUCTS = frozenset({"matmul", "dot", "einsum", "tensordot", "dot_general"})
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

    def product(self, line: Line, dims: Sequence[Sequence[str]]) -> Edit | None:
        """The product of a line with ``out_sharding``."""
        if (found := self._expression(line)) is None:
            return None
        source, node = found
        ordered = self._as_returned(line, dims)
        if ordered is None:
            return None
        option = f"out_sharding={spelled(entries_text(ordered), source)}"
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            left, right = source.segment(node.left), source.segment(node.right)
            return source.edit([(node, spelled(f"jnp.matmul({left}, {right}, {option})", source))])
        if isinstance(node, ast.Call) and last_name(node.func) in PRODUCTS and not isinstance(node.func, ast.Name):
            if node.keywords and any(k.arg == "out_sharding" for k in node.keywords):
                return None
            last = node.keywords[-1].value if node.keywords else node.args[-1]
            return source.edit([(last, f"{source.segment(last)}, {option}")])
        return None

    def resharded(self, line: Line, layouts: Iterable[tuple[int, Entries]]) -> Edit | None:
        """The line with some operands resharded in place."""
        if (found := self._expression(line)) is None:
            return None
        source, node = found
        changes = []
        for k, dims in layouts:
            value = line.inputs[k]
            nodes = [] if isinstance(value, Literal) else list(self._standing_for(value, node, source))
            if not nodes:
                return None
            code = spelled(f"jax.reshard({{}}, {entries_text(dims)})", source)
            changes += [(n, code.replace("{}", source.segment(n))) for n in nodes]
        return source.edit(changes) if changes else None

    def left(self, line: Line, names: Sequence[str], dims: Entries) -> Edit | None:
        """The expression of a line left to the compiler, as a function of some names."""
        if (found := self._expression(line)) is None:
            return None
        source, node = found
        listed = ", ".join(names)
        code = (
            f"jax.sharding.auto_axes(lambda {listed}: {source.segment(node)}, "
            f"out_sharding={entries_text(dims)})({listed})"
        )
        return source.edit([(node, spelled(code, source))])

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
            if after.eqn.primitive.name == "transpose":
                ordered = [ordered[d] for d in after.eqn.params["permutation"]]
            elif after.eqn.primitive.name != "convert_element_type":
                return None
            value = after.outputs[0]
        return ordered

    def _standing_for(self, value: Value, node: ast.expr, source: SourceText) -> Iterator[ast.expr]:
        """The operands of an expression that stand for a value."""
        giver = self._givers.get(id(value))
        span = span_of(giver.frames[0]) if giver is not None and giver.frames else None
        for operand in _operands(node):
            if ast.unparse(operand) == _plain(value.name) or span_of_node(operand) == span:
                yield operand


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


def _plain(name: str) -> str:
    """A name of a value as Python prints it: ``p['w']``."""
    try:
        return ast.unparse(ast.parse(name, mode="eval"))
    except SyntaxError:
        return ""
