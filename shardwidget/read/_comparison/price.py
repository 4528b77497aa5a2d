"""What fixes make devices send: each equation is compiled with its fix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax.extend.core import Literal
from jax.sharding import AbstractMesh, AxisType, Mesh, NamedSharding

from shardwidget import _jax
from shardwidget._jax import AnyMesh
from shardwidget.document import Program
from shardwidget.read._comparison.concrete import only_partitioned
from shardwidget.read._comparison.question import abstract, retyped
from shardwidget.read._comparison.tree import Line
from shardwidget.read._program.programs import program as read_program

MOST = 200
"""The most equations that are compiled for a comparison."""


KEPT = 2_000
"""The most prices that are kept, for the next comparison."""


@dataclass(frozen=True)
class Price:
    """What a fix makes the devices do."""

    communication: str
    """In words: ``all-gather over y, 3 times``; ``none``."""
    bytes: int
    """Bytes that a device sends."""

    def unending(self, count: int) -> Price:
        """The price of a turn of a loop, from that of so many."""
        if not self.bytes:
            return self
        return Price(self.communication.replace(f", {count} times", " in every turn"), self.bytes // count)


@dataclass(frozen=True)
class Turns:
    """The loops around an equation."""

    count: int | None
    """How often they run it; None where that is not known."""
    constant: Sequence[bool]
    """Whether each operand is the same in every turn: then the compiler moves what is done with it out of the loop."""


class Prices:
    """Compiles equations with their fixes, equal ones once: a cell runs again, and a fix is gone on with.

    Args:
        mesh: the devices to compile for; for an AbstractMesh those of this process, if there are enough.
    """

    def __init__(self, mesh: AnyMesh) -> None:
        self._mesh = _with_devices(mesh)
        self._left = MOST

    def of(
        self,
        bind: Callable[[Sequence[Any]], list[Any]],
        line: Line,
        values: Sequence[Any],
        around: Turns,
    ) -> Price | None:
        """The price of an equation with its fix; None where it is not known.

        Args:
            bind: applies it to operands.
            line: the equation.
            values: its operands: tracers on the Explicit mesh, constants as they are.
            around: the loops around it.
        """
        if self._mesh is None:
            return None
        # In x @ x there is one operand.
        names = [id(v) for v in line.inputs]
        operands = zip(names, values, strict=True)
        arrays = {name: v for name, v in operands if hasattr(v, "aval")}
        changing = {name for name, same in zip(names, around.constant, strict=True) if not same}
        turning = changing & arrays.keys() if around.count != 1 else set()
        count = around.count or 2
        shapes = [self._shape(jax.typeof(v), count if name in turning else 0) for name, v in arrays.items()]

        def once(operands: Sequence[Any]) -> list[Any]:
            given = dict(zip(arrays, operands, strict=True))
            return bind([given.get(name, v) for name, v in zip(names, values, strict=True)])

        def call(*operands: Any) -> Any:
            if not turning:
                return once(operands)
            given = dict(zip(arrays, operands, strict=True))
            every = [given[name] for name in arrays if name in turning]

            def turn(_: None, slices: Sequence[Any]) -> tuple[None, list[Any]]:
                own = given | dict(zip((name for name in arrays if name in turning), slices, strict=True))
                return None, once([own[name] for name in arrays])

            return jax.lax.scan(turn, None, every)

        price = self._priced(call, shapes)
        return price.unending(count) if price and turning and around.count is None else price

    def of_equations(self, equations: Sequence[Any]) -> Price | None:
        """The price of equations that follow each other and run once; None where it is not known.

        Args:
            equations: as they were traced on the same mesh with Explicit axes.
        """
        if self._mesh is None or not equations:
            return None
        made = {v for eqn in equations for v in eqn.outvars}
        read = (v for eqn in equations for v in eqn.invars if not isinstance(v, Literal))
        given = list(dict.fromkeys(v for v in read if v not in made))

        def call(*operands: Any) -> list[Any]:
            env = dict(zip(given, operands, strict=True))
            for eqn in equations:
                values = [v.val if isinstance(v, Literal) else env[v] for v in eqn.invars]
                env.update(zip(eqn.outvars, _jax.bind(eqn, *values), strict=True))
            return [env[v] for v in made]

        return self._priced(call, [self._shape(v.aval, 0) for v in given])

    def _priced(self, call: Callable[..., Any], shapes: Sequence[jax.ShapeDtypeStruct]) -> Price | None:
        """What a function of operands sends; equal ones are compiled once."""
        assert self._mesh is not None
        with jax.sharding.use_abstract_mesh(abstract(self._mesh)):
            try:
                traced = jax.jit(call).trace(*shapes)
                key = self._mesh, f"{traced.jaxpr} {[s.sharding.spec for s in shapes]}"
                price = _KNOWN.pop(key, None)
                if price is None and self._left:
                    self._left -= 1
                    price = self._compiled(traced)
                if price is not None:
                    _KNOWN[key] = price  # The last.
                    if len(_KNOWN) > KEPT:
                        _KNOWN.pop(next(iter(_KNOWN)), None)
                return price
            except Exception:
                return None  # It closes over values of the enclosing program.

    def _compiled(self, traced: Any) -> Price:
        assert self._mesh is not None
        compiled = _jax.compiled(traced.lower(), only_partitioned(self._mesh))
        return price_of(read_program(compiled, mesh=self._mesh))

    def _shape(self, type_: Any, turns: int) -> jax.ShapeDtypeStruct:
        """An operand, or one for each turn."""
        assert self._mesh is not None
        spec, shape = type_.sharding.spec, type_.shape
        if turns:
            spec, shape = jax.P(None, *spec), (turns, *shape)
        sharding = NamedSharding(self._mesh, spec)
        return jax.ShapeDtypeStruct(shape, type_.dtype, sharding=sharding, weak_type=type_.weak_type)


_KNOWN: dict[tuple[Mesh, str], Price] = {}
"""By mesh and program; those that were asked for last are last."""


def price_of(program: Program) -> Price:
    """What a program sends."""
    words: dict[str, None] = {}
    for c in program.collectives:
        over = f" over {' and '.join(c.axes)}" if c.axes else ""
        words[f"{c.kind}{over}{f', {c.times} times' if c.times and c.times > 1 else ''}"] = None
    return Price("; ".join(words) or "none", sum(c.bytes_per_device * (c.times or 1) for c in program.collectives))


def _with_devices(mesh: AnyMesh) -> Mesh | None:
    if isinstance(mesh, AbstractMesh):
        devices = jax.devices()[: mesh.size]
        if len(devices) < mesh.size:
            return None
        mesh = Mesh(np.asarray(devices).reshape(mesh.axis_sizes), mesh.axis_names)
    found = retyped(mesh, AxisType.Explicit)
    return found if isinstance(found, Mesh) else None
