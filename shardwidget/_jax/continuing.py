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
    with FIXING, contextlib.ExitStack() as contexts:
        replaced = _Replaced(fix, contexts if each_apart else None)
        contexts.callback(replaced.put_back)
        replaced.put()
        contexts.enter_context(replaced.apart(object()))
        yield


class _Replaced:
    """What is replaced in JAX.

    Args:
        fix: what to continue with.
        contexts: where a fix leaves a context of its own; None where it needs none.
    """

    def __init__(self, fix: Fixer, contexts: contextlib.ExitStack | None) -> None:
        from jax._src import core, pjit, source_info_util
        from jax._src.interpreters.partial_eval import DynamicJaxprTrace, JaxprTrace

        self._core: Any = core
        self._pjit: Any = pjit
        self._info: Any = source_info_util
        self._fix, self._contexts = fix, contexts
        self.apart = jax.make_user_context()
        self._thread = threading.get_ident()
        self._binds: dict[Any, Any] = {
            tracing: tracing.process_primitive for tracing in (DynamicJaxprTrace, JaxprTrace)
        }
        self._check, self._unflatten = self._pjit.assert_shardings_equal, self._pjit.tree_unflatten
        self._refused: list[tuple[Any, Exception] | None] = []

    def put(self) -> None:
        for tracing, bind in self._binds.items():
            tracing.process_primitive = self._process_primitive(bind)
        self._pjit.assert_shardings_equal, self._pjit.tree_unflatten = self._equal, self._unflattened

    def put_back(self) -> None:
        for tracing, bind in self._binds.items():
            tracing.process_primitive = bind
        self._pjit.assert_shardings_equal, self._pjit.tree_unflatten = self._check, self._unflatten

    def _elsewhere(self) -> bool:
        return threading.get_ident() != self._thread

    def _here(self) -> contextlib.AbstractContextManager[None]:
        now = self._info.current()
        return self._info.user_context(now.traceback, name_stack=now.name_stack)

    def _process_primitive(self, bind: Callable[..., Any]) -> Callable[..., Any]:
        def process_primitive(trace: Any, primitive: Primitive, tracers: Any, params: dict[str, Any]) -> Any:
            try:
                return bind(trace, primitive, tracers, params)
            except Exception as error:
                if self._elsewhere():
                    raise
                with self._core.set_current_trace(trace), self._here():
                    fixed = self._fix(primitive, list(tracers), params, error)
                if fixed is None:
                    raise
                if self._contexts is not None:
                    self._contexts.enter_context(self.apart(object()))
                return fixed if primitive.multiple_results else fixed[0]

        return process_primitive

    def _equal(self, aval: Any, sharding: Any) -> None:
        try:
            self._check(aval, sharding)
            if not self._elsewhere():
                self._refused.append(None)
        except AssertionError as error:
            if self._elsewhere():
                raise
            self._refused.append((sharding, error))

    def _unflattened(self, tree: Any, leaves: Any) -> Any:
        if self._elsewhere():
            return self._unflatten(tree, leaves)
        leaves = list(leaves)
        for k, (sharding, error) in ((k, asked) for k, asked in enumerate(self._refused) if asked):
            self._refused.clear()
            with self._here():
                fixed = self._fix(self._pjit.sharding_constraint_p, [leaves[k]], {"sharding": sharding}, error)
            if fixed is None:
                raise error
            leaves[k] = fixed[0]
        self._refused.clear()
        return self._unflatten(tree, leaves)


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
