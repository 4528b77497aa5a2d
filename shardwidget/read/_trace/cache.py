"""When two plans are the same program, so that it is compiled once."""

from __future__ import annotations

import dataclasses
import threading
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import Any

import jax
import numpy as np
from jax.extend.core import Literal

from shardwidget import _jax
from shardwidget.read._trace.nodes import BranchesNode, CallNode, LeafNode, LoopNode, RegionNode, TracedBody, TracePlan


class _UnknownError(Exception):
    """A parameter that cannot be compared."""


def key_of(plan: TracePlan, consts: Sequence[Any], arguments: Sequence[Any], *more: Hashable) -> Hashable | None:
    """Everything that the compiled program depends on, without arrays; None where that cannot be determined.

    Args:
        plan: the program.
        consts: its constants, by their types and shardings; for a ``Ref``, that of its contents.
        arguments: its arguments, in the same way.
        *more: what else it depends on.
    """
    try:
        return (
            _block(plan.root),
            tuple(_argument(x) for x in (*consts, *arguments)),
            plan.refs,
            tuple((site.corner, site.format, site.tensor) for site in plan.sites),
            jax.sharding.get_abstract_mesh(),
            more,
        )
    except _UnknownError:
        return None


def _argument(x: Any) -> Hashable:
    committed = isinstance(x, jax.Array) and x.committed
    return jax.typeof(x), type(x) in (bool, int, float, complex), x.sharding if committed else None


def _block(block: TracedBody) -> Hashable:
    return block.consts, _equations(block.jaxpr, [(node.eqn, _node(node)) for node in block.nodes])


def _jaxpr(jaxpr: _jax.AnyJaxpr) -> Hashable:
    """A jaxpr that a parameter holds: what a scatter does with an update, the kernel of a ``pallas_call``."""
    jaxpr, consts = _jax.open_jaxpr(jaxpr)
    if consts:
        raise _UnknownError  # They may be arrays.
    return _equations(jaxpr, [(eqn, (eqn.primitive, _params(eqn.params))) for eqn in jaxpr.eqns])


def _equations(jaxpr: _jax.AnyJaxpr, equations: Sequence[tuple[Any, Hashable]]) -> Hashable:
    """A jaxpr by the numbers of its variables; equations with everything that determines what they do."""
    numbers: dict[Any, int] = {}
    for v in (*jaxpr.constvars, *jaxpr.invars):
        numbers[v] = len(numbers)
    parts: list[Hashable] = [tuple(v.aval for v in numbers)]
    for eqn, does in equations:
        inputs = tuple(_literal(v) if isinstance(v, Literal) else numbers[v] for v in eqn.invars)
        for v in eqn.outvars:
            numbers[v] = len(numbers)
        parts.append((does, inputs, tuple(v.aval for v in eqn.outvars), _jax.context_key(eqn)))
    parts.append(tuple(_literal(v) if isinstance(v, Literal) else numbers[v] for v in jaxpr.outvars))
    return tuple(parts)


def _node(node: Any) -> Hashable:
    name = _jax.name_of(node.eqn)
    if isinstance(node, LeafNode):
        return node.eqn.primitive, _params(node.eqn.params)
    if isinstance(node, CallNode):
        return (
            name,
            _block(node.body),
            _frozen(node.control.in_shardings),
            _frozen(node.control.out_shardings),
        )
    if isinstance(node, BranchesNode):
        return name, tuple(map(_block, node.bodies))
    params = _jax.own_params(node.eqn)
    if isinstance(node, LoopNode):
        return name, _block(node.body), node.test and _block(node.test), node.slots, _params(params)
    assert isinstance(node, RegionNode)
    return name, _block(node.body), _params(params)


def _literal(literal: Any) -> Hashable:
    return "literal", np.asarray(literal.val).tobytes(), literal.aval


def _params(params: dict[str, Any]) -> Hashable:
    return tuple((k, _frozen(v)) for k, v in sorted(params.items()))


def _frozen(value: Any) -> Hashable:
    if isinstance(value, tuple | list):
        return type(value).__name__, tuple(map(_frozen, value))
    if isinstance(value, dict):
        return tuple((k, _frozen(v)) for k, v in sorted(value.items()))
    if isinstance(value, np.ndarray):
        return value.shape, str(value.dtype), value.tobytes()
    if hasattr(value, "eqns"):
        return _jaxpr(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return type(value), tuple(_frozen(getattr(value, field.name)) for field in dataclasses.fields(value))
    if isinstance(value, jax.Array):
        raise _UnknownError  # A key must not hold arrays.
    try:
        hash(value)
    except TypeError as error:
        raise _UnknownError from error
    return type(value), value


class _Cache:
    """The programs that were compiled last. Only executables: arguments and constants are passed to them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Any:
        """What was stored there, or None."""
        with self._lock:
            if key is None or key not in self._held:
                return None
            self._held.move_to_end(key)
            return self._held[key]

    def put(self, key: Hashable, value: Any) -> None:
        """Stores something; the least recently used entry is dropped."""
        with self._lock:
            if key is not None:
                self._held[key] = value
                while len(self._held) > self._most:
                    self._held.popitem(last=False)

    def clear(self) -> None:
        """Empties the cache."""
        with self._lock:
            self._held.clear()


_CACHE = _Cache(16)
