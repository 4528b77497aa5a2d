"""Steps of a trace: a walk over the plan that records what ran, in the order in which it ran."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
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
from shardwidget.read._trace.communicated import Communicated, Operand, StepContext
from shardwidget.read._trace.draft import Draft, TracedValue
from shardwidget.read._trace.nodes import BranchesNode, CallNode, LeafNode, LoopNode, RegionNode, Site, TracedBody
from shardwidget.read._trace.printed import printed
from shardwidget.read._trace.written import WrittenTensors


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
        self.sent = Communicated(written, meshes, collectives)
        self.steps: list[Draft] = []
        self.values: list[TracedValue] = []
        self.scopes = Scopes()
        self.frames: list[tuple[str, int]] = []
        """File and line of every step that has a source."""
        self.known: dict[Any, Operand] = {}
        """The operand that each variable of a jaxpr was last bound to."""
        self.texts: list[tuple[Value, str]] = []
        """The short expressions that produce values."""
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
            self.sent.of(step, values, outs, place)
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
        at = frames[0] if frames else place.called if eqn is not None else None  # The call into a library.
        if at is not None:
            self.frames.append((at.file_name, at.start_line))
        draft = Draft(
            primitive,
            [v for v in values if isinstance(v, TracedValue)],
            outs,
            eqn=eqn,
            region=place.region,
            scope=self.scope_of(eqn, place) if eqn is not None else place.scope,
            source=None if at is None else source_of(at),
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
                active = None if np.all(mine) else np.broadcast_to(mine, (self.sent.size(place),))
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
        tests, closed, carry, slices = node.operands(values)
        counts, total = self._counted(node, place)
        previous = -1
        for slot, number in enumerate(_recorded(node, 1 if total is None else total)):
            inner = self._within(node, place, slot, number, counts, total)
            skipped, previous = number - previous - 1, number
            made = self._iteration(node, inner, number, total, skipped, carry, slices)
            args = made[: node.carries]
            if node.test is not None:
                self.block(node.test, [*tests, *args], consts, inner)
            before, carry = carry, self.block(node.body, [*closed, *made], consts, inner)[: node.carries]
            if place.region is not None and skipped and args:
                # Devices that end at different iterations are not at one number of them.
                known = counts is None or len(np.unique(counts)) == 1
                since = self.values[args[0].id :]
                self.sent.follow(since, before, args, carry, skipped if known else None, self.sent.size(place))
        if node.stopped:
            return []
        outs = [self.value(v.aval, place, site) for v, site in zip(node.eqn.outvars, node.outputs, strict=True)]
        if counts is None and total != 0:
            self.sent.pass_on(carry, outs, place)
        self._begins = "statement"
        about = {"total": 1 if total is None else total, "counts": counts, "carries": node.carries}
        self.step(_jax.name_of(node.eqn), node.eqn, carry, outs, place, kind="loop end", about=about)
        return outs

    def _counted(self, node: LoopNode, place: StepContext) -> tuple[np.ndarray | None, int | None]:
        """How many iterations each device makes, where that follows from values, and how many there are at most."""
        if node.length is not None or self.written is None or node.count is None:
            return None, node.length
        counts = self.written.by_position(node.count, place.slots)
        return counts, int(counts.max())

    def _within(
        self, node: LoopNode, place: StepContext, slot: int, number: int, counts: np.ndarray | None, total: int | None
    ) -> StepContext:
        """The place of an iteration."""
        active = place.active
        if counts is not None and not np.all(counts > number):
            # The last slot holds the last iteration of each device, even if these differ.
            mine = counts > slot
            active = mine if active is None else mine & active
            active = None if np.all(active) else np.broadcast_to(active, (self.sent.size(place),))
        around, name = self.scope_of(node.eqn, place), _jax.name_of(node.eqn)
        scope = Scope("iteration", name, around, iteration=number, times=total)
        function = _jax.function_name(node.body.jaxpr)
        return self.enter(place, scope, slots={**place.slots, node: slot}, function=function, active=active)

    def _iteration(
        self,
        node: LoopNode,
        inner: StepContext,
        number: int,
        total: int | None,
        skipped: int,
        carry: Sequence[Operand],
        slices: Sequence[Operand],
    ) -> list[TracedValue]:
        """The step that begins an iteration, after some that were not recorded; returns what its body is given."""
        body, total = node.body.jaxpr, 1 if total is None else total
        made = [
            self.value(v.aval, inner, site) for v, site in zip(body.invars[node.consts :], node.inputs, strict=True)
        ]
        names = parameter_names(body)
        if len(names) == len(body.invars):
            for value, known in zip(made, names[node.consts :], strict=True):
                value.name = known
        given = [] if skipped else carry
        self.sent.pass_on(given, made, inner)
        self._begins = "statement"
        about = {"number": number, "total": total, "skipped": skipped, "carries": node.carries}
        about["slice"] = total - number if node.reverse else number + 1
        self.step(_jax.name_of(node.eqn), node.eqn, [*given, *slices], made, inner, kind="iteration", about=about)
        return made


def _recorded(node: LoopNode, total: int) -> list[int]:
    """The numbers of the iterations that were recorded: the first ones, and the last."""
    shown = list(range(min(total, node.slots)))
    if total > node.slots and not node.stopped:
        shown[-1] = total - 1
    return shown
