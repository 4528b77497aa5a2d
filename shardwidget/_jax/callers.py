"""Lines of equations that JAX traced once for several callers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import jax
from jax.extend.source_info_util import new_source_info

from shardwidget._jax.jaxprs import OpenJaxpr
from shardwidget._jax.sources import function_name, function_place, is_user_file

_Known = dict[tuple[int, str], Any]


def without_first_caller(jaxpr: Any) -> Any:
    """A jaxpr in which equations of JAX's own jitted functions have no line, and so take that of their call.

    JAX 0.9: the trace of such a function is reused for every call with the same types, and keeps the line of the first.
    From 0.10 on JAX leaves that line out.
    """
    return _within(jaxpr, "", {}) if jax.__version_info__ < (0, 10) else jaxpr


def _within(jaxpr: Any, function: str, known: _Known) -> Any:
    """Rewrites a jaxpr of a JAX function, given by file and name; empty for the user's own program."""
    key = id(jaxpr), function
    if key not in known:
        inner = getattr(jaxpr, "jaxpr", jaxpr)
        eqns = [_equation(eqn, function, known) for eqn in inner.eqns]
        changed = any(a is not b for a, b in zip(eqns, inner.eqns, strict=True))
        if not changed:
            known[key] = jaxpr
        elif isinstance(jaxpr, OpenJaxpr):
            known[key] = replace(jaxpr, eqns=eqns)
        else:
            opened = inner.replace(eqns=eqns)
            known[key] = opened if inner is jaxpr else jaxpr.replace(jaxpr=opened)
    return known[key]


def _equation(eqn: Any, function: str, known: _Known) -> Any:
    params = {name: _parameter(eqn, value, function, known) for name, value in eqn.params.items()}
    if any(value is not eqn.params[name] for name, value in params.items()):
        eqn = eqn.replace(params=params)
    if function and not _calls_user(eqn.source_info.traceback, function):
        eqn = eqn.replace(source_info=new_source_info().replace(name_stack=eqn.source_info.name_stack))
    return eqn


def _parameter(eqn: Any, value: Any, function: str, known: _Known) -> Any:
    if isinstance(value, tuple):
        new = [_parameter(eqn, part, function, known) for part in value]
        if all(a is b for a, b in zip(new, value, strict=True)):
            return value
        # A named tuple takes its parts one by one.
        return type(value)(*new) if hasattr(value, "_fields") else tuple(new)
    if not hasattr(getattr(value, "jaxpr", value), "eqns"):
        return value
    file, _ = function_place(getattr(value, "jaxpr", value))
    if eqn.primitive.name in ("jit", "pjit") and not function and file and not is_user_file(file):
        function = f"{file}:{function_name(getattr(value, 'jaxpr', value))}"
    return _within(value, function, known)


def _calls_user(traceback: Any, function: str) -> bool:
    """Whether the user's code runs in the function: ``jnp.piecewise`` calls the functions that it is given."""
    for frame in getattr(traceback, "frames", ()):
        if f"{frame.file_name}:{frame.function_name.rpartition('.')[2]}" == function:
            return False
        if is_user_file(frame.file_name):
            return True
    return False
