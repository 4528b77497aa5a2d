"""What fixes make devices send: each equation is compiled with its fix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax.sharding import AbstractMesh, AxisType, Mesh, NamedSharding

from shardwidget._jax import AnyMesh
from shardwidget.document import Program
from shardwidget.read._comparison.concrete import only_partitioned
from shardwidget.read._comparison.question import abstract, retyped
from shardwidget.read._comparison.tree import Line
from shardwidget.read._program.programs import program as read_program

MOST = 200
"""The most equations that are compiled for a comparison."""


@dataclass(frozen=True)
class Price:
    """What a fix makes the devices do."""

    communication: str
    """In words: ``all-gather over y, 3 times``; ``none``."""
    bytes: int
    """Bytes that a device sends."""


class Prices:
    """Compiles equations with their fixes, each group of equal ones once.

    Args:
        mesh: the devices to compile for; for an AbstractMesh those of this process, if there are enough.
    """

    def __init__(self, mesh: AnyMesh) -> None:
        self._mesh = _with_devices(mesh)
        self._known: dict[str, Price | None] = {}

    def of(self, bind: Callable[[Sequence[Any]], list[Any]], line: Line, values: Sequence[Any]) -> Price | None:
        """The price of an equation with its fix; None where it is not known.

        Args:
            bind: applies it to operands.
            line: the equation.
            values: its operands: tracers on the Explicit mesh, constants as they are.
        """
        if self._mesh is None:
            return None
        # In x @ x there is one operand.
        names = [id(v) for v in line.inputs]
        arrays = {name: v for name, v in zip(names, values, strict=True) if hasattr(v, "aval")}
        shapes = [self._shape(jax.typeof(v)) for v in arrays.values()]

        def call(*operands: Any) -> list[Any]:
            given = dict(zip(arrays, operands, strict=True))
            return bind([given.get(name, v) for name, v in zip(names, values, strict=True)])

        with jax.sharding.use_abstract_mesh(abstract(self._mesh)):
            try:
                traced = jax.jit(call).trace(*shapes)
                key = f"{traced.jaxpr} {[s.sharding.spec for s in shapes]}"
                if key not in self._known:
                    self._known[key] = self._compiled(traced) if len(self._known) < MOST else None
                return self._known[key]
            except Exception:
                return None  # It closes over values of the enclosing program.

    def _compiled(self, traced: Any) -> Price:
        assert self._mesh is not None
        compiled = traced.lower().compile(compiler_options=only_partitioned(self._mesh))
        return price_of(read_program(compiled, mesh=self._mesh))

    def _shape(self, type_: Any) -> jax.ShapeDtypeStruct:
        assert self._mesh is not None
        return jax.ShapeDtypeStruct(
            type_.shape, type_.dtype, sharding=NamedSharding(self._mesh, type_.sharding.spec), weak_type=type_.weak_type
        )


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
