"""Running a plan: the user's program with every value recorded, as one function that JAX compiles.

``Recorder`` walks the plan; what differs between the two engines is an ``Engine``.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import JaxprEqn, Literal
from jax.sharding import PartitionSpec

from shardwidget import _jax
from shardwidget.read._trace.nodes import (
    BranchesNode,
    CallNode,
    LeafNode,
    Level,
    LoopNode,
    RegionNode,
    Site,
    TensorType,
    TracedBody,
    TracePlan,
    packed_dtype,
)

Written: TypeAlias = tuple[dict[str, Any], list[Any]]
"""What a branch has written: its corners packed by format, and its tensors."""


class Tape:
    """What a level, or a branch in it, has written so far."""

    def __init__(self) -> None:
        self.pieces: defaultdict[str, list[Any]] = defaultdict(list)
        """Corners by their format."""
        self.tensors: list[Any] = []

    def append(self, packed: Mapping[str, Any], tensors: Sequence[Any]) -> None:
        """Appends what another has written, its corners packed."""
        for kind, piece in packed.items():
            self.pieces[kind].append(piece)
        self.tensors += tensors

    def packed(self) -> dict[str, Any]:
        """The corners of each format in one array."""
        return {kind: lax.concatenate(pieces, pieces[0].ndim - 1) for kind, pieces in sorted(self.pieces.items())}


class Engine(Protocol):
    """How values are placed on devices while the program runs."""

    def lead(self, level: Level) -> tuple[int, ...]:
        """Leading dimensions that the values of a level have for devices."""
        ...

    def lift(self, x: Any, level: Level) -> Any:
        """A constant as a value of a level."""
        ...

    def equation(self, eqn: JaxprEqn, values: Sequence[Any], level: Level) -> list[Any]:
        """Applies an equation; values may be ``Literal``."""
        ...

    def region(
        self, node: RegionNode, args: Sequence[Any], body: Callable[..., tuple[list, list]]
    ) -> tuple[list, list]:
        """Runs a body on blocks; returns global results, and what the body wrote with a leading dimension."""
        ...

    def branches(
        self,
        node: BranchesNode,
        index: Any,
        args: Sequence[Any],
        bodies: Sequence[Callable[..., tuple[list, Written | None]]],
    ) -> tuple[list, list[Written | None]]:
        """Runs the branches that the index selects; returns what each wrote, which is arbitrary for the others."""
        ...

    def repeat(self, node: LoopNode, test: Callable[[list], Any], body: Callable, carry: list, written: list) -> tuple:
        """Repeats a body while a test holds; returns counts, carries and what was written."""
        ...

    def placed(self, values: list[Any], shardings: Sequence[Any]) -> list[Any]:
        """Global values, each with its sharding if it is given one."""
        ...

    def as_any(self, x: Any, level: Level) -> Any:
        """A value in a type that every value of the level can have."""
        ...

    def blank(self, type_: TensorType, level: Level) -> Any:
        """Zeros, in that same type."""
        ...


class Recorder:
    """Walks a plan while JAX traces it."""

    def __init__(self, plan: TracePlan, engine: Engine) -> None:
        self.plan = plan
        self.engine = engine
        self.consts: Sequence[Any] = ()
        self.iterations: dict[LoopNode, Any] = {}
        """The iteration of each loop that is being walked."""

    def __call__(self, consts: Sequence[Any], args: Sequence[Any]) -> tuple[list[Any], list[Any], list[Any]]:
        """The program's results, the tensors of its outermost level, and what its refs hold at the end.

        Args:
            consts: the constants of the plan; for a ``Ref``, its contents.
            args: the arguments.
        """
        self.consts = [jax.new_ref(x) if k in self.plan.refs else x for k, x in enumerate(consts)]
        tape = Tape()
        outs = self.walk(self.plan.root, args, self.plan.level, tape)
        tensors = self.close(tape)
        return outs, tensors, [self.consts[k][...] for k in sorted(self.plan.refs)]

    def walk(self, block: TracedBody, args: Sequence[Any], level: Level, tape: Tape | None) -> list[Any]:
        """Runs a block; without a tape it writes nothing."""
        jaxpr, lift = block.jaxpr, self.engine.lift
        env = dict(zip(jaxpr.constvars, [lift(self.consts[i], level) for i in block.consts], strict=True))
        env.update(zip(jaxpr.invars, args, strict=True))
        for node in block.nodes:
            values = [v if isinstance(v, Literal) else env[v] for v in node.eqn.invars]
            env.update(zip(node.eqn.outvars, self.node(node, values, level, tape), strict=True))
        return [lift(constant(v), level) if isinstance(v, Literal) else env[v] for v in jaxpr.outvars]

    def node(self, node: Any, values: list[Any], level: Level, tape: Tape | None) -> list[Any]:
        """Runs a node and writes its outputs."""
        if isinstance(node, LeafNode):
            if _jax.name_of(node.eqn) in _jax.WRITES:
                return []
            outs = self.engine.equation(node.eqn, values, level)
            return self.write(tape, node.outputs, outs)
        values = [self.engine.lift(constant(v), level) if isinstance(v, Literal) else v for v in values]
        if isinstance(node, CallNode):
            return self.call(node, values, level, tape)
        run = {RegionNode: self.region, BranchesNode: self.branches, LoopNode: self.loop}[type(node)]
        return self.write(tape, node.outputs, run(node, values, level, tape))

    def call(self, node: CallNode, values: list[Any], level: Level, tape: Tape | None) -> list[Any]:
        """Runs a called function in place; the shardings that ``jit`` gives its arrays still hold."""
        if level.region is not None:
            return self.walk(node.body, node.operands(values), level, tape)
        values = self.engine.placed(values, node.control.in_shardings)
        outs = self.walk(node.body, node.operands(values), level, tape)
        return self.engine.placed(outs, node.control.out_shardings)

    def region(self, node: RegionNode, args: list[Any], level: Level, tape: Tape | None) -> list[Any]:
        """Runs a ``shard_map``."""

        def body(*blocks: Any) -> tuple[list, list]:
            inner = None if tape is None else Tape()
            self.write(inner, node.inputs, blocks)
            outs = self.walk(node.body, blocks, node.level, inner)
            return outs, self.close(inner)

        outs, written = self.engine.region(node, args, body)
        return self.append(tape, level, outs, written)

    def branches(self, node: BranchesNode, values: list[Any], level: Level, tape: Tape | None) -> list[Any]:
        """Runs a ``cond``."""
        index, *args = values
        self.write(tape, [node.index], [index])

        def runner(body: TracedBody) -> Callable[..., tuple[list, Written | None]]:
            def run(*args: Any) -> tuple[list, Written | None]:
                inner = None if tape is None else Tape()
                outs = self.walk(body, args, level, inner)
                return outs, inner and (inner.packed(), inner.tensors)

            return run

        outs, written = self.engine.branches(node, index, args, [runner(body) for body in node.bodies])
        if tape is not None:
            for one in filter(None, written):
                tape.append(*one)
        return outs

    def loop(self, node: LoopNode, values: list[Any], level: Level, tape: Tape | None) -> list[Any]:
        """Runs a ``scan`` or a ``while``."""
        engine, inner = self.engine, node.level
        tests, consts, carry, slices = node.operands(values)
        if node.stopped:
            return self.append(tape, level, [], self.first(node, consts, carry, slices))

        def step(i: Any, carry: list, x: list, written: list) -> tuple[list, list, list]:
            self.iterations[node] = i
            fresh = None if tape is None else Tape()
            self.write(fresh, node.inputs, [*carry, *x])
            if node.test is not None and fresh is not None:
                self.walk(node.test, [*tests, *carry], inner, fresh)
            outs = self.walk(node.body, [*consts, *carry, *x], inner, fresh)
            slot = jnp.minimum(i, node.slots - 1)
            fresh_values = self.close(fresh)
            written = [
                lax.dynamic_update_index_in_dim(w, f, slot, 0) for w, f in zip(written, fresh_values, strict=True)
            ]
            return outs[: node.carries], outs[node.carries :], written

        written: list[Any] = []
        if tape is not None:
            written = [engine.blank(type_.stacked(node.slots), inner) for type_ in inner.types()]
        if isinstance(node.control, _jax.Scan):
            carry, slices, written = self._scan(node, node.control, step, carry, slices, written)
        else:
            test = node.test
            assert test is not None

            def holds(carry: list) -> Any:
                return self.walk(test, [*tests, *carry], inner, None)[0]

            def body(i: Any, carry: list, written: list) -> tuple[list, list]:
                carry, _, written = step(i, carry, [], written)
                return carry, written

            count, carry, written = engine.repeat(node, holds, body, carry, written)
            assert node.count is not None
            self.write(tape, [node.count], [count])
            slices = []
        return self.append(tape, level, [*carry, *slices], written)

    def _scan(
        self, node: LoopNode, control: _jax.Scan, step: Callable, carry: list, slices: list, written: list
    ) -> tuple[list, list, list]:
        # The dimension that is scanned comes first, before those for devices.
        rank = len(self.engine.lead(node.level))

        def body(state: Any, x: list) -> Any:
            i, carry, written = state
            carry, ys, written = step(i, carry, x, written)
            return (i + 1, carry, written), ys

        xs = [jnp.moveaxis(x, rank, 0) for x in slices] if rank else slices
        (_, carry, written), ys = lax.scan(
            body, (jnp.int32(0), carry, written), xs, control.length, control.reverse, control.unroll
        )
        return carry, [jnp.moveaxis(y, 0, rank) for y in ys] if rank else ys, written

    def first(self, node: LoopNode, consts: list[Any], carry: list[Any], slices: list[Any]) -> list[Any]:
        """Runs the first iteration of a loop, as far as it was traced; returns what it wrote."""
        rank = len(self.engine.lead(node.level))
        at = -1 if node.reverse else 0
        args = [*carry, *(lax.index_in_dim(x, at, rank, keepdims=False) for x in slices)]
        tape = Tape()
        self.write(tape, node.inputs, args)
        self.walk(node.body, [*consts, *args], node.level, tape)
        return [w[None] for w in self.close(tape)]

    def append(self, tape: Tape | None, level: Level, outs: list[Any], written: list[Any]) -> list[Any]:
        """Takes over what an inner level wrote."""
        if tape is not None:
            tape.tensors += [self.engine.as_any(w, level) for w in written]
        return outs

    def write(self, tape: Tape | None, sites: Sequence[Site], values: Sequence[Any]) -> list[Any]:
        """Writes values where their sites say; returns them."""
        if tape is not None:
            for site, value in zip(sites, values, strict=True):
                if site.written:
                    self._write(tape, site, value)
        return list(values)

    def _write(self, tape: Tape, site: Site, value: Any) -> None:
        if jax.dtypes.issubdtype(value.dtype, jax.dtypes.prng_key):
            value = jax.random.key_data(value)
        value = self.engine.as_any(value, site.level)
        value = _jax.without_layout(value)
        if site.format:
            tape.pieces[site.format].append(_corner(value, self.engine.lead(site.level), site))
        if site.tensor >= 0:
            tape.tensors.append(value)

    def close(self, tape: Tape | None) -> list[Any]:
        """What a level returns: its corners packed by format, then its tensors."""
        return [] if tape is None else [*tape.packed().values(), *tape.tensors]


def constant(literal: Any) -> jax.Array:
    """A constant of a jaxpr as an array of its type; JAX's own may be typed for the mesh that it was traced under."""
    return jnp.asarray(np.asarray(literal.val), literal.aval.dtype)


def _corner(value: Any, lead: tuple[int, ...], site: Site) -> Any:
    if any(_jax.partitions(jax.typeof(value).sharding.spec)):  # By Explicit axes that are not manual here.
        value = jax.reshard(value, PartitionSpec())
    # With ``lax``: jnp's indexing and reshaping take ten times as long to trace.
    shape = (*lead, *site.corner)
    if site.corner != site.shape:
        value = lax.slice(value, (0,) * len(shape), shape)
    if value.dtype != packed_dtype(site.format):
        value = lax.convert_element_type(value, packed_dtype(site.format))
    return lax.reshape(value, (*lead, math.prod(site.corner)))
