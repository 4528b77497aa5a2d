"""A user's function with another decorator, without running the source that defines it again.

A definition that runs again runs its decorators too, which may register the function somewhere, and what was made
before keeps the old one: a closure, a method that was bound. So the functions that exist have their code exchanged
while a change is tried, and it is put back.

- The function itself passes its arguments on to a decorated copy.
- A function that makes it at every call, an inner one, has the code of the rewritten source.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import inspect
import threading
import types
from collections.abc import Iterator
from typing import Any

from shardwidget.read._jaxpr.rewrite import Function

_ONE_AT_A_TIME = threading.RLock()


@contextlib.contextmanager
def decorated(file: str, before: ast.Module, after: ast.Module, function: Function, decorator: str) -> Iterator[None]:
    """While it lasts, a function has one more decorator, wherever it is called from.

    Args:
        file: the full name of its file.
        before: what the file holds.
        after: the same with the decorator.
        function: the function in ``before``.
        decorator: an expression in the names of its module.

    Raises:
        LookupError: no function that exists is this one or makes it.
    """
    own = _key(function)
    makers = {_key(node) for node in ast.walk(before) if isinstance(node, Function) and _encloses(node, function)}
    old, new = (_codes(compile(tree, file, "exec", dont_inherit=True)) for tree in (before, after))
    with _ONE_AT_A_TIME, contextlib.ExitStack() as undone:
        found = False
        for each in _functions_of(file):
            code = each.__code__
            key = code.co_name, code.co_firstlineno
            if key == own:
                _pass_on(each, eval(decorator, each.__globals__), undone)
            elif key in makers and code == old.get(key) and code.co_freevars == new[key].co_freevars:
                _set(each, "__code__", new[key], undone)
            else:
                continue
            found = True
        if not found:
            raise LookupError(f"line {own[1]} of {file} defines no function that exists or is made by one")
        yield


def _functions_of(file: str) -> list[types.FunctionType]:
    """The functions that exist and whose code is in a file."""
    found = [each for each in gc.get_objects() if type(each) is types.FunctionType]
    return [each for each in found if each.__code__.co_filename == file]


def _key(node: Function) -> tuple[str, int]:
    """The name and the first line of a function, as its code has them."""
    if isinstance(node, ast.Lambda):
        return "<lambda>", node.lineno
    return node.name, min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _encloses(outer: Function, inner: Function) -> bool:
    return outer is not inner and any(node is inner for node in ast.walk(outer))


def _codes(of: types.CodeType) -> dict[tuple[str, int], types.CodeType]:
    """What is defined in a module, by name and first line."""
    found = {}
    for code in of.co_consts:
        if isinstance(code, types.CodeType):
            found |= {(code.co_name, code.co_firstlineno): code, **_codes(code)}
    return found


def _pass_on(function: types.FunctionType, decorator: Any, undone: contextlib.ExitStack) -> None:
    """Lets a function call a decorated copy of itself."""
    copy = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__, copy.__qualname__, copy.__module__ = (
        function.__kwdefaults__, function.__qualname__, function.__module__,
    )  # fmt: skip
    signature = inspect.signature(function)
    _set(function, "__code__", _passing_on(len(function.__closure__ or ())), undone)
    _set(function, "__defaults__", None, undone)
    _set(function, "__kwdefaults__", {"decorated": decorator(copy)}, undone)
    _set(function, "__signature__", signature, undone)


def _set(function: types.FunctionType, name: str, value: Any, undone: contextlib.ExitStack) -> None:
    """Sets an attribute until all is undone."""
    if hasattr(function, name):
        undone.callback(setattr, function, name, getattr(function, name))
    else:
        undone.callback(delattr, function, name)
    setattr(function, name, value)


def _passing_on(cells: int) -> types.CodeType:
    """Code that calls ``decorated``, an argument of it that has a default, for a function of so many closure cells."""
    names = ", ".join(f"cell_{k}" for k in range(cells))
    source = f"""
def outer({names}):
    def pass_on(*args, decorated, **kwargs):
        lambda: ({names})
        return decorated(*args, **kwargs)
    return pass_on
"""
    made: dict[str, Any] = {}
    exec(compile(source, __file__, "exec"), made)
    return made["outer"](*range(cells)).__code__
