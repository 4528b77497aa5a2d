"""Runs a program with an input or one of its own values changed, many times at once, and finds what differs.

All devices are simulated on one (``HostEngine``), and the changes are a dimension of ``vmap``: one program is compiled,
whatever their number. Only fingerprints of the rows of values are returned, so that nothing large is kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import JaxprEqn
from traitlets import Bunch

from shardwidget import _jax
from shardwidget.read._trace.host_engine import HostEngine
from shardwidget.read._trace.nodes import LeafNode, Level, LoopNode, RegionNode, Site, TracePlan, leads
from shardwidget.read._trace.planner import Planner
from shardwidget.read._trace.recorder import Recorder, Tape
from shardwidget.read._trace.refs import without_refs

ROWS = 64
"""The most rows of a value that are told apart; a value with more counts as one row."""

Change = tuple[int, int, int, int, int]
"""Microbatch to change, or -1; else number of a watched value, or -1, iteration, device, and row or -1 for all rows."""
NONE: Change = (-1, -1, 0, 0, 0)


@dataclass(frozen=True, eq=False)
class WatchedValue:
    """A value that an equation computes in a ``shard_map``."""

    node: LeafNode
    site: Site
    rows: int
    work: int
    """Number of operations of one device, roughly."""

    @property
    def loops(self) -> list[LoopNode]:
        """Loops around it, outermost first."""
        return [owner for owner in [*leads(self.site.level)][::-1] if isinstance(owner, LoopNode)]


class Probe:
    """A program to run with changes.

    Args:
        closed: the program's jaxpr.
        leaves: its arguments, on one device each.
        chosen: indices of the arguments that have microbatches.
        axis: their dimension that counts them.
    """

    def __init__(self, closed: _jax.AnyJaxpr, leaves: Sequence[Any], chosen: Sequence[int], axis: int) -> None:
        planner = _Planner()
        self.plan: TracePlan = planner.plan(closed)
        self.watched = planner.watched
        self._leaves = leaves
        self._chosen, self._axis = chosen, axis
        self._compiled: Any = None

    def run(self, changes: Sequence[Change], size: int) -> tuple[np.ndarray, list[np.ndarray]]:
        """Runs the program once as it is, and once for each change.

        Args:
            changes: what to change.
            size: the most runs of one call; all calls take as many as the first.

        Returns:
            Whether any result differs, shape ``[changes]``; and for each watched value whether it does, shape
            ``[changes, iterations, devices, rows]``.
        """
        results, values = [], []
        for first in range(0, len(changes), size - 1):
            some = list(changes[first : first + size - 1])
            padded = np.array([NONE, *some, *[NONE] * (size - 1 - len(some))], np.int32)
            arguments = (without_refs(self.plan, on_host=True), self._leaves, padded)
            if self._compiled is None:
                self._compiled = jax.jit(self._differences).lower(*arguments).compile(_jax.quick_options())
            result, differing = self._compiled(*arguments)
            results.append(np.asarray(result)[1 : len(some) + 1])
            values.append([np.asarray(d)[1 : len(some) + 1] for d in differing])
        return np.concatenate(results), [np.concatenate(each) for each in zip(*values, strict=True)]

    def _differences(self, consts: Sequence[Any], leaves: Sequence[Any], changes: Any) -> tuple[Any, list[Any]]:
        def one(change: Bunch) -> tuple[list[Any], list[Any]]:
            recorder = _Recorder(self.plan, self.watched, change)
            args = [*leaves]
            for k in self._chosen:
                x = leaves[k]
                at = jnp.arange(x.shape[self._axis]).reshape([-1 if d == self._axis else 1 for d in range(x.ndim)])
                args[k] = jnp.where(at == change[0], changed(x), x)
            outs, tensors, _ = recorder(consts, args)
            return [fingerprint(o, 0) for o in outs], tensors

        outs, tensors = jax.vmap(one)(changes)
        result = jnp.zeros(changes.shape[0], bool)
        for out in outs:
            result |= _differs(out).reshape(changes.shape[0], -1).any(1)
        differing = []
        for watched in self.watched:
            # Loops first, then devices: a shard_map puts its devices before the loops inside it.
            around = [*leads(watched.site.level)][::-1]
            order = sorted(range(len(around)), key=lambda d: isinstance(around[d], RegionNode))
            tensor = jnp.moveaxis(tensors[_index(watched.site)], [1 + d for d in order], range(1, 1 + len(order)))
            differing.append(_differs(tensor).reshape(tensor.shape[0], -1, *tensor.shape[-2:]))
        return result, differing


def _index(site: Site) -> int:
    """Index of a site's tensor among the program's."""
    number, level = site.tensor, site.level
    while level.parent is not None:
        number += level.base
        level = level.parent
    return number


def changed(x: Any) -> Any:
    """Other values of the same type, close enough to be legal where the old ones were: indices stay in range."""
    if x.dtype == bool:
        return ~x
    if jnp.issubdtype(x.dtype, jnp.integer):
        return jnp.where(x > 0, x - 1, x + 1)
    # A different number for each element: the same for all might cancel in a mean or a difference.
    pattern = jnp.sin(1 + 0.7 * jnp.arange(x.size)).reshape(x.shape)
    known = jnp.where(jnp.isfinite(x), x, 0)
    return (known + pattern * jnp.maximum(jnp.abs(known), 1)).astype(x.dtype)


def fingerprint(x: Any, lead: int) -> Any:
    """A number for each row: equal rows have equal ones, and hardly any others. All NaN are equal.

    Args:
        x: a value with ``lead`` leading dimensions.
        lead: how many dimensions come before rows.

    Returns:
        uint32, shape ``[*lead, rows]``.
    """
    if jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key):
        x = jax.random.key_data(x)
    if jnp.issubdtype(x.dtype, jnp.complexfloating):
        x = jnp.stack([x.real, x.imag], -1)
    if jnp.issubdtype(x.dtype, jnp.floating):
        x = jnp.where(jnp.isnan(x), jnp.nan, x).astype(jnp.float32)
        bits = jax.lax.bitcast_convert_type(jnp.where(x == 0, 0, x), jnp.uint32)
    else:
        bits = x.astype(jnp.uint32)
    rows = row_count(x.shape[lead:])
    flat = bits.reshape(*x.shape[:lead], rows, -1)
    flat = (flat ^ (flat >> 15)) * jnp.uint32(0x2C1B3C6D)
    weights = jnp.arange(flat.shape[-1], dtype=jnp.uint32) * jnp.uint32(0x9E3779B1) | jnp.uint32(1)
    return ((flat ^ (flat >> 12)) * weights).sum(-1, dtype=jnp.uint32)


def row_count(shape: Sequence[int]) -> int:
    """Rows of a block that are told apart."""
    return shape[0] if len(shape) > 1 and 0 < shape[0] <= ROWS else 1


def _differs(x: Any) -> Any:
    return x != x[:1]


class _Planner(Planner):
    """A plan that writes only what is watched: products, or arithmetic where there are none."""

    first = 2**20
    packs_small = False

    def __init__(self) -> None:
        super().__init__((1, 1), False)
        self.watched: list[WatchedValue] = []
        self._primitives = _jax.CONTRACTIONS

    def plan(self, closed: _jax.AnyJaxpr) -> TracePlan:
        entered = map(_jax.control_of, _jax.every_equation(closed))
        inside = [control.body for control in entered if isinstance(control, _jax.ShardMap)]
        products = any(_jax.name_of(e) in _jax.CONTRACTIONS for body in inside for e in _jax.every_equation(body))
        self._primitives = _jax.CONTRACTIONS if products else _jax.ARITHMETIC
        return super().plan(closed)

    def _node(self, eqn: JaxprEqn, level: Level) -> Any:
        node = super()._node(eqn, level)
        if isinstance(node, LeafNode) and level.region is not None and _jax.name_of(eqn) in self._primitives:
            out: Any = eqn.outvars[0]
            if out.aval.shape or self._primitives is _jax.CONTRACTIONS:
                self._watch(node, eqn, out.aval, level)
        return node

    def _watch(self, node: LeafNode, eqn: JaxprEqn, aval: Any, level: Level) -> None:
        rows = row_count(aval.shape)
        site = super()._site(jax.ShapeDtypeStruct((rows,), np.uint32), level)
        work = math.prod(aval.shape)
        if _jax.name_of(eqn) == "dot_general":
            (contracted, _), _ = eqn.params["dimension_numbers"]
            operand: Any = eqn.invars[0].aval
            work *= math.prod(operand.shape[d] for d in contracted)
        self.watched.append(WatchedValue(node, site, rows, work))

    def _site(self, aval: Any, level: Level, *, returned: bool = False) -> Site:
        del returned
        return Site(level, tuple(aval.shape), np.dtype(np.uint32), ())


class _Recorder(Recorder):
    """Walks the plan with one change, and writes fingerprints."""

    def __init__(self, plan: TracePlan, watched: Sequence[WatchedValue], change: Bunch) -> None:
        self._host = HostEngine()
        super().__init__(plan, self._host)
        self._change = change
        self._numbers = {w.node: k for k, w in enumerate(watched)}
        self._watched = watched

    def node(self, node: Any, values: list[Any], level: Level, tape: Tape | None) -> list[Any]:
        outs = super().node(node, values, level, tape)
        number = self._numbers.get(node)
        if number is None or tape is None:
            return outs
        watched, (out,) = self._watched[number], outs
        out = jnp.where(self._hit(number, watched, out), changed(out), out)
        printed = fingerprint(out, 1)
        if self._host.active is not None:
            printed = jnp.where(self._host.active[:, None], printed, 0)
        tape.tensors.append(printed)
        return [out]

    def _hit(self, number: int, watched: WatchedValue, out: Any) -> Any:
        """Where a value is changed: bool, broadcast to ``[devices, rows, …]``."""
        _, value, iteration, device, row = self._change
        now: Any = 0
        for loop in watched.loops:
            now = now * loop.slots + self.iterations[loop]
        hit = (value == number) & (iteration == now) & (jnp.arange(out.shape[0]) == device)
        hit = hit.reshape(-1, *[1] * (out.ndim - 1))
        if watched.rows > 1:
            rows = jnp.arange(watched.rows).reshape(1, -1, *[1] * (out.ndim - 2))
            hit = hit & ((row < 0) | (rows == row))
        return hit
