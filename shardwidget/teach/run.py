"""Running functions to judge them: what JAX returns or raises, and how two results differ."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax.sharding import AbstractMesh

from shardwidget import read
from shardwidget._jax import AnyMesh
from shardwidget.teach import layouts
from shardwidget.teach.source import type_of

JAX_VERSION = jax.__version__


@dataclass(frozen=True)
class Outcome:
    """The outcome of a call: a value, or what JAX (or the function) raised."""

    value: Any = None
    error: str = ""
    """Class of the exception; empty where there is none."""
    said: str = ""
    explanation: str = ""
    """What the error means, where that is known."""


@contextlib.contextmanager
def on_mesh(mesh: AnyMesh) -> Iterator[None]:
    """Sets the mesh for a program that names none; does nothing where there is no mesh."""
    if mesh is None:
        yield
    elif isinstance(mesh, AbstractMesh):
        with jax.sharding.use_abstract_mesh(mesh):
            yield
    else:
        with jax.set_mesh(mesh):
            yield


@contextlib.contextmanager
def on_no_mesh() -> Iterator[None]:
    """No current mesh, for a program that names its own: one that the notebook has set could be another."""
    with jax.sharding.use_abstract_mesh(AbstractMesh((), ())):
        yield


def is_abstract(args: Any) -> bool:
    """Whether some arguments have no values."""
    return any(isinstance(leaf, jax.ShapeDtypeStruct) for leaf in jax.tree.leaves(args))


def call(f: Callable[..., Any], args: tuple[Any, ...]) -> Outcome:
    """Calls a function with the mesh of its arguments as the current one; without values, only for its types."""
    try:
        if is_abstract(args):
            return Outcome(typed(f, args))
        with on_mesh(layouts.mesh_of(args)):
            return Outcome(jax.block_until_ready(f(*args)))
    except Exception as error:
        return failed(error)


def typed(f: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """The types of a function's results, with the mesh of its arguments as the current one."""
    with on_mesh(layouts.mesh_of(args)):
        return jax.eval_shape(f, *args)


def mapped(f: Callable[..., Any], args: tuple[Any, ...]) -> Outcome:
    """Runs a program of ``shard_map`` regions, on a simulated mesh where there are not enough devices."""
    try:
        with on_no_mesh():
            trace = read.trace(f, *args)
    except Exception as error:
        return failed(error)
    if trace.error is not None:
        return Outcome(None, trace.error.error, trace.error.message, trace.error.explanation)
    return Outcome(trace.outputs)


def failed(error: BaseException) -> Outcome:
    """An exception as an outcome."""
    return Outcome(None, type(error).__name__, str(error).strip())


def difference(got: Any, wanted: Any) -> str:
    """How a result differs from the one that is asked for, in one sentence that does not give the latter away.

    Empty where they are the same: the same tree, shapes and dtypes, and values within rounding.
    """
    mine, tree = jax.tree.flatten(got)
    theirs, other = jax.tree.flatten(wanted)
    if tree != other:
        return f"It gives {_count(mine)}; expected are {_count(theirs)}, in another structure."
    for number, (a, b) in enumerate(zip(mine, theirs, strict=True)):
        which = f"Result {number}" if len(mine) > 1 else "The result"
        if np.shape(a) != np.shape(b):
            return f"{which} has shape {np.shape(a)}, not the one that is asked for."
        if _dtype(a) != _dtype(b):
            return f"{which} has dtype {_dtype(a)}, not the one that is asked for."
        if isinstance(a, jax.ShapeDtypeStruct) or isinstance(b, jax.ShapeDtypeStruct):
            continue
        if text := _values(np.asarray(a), np.asarray(b), which):
            return text
    return ""


def _values(a: np.ndarray, b: np.ndarray, which: str) -> str:
    exact = not np.issubdtype(b.dtype, np.inexact)
    close = a == b if exact else np.isclose(a, b, rtol=1e-4, atol=1e-5, equal_nan=True)
    if close.all():
        return ""
    text = f"{which} has the right shape; {int((~close).sum())} of its {a.size} values are off."
    with np.errstate(all="ignore"):
        ratio = (a / b)[~close] if not exact or np.issubdtype(b.dtype, np.integer) else np.array([])
    if ratio.size and np.isfinite(ratio).all() and np.allclose(ratio, ratio.flat[0], rtol=1e-3):
        k = float(ratio.flat[0])
        if k > 1 and math.isclose(k, round(k), rel_tol=1e-3):
            text += f" They are {round(k)} times what they should be: something is added up more than once."
        elif 0 < k < 1 and math.isclose(1 / k, round(1 / k), rel_tol=1e-3):
            text += f" They are one {round(1 / k)}th of what they should be: some parts are not added."
    return text


def _dtype(x: Any) -> str:
    """A dtype as JAX has it: without x64, what NumPy computes in 64 bits has 32."""
    dtype = x.dtype if hasattr(x, "dtype") else np.asarray(x).dtype
    return str(jax.dtypes.canonicalize_dtype(dtype, allow_extended_dtype=True))


def _count(leaves: list[Any]) -> str:
    return f"{len(leaves)} array" + "s" * (len(leaves) != 1)


def wanted_value(gives: Any, args: tuple[Any, ...]) -> Any:
    """The expected result: a value as it is, or what a function returns for the arguments.

    Raises:
        ValueError: that function raises, so there is nothing to compare with.
    """
    if not callable(gives):
        return gives
    outcome = call(gives, args)
    if outcome.error:
        raise ValueError(
            f"the exercise has no truth: gives={getattr(gives, '__name__', 'f')} raises {outcome.error}: {outcome.said}"
        )
    return outcome.value


def describe(args: tuple[Any, ...]) -> str:
    """The arguments' types, for the identity of an exercise."""
    return "; ".join(type_of(a) for a in args)
