"""A search as it goes: all candidates estimated, the best compiled, what is known after each."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import jax
from jax.sharding import AbstractMesh, AxisType, Mesh, NamedSharding, PartitionSpec

from shardwidget import _jax
from shardwidget._format import byte_count
from shardwidget.document import Candidate, DimGroup, Figures, MeshAxis, Program, Scaled, Search, SearchLeaf, Source
from shardwidget.read._search.code import code_of, constraints_of, spec_text
from shardwidget.read._search.compiling import compiled_figures, compiled_program
from shardwidget.read._search.machine import Machine, box_of
from shardwidget.read._search.plans import Candidates, Plan, leaf_specs, name_of, spec_of
from shardwidget.read._search.ranking import order, spearman
from shardwidget.read._search.roles import Roles
from shardwidget.read._search.step import Step
from shardwidget.read._search.walk import figures_of

MARGIN, MARGIN_OF_EXPERTS = 2, 3
"""What an estimate of memory is multiplied with before it is said to fit."""

SURELY_TOO_MUCH = 1.2
"""What a chip's memory is multiplied with before an estimate is said not to fit."""

NO_LIBTPU = "Nothing is compiled: {words}."

NOT_ESTIMATED = "{count} could not be estimated: {words}"

EXPERTS = (
    "With experts the compiler sends other things than Shardy plans: estimates were up to 7 times too low. Compile "
    "before you trust the order: compiled=8."
)


@dataclass(frozen=True)
class Tried:
    """A candidate, and how to lower it."""

    sizes: tuple[tuple[str, int], ...]
    specs: tuple[PartitionSpec, ...]
    plan: Plan | None
    """None for the user's own sharding."""
    name: str
    batch_axes: frozenset[str]


