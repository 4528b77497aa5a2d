"""Changes to the user's source, made in the functions that run: nothing of a file is executed again."""

from __future__ import annotations
import __future__ as future

import ast
import contextlib
import functools
import linecache
import types
from collections.abc import Iterator, Sequence
from typing import Any

from shardwidget.document import Fix
from shardwidget.read._jaxpr.rewrite import SourceText, source_text, span_of_node
from shardwidget.read._jaxpr.syntax import Span, lines_of, text_of

Swap = tuple[Any, str, Any]
"""An object, an attribute of it (of a dict, a key), and what it is while a change is tried."""


def pasted(functions: Sequence[types.FunctionType], file: str, fix: Fix) -> Iterator[Swap]:
    """The functions of a file whose text a fix changes, with their new code.

    Args:
        functions: those that a program may call.
        file: the full name of the file.
        fix: the change.
    """
    before = source_text(file)
    first, last = before.reach(fix)
    name, text = name_of(fix.applied(text_of(file))), fix.applied(before.around(fix))
    after = SourceText(file, text)
    names = _named([node for node in before.tree.body if first <= node.lineno <= last])
    there = {name: node for node, name in _named(after.tree.body).items()}
    for function in functions:
        code = function.__code__
        if code.co_filename != file or not first <= code.co_firstlineno <= last:
            continue
        if (node := before.function(code)) is None:
            continue
        other = there.get(names[node])
        if other is None or before.segment(node) == after.segment(other):
            continue
        flags = code.co_flags & future.annotations.compiler_flag
        new = _code_of(other, after, _compiled(name, text, flags))
        if new is not None and (gone := set(code.co_freevars).difference(new.co_freevars)):
            # The change takes out the only use of a variable of a function around it, such as a mesh.
            new = _code_of(other, after, _compiled(name, text, flags, span_of_node(other), tuple(sorted(gone))))
        if new is not None and new.co_freevars == code.co_freevars:
            yield function, "__code__", new


def decorated(function: types.FunctionType, decorator: Any) -> Iterator[Swap]:
    """A function that calls a decorated copy of itself, wherever it is called from.

    Args:
        function: one of those that a program may call.
        decorator: what takes the copy.
    """
    own = function.__defaults__, function.__closure__
    copy = types.FunctionType(function.__code__, function.__globals__, function.__name__, *own)
    copy.__kwdefaults__, copy.__qualname__ = function.__kwdefaults__, function.__qualname__
    yield function, "__code__", _passing_on(len(function.__closure__ or ()))
    yield function, "__defaults__", None
    yield function, "__kwdefaults__", {"copy": decorator(copy)}


@functools.cache
def _passing_on(cells: int) -> types.CodeType:
    """The code of a function with as many closure cells, which calls ``copy``, an argument of it that has a default."""
    names = ", ".join(f"cell_{k}" for k in range(cells))
    source = f"""
def around({names}):
    def passing(*args, copy, **named):
        lambda: ({names})
        return copy(*args, **named)
    return passing
"""
    made: dict[str, Any] = {}
    exec(compile(source, __file__, "exec"), made)
    return made["around"](*range(cells)).__code__


def name_of(text: str) -> str:
    """The name under which a text with a fix is compiled."""
    return f"<with a fix {hash(text)}>"


@contextlib.contextmanager
def readable(text: str, file: str) -> Iterator[None]:
    """Lets tracebacks and documents find the lines of a text with a fix, and the file that it is a text of."""
    name = name_of(text)
    linecache.cache[name] = (len(text), None, [f"{line}\n" for line in lines_of(text)], file)
    try:
        yield
    finally:
        linecache.cache.pop(name, None)


def _named(statements: Sequence[ast.stmt]) -> dict[ast.AST, tuple[Any, ...]]:
    """The functions in some statements, each with what leads to it: names, and a number among those of one name."""
    found: dict[ast.AST, tuple[Any, ...]] = {}
    counts: dict[tuple[Any, ...], int] = {}
    left: list[tuple[ast.AST, tuple[Any, ...]]] = [(node, ()) for node in statements]
    while left:
        node, path = left.pop(0)
        if isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            path = (*path, getattr(node, "name", "<lambda>"))
            counts[path] = counts.get(path, -1) + 1
            path = (*path, counts[path])
            found[node] = path
        left += [(child, path) for child in ast.iter_child_nodes(node)]
    return found


def _code_of(node: ast.AST, text: SourceText, every: Sequence[types.CodeType]) -> types.CodeType | None:
    """The code of a function in a text."""
    called = getattr(node, "name", "<lambda>")
    return next((c for c in every if c.co_name == called and text.function(c) is node), None)


@functools.lru_cache(maxsize=8)
def _compiled(
    name: str, text: str, flags: int, at: Span | None = None, names: tuple[str, ...] = ()
) -> list[types.CodeType]:
    """The code of every function in a text; a notebook's cell may await.

    Args:
        name: of the text.
        text: the text.
        flags: of the compiler.
        at: where a function is that names variables of those around it, beside those that it uses.
        names: of these variables.
    """
    flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    tree: Any = compile(text, name, "exec", ast.PyCF_ONLY_AST | flags, dont_inherit=True)
    for node in ast.walk(tree) if names else ():
        if isinstance(node, ast.FunctionDef) and span_of_node(node) == at:
            node.body += ast.parse(f"if False: {', '.join(names)}").body
    left = [compile(tree, name, "exec", flags, dont_inherit=True)]
    for code in left:
        left += [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return left
