"""The host engine: blocks of all devices stacked on one, each equation applied to them all.

A global array is kept whole, an unreduced one as the sum of its parts.

In a region a value has one leading dimension for the devices of each ``shard_map`` around it, outermost first, each in
mesh order. Collectives are done by ``collectives.apply``; a device that a branch or a loop leaves out computes too,
but its results are not used.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.extend.core import JaxprEqn, Literal
from jax.sharding import PartitionSpec

from shardwidget import _jax, collectives
from shardwidget.read._cuts import dims_of_spec
from shardwidget.read._trace.nodes import BranchesNode, Level, LoopNode, RegionNode, TensorType
from shardwidget.read._trace.recorder import constant


class HostEngine:
    """Simulates the devices of a mesh."""

    def __init__(self) -> None:
        self.active: Any = None
        """For each device whether it takes the branch, or still runs the loop, that is being walked; None for all."""

    def lead(self, level: Level) -> tuple[int, ...]:
        """One dimension for each ``shard_map`` around."""
        sizes, region = [], level.region
        while region is not None:
            sizes.append(_devices(region))
            region = region.parent
        return tuple(reversed(sizes))

    def lift(self, x: Any, level: Level) -> Any:
        """The constant on every device."""
        lead = self.lead(level)
        return jnp.broadcast_to(x, lead + jnp.shape(x)) if lead else x

    def equation(self, eqn: JaxprEqn, values: Sequence[Any], level: Level) -> list[Any]:
        """Applies the equation to the block of each device; a collective, to all blocks together."""
        name = _jax.name_of(eqn)
        if level.region is not None:
            call = collectives.call_of(
                name,
                eqn.params,
                level.region.manual,
                level.region.sizes,
                ppermute_in_mesh_order=_jax.PPERMUTE_IN_MESH_ORDER,
            )
            if call is not None:
                return self._collective(call, values, level)
        if any(_jax.is_ref(v.aval) for v in eqn.outvars):  # One array for all devices.
            blocks = [self.lift(constant(v), level) if isinstance(v, Literal) else v for v in values]
            return _jax.bind_here(eqn.primitive, eqn.params, *blocks)
        if name in _jax.MOVES:
            return [self.lift(constant(v), level) if isinstance(v, Literal) else v for v in values]
        params = {k: None if k in ("sharding", "out_sharding") else v for k, v in eqn.params.items()}

        def one(*blocks: Any) -> list[Any]:
            left = iter(blocks)
            return _jax.bind_here(
                eqn.primitive, params, *(constant(v) if isinstance(v, Literal) else next(left) for v in values)
            )

        blocks = [v for v in values if not isinstance(v, Literal)]
        if not blocks:
            return [self.lift(out, level) for out in one()]
        run: Callable[..., list[Any]] = one
        # vmap over keys of some generators makes different numbers from them.
        each = _one_by_one if any(_jax.is_changed_by_vmap(v.aval) for v in eqn.invars) else _each
        for _ in self.lead(level):
            run = each(run)
        refs = [] if self.active is None else [v for v in blocks if _is_ref(v)]
        before = [ref[...] for ref in refs]
        outs = run(*blocks)
        for ref, held in zip(refs, before, strict=True):  # A device that is left out writes nothing.
            ref[...] = _where(self.active, ref[...], held, 0)
        return outs

    def _collective(self, call: collectives.Call, values: Sequence[Any], level: Level) -> list[Any]:
        lead = self.lead(level)
        blocks = [self.lift(constant(v), level) if isinstance(v, Literal) else v for v in values]
        flat = [b.reshape(math.prod(lead), *b.shape[len(lead) :]) for b in blocks]
        if not flat:
            out = [collectives.apply(call, None, jnp)]
        elif call.statement.joint and len(flat) > 1:
            out = [collectives.apply(call, tuple(flat), jnp)]
        else:
            out = [collectives.apply(call, b, jnp) for b in flat]
        return [o.reshape(*lead, *o.shape[1:]) for o in out]

    def region(self, node: RegionNode, args: Sequence[Any], body: Callable) -> tuple[list, list]:
        """Cuts arguments into blocks, runs the body, assembles results."""
        rank = len(self.lead(node.level)) - 1
        blocks = [
            jax.new_ref(cut(x[...], spec, node, rank)) if _is_ref(x) else cut(x, spec, node, rank)
            for x, spec in zip(args, node.control.in_specs, strict=True)
        ]
        around, self.active = self.active, None
        if around is not None:
            self.active = jnp.broadcast_to(around[..., None], (*around.shape, _devices(node)))
        outs, written = body(*blocks)
        self.active = around
        outs = [assemble(x, spec, node, rank) for x, spec in zip(outs, node.control.out_specs, strict=True)]
        for x, block, spec in zip(args, blocks, node.control.in_specs, strict=True):
            if _is_ref(x):
                x[...] = assemble(block[...], spec, node, rank)
        # The devices of this region come first, before the dimensions that loops and regions inside added.
        return outs, [
            jnp.moveaxis(w, t.depth + rank, 0) for w, t in zip(written, _types(node.level, written), strict=True)
        ]

    def branches(self, node: BranchesNode, index: Any, args: Sequence[Any], bodies: Sequence[Callable]) -> Any:
        """Runs every branch on every device and takes the result that each device selected."""
        around = self.active
        results, written = [], []
        for number, body in enumerate(bodies):
            taken = index == number
            self.active = taken if around is None else taken & around
            outs, mine = body(*args)
            results.append(outs)
            written.append(mine)
        self.active = around
        outs = [_pick(index, options) for options in zip(*results, strict=True)]
        return outs, written

    def repeat(self, node: LoopNode, test: Callable, body: Callable, carry: list, written: list) -> tuple:
        """Repeats until no device needs another iteration; one that is done keeps its values."""
        around = self.active
        lead = self.lead(node.level)

        def wanted(carry: list) -> Any:
            active = test(carry)
            return active if around is None else active & around

        def run(state: Any) -> Any:
            i, count, active, carry, written = state
            self.active = active
            new, fresh = body(i, carry, written)
            carry = [_where(active, n, o, 0) for n, o in zip(new, carry, strict=True)]
            types = _types(node.level, written)
            written = [_where(active, f, w, t.depth + 1) for f, w, t in zip(fresh, written, types, strict=True)]
            return i + 1, count + active, active & wanted(carry), carry, written

        start = (jnp.int32(0), jnp.zeros(lead, jnp.int32), wanted(carry), carry, written)
        _, count, _, carry, written = lax.while_loop(lambda state: jnp.any(state[2]), run, start)
        self.active = around
        return count, carry, written

    def placed(self, values: list[Any], shardings: Sequence[Any]) -> list[Any]:
        """The values as they are: all are on one device."""
        del shardings
        return values

    def as_any(self, x: Any, level: Level) -> Any:
        """The value as it is."""
        del level
        return x

    def blank(self, type_: TensorType, level: Level) -> Any:
        """Zeros for all devices, whose dimensions come after those that inner levels added."""
        shape = type_.shape[: type_.depth] + self.lead(level) + type_.shape[type_.depth :]
        return jnp.zeros(shape, type_.dtype)


def _each(run: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
    """Applies a function to every entry of its arguments' first dimension."""

    def over(*values: Any) -> list[Any]:
        try:
            return jax.vmap(run)(*values)
        except NotImplementedError:  # For example, a callback that does not support vmap.
            return lax.map(lambda entry: run(*entry), values)

    return over


