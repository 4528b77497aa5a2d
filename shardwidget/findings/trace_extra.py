"""What one of two statements does and the other does not: ``divide by 4``."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

MOST = 32
"""Characters of an operand that is said."""


@dataclass(frozen=True, eq=False)
class Statement:
    """A statement of a function, with the value that it makes."""

    source: str
    """The text of the function."""
    value: ast.expr
    target: str
    """The name that it gives its value; empty for none."""
    lines: range
    """The numbers of its lines."""


@dataclass(frozen=True)
class Extra:
    """What is done once more."""

    does: str
    """In words: ``divide by 4``, ``take the mean``."""
    primitives: frozenset[str] = frozenset()
    """One of these executes it; empty for a function, of which that is not known."""


_SCALES = frozenset({"mul", "div", "integer_pow", "square", "pow"})
_ADDS = frozenset({"add", "add_any", "sub"})
_TURNS = frozenset({"transpose"})

_WORDS = {
    "mean": "take the mean",
    "sum": "take the sum",
    "max": "take the maximum",
    "min": "take the minimum",
    "transpose": "transpose a value",
}
"""Of functions and methods; others are applied."""


_CASTS = "astype", "convert_element_type"
"""What is said as formats of numbers."""


def statement(lines: Sequence[str], first: int, line: int) -> Statement | None:
    """The statement that a line is of, in a function whose first line has the number ``first``; None if it is none."""
    source = textwrap.dedent("\n".join(lines))
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    at = line - first + 1
    around = (s for s in ast.walk(tree) if isinstance(s, ast.stmt) and s.lineno <= at <= (s.end_lineno or s.lineno))
    found = min(around, key=lambda s: (s.end_lineno or s.lineno) - s.lineno, default=None)
    if found is None:
        return None
    value, target = _made(found)
    to = (found.end_lineno or found.lineno) + first
    return Statement(source, value, target, range(found.lineno + first - 1, to)) if value else None


def _made(of: ast.stmt) -> tuple[ast.expr | None, str]:
    match of:
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value) | ast.AnnAssign(target=ast.Name(id=name), value=value)
        ):
            return value, name
        case ast.Assign(value=value) | ast.Return(value=value) | ast.Expr(value=value):
            return value, ""
        case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
            return ast.copy_location(ast.BinOp(ast.Name(name, ast.Load()), op, value), of), name
        case _:
            return None, ""


def extra(more: Statement, less: Statement | None) -> Extra | None:
    """What the first does once more than the second, if they are alike otherwise; None if that is not all, or not sure.

    Args:
        more: a statement.
        less: another; None for one that leaves the value of that name as it is.
    """
    value = less.value if less else ast.Name(more.target, ast.Load())
    ways = {way.does: way for way in _ways(more.source, more.value, value)}
    return next(iter(ways.values())) if len(ways) == 1 else None


def _ways(source: str, a: ast.AST, b: ast.AST) -> Iterator[Extra]:
    """The operations that one text has around a part of itself, and that the other has not."""
    yield from (way for inner, way in _around(source, a) if _alike(inner, b))
    if type(a) is not type(b):
        return
    apart = [(x, y) for x, y in zip(_fields(a), _fields(b), strict=False) if not _alike(x, y)]
    if len(_fields(a)) == len(_fields(b)) and len(apart) == 1:
        x, y = apart[0]
        if isinstance(x, ast.AST) and isinstance(y, ast.AST):
            yield from _ways(source, x, y)


def _fields(of: ast.AST) -> list[object]:
    """What a node consists of, lists by their items."""
    values = [value for name, value in ast.iter_fields(of) if name != "ctx"]
    return [item for value in values for item in (value if isinstance(value, list) else [value])]


def _alike(a: object, b: object) -> bool:
    if isinstance(a, ast.AST) and isinstance(b, ast.AST):
        return ast.dump(a) == ast.dump(b)
    return type(a) is type(b) and a == b


def _around(source: str, of: ast.AST) -> Iterator[tuple[ast.expr, Extra]]:
    """Each operand of an operation, and what the operation does to it."""
    match of:
        case ast.BinOp(left=left, op=op, right=right):
            yield from _binary(source, left, op, right)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            yield inner, Extra(f"change the sign of {_text(source, inner) or 'a value'}", frozenset({"neg"}))
        case ast.Attribute(value=inner, attr="T" | "mT"):
            yield inner, Extra(f"transpose {_text(source, inner) or 'a value'}", _TURNS)
        case ast.Call(func=func, args=args):
            name = ast.unparse(func)
            if name.endswith(_CASTS):
                return
            if isinstance(func, ast.Attribute):
                yield func.value, _called(func.attr)
            if len(name) <= MOST and all(part.isidentifier() for part in name.split(".")):
                yield from ((arg, _called(name)) for arg in args)
        case _:
            pass


def _called(name: str) -> Extra:
    last = name.rpartition(".")[2]
    return Extra(_WORDS.get(last, f"apply {name}"))


def _binary(source: str, left: ast.expr, op: ast.operator, right: ast.expr) -> Iterator[tuple[ast.expr, Extra]]:
    a, b = (_text(source, side) for side in (left, right))
    same = _alike(left, right)
    match op:
        case ast.Mult() if same:
            yield left, Extra(f"square {a or 'a value'}", _SCALES)
        case ast.Add() if same:
            yield left, Extra(f"double {a or 'a value'}", _ADDS)
        case ast.Mult():
            yield from _either(left, a, right, b, "multiply by", _SCALES)
        case ast.Add():
            yield from _either(left, a, right, b, "add", _ADDS)
        case ast.MatMult():
            yield from _either(left, a, right, b, "multiply by the matrix", frozenset({"dot_general"}))
        case ast.Sub() if b:
            yield left, Extra(f"subtract {b}", _ADDS)
        case ast.Div() if b:
            yield left, Extra(f"divide by {b}", _SCALES)
        case ast.Pow() if b:
            yield left, Extra(f"square {a or 'a value'}" if b == "2" else f"raise to the power {b}", _SCALES)
        case _:
            pass


def _either(
    left: ast.expr, a: str, right: ast.expr, b: str, does: str, primitives: frozenset[str]
) -> Iterator[tuple[ast.expr, Extra]]:
    """Of an operation whose sides do the same: one of them with the other."""
    for inner, other in ((left, b), (right, a)):
        if other:
            yield inner, Extra(f"{does} {other}", primitives)


def _text(source: str, of: ast.expr) -> str:
    """As the user wrote it; empty where that is long."""
    text = ast.get_source_segment(source, of) or ast.unparse(of)
    return text if len(text) <= MOST and "\n" not in text else ""
