"""``read.search``: candidates for the sharding of a step, estimated, and the best of them compiled."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import jax
import numpy as np
from jax.sharding import AbstractMesh, AxisType, Mesh, NamedSharding, PartitionSpec

from shardwidget import _jax
from shardwidget.document import Candidate, DimGroup, Figures, MeshAxis, Search, SearchLeaf, Source
from shardwidget.read._search.code import code_of, constraints_of, spec_text
from shardwidget.read._search.compiling import compiled_figures
from shardwidget.read._search.machine import Machine
from shardwidget.read._search.plans import AXES, Candidates, Plan, candidates, leaf_specs, name_of, spec_of
from shardwidget.read._search.roles import Roles, roles_of
from shardwidget.read._search.step import Step
from shardwidget.read._search.walk import figures_of

MARGIN, MARGIN_OF_EXPERTS = 2, 3
"""What an estimate of memory is multiplied with before it is said to fit."""

SURELY_TOO_MUCH = 1.2
"""What a chip's memory is multiplied with before an estimate is said not to fit."""

FEWEST_RANKED = 4
"""The fewest compiled candidates that a rank correlation is given for."""

NEEDS_NEWER = (
    "a search needs JAX 0.10 or later; this is {version}. Shardy of JAX 0.9 does not follow values into called "
    "functions, and would count too few collectives. To compare some shardings there, compile them: read.programs."
)

NONE_FIT = (
    "there is no plan for {chips} chips: the batch has {batch} examples, and {groups}. Sizes of axes must divide them. "
    "Use a batch that {chips} or a part of it divides, other chips, or allow more: most_axes={axes}, whole=()."
)

NO_SUCH_AXIS = "whole={given} names no axis of plans; they are {known}."

NO_LIBTPU = "Nothing is compiled: {words}."

Objective = Literal["time", "memory"]


def search(
    f: Callable[..., Any],
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    mesh: str | Mesh | None = None,
    compiled: int = 8,
    batch: str | Sequence[str] = (),
    whole: str | Sequence[str] = (),
    most_axes: int = 2,
    objective: Objective = "time",
    limit_s: float | None = None,
    progress: Callable[[Search], None] | None = None,
) -> Search:
    """Searches for the mesh and the specs that a training step is fastest with. Nothing is run.

    ```python
    found = read.search(train_step, state, batch, mesh="v5p:4x4x4")
    print(found.best.code)
    ```

    The step is traced once. Its operations tie dimensions together, which shows what is the batch, the sequence,
    d_model, heads, d_ff, experts. A candidate gives the axes of a mesh to these: the batch is split over ``data`` and
    ``fsdp``, d_model of the weights over ``fsdp``, heads, d_ff and vocabulary over ``tensor``, the sequence over
    ``seq``, experts over ``expert``; activations are constrained accordingly. Shardy says which collectives each
    needs; ``cost`` prices them. The best are then compiled for the target.

    The user's own ``with_sharding_constraint`` and shardings of ``jit`` are part of the candidate "now" alone.
    Pipelining is not searched.

    Interrupted (``KeyboardInterrupt``), it returns what is known.

    Args:
        f: the jitted step.
        *args: its arguments: arrays, or ``jax.ShapeDtypeStruct``s, which need no data. Their shardings, or those that
            ``jit`` was given, are the candidate "now", if their mesh has as many devices.
        kwargs: its keyword arguments.
        mesh: a topology, ``v5p:4x4x4``, which needs no device; or a mesh, for its devices. None takes the mesh of the
            arguments, else all devices.
        compiled: how many of the best to compile, besides "now"; for a topology that needs libtpu. 0 estimates alone.
        batch: names of the arguments that hold the batch; if not given, those that the step does not return changed.
        whole: axes of plans that are not to be used: ``("tensor",)`` keeps heads, d_ff and vocabulary whole.
        most_axes: the most mesh axes of a plan.
        objective: what the candidates are sorted by.
        limit_s: seconds after which nothing more is begun.
        progress: called with what is known, after each candidate.

    Returns:
        The candidates, those that are compiled and fit first. ``best`` is the first, with its ``code``.

    Raises:
        TypeError: ``f`` is not a jitted function, or ``mesh`` is neither a topology nor a mesh.
        ValueError: there is no such topology; no plan divides the dimensions; no batch was found; the arguments are on
            several meshes; or the step has a ``shard_map``, which fixes its mesh.
        NotImplementedError: JAX is older than 0.10.
    """
    found: Search | None = None
    try:
        for found in searching(
            f,
            args,
            kwargs=kwargs,
            mesh=mesh,
            compiled=compiled,
            batch=batch,
            whole=whole,
            most_axes=most_axes,
            objective=objective,
            limit_s=limit_s,
        ):
            if progress is not None:
                progress(found)
    except KeyboardInterrupt:  # Between two candidates.
        if found is None:
            raise
        found = replace(found, ended="interrupted")
    assert found is not None
    return found