def _one_by_one(run: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
    """Applies a function to every entry of its arguments' first dimension, one after another."""
    return lambda *values: lax.map(lambda entry: run(*entry), values)


def cut(x: Any, spec: PartitionSpec, node: RegionNode, rank: int) -> Any:
    """The blocks of an array that has ``rank`` leading dimensions for devices: one more of them, the innermost."""
    shape = x.shape[rank:]
    split, named = list(x.shape[:rank]), []
    where: dict[str, int] = {}
    for size, dim in zip(shape, dims_of_spec(shape, spec), strict=True):
        for axis in dim.axes:
            where[axis] = len(split)
            split.append(node.mesh.shape[axis])
        named.append(len(split))
        split.append(size // math.prod(node.mesh.shape[axis] for axis in dim.axes))
    cutting = [axis for axis in node.axes if axis in where]
    x = x.reshape(split).transpose([*range(rank), *(where[axis] for axis in cutting), *named])
    block = x.shape[rank + len(cutting) :]
    x = x.reshape(*x.shape[:rank], *(node.mesh.shape[a] if a in where else 1 for a in node.axes), *block)
    x = jnp.broadcast_to(x, (*x.shape[:rank], *(node.mesh.shape[a] for a in node.axes), *block))
    for axis in spec.unreduced:  # Parts of a sum: the first device has the whole, the others have zeros.
        first = jnp.arange(node.mesh.shape[axis]) == 0
        k = rank + node.axes.index(axis)
        x = x * first.reshape(*(-1 if d == k else 1 for d in range(x.ndim))).astype(x.dtype)
    return x.reshape(*x.shape[:rank], _devices(node), *block)


def assemble(x: Any, spec: PartitionSpec, node: RegionNode, rank: int) -> Any:
    """The array of some blocks: concatenated along the axes that the spec names, one copy along others."""
    lead, block = x.shape[:rank], x.shape[rank + 1 :]
    x = x.reshape(*lead, *(node.mesh.shape[axis] for axis in node.axes), *block)
    dims = dims_of_spec(block, spec)
    used = {axis for dim in dims for axis in dim.axes}
    for axis in spec.unreduced:  # Kept as the sum.
        k = rank + node.axes.index(axis)
        x = jnp.broadcast_to(x.sum(k, keepdims=True, dtype=x.dtype), x.shape)
    x = x[(*(slice(None),) * rank, *(slice(None) if axis in used else 0 for axis in node.axes))]
    left = [axis for axis in node.axes if axis in used]
    order = list(range(rank))
    for d, dim in enumerate(dims):
        order += [*(rank + left.index(axis) for axis in dim.axes), rank + len(left) + d]
    sizes = [
        size * math.prod(node.mesh.shape[axis] for axis in dim.axes) for size, dim in zip(block, dims, strict=True)
    ]
    return x.transpose(order).reshape(*lead, *sizes)


def _is_ref(x: Any) -> bool:
    return _jax.is_ref(jax.typeof(x))


def _types(level: Level, written: list) -> list[TensorType]:
    return level.types() if written else []


def _devices(region: RegionNode) -> int:
    return math.prod(region.mesh.shape[axis] for axis in region.axes)


def _where(mask: Any, new: Any, old: Any, depth: int) -> Any:
    """Chooses for each device; its dimensions come after ``depth`` others."""
    mask = mask.reshape((1,) * depth + mask.shape + (1,) * (new.ndim - depth - mask.ndim))
    if jax.dtypes.issubdtype(new.dtype, jax.dtypes.prng_key):
        return jnp.where(jnp.broadcast_to(mask, new.shape), new, old)
    return jnp.where(mask, new, old)


def _pick(index: Any, options: Sequence[Any]) -> Any:
    out = options[0]
    for number, option in enumerate(options[1:], 1):
        out = _where(index == number, option, out, 0)
    return out
