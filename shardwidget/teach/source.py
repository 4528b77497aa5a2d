"""A function's own lines, to show them in a question."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

import jax

from shardwidget import _jax
from shardwidget.document import Figure, Listing


def figure_of(f: Callable[..., Any], args: tuple[Any, ...], source: str | None, title: str = "") -> Figure:
    """A function's lines, with the types of its arguments by name."""
    names = argument_names(f, len(args))
    types = tuple(f"{name}: {type_of(arg)}" for name, arg in zip(names, args, strict=True))
    return Figure(title or getattr(f, "__name__", "f"), listing=listing_of(f, source), types=types)


def listing_of(f: Callable[..., Any], source: str | None = None) -> Listing:
    """The text of a function, from ``source`` where the teacher gives one.

    Raises:
        ValueError: it cannot be read.
    """
    text = source if source is not None else _text(f)
    return Listing("", 1, tuple(textwrap.dedent(text).strip("\n").splitlines()))


def argument_names(f: Callable[..., Any], count: int) -> list[str]:
    """Names of a function's first parameters; letters where it does not say them."""
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
        raise ValueError(
            f"the text of {name} cannot be read, to show it; give it as source='def {name}(x): …'"
        ) from None
    return _lambda(text, plain) if getattr(plain, "__name__", "") == "<lambda>" else text


def _lambda(text: str, f: Callable[..., Any]) -> str:
    """The lambda alone, of the lines that it stands on."""
    text = textwrap.dedent(text)
    # One line of a call is not a statement: what is missing at its ends is tried.
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
    raise ValueError("the text of this lambda cannot be told from what is around it; give it as source='lambda x: …'")