class Run:
    def __init__(
        self,
        step: Step,
        machine: Machine,
        roles: Roles,
        of: Candidates,
        now: Tried | None,
        wanted: int,
        objective: str,
        until: float,
        plans: Callable[[int], Candidates],
    ) -> None:
        self._step, self._machine, self._roles, self._of = step, machine, roles, of
        self._wanted, self._until = wanted, until
        self._objective, self._plans = objective, plans
        self._outputs = step.outputs()
        tried = [_of_plan(plan, step, roles) for plan in of.plans]
        self._all = [*([now] if now else []), *tried]
        self._now = now
        self._known: dict[int, Candidate] = {}
        self._specs: dict[str, int] = {}
        self._lines: dict[Source, None] = {}
        self._notes = _notes(step, roles, machine, now, wanted)
        self._compiling = 0
        self._code: dict[str, int] = {}
        self._failed: list[Exception] = []
        self._ended: Literal["", "interrupted", "time"] = ""

    def run(self) -> Iterator[Search]:
        """Estimates all, then compiles the best; yields what is known after each."""
        try:
            for k in range(len(self._all)):
                if self._late(k):
                    break
                self._estimate(k)
                if self._known:
                    yield self._document()
            if not self._known:
                raise self._failed[0]
            for k in self._shortlist() if not self._ended else ():
                if self._late(k):
                    break
                self._compile(k)
                yield self._document()
        except KeyboardInterrupt:
            if not self._known:
                raise
            self._ended = "interrupted"
        found = self._document()
        if found.best is None and not self._ended and self._machine.topology:
            found = replace(found, fits_on=self._smallest())
        yield found

    def scaled(self) -> Scaled | None:
        """The best estimate; None where there is no plan. Nothing is compiled."""
        for k in range(len(self._all)):
            if self._late(k):
                break
            self._estimate(k)
        known = [replace(c, compiled=None) for c in self._known.values()]
        known = [replace(c, fits=self._fits(c.estimated, estimated=True)) for c in known]
        return self._scaled(min(known, key=lambda c: order(c, self._objective))) if known else None

    def _scaled(self, best: Candidate) -> Scaled:
        (group,) = {g[0].aval.shape[g[1]] for g in self._roles.batch} or {0}
        machine, name = self._machine, "" if best.fits is False else best.name
        time_s = best.estimated.time_s if name else 0.0
        return Scaled(machine.size, machine.target, group, name, time_s, best.estimated.bytes_per_device)

    def _smallest(self) -> Scaled | None:
        """The smallest larger slice of the chips on which a candidate fits by the estimate."""
        assert self._machine.chip is not None
        generation, limit = self._machine.topology.partition(":")[0], self._machine.chip.bytes
        chips = self._machine.chips
        while box := box_of(generation, chips := 2 * chips):
            machine = Machine(f"{generation}:{'x'.join(map(str, box))}")
            of = self._plans(machine.size)
            run = Run(self._step, machine, self._roles, of, None, 0, "memory", self._until, self._plans)
            if found := run.smallest_within(limit):
                return found
        return None

    def smallest_within(self, limit: int) -> Scaled | None:
        """The candidate that takes least, of those that take few bytes by the estimate; None where none does."""
        # Those whose arguments take least are estimated: what else is alive is a part of the batch.
        sizes = {k: self._step.local_bytes(t.specs, dict(t.sizes)) for k, t in enumerate(self._all)}
        for k in sorted(sizes, key=sizes.__getitem__)[:3]:
            if sizes[k] <= limit and not self._late(k):
                self._estimate(k)
        fitting = [c for c in self._known.values() if c.bytes_per_device <= limit]
        return self._scaled(min(fitting, key=lambda c: c.bytes_per_device)) if fitting else None

    def _late(self, k: int) -> bool:
        # The first is always estimated: there must be something to say.
        if time.monotonic() >= self._until and self._known:
            self._ended = "time"
        return bool(self._ended)

    def _lowered(self, tried: Tried, mesh: Mesh | AbstractMesh) -> jax.stages.Lowered:
        roles, plan = self._roles, tried.plan

        def choose(groups: Any, shape: Any) -> PartitionSpec | None:
            assert plan is not None
            if roles.batch.isdisjoint(groups):
                return None
            return spec_of(plan.entries(groups, shape, roles))

        chosen = None if plan is None else choose
        return self._step.lowered(mesh, tried.specs, chosen, self._outputs, platform=self._machine.platform)

    def _estimate(self, k: int) -> None:
        try:
            self._known[k] = self._estimated(k)
        except Exception as error:  # What JAX or Shardy says of one candidate does not end the search.
            self._failed.append(error)

    def _estimated(self, k: int) -> Candidate:
        tried, machine, step = self._all[k], self._machine, self._step
        sizes = tried.sizes or (("data", 1),)
        mesh = AbstractMesh(tuple(n for _, n in sizes), tuple(a for a, _ in sizes), (AxisType.Auto,) * len(sizes))
        program = _jax.partitioned(self._lowered(tried, mesh))
        layout, donated = machine.layout(tried.sizes), [n is not None and step.donated[n] for n in self._outputs]
        figures = figures_of(program, machine, layout, batch_axes=tried.batch_axes, donated=donated)
        lines, sources = ([], []) if tried.plan is None else constraints_of(tried.plan, self._step, self._roles)
        self._lines |= dict.fromkeys(sources)
        texts = [spec_text(spec) for spec in tried.specs]
        code = code_of(tried.sizes, tried.specs, self._step, lines).split("\n")
        return Candidate(
            tried.name,
            tried.plan.rule if tried.plan else "",
            tuple(MeshAxis(name, size, "Auto") for name, size in tried.sizes),
            figures,
            tuple(self._specs.setdefault(text, len(self._specs)) for text in texts),
            tuple(self._code.setdefault(line, len(self._code)) for line in code),
            fits=self._fits(figures, estimated=True),
        )

    def _fits(self, figures: Figures, *, estimated: bool) -> bool | None:
        if self._machine.chip is None:
            return None
        limit = self._machine.chip.bytes
        if not estimated:
            return figures.bytes_per_device <= limit
        if figures.arguments > limit or figures.bytes_per_device > SURELY_TOO_MUCH * limit:
            return False
        margin = MARGIN_OF_EXPERTS if self._roles.experts else MARGIN
        return True if margin * figures.bytes_per_device <= limit else None

    def _shortlist(self) -> list[int]:
        """The candidates to compile: "now", then the best by the estimate."""
        ranked = sorted(self._known, key=lambda k: order(self._known[k], self._objective))
        best = [k for k in ranked if self._known[k].fits is not False and self._all[k] is not self._now]
        first = [0] if self._now and 0 in self._known and self._known[0].fits is not False else []
        # Estimates of experts are too low, or too high: one of each kind is compiled.
        kinds = {tuple(a.name for a in self._known[k].axes): k for k in reversed(best)} if self._roles.experts else {}
        ahead = [*best[: self._wanted], *(k for k in best if k in kinds.values())]
        chosen = list(dict.fromkeys([*first, *ahead])) if self._wanted else []
        if chosen:
            try:
                self._machine.mesh(self._all[chosen[0]].sizes)
            except ImportError as error:
                self._notes += (NO_LIBTPU.format(words=str(error).rstrip(".")),)
                chosen = []
        self._compiling = len(chosen)
        return chosen

    def _compile(self, k: int) -> None:
        tried, known = self._all[k], self._known[k]
        try:
            mesh = self._machine.mesh(tried.sizes)
            lowered = self._lowered(tried, mesh)
            figures = compiled_figures(lowered, mesh, self._machine, known.estimated, tried.batch_axes)
        except Exception as error:  # Whatever the compiler says is said of this candidate.
            words = str(error)
            short = "RESOURCE_EXHAUSTED" in words or "memory" in words.lower()
            self._known[k] = replace(known, failure=words[:2000], fits=False if short else known.fits)
            return
        self._known[k] = replace(known, compiled=figures, fits=self._fits(figures, estimated=False))

    def _program(self, k: int) -> Program:
        tried = self._all[k]
        mesh = self._machine.mesh(tried.sizes)
        return compiled_program(self._lowered(tried, mesh), mesh, self._machine, self._step.function)

    def _document(self) -> Search:
        step, roles = self._step, self._roles
        ranked = sorted(self._known, key=lambda k: order(self._known[k], self._objective))
        known = [self._known[k] for k in ranked]
        failed = (
            [NOT_ESTIMATED.format(count=len(self._failed), words=str(self._failed[0]).partition("\n")[0][:200])]
            if self._failed
            else []
        )
        aval = list(zip(step.names, step.avals, roles.weights, strict=True))
        return Search(
            name=step.function,
            target=self._machine.target,
            chips=self._machine.size,
            candidates=tuple(known),
            specs=tuple(self._specs),
            leaves=tuple(SearchLeaf(path, tuple(a.shape), str(a.dtype), weight) for path, a, weight in aval),
            groups=_groups(step, roles),
            now_index=ranked.index(0) if self._now and 0 in ranked else -1,
            chip=self._machine.chip,
            planned=len(self._all),
            wanted=self._compiling,
            left_out=(self._of.indivisible, self._of.equivalent),
            correlation=spearman([c for c in known if c.compiled]),
            ended=self._ended,
            notes=(*self._notes, *failed),
            code_lines=tuple(self._code),
            programs=lambda at: self._program(ranked[at]),
            constraints=tuple(self._lines),
            objective=self._objective,
            jax_version=jax.__version__,
        )


