"""Equations numbered where JAX keeps their names, so that what they are compiled to says which equation it is of."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any

from shardwidget._jax.control import FunctionCall, control_of, with_bodies
from shardwidget._jax.jaxprs import open_jaxpr
from shardwidget._jax.sources import named

TAG = "shardwidget"
"""What the name of the scope of an equation begins with, before its number."""

_TAG = re.compile(rf"{TAG}\d+/?")


def number(traced: Any) -> None:
    """Gives each equation of what ``jit(f).trace`` gave a scope with its number: those of a body after its own.

    JAX 0.9 – 0.12: ``_params`` of a ``Traced`` is private; where there is none, nothing is numbered.
    """
    params = getattr(traced, "_params", None)
    if isinstance(params, dict) and "jaxpr" in params:
        jaxpr = params["jaxpr"]
        traced._params = {**params, "jaxpr": _of(jaxpr, _numbered(jaxpr, itertools.count()))}


def without_numbers(text: str) -> str:
    """A text without the scopes that are numbers."""
    return _TAG.sub("", text)


def _numbered(jaxpr: Any, numbers: Iterator[int]) -> Any:
    jaxpr, _ = open_jaxpr(jaxpr)
    return jaxpr.replace(eqns=[_equation(eqn, numbers) for eqn in jaxpr.eqns])


def _equation(eqn: Any, numbers: Iterator[int]) -> Any:
    eqn, control = named(eqn, f"{TAG}{next(numbers)}"), control_of(eqn)
    if control is None or (isinstance(control, FunctionCall) and control.operands is not None):
        return eqn
    return with_bodies(eqn, [_numbered(body, numbers) for body in control.bodies])


def _of(old: Any, jaxpr: Any) -> Any:
    return old.replace(jaxpr=jaxpr) if hasattr(old, "jaxpr") and old.jaxpr is not old else jaxpr
