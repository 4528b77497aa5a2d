"""Code as a notebook's cell: what its last expression displays."""

from __future__ import annotations

import ast
import linecache
from typing import Any


def last_value(code: str, file: str, names: dict[str, Any]) -> Any:
    """Runs code; returns the value of its last expression.

    Args:
        code: statements, and an expression at the end.
        file: the name under which widgets and errors show its lines.
        names: the code's global names, which it changes.

    Raises:
        ValueError: there is no expression at the end.
    """
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body else None
    if not isinstance(last, ast.Expr):
        raise ValueError(f"{file} must end in an expression, whose value is displayed")
    linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
    exec(compile(tree, file, "exec"), names)
    return eval(compile(ast.Expression(last.value), file, "eval"), names)
