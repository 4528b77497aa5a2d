"""What the text of the user's program says about its expressions: names that values are given, calls, words."""

from __future__ import annotations

import ast
import functools
import linecache
import re
import threading
from collections.abc import Iterable, Iterator, Set
from itertools import groupby
from typing import Any

from shardwidget._jax import Frame

Span = tuple[int, int, int, int]
"""First line, first column, last line, last column of an expression; columns in UTF-8 bytes."""


def span_of(frame: Frame) -> Span:
    """The span of a frame's expression."""
    return frame.start_line, frame.start_column, frame.end_line, frame.end_column


def names_at(frame: Frame) -> tuple[Any, ...]:
    """The variables that the value of a frame's expression is assigned to.

    Returns:
        One name, or one for each of several results, nested as the target of the assignment is.
    """
    return _index(text_of(frame.file_name)).names.get(span_of(frame), ())


def calls_at(frame: Frame) -> str:
    """The name of the function that a frame's expression calls: ``psum``.

    With a parenthesis, ``grad(``, where it calls what that function returned; empty where the expression is not a call.
    """
    return _index(text_of(frame.file_name)).calls.get(span_of(frame), "")


def text_at(frame: Frame) -> str:
    """The source text of a frame's expression on one line, without the names of JAX's modules: ``psum(p, "y")``."""
    first, start, last, end = span_of(frame)
    lines = lines_of(text_of(frame.file_name))[first - 1 : last]
    if len(lines) != last - first + 1:
        return ""
    cut = [line.encode() for line in lines]
    cut[-1] = cut[-1][:end]
    cut[0] = cut[0][start:]
    return _MODULES.sub("", " ".join(b" ".join(cut).decode(errors="replace").split()))


def as_unparsed(name: str) -> str:
    """A name of a value as ``ast.unparse`` writes it, ``p['w']``; empty where it is no expression."""
    try:
        return ast.unparse(ast.parse(name, mode="eval"))
    except SyntaxError:
        return ""


_MODULES = re.compile(r"(?<![\w.])(?:jax\.numpy|jax\.lax|jax\.nn|jax\.random|jax|jnp|lax|np)\.(?=[a-zA-Z])")


def statement_at(frame: Frame) -> tuple[int, int]:
    """First and last line of the statement that a frame's expression is part of."""
    return _index(text_of(frame.file_name)).statements.get(frame.start_line, (frame.start_line, frame.end_line))


def parts_at(file: str, line: int, parameter: str) -> tuple[Any, ...]:
    """The names that a function unpacks one of its parameters into; empty where it does not.

    Args:
        file: where the function is defined.
        line: its first line, that of its first decorator.
        parameter: the name of the parameter. ``x, (y, z) = carry`` gives ``("x", ("y", "z"))`` for ``carry``.
    """
    return _index(text_of(file)).parts.get((line, parameter), ())


def words_at(places: Iterable[tuple[str, int]]) -> set[str]:
    """Names that the outermost functions around some lines of files use, for any purpose."""
    found: set[str] = set()
    for file, lines in groupby(sorted(set(places)), lambda place: place[0]):
        index = _index(text_of(file))
        ends = [max((f for f in index.functions if f[0] <= n <= f[1]), default=(n, n), key=_length) for _, n in lines]
        found.update(word for line, word in index.words if any(first <= line <= last for first, last in set(ends)))
    return found


def _length(lines: tuple[int, int]) -> int:
    return lines[1] - lines[0]


def function_lines(text: str) -> list[tuple[int, int]]:
    """First line (decorators too) and last line of the functions in a text, outer ones first."""
    return _index(text).functions


def mapping_line(file: str, line: int) -> int:
    """The line where a function becomes one that runs on each device: of its decorator that names ``shard_map``.

    Args:
        file: where the function is defined.
        line: its first line, that of its first decorator.

    Returns:
        The line; that of its ``def`` if no decorator names ``shard_map``.
    """
    return _index(text_of(file)).mappings.get(line, line)


