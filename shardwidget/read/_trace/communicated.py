"""What the equations of a region send, and whose blocks values are that were only moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jax.extend.core import Literal

from shardwidget import _jax
from shardwidget.document import Mesh
from shardwidget.read._trace.collective import Collectives
from shardwidget.read._trace.draft import BlockOrigins, Draft, TracedValue
from shardwidget.read._trace.nodes import RegionNode
from shardwidget.read._trace.origins import (
    after_iterations,
    blocks_of,
    moved_twice,
    through_collective,
    through_equation,
    unknown_blocks,
)
from shardwidget.read._trace.written import Slots, WrittenTensors

NAN_DROPPED = (
    "{name} has dropped a NaN: on CPUs, what XLA compiles for a maximum or minimum may give a number although an "
    "operand is NaN"
)

Operand = TracedValue | Literal


@dataclass(frozen=True)
class StepContext:
    """Where the walk is."""

    region: RegionNode | None
    slots: Slots
    scope: int
    function: str
    """Name of the function whose equations these are."""
    active: np.ndarray | None = None
    """At each mesh position whether it executes; None for all."""
    stack: str = ""
    """Names of everything around, as JAX's name stacks have them."""
    expression: str = ""
    """The user's expression that calls the function, where its own equations come from no line of user code."""
    called: _jax.Frame | None = None
    """The frame of that expression."""
    library: bool = False
    """Whether the function is a library's: its equations all belong to the expression that calls it."""


class Communicated:
    """Looks at the steps of a plan.

    Args:
        written: what the run returned; None where nothing ran.
        meshes: the mesh of each region, as a document.
        collectives: what makes collectives of equations.
    """

    def __init__(
        self, written: WrittenTensors | None, meshes: dict[RegionNode, Mesh], collectives: Collectives
    ) -> None:
        self.written = written
        self.meshes = meshes
        self.collectives = collectives
        self.notes: list[str] = []
        """Notes on the values."""

    def size(self, place: StepContext) -> int:
        """Number of devices of the mesh around."""
        return 1 if place.region is None else self.meshes[place.region].size

    def of(self, step: Draft, values: Sequence[Operand], outs: Sequence[TracedValue], place: StepContext) -> None:
        """Notes what an equation of a region sends, and whose blocks its results are where they are only moved."""
        assert place.region is not None
        eqn, size = step.eqn, self.size(place)
        call = self.collectives.call(eqn, place.region)
        if call is not None:
            sizes = self._whole(values[call.statement.sizes], place) if call.statement.ragged else None
            step.collective = self.collectives.of(eqn, call, place.region, sizes)
            if call.statement.semantics.combines not in ("", "sum"):
                self._look_for_nan(step, values, outs)
            for value, out in zip(values, outs, strict=False) if not call.statement.joint else ():
                if isinstance(value, TracedValue):
                    out.moved = through_collective(call, blocks_of(value, size))
        elif values and outs and isinstance(values[0], TracedValue) and _jax.is_future(values[0].aval):
            outs[0].moved = blocks_of(values[0], size)
        elif values and outs and isinstance(values[0], TracedValue):

            def starts(k: int) -> Sequence[int] | None:
                return self._scalar(values[k], place)

            shape = values[0].aval.shape
            outs[0].moved = through_equation(_jax.name_of(eqn), eqn.params, shape, blocks_of(values[0], size), starts)

    def pass_on(self, given: Sequence[Operand], made: Sequence[TracedValue], place: StepContext) -> None:
        """Notes that values in a region are what was given, each in its place."""
        for operand, value in zip(given, made, strict=False) if place.region is not None else ():
            value.moved = blocks_of(operand, self.size(place)) if isinstance(operand, TracedValue) else None

    def _look_for_nan(self, step: Draft, values: Sequence[Operand], outs: Sequence[TracedValue]) -> None:
        """Notes a NaN in the shown part of the operands that none of the results has."""
        for value, out in zip(values, outs, strict=False):
            if isinstance(value, TracedValue) and self._has_nan(value) and not self._has_nan(out):
                self.notes = [NAN_DROPPED.format(name=step.primitive)]

    def _has_nan(self, value: TracedValue) -> bool:
        site, region = value.site, value.region
        if self.written is None or site is None or not site.written or region is None or site.dtype.kind != "f":
            return False
        corners = self.written.corners(site, value.slots, np.arange(self.meshes[region].size))
        return bool(np.isnan(np.asarray(corners, np.float64)).any())

    def _scalar(self, operand: Operand, place: StepContext) -> Any:
        """An integer on each device; None where it was not kept."""
        if isinstance(operand, Literal):
            return np.full(self.size(place), operand.val)
        if self.written is None or operand.site is None or not operand.site.written:
            return None
        return np.broadcast_to(self.written.by_position(operand.site, operand.slots), (self.size(place),))

    def _whole(self, operand: Operand, place: StepContext) -> np.ndarray | None:
        """The block of each device; None where it was not kept, or only a corner of it."""
        shape = tuple(getattr(operand.aval, "shape", ()))
        if self.written is None or isinstance(operand, Literal) or operand.site is None or not operand.site.written:
            return None
        corners = self.written.by_position(operand.site, operand.slots) if operand.site.corner == shape else None
        return None if corners is None else np.broadcast_to(corners, (self.size(place), *shape))

    def follow(
        self,
        values: Sequence[TracedValue],
        before: Sequence[Operand],
        args: Sequence[TracedValue],
        results: Sequence[Operand],
        skipped: int | None,
        size: int,
    ) -> None:
        """Notes whose blocks the values of an iteration are.

        Args:
            values: those that it made.
            before: what the first of the iterations was given.
            args: what this one was given.
            results: what it gives the next.
            skipped: how many before it were not recorded; None for any number.
            size: the number of devices.
        """

        def blocks(operands: Sequence[Operand]) -> list[BlockOrigins]:
            return [
                blocks_of(x, size) if isinstance(x, TracedValue) else unknown_blocks(blocks_of(arg, size))
                for x, arg in zip(operands, args, strict=True)
            ]

        body = blocks(results) if skipped else [replace(m, fixed=False) for m in blocks(results)]
        found = after_iterations(blocks(before), args, body, skipped or 1)
        known = dict(zip((arg.id for arg in args), found, strict=True))
        for value in values:
            root = known.get(value.moved.root.id) if value.moved else None
            if root is not None and value.moved:
                value.moved = moved_twice(root, value.moved)
        for arg, origin in zip(args, found, strict=True):
            arg.moved = origin
