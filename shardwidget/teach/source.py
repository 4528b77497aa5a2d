"""A function's own lines, to show them in a question."""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
from collections.abc import Callable, Mapping
from typing import Any

import jax
import numpy as np

from shardwidget import _jax
from shardwidget.document import Figure, Listing, Table
from shardwidget.teach.forms import number_text


def figure_of(f: Callable[..., Any], args: tuple[Any, ...], source: str | None, title: str = "") -> Figure:
    """A function's lines, with the types of its arguments by name."""
    names = argument_names(f, len(args))
    types = tuple(f"{name}: {type_of(arg)}" for name, arg in zip(names, args, strict=True))
    return Figure(title or getattr(f, "__name__", "f"), listing=listing_of(f, source), types=types)


MOST_SHOWN = 8, 16
"""The most rows and columns of a result that are shown."""


def figure_of_value(title: str, value: Any) -> Figure:
    """A value that a function should give: its types, and the first rows and columns of each array."""
    leaves = jax.tree.leaves(value)
    tables = tuple(_table(leaf, f"result {i}" if len(leaves) > 1 else "") for i, leaf in enumerate(leaves[:4]))
    types = tuple(f"{title}: {type_of(leaf)}" for leaf in leaves)
    return Figure(title, types=types, tables=tuple(t for t in tables if t is not None))


def _table(leaf: Any, title: str) -> Table | None:
    if isinstance(leaf, jax.ShapeDtypeStruct):
        return None
    block = np.asarray(leaf)
    if block.size == 0 or block.dtype.kind not in "biufc":
        return None
    flat = np.atleast_2d(block).reshape(-1, np.atleast_2d(block).shape[-1])
    down, across = MOST_SHOWN
    rows = [[number_text(v.item()) for v in row] for row in flat[:down, :across]]
    if flat.shape[1] > across:
        rows = [[*row, "…"] for row in rows]
    if flat.shape[0] > down:
        rows.append(["…"] * len(rows[0]))
    return Table(title, tuple(map(tuple, rows)))


def listing_of(f: Callable[..., Any], source: str | None = None) -> Listing:
    """The text of a function, from ``source`` where the teacher gives one.

    Raises:
        ValueError: it cannot be read.
    """
    return listing_text(source if source is not None else _text(f))


def listing_text(text: str) -> Listing:
    """Lines of code, from their text."""
    return Listing("", 1, tuple(textwrap.dedent(text).strip("\n").splitlines()))


def argument_names(f: Callable[..., Any], count: int) -> list[str]:
    """Names of a function's first parameters; letters where it does not name them."""
    try:
        names = [
            p.name
            for p in inspect.signature(f).parameters.values()
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
    except (TypeError, ValueError):
        names = []
    return names[:count] if len(names) >= count else [chr(ord("a") + i % 26) for i in range(count)]


def type_of(x: Any) -> str:
    """The type of an argument as JAX prints it; of a tree, its leaves'."""
    leaves = jax.tree.leaves(x)
    return ", ".join(_jax.type_text(jax.typeof(leaf)) for leaf in leaves)


def _text(f: Callable[..., Any]) -> str:
    plain = inspect.unwrap(f)
    try:
        text = inspect.getsource(plain)
    except (OSError, TypeError):
        name = getattr(f, "__name__", repr(f))
        raise ValueError(f"the source of {name} cannot be read; give it as source='def {name}(x): …'") from None
    return _lambda(text, plain) if getattr(plain, "__name__", "") == "<lambda>" else text


def _lambda(text: str, f: Callable[..., Any]) -> str:
    """The lambda alone, out of the lines that it is on."""
    text = textwrap.dedent(text)
    # One line of a call is not a statement: possible missing parts at its ends are tried.
    for before, after in (("", ""), ("(", ")"), ("f(", ""), ("", ")"), ("[", "]")):
        try:
            tree = ast.parse(before + text.rstrip().rstrip(",") + after)
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Lambda):
                code = compile(ast.Expression(node), "", "eval").co_consts[0]
                if getattr(code, "co_code", None) == f.__code__.co_code and code.co_names == f.__code__.co_names:
                    return ast.unparse(node)
    raise ValueError("the text of this lambda cannot be told from the code around it; give it as source='lambda x: …'")


def unwrapped(f: Any) -> Any:
    """The plain function within decorators and partial applications."""
    while isinstance(f, functools.partial) or hasattr(f, "__wrapped__"):
        f = f.func if isinstance(f, functools.partial) else f.__wrapped__
    return f


def function_of(text: str, names: Mapping[str, Any]) -> Callable[..., Any]:
    """The function that some lines define, by running them.

    Args:
        text: a ``def``, or a lambda.
        names: what it finds by name.

    Raises:
        Exception: the lines define no function, or need a name that does not exist.
    """
    tree = ast.parse(text)
    scope = dict(names)
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        return eval(compile(ast.Expression(last.value), "<answer>", "eval"), scope)
    exec(compile(tree, "<answer>", "exec"), scope)
    if not isinstance(last, ast.FunctionDef):
        raise ValueError("these lines do not define a function")
    return scope[last.name]
