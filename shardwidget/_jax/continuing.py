"""Continuing with a fix where a type error stops the tracing of a program."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jax

if TYPE_CHECKING:
    from jax.extend.core import JaxprEqn, Primitive

Fixer = Callable[[Any, list[Any], dict[str, Any], Exception], "list[Any] | None"]
"""Returns the results of a primitive for its operands and parameters in place of an exception; None lets it raise."""

FIXING = threading.RLock()


@contextlib.contextmanager
def fixing(fix: Fixer, *, each_apart: bool) -> Iterator[None]:
    """Where a primitive raises while it is traced in this thread, ``fix`` is asked for its results.

    ``with_sharding_constraint``, which raises on Explicit axes before there is a primitive, is treated as one. JAX
    caches what it traces by the context in force; with a context of its own, nothing fixed is ever used elsewhere.
    JAX 0.9 – 0.12: methods of two private classes and two private functions are replaced, and put back; by one thread
    at a time.

    Args:
        fix: what to continue with.
        each_apart: whether nothing that was traced before a fix is reused after it. Otherwise a library's function
            that was fixed for one line may be reused for another, which then is never asked about.
    """
    from jax._src import core, pjit, source_info_util
    from jax._src.interpreters.partial_eval import DynamicJaxprTrace, JaxprTrace

    apart, contexts = jax.make_user_context(), contextlib.ExitStack()
    contexts.enter_context(FIXING)
    thread = threading.get_ident()
    binds: dict[Any, Any] = {tracing: tracing.process_primitive for tracing in (DynamicJaxprTrace, JaxprTrace)}
    check, unflatten = pjit.assert_shardings_equal, pjit.tree_unflatten
    refused: list[tuple[Any, Exception] | None] = []

    def here() -> contextlib.AbstractContextManager[None]:
        now = source_info_util.current()
        return source_info_util.user_context(now.traceback, name_stack=now.name_stack)

    def process_primitive(self: Any, primitive: Primitive, tracers: Any, params: dict[str, Any]) -> Any:
        try:
            return binds[type(self)](self, primitive, tracers, params)
        except Exception as error:
            if threading.get_ident() != thread:
                raise
            with core.set_current_trace(self), here():
                fixed = fix(primitive, list(tracers), params, error)
            if fixed is None:
                raise
            if each_apart:
                contexts.enter_context(apart(object()))
            return fixed if primitive.multiple_results else fixed[0]

    def assert_shardings_equal(aval: Any, sharding: Any) -> None:
        try:
            check(aval, sharding)
            if threading.get_ident() == thread:
                refused.append(None)
        except AssertionError as error:
            if threading.get_ident() != thread:
                raise
            refused.append((sharding, error))

    def tree_unflatten(tree: Any, leaves: Any) -> Any:
        if threading.get_ident() != thread:
            return unflatten(tree, leaves)
        leaves = list(leaves)
        for k, (sharding, error) in ((k, asked) for k, asked in enumerate(refused) if asked):
            refused.clear()
            with here():
                fixed = fix(pjit.sharding_constraint_p, [leaves[k]], {"sharding": sharding}, error)
            if fixed is None:
                raise error
            leaves[k] = fixed[0]
        refused.clear()
        return unflatten(tree, leaves)

    def put_back() -> None:
        for tracing, bind in binds.items():
            tracing.process_primitive = bind
        pjit.assert_shardings_equal, pjit.tree_unflatten = check, unflatten

    with contexts:
        contexts.callback(put_back)
        for tracing in binds:
            tracing.process_primitive = process_primitive
        pjit.assert_shardings_equal, pjit.tree_unflatten = assert_shardings_equal, tree_unflatten
        contexts.enter_context(apart(object()))
        yield


@dataclass(frozen=True)
class Mark:
    """What the equations of a fix carry."""

    number: int
    primitive: str
    """The one that is fixed; empty where it is left to the compiler instead."""

    def __str__(self) -> str:
        return f"{self.number} {self.primitive}"


def marked(mark: Mark) -> contextlib.AbstractContextManager[Any]:
    """Equations that are traced in this context carry a mark, and so do their transposes."""
    from jax.experimental.xla_metadata import set_xla_metadata

    return set_xla_metadata(shardwidget=mark)


def mark_of(eqn: JaxprEqn) -> Mark | None:
    """The mark that an equation was traced under. JAX 0.9 – 0.12: ``ctx`` of an equation is not documented."""
    metadata = getattr(getattr(eqn, "ctx", None), "xla_metadata", None)
    return (getattr(metadata, "val", metadata) or {}).get("shardwidget")