def searching(
    f: Callable[..., Any],
    args: Sequence[Any],
    *,
    kwargs: Mapping[str, Any] | None = None,
    mesh: str | Mesh | None = None,
    compiled: int = 8,
    batch: str | Sequence[str] = (),
    whole: str | Sequence[str] = (),
    most_axes: int = 2,
    objective: Objective = "time",
    limit_s: float | None = None,
) -> Iterator[Search]:
    """What is known after each candidate; the last is what ``search`` returns, which says what the arguments are."""
    if not _jax.ENTERS_FUNCTIONS:
        raise NotImplementedError(NEEDS_NEWER.format(version=jax.__version__))
    until = math.inf if limit_s is None else time.monotonic() + limit_s
    names = (whole,) if isinstance(whole, str) else tuple(whole)
    if not set(names) <= set(AXES):
        raise ValueError(NO_SUCH_AXIS.format(given=names, known=", ".join(AXES)))
    step = Step(f, args, kwargs)
    machine = Machine(_devices(mesh, step))
    roles = roles_of(step, (batch,) if isinstance(batch, str) else tuple(batch))
    of = candidates(step, roles, machine.size, most_axes, names)
    now = _now(step, roles, machine)
    if not of.plans and now is None:
        sizes = ", ".join(str(roles.sizes[g]) for g in roles.tensor if g in roles.sizes)
        examples = ", ".join(str(roles.sizes.get(g, g[0].aval.shape[g[1]])) for g in roles.batch)
        words = f"heads, d_ff or vocabulary have {sizes}" if sizes else "no dimension of the weights is split"
        raise ValueError(NONE_FIT.format(chips=machine.size, batch=examples, groups=words, axes=most_axes + 1))
    yield from _Run(step, machine, roles, of, now, compiled, objective, until).run()


@dataclass(frozen=True)
class _Tried:
    """A candidate, and how to lower it."""

    sizes: tuple[tuple[str, int], ...]
    specs: tuple[PartitionSpec, ...]
    plan: Plan | None
    """None for the user's own sharding."""
    name: str
    batch_axes: frozenset[str]


class _Run:
    def __init__(
        self,
        step: Step,
        machine: Machine,
        roles: Roles,
        of: Candidates,
        now: _Tried | None,
        wanted: int,
        objective: Objective,
        until: float,
    ) -> None:
        self._step, self._machine, self._roles, self._of = step, machine, roles, of
        self._wanted, self._until = wanted, until
        self._objective: Objective = objective
        self._outputs = step.outputs()
        tried = [_of_plan(plan, step, roles) for plan in of.plans]
        self._all = [*([now] if now else []), *tried]
        self._now = now
        self._known: dict[int, Candidate] = {}
        self._specs: dict[str, int] = {}
        self._lines: dict[Source, None] = {}
        self._notes = _notes(step, machine, now)
        self._compiling = 0
        self._ended: Literal["", "interrupted", "time"] = ""

    def run(self) -> Iterator[Search]:
        """Estimates all, then compiles the best; yields what is known after each."""
        try:
            for k in range(len(self._all)):
                if self._late(k):
                    break
                self._estimate(k)
                yield self._document()
            for k in self._shortlist() if not self._ended else ():
                if self._late(k):
                    break
                self._compile(k)
                yield self._document()
        except KeyboardInterrupt:
            if not self._known:
                raise
            self._ended = "interrupted"
        yield self._document()

    def _late(self, k: int) -> bool:
        # The first is always estimated: there must be something to say.
        if time.monotonic() >= self._until and self._known:
            self._ended = "time"
        return bool(self._ended)

    def _lowered(self, tried: _Tried, mesh: Mesh | AbstractMesh) -> jax.stages.Lowered:
        roles, plan = self._roles, tried.plan

        def choose(groups: Any, shape: Any) -> PartitionSpec | None:
            assert plan is not None
            if roles.batch.isdisjoint(groups):
                return None
            return spec_of(plan.entries(groups, shape, roles))

        chosen = None if plan is None else choose
        return self._step.lowered(mesh, tried.specs, chosen, self._outputs, platform=self._machine.platform)

    def _estimate(self, k: int) -> None:
        tried, machine = self._all[k], self._machine
        sizes = tried.sizes or (("data", 1),)
        mesh = AbstractMesh(tuple(n for _, n in sizes), tuple(a for a, _ in sizes), (AxisType.Auto,) * len(sizes))
        program = _jax.partitioned(self._lowered(tried, mesh))
        figures = figures_of(program, machine, machine.layout(tried.sizes), batch_axes=tried.batch_axes)
        lines, sources = ([], []) if tried.plan is None else constraints_of(tried.plan, self._step, self._roles)
        self._lines |= dict.fromkeys(sources)
        texts = [spec_text(spec) for spec in tried.specs]
        self._known[k] = Candidate(
            tried.name,
            tried.plan.rule if tried.plan else "",
            tuple(MeshAxis(name, size, "Auto") for name, size in tried.sizes),
            figures,
            tuple(self._specs.setdefault(text, len(self._specs)) for text in texts),
            code_of(tried.sizes, tried.specs, self._step, lines),
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
        ranked = sorted(self._known, key=lambda k: self._order(self._known[k]))
        best = [k for k in ranked if self._known[k].fits is not False and self._all[k] is not self._now]
        first = [0] if self._now and self._known[0].fits is not False else []
        chosen = [*first, *best[: self._wanted]] if self._wanted else []
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

    def _order(self, c: Candidate) -> tuple[Any, ...]:
        by = c.time_s if self._objective == "time" else c.bytes_per_device
        too_much = c.bytes_per_device if c.fits is False else 0
        return (c.fits is False, too_much, c.compiled is None, by, c.bytes_per_device, c.title)

    def _document(self) -> Search:
        step, roles = self._step, self._roles
        ranked = sorted(self._known, key=lambda k: self._order(self._known[k]))
        known = [self._known[k] for k in ranked]
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
            correlation=_spearman([c for c in known if c.compiled]),
            ended=self._ended,
            notes=self._notes,
            constraints=tuple(self._lines),
            objective=self._objective,
            jax_version=jax.__version__,
        )