class _Index:
    """What the text of a file says about its expressions."""

    def __init__(self, text: str) -> None:
        self.names: dict[Span, tuple[Any, ...]] = {}
        self.calls: dict[Span, str] = {}
        self.expressions: dict[Span, ast.expr] = {}
        """The outermost expression at each span."""
        self.nodes: list[ast.FunctionDef | ast.Lambda] = []
        """Functions, outer ones first."""
        self.functions: list[tuple[int, int]] = []
        """First line (decorators too) and last line of functions, outer ones first."""
        self.words: list[tuple[int, str]] = []
        """Names that are used, with their lines."""
        self.statements: dict[int, tuple[int, int]] = {}
        """For each line the first and last line of the innermost statement on it."""
        self.parts: dict[tuple[int, str], tuple[Any, ...]] = {}
        """For the first line of a function and a parameter, the names that the parameter is unpacked into."""
        self.mappings: dict[int, int] = {}
        """For the first line of a function the line of its decorator that names ``shard_map``, or of its ``def``."""
        for node in ast.walk(parsed(text) or ast.Module([], [])):
            if isinstance(node, ast.stmt):
                self._statement(node)
            elif isinstance(node, ast.expr):
                self.expressions.setdefault(_span(node), node)
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                self._assign(node.targets[0], node.value)
            elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
                self._assign(node.target, node.value)
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                self.names[_span(node)] = (node.target.id,)
            elif isinstance(node, ast.Name | ast.arg):
                self.words.append((node.lineno, node.id if isinstance(node, ast.Name) else node.arg))
            elif isinstance(node, ast.Call):
                self.calls[_span(node)] = _called(node.func)
            elif isinstance(node, ast.FunctionDef | ast.Lambda):
                first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
                self.nodes.append(node)
                self.functions.append((first, node.end_lineno or first))
                if isinstance(node, ast.FunctionDef):
                    self._unpack(first, node)
                    own = (d.lineno for d in node.decorator_list if "shard_map" in ast.unparse(d))
                    self.mappings[first] = next(own, node.lineno)

    def _statement(self, node: ast.stmt) -> None:
        """Notes the lines of a statement; of a loop, a branch or a definition those of its head."""
        body = getattr(node, "body", None)
        last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
        lines = node.lineno, max(last, node.lineno)
        self.statements.update((line, lines) for line in range(lines[0], lines[1] + 1))

    def _unpack(self, first: int, node: ast.FunctionDef) -> None:
        """Notes the parameters that a function unpacks, where they have not been reassigned."""
        parameters = {a.arg for a in (*node.args.posonlyargs, *node.args.args)}
        for statement in node.body:
            if not (isinstance(statement, ast.Assign) and len(statement.targets) == 1):
                continue
            target, value = statement.targets[0], statement.value
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Name) and value.id in parameters:
                self.parts.setdefault((first, value.id), _pattern(target))
            parameters -= set(leaves(_pattern(target)))

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self.names[_span(value)] = (target.id,)
        elif isinstance(target, ast.Tuple | ast.List):
            if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts):
                for part, of in zip(target.elts, value.elts, strict=True):
                    self._assign(part, of)
            else:
                self.names[_span(value)] = _pattern(target)


def _called(function: ast.expr) -> str:
    if isinstance(function, ast.Call):
        return _called(function.func) + "("
    return ast.unparse(function).rpartition(".")[2]


def _pattern(target: ast.expr) -> Any:
    """The names of a target of an assignment, nested as it is; an empty name where there is none."""
    if isinstance(target, ast.Tuple | ast.List):
        return tuple(_pattern(part) for part in target.elts)
    return target.id if isinstance(target, ast.Name) else ""


def leaves(pattern: Any) -> list[str]:
    """The names of a nested pattern, in order."""
    return [pattern] if isinstance(pattern, str) else [name for part in pattern for name in leaves(part)]


def _span(node: Any) -> Span:
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def text_of(file: str) -> str:
    """A file, or a notebook cell; empty where it cannot be read."""
    lines = linecache.getlines(file)
    if file not in _TEXTS or _TEXTS[file][0] is not lines:
        _TEXTS[file] = lines, "".join(lines)
    return _TEXTS[file][1]


_TEXTS: dict[str, tuple[list[str], str]] = {}
"""By file, its lines as ``linecache`` holds them, and its text."""


@functools.lru_cache(maxsize=32)
def lines_of(text: str) -> list[str]:
    """The lines of a file's text, as Python counts them: a form feed, which ``str.splitlines`` splits at, ends none."""
    return text.removesuffix("\n").split("\n") if text else []


@functools.lru_cache(maxsize=32)
def parsed(text: str) -> ast.Module | None:
    """The syntax tree of a file's text; None where it has none."""
    return _parse(text)


def parsed_expression(text: str) -> ast.AST | None:
    """The syntax tree of an expression, which may have lines of its own; None where it is none."""
    tree = _parse(f"({text}\n)")
    return tree.body[0] if tree and len(tree.body) == 1 else None


def _parse(text: str) -> ast.Module | None:
    # Two threads that parse at once break each other's work in Python 3.11 (CPython issue 106905).
    with _PARSING:
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError):
            return None


_PARSING = threading.Lock()


@functools.lru_cache(maxsize=32)
def _index(text: str) -> _Index:
    return _Index(text)


def function_of(frame: Frame, known: Set[str]) -> tuple[str, tuple[str, ...]] | None:
    """A frame's expression, and the names in it that stand for arrays.

    Args:
        frame: of the user's.
        known: names that stand for arrays, or for pytrees of them; parameters of the function around count too.

    Returns:
        None where the expression is not found, or has no such name.
    """
    text = text_of(frame.file_name)
    span = span_of(frame)
    index = _index(text)
    found = index.expressions.get(span)
    if found is None:
        return None
    around = [n for n in index.nodes if _within(span, n)]
    legal = known | {a.arg for f in around[-1:] for a in (*f.args.posonlyargs, *f.args.args, *f.args.kwonlyargs)}
    called = {root for n in ast.walk(found) if isinstance(n, ast.Call) for root in _modules(n.func)}
    inside = {n.arg for n in ast.walk(found) if isinstance(n, ast.arg)}
    targets = (n.target for n in ast.walk(found) if isinstance(n, ast.comprehension | ast.NamedExpr))
    inside |= {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}
    names = dict.fromkeys(n.id for n in ast.walk(found) if isinstance(n, ast.Name) and n.id not in inside)
    arrays = tuple(name for name in names if name in legal and (name in known or name not in called))
    code = ast.get_source_segment(text, found)
    return (" ".join(code.split()), arrays) if code and arrays else None


def _modules(called: ast.expr) -> Iterator[str]:
    """The root of a dotted name: ``jnp`` of ``jnp.take``."""
    while isinstance(called, ast.Attribute):
        called = called.value
    if isinstance(called, ast.Name):
        yield called.id


def _within(span: tuple[int, int, int, int], node: Any) -> bool:
    first, last = span[:2], span[2:]
    return (node.lineno, node.col_offset) <= first and last <= (node.end_lineno, node.end_col_offset)
