"""A program that is read step by step: traced, run, and written as a document."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax
from jax.sharding import AbstractMesh

from shardwidget import _jax, cost
from shardwidget._format import joined
from shardwidget.collectives import statement_of
from shardwidget.document import Mesh, Trace
from shardwidget.read import _errors
from shardwidget.read._jaxpr.sources import frames_of, source_of
from shardwidget.read._mesh import read_mesh
from shardwidget.read._processes.together import together
from shardwidget.read._target import interconnect_of
from shardwidget.read._trace._failures.failure import failure_of
from shardwidget.read._trace._failures.proposal import Proposal, in_place
from shardwidget.read._trace._failures.stopped import StoppedTrace
from shardwidget.read._trace._failures.trials import LARGEST
from shardwidget.read._trace.arguments import Arguments
from shardwidget.read._trace.build import Builder
from shardwidget.read._trace.collective import Collectives
from shardwidget.read._trace.communicated import StepContext
from shardwidget.read._trace.draft import TracedValue
from shardwidget.read._trace.nodes import RegionNode, TracePlan
from shardwidget.read._trace.placed import as_returned
from shardwidget.read._trace.runnable import Runnable
from shardwidget.read._trace.steps import Writer
from shardwidget.read._trace.written import WrittenTensors, everywhere

ONE_ORDER_OF_DEVICES = (
    "simulated on the host: its regions order devices differently, or use different ones, and one program cannot"
)

SIMULATED = "simulated on the host: this mesh cannot run it ({words})"

SIMULATED_TOPOLOGY = "simulated on the host: this mesh is a topology, to compile for"

NOT_RUN = "the steps before the error could not be run: {words}"
DOUBLED = (
    "{where}{name}: {what} ({pairs}), and JAX refuses that when it compiles. Each device sends at most once and "
    "receives at most once, as in perm=[(i, (i + 1) % n) for i in range(n)]."
)
NOT_HERE = "types only: what it calls is for hardware that is not here ({words})"


def read_call(
    f: Callable[..., Any],
    arguments: Arguments,
    host: bool,
    keep: int,
    interconnect: str | cost.Interconnect | None,
    *,
    regions: bool = False,
) -> Trace:
    """The trace of a call.

    Args:
        f: the function.
        arguments: what it is called with.
        host: whether its devices are simulated.
        keep: as of ``trace``.
        interconnect: as of ``trace``.
        regions: whether a function without ``shard_map`` is refused.

    Raises:
        ValueError: it is; or it permutes two blocks to one device, or one to two.
    """
    closed, shape, stop = _traced(f, arguments)
    while stop is not None and stop.kind == "in_specs" and arguments.cut(stop.argument_shardings()):
        closed, shape, stop = _traced(f, arguments)
    if stop is None:
        _refuse_doubled(closed)
    program = Runnable.of(closed, keep, jax.default_backend() == "cpu")
    if regions and not program.plan.regions and stop is None:
        raise ValueError(_errors.NO_SHARD_MAP.format(name=arguments.function))
    meshes = {region: arguments.concrete(region.mesh) for region in program.plan.regions if region.parent is None}
    host = host or any(isinstance(mesh, AbstractMesh) for mesh in meshes.values())
    if stop is not None and not meshes:
        host = host or stop.mesh().abstract
    if not host and len({tuple(mesh.devices.flat) for mesh in meshes.values()}) > 1:
        host = True
        program.notes.append(ONE_ORDER_OF_DEVICES)
    if not host and meshes:
        arguments.refuse_others(next(iter(meshes.values())))
    devices = {} if host else {device: None for mesh in meshes.values() for device in mesh.devices.flat}
    with together(f"runs {arguments.function}, recording every value,", devices):
        return _Reading(arguments, program, meshes, host, shape, stop, interconnect, keep).trace()


def _refuse_doubled(jaxpr: Any) -> None:
    for eqn in _jax.every_equation(jaxpr):
        statement = statement_of(_jax.name_of(eqn))
        pairs = eqn.params.get("perm", ()) if statement is not None and statement.semantics.permutes else ()
        for end, what in ((1, "{times} blocks go to device {number}"), (0, "device {number} sends {times} times")):
            number, times = next(iter(Counter(pair[end] for pair in pairs).most_common(1)), (0, 1))
            if times > 1:
                several = joined([f"{pair[0]} → {pair[1]}" for pair in pairs if pair[end] == number])
                frames = frames_of(eqn)
                source = source_of(frames[0]) if frames else None
                where = f"{source.file}, line {source.line}: " if source else ""
                words = what.format(number=number, times=times)
                raise ValueError(DOUBLED.format(where=where, name=_jax.name_of(eqn), what=words, pairs=several))


def _traced(f: Callable[..., Any], arguments: Arguments) -> tuple[Any, Any, StoppedTrace | None]:
    """The program, the shapes of its results, and why it stops."""
    try:
        with _jax.interpreted():
            return *_jax.unfiltered(arguments.trace), None
    except Exception as error:
        stop = StoppedTrace(error, f, arguments)
        return stop.jaxpr, None, stop


@dataclass
class _Reading:
    arguments: Arguments
    program: Runnable
    concrete: dict[RegionNode, Any]
    """The mesh of each outermost region, a concrete one where there is one."""
    host: bool
    shape: Any
    """What ``f`` returns, as shapes; None where it stopped."""
    stop: StoppedTrace | None
    interconnect: str | cost.Interconnect | None
    keep: int

    def trace(self) -> Trace:
        plan = self.program.plan
        meshes = self._meshes(plan)
        mesh = next(iter(meshes.values()), None) or (self.stop.mesh() if self.stop else self.arguments.mesh())
        notes = [*self.program.notes]
        outs: Sequence[Any] | None = None
        written, leaves = None, []
        if reason := self.program.too_big(self.arguments, self.host):
            notes = [reason]
        else:
            try:
                leaves, outs, tensors = self._run(notes)
                outs = outs if self.host or self.stop is not None else as_returned(plan.root, leaves, outs)
                written = WrittenTensors(everywhere(tensors), meshes)
            except Exception as error:
                elsewhere = _jax.messages.is_of_other_hardware(error)
                if self.stop is None and not elsewhere:
                    raise
                words = _errors.first_line(error).rstrip(".")
                notes.insert(0, NOT_HERE.format(words=words) if elsewhere else NOT_RUN.format(words=words))
        interconnects = cost.interconnects(self.interconnect or interconnect_of(mesh.kind) or cost.DEFAULT)
        collectives = Collectives(meshes, interconnects)
        writer = Writer(written, meshes, collectives)
        self._walk(plan, writer, None if written is None else leaves, outs)
        builder = Builder(writer, written, mesh, self.program.corner, self.keep)
        builder.name_values()
        error, proposals = (None, []) if self.stop is None else failure_of(self.stop, writer, self._typed)
        variables = builder.variables()
        steps = builder.steps(variables)
        return Trace(
            mesh=mesh,
            steps=steps,
            variables=variables,
            regions=builder.region_documents(),
            scopes=tuple(writer.scopes.all),
            listings=builder.listings(),
            plans=tuple(collectives.plans),
            interconnects=tuple(known.name for known in interconnects),
            name=self.arguments.function,
            engine="types" if written is None else "host" if self.host else "mesh",
            note="; ".join([*notes, *builder.undrawn(), *writer.sent.notes]),
            error=error,
            jax_version=jax.__version__,
            outputs=self._outputs(outs),
            kept=builder.kept,
            retraced=self._retraced(self.stop, proposals) if self.stop is not None else None,
        )

    def _retraced(self, stop: StoppedTrace, proposals: Sequence[Proposal]) -> Callable[[int], Trace] | None:
        """What traces the program with one of the changes, and holds no array; None where arguments have no copy."""
        small = self.arguments.bytes <= LARGEST and not self.program.plan.refs
        if not (proposals and small) or jax.process_count() > 1:
            return None
        again, f = self.arguments.again(), stop.f
        if again is None:
            return None
        host, keep, interconnect = self.host, self.keep, self.interconnect

        def retraced(number: int) -> Trace:
            proposal = proposals[number]
            with jax.disable_jit(False), in_place(f, proposal):
                found = read_call(f, again(proposal.argument), host, keep, interconnect)
            listings = tuple(listing.with_fix(proposal.fix) for listing in found.listings)
            return replace(found, changed=proposal.fix, listings=listings)

        return retraced

    def _run(self, notes: list[str]) -> tuple[list[Any], list[Any], list[jax.Array]]:
        """The arguments, the results and what was written; simulated where the mesh cannot run the program."""
        try:
            # A simulation is on no mesh, whatever is set around it.
            with _jax.without_mesh() if self.host else contextlib.nullcontext():
                leaves = self.arguments.filled(on_host=self.host)
                notes += self.arguments.notes
                return leaves, *self.program.run(leaves, self.host)
        except Exception as error:
            otherwise = self.arguments.cut_otherwise(next(iter(self.concrete.values()), None))
            if self.host or not (otherwise or _jax.messages.is_unsupported(error)):
                raise
            self.host = True
            if reason := self.program.too_big(self.arguments, self.host):
                raise ValueError(reason) from error
            of_topology = _jax.messages.is_of_topology(error)
            words = _errors.first_line(error)
            simulated = SIMULATED_TOPOLOGY if of_topology else SIMULATED.format(words=words)
            notes[:] = [*self.program.notes, simulated, *filter(None, [otherwise])]
            return self._run(notes)

    def _walk(self, plan: TracePlan, writer: Writer, leaves: Sequence[Any] | None, outs: Sequence[Any] | None) -> None:
        place = StepContext(None, {}, -1, self.arguments.function)
        jaxpr = plan.root.jaxpr
        arrays = leaves if leaves is not None else [None] * len(jaxpr.invars)
        args = [
            writer.value(v.aval, place, array=x, name=name)
            for v, x, name in zip(jaxpr.invars, arrays, self.arguments.names, strict=True)
        ]
        consts = [
            writer.value(jax.typeof(c), place, array=None if k in plan.refs else c) for k, c in enumerate(plan.consts)
        ]
        results = writer.block(plan.root, args, consts, place)
        for result, array in zip(results, outs or (), strict=False):
            if isinstance(result, TracedValue):
                result.array = array
        gradients = self.arguments.result_names
        if len(gradients) == len(results):  # Otherwise the function has other results too.
            for result, name in zip(results, gradients, strict=True):
                if isinstance(result, TracedValue):
                    result.name = result.name or name
        if self.stop is not None:
            self.stop.write(writer)

    def _typed(self, stop: StoppedTrace) -> Writer:
        """The steps of a program that stops elsewhere, by their types."""
        program = Runnable.of(stop.jaxpr, 0, False)
        concrete = {r: self.arguments.concrete(r.mesh) for r in program.plan.regions if r.parent is None}
        return replace(self, program=program, concrete=concrete, stop=stop).types()

    def types(self) -> Writer:
        """The steps, of which nothing is run."""
        plan = self.program.plan
        meshes = self._meshes(plan)
        writer = Writer(None, meshes, Collectives(meshes, cost.interconnects(cost.DEFAULT)))
        self._walk(plan, writer, None, None)
        mesh = next(iter(meshes.values())) if meshes else self.arguments.mesh()
        Builder(writer, None, mesh, self.program.corner, self.keep).name_values()
        return writer

    def _outputs(self, outs: Sequence[Any] | None) -> Any:
        if self.stop is not None:
            return None
        if outs is None:
            return self.shape
        typed = [_jax.typed_as(x, v.aval) for x, v in zip(outs, self.program.plan.root.jaxpr.outvars, strict=True)]
        return jax.tree.unflatten(jax.tree.structure(self.shape), typed)

    def _meshes(self, plan: TracePlan) -> dict[RegionNode, Mesh]:
        found: dict[RegionNode, Mesh] = {}
        for region in plan.regions:
            found[region] = read_mesh(self.concrete[region]) if region.parent is None else found[region.parent]
        return found
