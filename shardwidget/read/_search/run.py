"""A search as it goes: all candidates estimated, the best compiled, what is known after each."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Literal

import jax
from jax.sharding import AbstractMesh, AxisType, Mesh, PartitionSpec

from shardwidget import _jax
from shardwidget.document import (
    Candidate,
    Figures,
    MeshAxis,
    Offer,
    Program,
    Scaled,
    Search,
    SearchLeaf,
    Shortfall,
    Source,
)
from shardwidget.read._search import said, short
from shardwidget.read._search.code import code_of, constraints_of, spec_text
from shardwidget.read._search.compiling import compiled_figures, compiled_program
from shardwidget.read._search.machine import Machine
from shardwidget.read._search.plans import Candidates, spec_of
from shardwidget.read._search.ranking import order, spearman
from shardwidget.read._search.roles import Roles
from shardwidget.read._search.step import Step
from shardwidget.read._search.tried import Tried, now_of, of_plan
from shardwidget.read._search.walk import figures_of

MARGIN, MARGIN_OF_EXPERTS = 2, 3
"""What an estimate of memory is multiplied with before it is said to fit."""

SURELY_TOO_MUCH = 1.2
"""What a chip's memory is multiplied with before an estimate is said not to fit."""


class Run:
    """A search on one machine.

    Args:
        step: the step.
        roles: what its dimensions are.
        machine: the devices.
        of: the plans.
        wanted: how many are to be compiled.
        objective: what they are ordered by.
        until: when nothing more is begun, of ``time.monotonic``.
        begin: makes a search for another machine, another size of the batch, or without the limits that plans were
            given.
    """

    def __init__(
        self,
        step: Step,
        roles: Roles,
        machine: Machine,
        of: Candidates,
        wanted: int,
        objective: str,
        until: float,
        begin: Callable[..., Run],
    ) -> None:
        self.step, self.machine, self.roles, self._of = step, machine, roles, of
        self._wanted, self._until = wanted, until
        self._objective, self.begin = objective, begin
        self._outputs = step.outputs()
        self._now = now = now_of(step, roles, machine)
        self.plans = of.plans
        self.all = [*([now] if now else []), *(of_plan(plan, step, roles) for plan in of.plans)]
        """All candidates; "now" is the first, where there is one."""
        self.known: dict[int, Candidate] = {}
        """What is known of them, by their numbers."""
        self._specs: dict[str, int] = {}
        self._lines: dict[Source, None] = {}
        self._notes = said.notes(step, roles, machine, has_now=now is not None, wanted=wanted)
        self._compiling = 0
        self._code: dict[str, int] = {}
        self._failed: list[Exception] = []
        self._now_compiling = -1
        self._estimating_s = 0.0
        self._offers: tuple[Offer, ...] = ()
        self._shortfall: Shortfall | None = None
        self._fits_on: Scaled | None = None
        self._ended: Literal["", "interrupted", "time"] = ""

    def only_now(self, why: str, *, others: bool) -> None:
        """Says why there are no plans.

        Args:
            why: a sentence.
            others: whether there are some without the limits that were given.

        Raises:
            ValueError: nothing is marked "now" either.
        """
        if self._now is None:
            raise ValueError(why)
        self._notes += (f"It is compared with nothing: {why}",)
        if others:
            self._offers += (said.other_meshes(self.machine.size),)

    def run(self) -> Iterator[Search]:
        """Estimates all, then compiles the best; yields what is known after each."""
        try:
            for k in range(len(self.all)):
                if self.late():
                    break
                self.estimate(k)
                if self.known:
                    yield self._document()
            if not self.known:
                raise self._failed[0]
            for k in self._shortlist() if not self._ended else ():
                if self.late():
                    break
                if not (self.known[k].compiled or self.known[k].failure):  # It was asked for before.
                    self._now_compiling = k
                    yield self._document()
                    self._compile(k)
                    self._now_compiling = -1
                    yield self._document()
        except KeyboardInterrupt:
            if not self.known:
                raise
            self._ended = "interrupted"
        self._now_compiling = -1
        if self._document().best is None and not self._ended:
            self._shortfall = short.shortfall(self)
            yield self._document()
            if self.machine.topology:
                self._fits_on = short.fits_on(self)
        yield self._document()

    def _again(self, offer: Offer) -> Iterator[Search]:
        """The search that is offered, as it goes."""
        generation = self.machine.topology.partition(":")[0]
        machine = Machine(f"{generation}:{offer.chips}") if offer.do == "chips" else self.machine
        yield from self.begin(machine, self.roles.examples, self._wanted, again=True, free=offer.do == "free").run()

    def scaled(self) -> Scaled | None:
        """The best estimate; None where there is no plan. Nothing is compiled."""
        for k in range(len(self.all)):
            if self.late():
                break
            self.estimate(k)
        known = [replace(c, compiled=None) for c in self.known.values()]
        known = [replace(c, fits=self._fits(c.estimated, estimated=True)) for c in known]
        return short.scaled(self, min(known, key=lambda c: order(c, self._objective))) if known else None

    def late(self) -> bool:
        """Whether nothing more is to be begun."""
        # The first is always estimated: there must be something to say.
        if time.monotonic() >= self._until and self.known:
            self._ended = "time"
        return bool(self._ended)

    def _lowered(self, tried: Tried, mesh: Mesh | AbstractMesh, *, estimated: bool = False) -> jax.stages.Lowered:
        roles, plan = self.roles, tried.plan

        def choose(groups: Any, shape: Any) -> PartitionSpec | None:
            assert plan is not None
            if roles.batch.isdisjoint(groups):
                return None
            return spec_of(plan.entries(groups, shape, roles))

        def gathered(groups: Any, shape: Any) -> PartitionSpec | None:
            """Weights where they are used: whole over what splits the batch.

            Shardy may move activations instead, which XLA does not.
            """
            assert plan is not None
            if not roles.batch.isdisjoint(groups):
                return None
            return spec_of(plan.entries(groups, shape, roles, whole=True))

        chosen, read_as = (None, None) if plan is None else (choose, gathered if estimated else None)
        platform = self.machine.platform
        return self.step.lowered(mesh, tried.specs, chosen, self._outputs, platform=platform, read_as=read_as)

    def estimate(self, k: int) -> None:
        """Estimates a candidate, once."""
        if k in self.known:
            return
        begun = time.monotonic()
        try:
            self.known[k] = self._estimated(k)
        except Exception as error:  # What JAX or Shardy says of one candidate does not end the search.
            self._failed.append(error)
        self._estimating_s += time.monotonic() - begun

    def figures(self, tried: Tried, *, donated: bool = False) -> Figures:
        """What a candidate takes by the estimate.

        Args:
            tried: the candidate.
            donated: whether all new state takes the place of the old, also where the user does not donate it.

        Raises:
            Exception: what JAX or Shardy say of it.
        """
        sizes = tried.sizes or (("data", 1),)
        mesh = AbstractMesh(tuple(n for _, n in sizes), tuple(a for a, _ in sizes), (AxisType.Auto,) * len(sizes))
        program = _jax.partitioned(self._lowered(tried, mesh, estimated=True))
        replaced = [n is not None and (donated or self.step.donated[n]) for n in self._outputs]
        layout = self.machine.layout(tried.sizes)
        return figures_of(program, self.machine, layout, batch_axes=tried.batch_axes, donated=replaced)

    def _estimated(self, k: int) -> Candidate:
        tried = self.all[k]
        figures = self.figures(tried)
        lines, sources = (None, []) if tried.plan is None else constraints_of(tried.plan, self.step, self.roles)
        self._lines |= dict.fromkeys(sources)
        texts = [spec_text(spec) for spec in tried.specs]
        code = code_of(tried.sizes, tried.specs, self.step, lines).split("\n")
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
        if self.machine.chip is None:
            return None
        limit = self.machine.chip.bytes
        if not estimated:
            return figures.bytes_per_device <= limit
        if figures.arguments > limit or figures.bytes_per_device > SURELY_TOO_MUCH * limit:
            return False
        margin = MARGIN_OF_EXPERTS if self.roles.experts else MARGIN
        return True if margin * figures.bytes_per_device <= limit else None

    def _shortlist(self) -> list[int]:
        """The candidates to compile: "now", then the best by the estimate."""
        ranked = sorted(self.known, key=lambda k: order(self.known[k], self._objective))
        best = [k for k in ranked if self.known[k].fits is not False and self.all[k] is not self._now]
        first = [0] if self._now and 0 in self.known and self.known[0].fits is not False else []
        # Estimates of experts are too low, or too high: one of each kind is compiled.
        kinds = {tuple(a.name for a in self.known[k].axes): k for k in reversed(best)} if self.roles.experts else {}
        ahead = [*best[: self._wanted], *(k for k in best if k in kinds.values())]
        chosen = list(dict.fromkeys([*first, *ahead])) if self._wanted else []
        if chosen:
            try:
                self.machine.mesh(self.all[chosen[0]].sizes)
            except (ImportError, ValueError) as error:  # No libtpu, or a topology that it refuses.
                self._notes += (said.NOT_COMPILED.format(words=str(error).rstrip(".")),)
                self._offers += (said.INSTALL,) if isinstance(error, ImportError) else ()
                chosen = []
        self._compiling = len(chosen)
        return chosen

    def _compile(self, k: int) -> None:
        tried, known = self.all[k], self.known[k]
        try:
            mesh = self.machine.mesh(tried.sizes)
            lowered = self._lowered(tried, mesh)
            figures = compiled_figures(lowered, mesh, self.machine, known.estimated, tried.batch_axes)
        except Exception as error:  # Whatever the compiler says is said of this candidate.
            words = str(error)
            short = "RESOURCE_EXHAUSTED" in words or "memory" in words.lower()
            self.known[k] = replace(known, failure=words[:2000], fits=False if short else known.fits)
            return
        self.known[k] = replace(known, compiled=figures, fits=self._fits(figures, estimated=False))

    def _with(self, k: int) -> Search:
        self.machine.mesh(self.all[k].sizes)  # Raises where nothing can be compiled.
        self._compile(k)
        return self._document()

    def _program(self, k: int) -> Program:
        tried = self.all[k]
        mesh = self.machine.mesh(tried.sizes)
        return compiled_program(self._lowered(tried, mesh), mesh, self.machine, self.step.function)

    def _document(self) -> Search:
        step, roles = self.step, self.roles
        ranked = sorted(self.known, key=lambda k: order(self.known[k], self._objective))
        known = [self.known[k] for k in ranked]
        failed = [said.failed(self._failed)] if self._failed else []
        if self._ended and self._wanted and not any(c.compiled for c in known):
            failed.append(said.STOPPED[self._ended])
        aval = list(zip(step.names, step.avals, roles.weights, strict=True))
        # One that is compiled later may fit after all.
        none_fits = all(c.fits is False for c in known)
        shortfall, fits_on = (self._shortfall, self._fits_on) if none_fits else (None, None)
        return Search(
            name=step.function,
            target=self.machine.target,
            chips=self.machine.size,
            candidates=tuple(known),
            specs=tuple(self._specs),
            leaves=tuple(SearchLeaf(path, tuple(a.shape), str(a.dtype), weight) for path, a, weight in aval),
            groups=said.groups(step, roles),
            now_index=ranked.index(0) if self._now and 0 in ranked else -1,
            chip=self.machine.chip,
            planned=len(self.all),
            wanted=max(self._compiling, sum(c.compiled is not None for c in known)),
            left_out=(self._of.indivisible, self._of.equivalent),
            correlation=spearman([c for c in known if c.compiled]),
            ended=self._ended,
            notes=(*self._notes, *failed),
            code_lines=tuple(self._code),
            programs=lambda at: self._program(ranked[at]),
            with_compiled=lambda at: self._with(ranked[at]),
            constraints=tuple(self._lines),
            objective=self._objective,
            shortfall=shortfall,
            fits_on=fits_on,
            offers=(*said.offers(shortfall, fits_on), *self._offers),
            compiling=ranked.index(self._now_compiling) if self._now_compiling >= 0 else -1,
            estimating_s=self._estimating_s,
            jax_version=jax.__version__,
            again=self._again,
        )