def _of_plan(plan: Plan, step: Step, roles: Roles) -> Tried:
    hidden = frozenset({"data", "fsdp"})
    return Tried(plan.sizes, tuple(leaf_specs(plan, step, roles)), plan, plan.name, hidden)


def now_of(step: Step, roles: Roles, machine: Machine) -> Tried | None:
    """The user's own sharding; None where there is none for so many devices."""
    if step.mesh is None or step.mesh.size != machine.size:
        return None
    shape = dict(step.mesh.shape)
    specs = tuple(s.spec if isinstance(s, NamedSharding) else PartitionSpec() for s in step.shardings)
    of_batch = {
        axis
        for v, spec in zip(step.inputs, specs, strict=True)
        for group, entry in zip(step.dims.of(v), spec, strict=False)
        if group in roles.batch
        for axis in ((entry,) if isinstance(entry, str) else entry or ())
    }
    return Tried(tuple(shape.items()), specs, None, name_of(shape, specs, step, roles), frozenset(of_batch))


def _notes(step: Step, roles: Roles, machine: Machine, now: Tried | None, wanted: int) -> tuple[str, ...]:
    notes = []
    if step.constrains:
        only = 'They are part of "now" alone' if now else "They are left out"
        notes.append(f"The code has sharding constraints of its own. {only}: candidates constrain by their own rules.")
    if step.mesh is not None and now is None:
        mine = f"{step.mesh.size} devices, and this is a search for {machine.size}"
        notes.append(f'The arguments are on {mine}, so nothing is marked "now".')
    if roles.experts and not wanted:
        notes.append(EXPERTS)
    if not any(step.donated):
        notes.append("Nothing is donated, so new state needs memory beside the old: jax.jit(f, donate_argnums=...).")
    if machine.stands_in:
        notes.append(f"Peaks and links of {machine.target} are not known: times are those of {machine.stands_in}.")
    if step.closed_over:
        held = byte_count(step.closed_over)
        notes.append(f"Arrays that the function closes over ({held}) are on every device, whole. Make them arguments.")
    return tuple(notes)


def _groups(step: Step, roles: Roles) -> tuple[DimGroup, ...]:
    named: list[tuple[Any, Any]] = [*(("batch", g) for g in roles.batch), *(("sequence", g) for g in roles.sequence)]
    named += [("width", roles.width)] if roles.width else []
    named += [*(("tensor", g) for g in roles.tensor), *(("expert", g) for g in roles.experts)]
    found = []
    for role, group in named:
        places = [
            f"{path} dim {d}"
            for path, v in zip(step.names, step.inputs, strict=True)
            for d, g in enumerate(step.dims.of(v))
            if g == group
        ]
        size: int = group[0].aval.shape[group[1]]
        found.append(DimGroup(role, roles.sizes.get(group, size), tuple(places[:4])))
    return tuple(sorted(found, key=lambda g: (g.role, g.dims)))
