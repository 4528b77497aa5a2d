"""Running functions to judge them: what JAX returns or raises."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import jax
from jax.sharding import AbstractMesh

from shardwidget._jax import AnyMesh
from shardwidget.read._trace.trace import trace_mapped
from shardwidget.teach import layouts
from shardwidget.teach.results import Outcome, failed
from shardwidget.teach.source import type_of

JAX_VERSION = jax.__version__


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
            trace = trace_mapped(f, args)
    except Exception as error:
        return failed(error)
    if trace.error is not None:
        return Outcome(None, trace.error.error, trace.error.message, trace.error.explanation)
    return Outcome(trace.outputs)


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
