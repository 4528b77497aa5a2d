"""The arrays that a function closes over, which JAX puts into its program as constants: the user's names for them."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from types import CodeType
from typing import Any

import jax
import numpy as np

from shardwidget import _jax

_DEEPEST = 6
"""How many functions deep the names are looked up."""


class ClosedOver:
    """Names constants of a compiled program.

    The program has only their values. A constant is an array of the same shape that the function, or one that it calls,
    refers to by a variable from outside.

    Args:
        f: the function; None where only the compiled program is known.
    """

    def __init__(self, f: Callable[..., Any] | None) -> None:
        self._f = f

    @functools.cached_property
    def _by_shape(self) -> Mapping[tuple[int, ...], tuple[str, ...]]:
        found: dict[tuple[int, ...], dict[str, None]] = {}
        for name, value in _held(self._f, set(), 0):
            for path, shape in _arrays(value):
                found.setdefault(shape, {})[name + path] = None
        return {shape: tuple(names) for shape, names in found.items()}

    def name(self, shape: tuple[int, ...], line: str) -> str:
        """What the user calls a constant, which a line needs; empty where that is not known.

        Of several that could be meant: those that the line names, ``params[…]`` where they are parts of one.
        """
        names = self._by_shape.get(shape, ())
        if len(names) > 1:
            words = set(re.findall(r"\w+", line))
            names = [name for name in names if _root(name) in words] or names
        roots = {_root(name) for name in names}
        return names[0] if len(names) == 1 else f"{roots.pop()}[…]" if len(roots) == 1 else ""


def _root(name: str) -> str:
    return re.split(r"\W", name, maxsplit=1)[0]


def _arrays(value: Any) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Path and shape of the arrays in a value."""
    try:
        leaves = jax.tree.flatten_with_path(value)[0]
    except (TypeError, ValueError):  # A container that JAX cannot flatten.
        return
    if not isinstance(value, jax.Array) and len(leaves) == 1 and leaves[0][1] is value and hasattr(value, "__dict__"):
        # An object that JAX does not know, such as one with a method that is compiled.
        leaves = [((jax.tree_util.GetAttrKey(name),), x) for name, x in vars(value).items()]
    for path, leaf in leaves:
        if isinstance(leaf, jax.Array | np.ndarray) and leaf.ndim:
            yield jax.tree_util.keystr(path), tuple(leaf.shape)


def _held(f: Any, seen: set[int], depth: int) -> Iterator[tuple[str, Any]]:
    """Variables from outside that a function, or one that it calls, refers to, and their values."""
    if isinstance(f, functools.partial):
        yield from _of_values({"args": f.args, **f.keywords}, seen, depth)
        yield from _held(f.func, seen, depth)
        return
    if (owner := getattr(f, "__self__", None)) is not None:
        yield "self", owner
    f = inspect.unwrap(f) if callable(f) else f
    f = getattr(f, "__func__", f)
    code = getattr(f, "__code__", None)
    if code is None or id(code) in seen or depth > _DEEPEST or _jax.is_library_file(code.co_filename):
        return
    seen.add(id(code))
    closure = dict(zip(code.co_freevars, f.__closure__ or (), strict=False))
    found = {name: cell.cell_contents for name, cell in closure.items() if _is_set(cell)}
    names = set(_names(code))
    found |= {name: value for name, value in f.__globals__.items() if name in names}
    yield from _of_values(found, seen, depth)


def _of_values(values: Mapping[str, Any], seen: set[int], depth: int) -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, type) or inspect.ismodule(value):
            continue
        yield name, value
        if callable(value):
            yield from _held(value, seen, depth + 1)


def _names(code: CodeType) -> Iterator[str]:
    """Names of globals in a function and in those that it defines."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _is_set(cell: Any) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:  # A variable that is assigned later.
        return False