def _devices(mesh: str | Mesh | None, step: Step) -> Any:
    if mesh is not None:
        return mesh
    if isinstance(step.mesh, Mesh):
        return step.mesh
    return Mesh(np.array(jax.devices()), ("data",))


def _of_plan(plan: Plan, step: Step, roles: Roles) -> _Tried:
    hidden = frozenset({"data", "fsdp"})
    return _Tried(plan.sizes, tuple(leaf_specs(plan, step, roles)), plan, plan.name, hidden)


def _now(step: Step, roles: Roles, machine: Machine) -> _Tried | None:
    """The user's own sharding; None where there is none for so many devices."""
    if step.mesh is None or step.mesh.size != machine.size:
        return None
    shape = dict(step.mesh.shape)
    specs = tuple(s.spec if isinstance(s, NamedSharding) else PartitionSpec() for s in step.shardings)
    of_batch = {
        axis
        for v, spec in zip(step.flat.invars, specs, strict=True)
        for group, entry in zip(step.dims.of(v), spec, strict=False)
        if group in roles.batch
        for axis in ((entry,) if isinstance(entry, str) else entry or ())
    }
    return _Tried(tuple(shape.items()), specs, None, name_of(shape, specs, step, roles), frozenset(of_batch))


def _notes(step: Step, machine: Machine, now: _Tried | None) -> tuple[str, ...]:
    notes = []
    if step.constrains:
        only = 'They are part of "now" alone' if now else "They are left out"
        notes.append(f"The code has sharding constraints of its own. {only}: candidates constrain by their own rules.")
    if step.mesh is not None and now is None:
        mine = f"{step.mesh.size} devices, and this is a search for {machine.size}"
        notes.append(f'The arguments are on {mine}, so nothing is marked "now".')
    if not any(step.donated):
        notes.append("Nothing is donated, so new state needs memory beside the old: jax.jit(f, donate_argnums=...).")
    if machine.stands_in:
        notes.append(f"Peaks and links of {machine.target} are not known: times are those of {machine.stands_in}.")
    if step.closed_over:
        notes.append("Arrays that the function closes over are on every device, whole.")
    return tuple(notes)


def _groups(step: Step, roles: Roles) -> tuple[DimGroup, ...]:
    named: list[tuple[Any, Any]] = [*(("batch", g) for g in roles.batch), *(("sequence", g) for g in roles.sequence)]
    named += [("width", roles.width)] if roles.width else []
    named += [*(("tensor", g) for g in roles.tensor), *(("expert", g) for g in roles.experts)]
    found = []
    for role, group in named:
        places = [
            f"{path} dim {d}"
            for path, v in zip(step.names, step.flat.invars, strict=True)
            for d, g in enumerate(step.dims.of(v))
            if g == group
        ]
        size: int = group[0].aval.shape[group[1]]
        found.append(DimGroup(role, roles.sizes.get(group, size), tuple(places[:4])))
    return tuple(sorted(found, key=lambda g: (g.role, g.dims)))


def _spearman(of: Sequence[Candidate]) -> float | None:
    """Rank correlation of the estimated and the compiled time of collectives; equal ones share a rank."""
    if len(of) < FEWEST_RANKED:
        return None
    pairs = [(c.estimated, c.figures) for c in of]
    ranks = [_ranks([pair[k].exposed_s + pair[k].hidden_s for pair in pairs]) for k in (0, 1)]
    spread = [float(np.std(r)) for r in ranks]
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1]) if all(spread) else None


def _ranks(values: Sequence[float]) -> np.ndarray:
    array = np.array(values)
    return np.array([(array < v).sum() + ((array == v).sum() - 1) / 2 for v in array])
