"""The user's expression that an equation comes from, as a function of the arrays in it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from typing import Any

from shardwidget.read._trace.sources import parsed, span_of, text_of


def function_of(frame: Any, known: Set[str]) -> tuple[str, tuple[str, ...]] | None:
    """The expression that a frame stands on, and the names in it that stand for arrays.

    Args:
        frame: of the user's.
        known: names that stand for arrays, or for pytrees of them; parameters of the function around count too.

    Returns:
        None where the expression is not found, or has no such name.
    """
    text = text_of(frame.file_name)
    span = span_of(frame)
    if not (tree := parsed(text)):
        return None
    around = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.Lambda) and _within(span, n)]
    found = next((n for n in ast.walk(tree) if isinstance(n, ast.expr) and _span(n) == span), None)
    if found is None:
        return None
    legal = known | {a.arg for f in around[-1:] for a in (*f.args.posonlyargs, *f.args.args, *f.args.kwonlyargs)}
    called = {root for n in ast.walk(found) if isinstance(n, ast.Call) for root in _modules(n.func)}
    names = dict.fromkeys(n.id for n in ast.walk(found) if isinstance(n, ast.Name))
    arrays = tuple(name for name in names if name in legal and (name in known or name not in called))
    code = ast.get_source_segment(text, found)
    return (" ".join(code.split()), arrays) if code and arrays else None


def _modules(called: ast.expr) -> Iterator[str]:
    """The root of a dotted name: ``jnp`` of ``jnp.take``."""
    while isinstance(called, ast.Attribute):
        called = called.value
    if isinstance(called, ast.Name):
        yield called.id


def _span(node: Any) -> tuple[int, int, int, int]:
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def _within(span: tuple[int, int, int, int], node: Any) -> bool:
    first, last = span[:2], span[2:]
    return (node.lineno, node.col_offset) <= first and last <= (node.end_lineno, node.end_col_offset)
