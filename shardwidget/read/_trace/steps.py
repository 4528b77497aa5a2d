"""Steps of a trace: a walk over the plan that records what ran, in the order in which it ran."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jax.extend.core import JaxprEqn, Literal

from shardwidget import _jax
from shardwidget.collectives import statement_of
from shardwidget.document import Mesh, Scope
from shardwidget.document.step import Begins
from shardwidget.read._jaxpr.expressions import beginnings
from shardwidget.read._jaxpr.names import name_outputs, parameter_names
from shardwidget.read._jaxpr.scopes import Scopes
from shardwidget.read._jaxpr.sources import frames_of, line_of, source_of
from shardwidget.read._jaxpr.syntax import calls_at, mapping_line, text_at
from shardwidget.read._jaxpr.value import Value
from shardwidget.read._trace.collective import Collectives
from shardwidget.read._trace.draft import Draft, Moved, TracedValue
from shardwidget.read._trace.nodes import BranchesNode, CallNode, LeafNode, LoopNode, RegionNode, Site, TracedBody
from shardwidget.read._trace.origins import (
    after_iterations,
    blocks_of,
    moved_twice,
    through_collective,
    through_equation,
    unknown_blocks,
)
from shardwidget.read._trace.printed import printed
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


class Writer:
    """Records the steps of a plan.

    Args:
        written: what the run returned; None where nothing ran.
        meshes: the mesh of each region, as a document.
    """

    def __init__(
        self, written: WrittenTensors | None, meshes: dict[RegionNode, Mesh], collectives: Collectives
    ) -> None:
        self.written = written
        self.meshes = meshes
        self.collectives = collectives
        self.steps: list[Draft] = []
        self.values: list[TracedValue] = []
        self.scopes = Scopes()
        self.frames: list[tuple[str, int]] = []
        """File and line of every step that has a source."""
        self.known: dict[Any, Operand] = {}
        """The operand that each variable of a jaxpr was last bound to."""
        self.texts: list[tuple[Value, str]] = []
        """The short expressions that produce values."""
        self.notes: list[str] = []
        """Notes on the values."""
        self._begins: Begins = "statement"
        """What begins with the next step."""
        self.stopped: StepContext | None = None
        """The innermost place where tracing stopped."""

    def value(self, aval: Any, place: StepContext, site: Site | None = None, **known: Any) -> TracedValue:
        """A new variable."""
        made = TracedValue(
            len(self.values), aval, region=place.region, site=site, slots=place.slots, active=place.active, **known
        )
        self.values.append(made)
        return made

    def block(
        self, block: TracedBody, args: Sequence[Operand], consts: Sequence[Operand], place: StepContext
    ) -> list[Operand]:
        """Steps of a block; returns its results."""
        jaxpr = block.jaxpr
        if _jax.is_open(jaxpr):
            self.stopped = place
        env: dict[Any, Operand] = dict(zip(jaxpr.constvars, [consts[i] for i in block.consts], strict=True))
        env.update(zip(jaxpr.invars, args, strict=True))
        eqns = [node.eqn for node in block.nodes]
        begins: list[Begins] = list(beginnings(eqns, place.function))
        if place.library:
            begins = ["" for _ in eqns]
        for node, begin in zip(block.nodes, begins, strict=True):
            self._begins = begin or self._begins
            values = [v if isinstance(v, Literal) else env[v] for v in node.eqn.invars]
            env.update(zip(node.eqn.outvars, self.node(node, values, consts, place), strict=True))
        self.texts += name_outputs(block, env, place.function, place.stack)
        self.known.update(env)
        return [v if isinstance(v, Literal) else env[v] for v in jaxpr.outvars]

    def node(
        self, node: Any, values: list[Operand], consts: Sequence[Operand], place: StepContext
    ) -> Sequence[Operand]:
        """Steps of a node; returns its outputs."""
        if isinstance(node, LeafNode):
            return self.equation(node, values, place)
        run = {CallNode: self.call, RegionNode: self.region, BranchesNode: self.branches, LoopNode: self.loop}[
            type(node)
        ]
        return run(node, values, consts, replace(place, stack=_jax.stack_within(place.stack, node.eqn)))

    def equation(self, node: LeafNode, values: list[Operand], place: StepContext) -> list[TracedValue]:
        """The step of one equation."""
        eqn = node.eqn
        sites = node.outputs or [None] * len(eqn.outvars)
        outs = [self.value(v.aval, place, site) for v, site in zip(eqn.outvars, sites, strict=True)]
        step = self.step(_jax.name_of(eqn), eqn, values, outs, place)
        if place.region is not None:
            self._communicate(step, values, outs, place)
        if _jax.name_of(eqn) in _jax.WRITES and self.written is not None:
            mesh = None if place.region is None else self.meshes[place.region]
            step.printed = printed(eqn, values, self.written, mesh, place.active)
        statement = statement_of(_jax.name_of(eqn))
        if statement is not None and statement.requested_by:
            frames = frames_of(eqn)
            step.implicit = not frames or calls_at(frames[0]) not in statement.requested_by
            if step.implicit and isinstance(values[0], TracedValue):
                outs[0].alias = values[0]
            elif step.implicit:
                outs[0].name = step.literals[0]
        return outs

    def _communicate(
        self, step: Draft, values: Sequence[Operand], outs: Sequence[TracedValue], place: StepContext
    ) -> None:
        """What an equation of a region sends, and whose blocks its results are where they are only moved."""
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

    def _follow(
        self,
        before: Sequence[Operand],
        args: Sequence[TracedValue],
        results: Sequence[Operand],
        skipped: int | None,
        size: int,
    ) -> None:
        """Whose blocks the values of an iteration are, after so many that were not recorded; None for any number."""

        def blocks(operands: Sequence[Operand]) -> list[Moved]:
            return [
                blocks_of(x, size) if isinstance(x, TracedValue) else unknown_blocks(blocks_of(arg, size))
                for x, arg in zip(operands, args, strict=True)
            ]

        body = blocks(results) if skipped else [replace(m, fixed=False) for m in blocks(results)]
        found = after_iterations(blocks(before), args, body, skipped or 1)
        known = dict(zip((arg.id for arg in args), found, strict=True))
        for value in self.values[args[0].id :]:
            root = known.get(value.moved.root.id) if value.moved else None
            if root is not None and value.moved:
                value.moved = moved_twice(root, value.moved)
        for arg, origin in zip(args, found, strict=True):
            arg.moved = origin

    def size(self, place: StepContext) -> int:
        """Number of devices of the mesh around."""
        return 1 if place.region is None else self.meshes[place.region].size

    def step(
        self,
        primitive: str,
        eqn: JaxprEqn | None,
        values: Sequence[Operand],
        outs: list[TracedValue],
        place: StepContext,
        **more: Any,
    ) -> Draft:
        """Adds a step."""
        frames = frames_of(eqn) if eqn is not None else []
        source = source_of(frames[0]) if frames else None
        if frames:
            self.frames.append((frames[0].file_name, frames[0].start_line))
        draft = Draft(
            primitive,
            [v for v in values if isinstance(v, TracedValue)],
            outs,
            eqn=eqn,
            region=place.region,
            scope=self.scope_of(eqn, place) if eqn is not None else place.scope,
            source=source,
            begins=self._begins,
            expression=text_at(frames[0]) if frames and not place.library else place.expression,
            frame=frames[0] if frames and not place.library else place.called,
            literals=tuple(str(np.asarray(v.val)) for v in values if isinstance(v, Literal)),
            active=place.active,
            library=place.library,
            **more,
        )
        self._begins = ""
        self.steps.append(draft)
        return draft

    def scope_of(self, eqn: JaxprEqn, place: StepContext) -> int:
        """The scope of an equation."""
        return self.scopes.around(eqn, frames_of(eqn), place.function, place.scope)

    def enter(self, place: StepContext, scope: Scope, **changes: Any) -> StepContext:
        """A place in a new scope."""
        return replace(place, scope=self.scopes.enter(scope), **changes)

    def call(
        self, node: CallNode, values: list[Operand], consts: Sequence[Operand], place: StepContext
    ) -> list[Operand]:
        """Steps of a called function."""
        around = self.scope_of(node.eqn, place)
        function = _jax.function_name(node.body.jaxpr) or node.control.name
        if node.control.name == place.function:  # The function itself, jitted.
            return self.block(node.body, values, consts, place)
        kind = "branch" if node.control.branch else "function"
        frames = frames_of(node.eqn)
        own = frames and not place.library
        expression, called = (text_at(frames[0]), frames[0]) if own else (place.expression, place.called)
        file, _ = _jax.function_place(node.body.jaxpr)
        library = place.library or (bool(file) and not _jax.is_user_file(file))
        scope = Scope(kind, node.control.name, around)
        inner = self.enter(place, scope, function=function, expression=expression, called=called, library=library)
        return self.block(node.body, node.operands(values), consts, inner)

    def region(
        self, node: RegionNode, values: list[Operand], consts: Sequence[Operand], place: StepContext
    ) -> list[TracedValue]:
        """Steps of a ``shard_map``, its ends among them."""
        jaxpr = node.body.jaxpr
        function = _jax.function_name(jaxpr)
        inner = self.enter(place, Scope("region", function or "shard_map", place.scope), region=node, function=function)
        file, line = _jax.function_place(jaxpr)
        called = frames_of(node.eqn) if not _jax.is_user_file(file) and not _jax.is_open(jaxpr) else []
        if called:  # What is mapped is a library's: the line that calls it is the user's.
            file, line = called[0].file_name, called[0].start_line
        where = line_of(file, mapping_line(file, line), function) if line and _jax.is_user_file(file) else None
        if where is not None:
            self.frames.append((file, line))
        names = _jax.argument_names(jaxpr)
        blocks = [self.value(v.aval, inner, site) for v, site in zip(jaxpr.invars, node.inputs, strict=True)]
        known = names if len(names) == len(blocks) else ()
        for block, value, name in zip(blocks, values, known or [""] * len(blocks), strict=True):
            block.name = name.rpartition(".")[2]
            block.alias = value if isinstance(value, TracedValue) else None
        self._begins = "statement"
        self.step("in_specs", None, values, blocks, inner, kind="in_specs", about={"node": node}).source = where
        self._begins = "statement"
        outs = self.block(node.body, blocks, consts, inner)
        if _jax.is_open(jaxpr):
            return []
        results = [self.value(v.aval, place, site) for v, site in zip(node.eqn.outvars, node.outputs, strict=True)]
        for result, spec in zip(results, node.control.out_specs, strict=True):
            result.spec, result.origin = spec, node
        self._begins = "statement"
        self.step("out_specs", None, outs, results, inner, kind="out_specs", about={"node": node}).source = where
        return results

    def branches(
        self, node: BranchesNode, values: list[Operand], consts: Sequence[Operand], place: StepContext
    ) -> list[TracedValue]:
        """Steps of a ``cond``: those of every branch that a device takes."""
        index, *args = values
        taken = None if self.written is None else self.written.by_position(node.index, place.slots)
        if isinstance(index, Literal):
            taken = np.asarray(index.val)
        self.step(
            "cond", node.eqn, values, [], place, kind="cond", about={"taken": taken, "branches": len(node.bodies)}
        )
        for number, body in enumerate(node.bodies):
            active = place.active
            if taken is not None:
                mine = taken == number
                if place.active is not None:
                    mine = mine & place.active
                if not np.any(mine):
                    continue
                active = None if np.all(mine) else np.broadcast_to(mine, (self.size(place),))
            around = self.scope_of(node.eqn, place)
            scope = Scope("branch", f"cond branch {number}", around)
            function = _jax.function_name(body.jaxpr)
            self.block(body, args, consts, self.enter(place, scope, active=active, function=function))
        outs = [self.value(v.aval, place, site) for v, site in zip(node.eqn.outvars, node.outputs, strict=True)]
        self._begins = "statement"
        self.step("cond", node.eqn, [], outs, place, kind="cond end")
        return outs

    def loop(
        self, node: LoopNode, values: list[Operand], consts: Sequence[Operand], place: StepContext
    ) -> list[TracedValue]:
        """Steps of a loop: those of the iterations that were recorded."""
        eqn = node.eqn
        tests, closed, carry, slices = node.operands(values)
        counts = None
        total = node.length
        if total is None and self.written is not None and node.count is not None:
            counts = self.written.by_position(node.count, place.slots)
            total = int(counts.max())
        unknown = total is None
        total = 1 if total is None else total
        around = self.scope_of(eqn, place)
        name, function = _jax.name_of(eqn), _jax.function_name(node.body.jaxpr)
        shown = list(range(min(total, node.slots)))
        if total > node.slots and not node.stopped:
            shown[-1] = total - 1
        previous = -1
        for slot, number in enumerate(shown):
            active = place.active
            if counts is not None and not np.all(counts > number):
                # The last slot holds the last iteration of each device, even if these differ.
                mine = counts > slot
                active = mine if active is None else mine & active
                active = None if np.all(active) else np.broadcast_to(active, (self.size(place),))
            scope = Scope("iteration", name, around, iteration=number, times=None if unknown else total)
            inner = self.enter(place, scope, slots={**place.slots, node: slot}, function=function, active=active)
            body = node.body.jaxpr
            made = [
                self.value(v.aval, inner, site) for v, site in zip(body.invars[node.consts :], node.inputs, strict=True)
            ]
            names = parameter_names(body)
            if len(names) == len(body.invars):
                for value, known in zip(made, names[node.consts :], strict=True):
                    value.name = known
            if place.region is not None and previous == number - 1:
                for value, operand in zip(made, carry, strict=False):
                    value.moved = blocks_of(operand, self.size(place)) if isinstance(operand, TracedValue) else None
            self._begins = "statement"
            self.step(
                name, eqn, [*carry, *slices] if previous == number - 1 else slices, made, inner, kind="iteration",
                about={"number": number, "total": total, "skipped": number - previous - 1, "carries": node.carries,
                       "slice": total - number if node.reverse else number + 1},
            )  # fmt: skip
            skipped, previous = number - previous - 1, number
            args = made[: node.carries]
            if node.test is not None:
                self.block(node.test, [*tests, *args], consts, inner)
            before, carry = carry, self.block(node.body, [*closed, *made], consts, inner)[: node.carries]
            if place.region is not None and skipped and args:
                # Devices that end at different iterations are not at one number of them.
                known = counts is None or len(np.unique(counts)) == 1
                self._follow(before, args, carry, skipped if known else None, self.size(place))
        if node.stopped:
            return []
        outs = [self.value(v.aval, place, site) for v, site in zip(eqn.outvars, node.outputs, strict=True)]
        if place.region is not None and counts is None and total > 0:
            for value, operand in zip(outs, carry, strict=False):
                value.moved = blocks_of(operand, self.size(place)) if isinstance(operand, TracedValue) else None
        self._begins = "statement"
        self.step(
            name,
            eqn,
            carry,
            outs,
            place,
            kind="loop end",
            about={"total": total, "counts": counts, "carries": node.carries},
        )
        return outs
