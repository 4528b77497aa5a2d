"""The mesh engine: the program runs on the user's devices, under ``jax.shard_map``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.extend.core import JaxprEqn, Literal
from jax.sharding import AxisType, Sharding

from shardwidget import _jax
from shardwidget.read._trace.nodes import BranchesNode, Level, LoopNode, RegionNode, Span, TensorType, packed_type
from shardwidget.read._trace.recorder import Written


class MeshEngine:
    """Runs the program on the user's devices: JAX's own ``shard_map``, each value returned with a device dimension."""

    def lead(self, level: Level) -> tuple[int, ...]:
        """None: inside ``shard_map`` a value is a block."""
        del level
        return ()

    def lift(self, x: Any, level: Level) -> Any:
        """The constant as it is."""
        del level
        return x

    def equation(self, eqn: JaxprEqn, values: Sequence[Any], level: Level) -> list[Any]:
        """Applies the equation."""
        del level
        return _jax.bind(eqn, *(v.val if isinstance(v, Literal) else v for v in values))

    def region(self, node: RegionNode, args: Sequence[Any], body: Callable) -> tuple[list, list]:
        """Runs the body under ``shard_map``, with the user's mesh, specs and check."""

        def blocks(*args: Any) -> tuple[list, list]:
            outs, written = body(*args)
            return outs, [w[None] for w in written]

        run = jax.shard_map(
            blocks,
            mesh=node.mesh,
            in_specs=node.control.in_specs,
            out_specs=(list(node.control.out_specs), jax.sharding.PartitionSpec(node.axes)),
            axis_names=set(node.axes),
            check_vma=node.check_vma,
        )
        return run(*args)

    def branches(self, node: BranchesNode, index: Any, args: Sequence[Any], bodies: Sequence[Callable]) -> Any:
        """Runs one branch; for the others it writes zeros."""

        def runner(number: int, body: Callable) -> Callable[..., Any]:
            def run(*args: Any) -> Any:
                outs, mine = body(*args)
                written: list[Written | None] = [mine and self._blanks(node.level, span) for span in node.spans]
                written[number] = mine
                return outs, written

            return run

        return lax.switch(index, [runner(k, body) for k, body in enumerate(bodies)], *args)

    def _blanks(self, level: Level, span: Span) -> Written:
        packed = {kind: self.blank(packed_type(kind, size), level) for kind, size in span.packed.items()}
        return packed, [self.blank(type_, level) for type_ in level.tensors[span.tensors]]

    def repeat(self, node: LoopNode, test: Callable, body: Callable, carry: list, written: list) -> tuple:
        """A ``while_loop`` with a counter."""

        def run(state: Any) -> Any:
            i, carry, written = state
            return i + 1, *body(i, carry, written)

        zero = self.as_any(jnp.int32(0), node.level)
        return lax.while_loop(lambda state: test(state[1]), run, (zero, carry, written))

    def placed(self, values: list[Any], shardings: Sequence[Any]) -> list[Any]:
        """The values, constrained as ``jit`` constrains them."""
        return [_constrained(x, s) for x, s in zip(values, shardings, strict=True)] if shardings else values

    def as_any(self, x: Any, level: Level) -> Any:
        """In a region: typed as varying over every manual axis."""
        return x if level.region is None else _jax.kept(x, level.region.typed)

    def blank(self, type_: TensorType, level: Level) -> Any:
        """Zeros with the sharding that an Explicit mesh asks for."""
        zeros = jnp.zeros(type_.shape, type_.dtype)
        if type_.mesh is not None:
            spec = jax.sharding.PartitionSpec(*type_.spec)
            zeros = jax.reshard(zeros, jax.sharding.NamedSharding(type_.mesh, spec))
        return self.as_any(zeros, level)


def _constrained(x: Any, sharding: Sharding) -> Any:
    if not isinstance(sharding, jax.sharding.NamedSharding):
        return x
    explicit = AxisType.Explicit in sharding.mesh.axis_types
    return jax.reshard(x, sharding) if explicit else lax.with_sharding_constraint(x, sharding)
