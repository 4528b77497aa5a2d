"""Where no candidate fits: what would do, and the smallest slice on which one fits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from shardwidget._format import byte_count
from shardwidget.document import Candidate, Figures, Scaled, Shortfall
from shardwidget.read._search.machine import Machine, box_of
from shardwidget.read._search.roles import Roles
from shardwidget.read._search.step import Step


class Estimates(Protocol):
    """Of a search that goes on, what this needs: see ``Run``."""

    step: Step
    machine: Machine
    roles: Roles
    all: list[Any]
    known: dict[int, Candidate]
    begin: Callable[[Machine, int], Any]

    def estimate(self, k: int) -> None: ...

    def figures(self, tried: Any, *, donated: bool = False) -> Figures: ...

    def late(self) -> bool: ...


FEW = 6
"""How many plans are estimated for a slice: of those whose arguments take least, those whose axes are most alike."""


NEAR = 1.1
"""What the least bytes of arguments are multiplied with: plans of fewer bytes are as good in that."""


def shortfall(run: Estimates) -> Shortfall:
    """By how much the candidate that takes least is over, and what would do.

    Donation is estimated, and so is what grows with the batch, of which ``jax.checkpoint`` keeps less.
    """
    assert run.machine.chip is not None
    k = min(run.known, key=lambda k: run.known[k].bytes_per_device)
    least, tried = run.known[k], run.all[k]
    over = least.bytes_per_device - run.machine.chip.bytes
    estimated = least.estimated
    saved = max(0, estimated.bytes_per_device - run.figures(tried, donated=True).bytes_per_device)
    try:
        # Twice the batch is divided by all that divides the batch.
        other = run.begin(run.machine, 2 * run.roles.examples)
        twice = other.figures(other.all[k])
        beside = [f.bytes_per_device - f.arguments for f in (estimated, twice)]
        growing = max(0, min(beside[1] - beside[0], beside[0]))
    except Exception:  # The user's code may allow no other size, and its sharding may not divide it.
        growing = None
    return Shortfall(over, saved, growing, _words(over, saved, growing))


def _words(over: int, saved: int, growing: int | None) -> str:
    """Whether donation or ``jax.checkpoint`` would do."""
    if 0 < over <= saved:
        return f"Donating the state saves {byte_count(saved)} as estimated, which is enough: donate_argnums=..."
    donated = f"Donating the state saves {byte_count(saved)} as estimated. " if saved else ""
    if growing is None:
        return f"{donated}How much jax.checkpoint would save is not known: the step allows no other size of the batch."
    if growing == 0:
        return f"{donated}Nothing else grows with the batch, so jax.checkpoint saves nothing."
    grows = f"{byte_count(growing)} beside the arguments grow with the batch"
    if saved + growing < over:
        return f"{donated}{grows}, of which jax.checkpoint keeps less: that is not enough."
    both = " together with that" if saved and growing < over else ""
    return f"{donated}{grows}: jax.checkpoint, which keeps less of them, may be enough{both}."


def fits_on(run: Estimates) -> Scaled | None:
    """The smallest larger slice of the chips on which a candidate fits by the estimate."""
    assert run.machine.chip is not None
    generation, chips = run.machine.topology.partition(":")[0], run.machine.chips
    while box := box_of(generation, chips := 2 * chips):
        machine = Machine(f"{generation}:{'x'.join(map(str, box))}")
        if found := _within(run.begin(machine, run.roles.examples), run.machine.chip.bytes):
            return found
    return None


def _within(run: Estimates, limit: int) -> Scaled | None:
    """The candidate that takes least, of those that take few bytes by the estimate; None where none does."""
    # What is alive beside arguments is split by all axes where both the batch and the weights are.
    sizes = {k: run.step.local_bytes(t.specs, dict(t.sizes)) for k, t in enumerate(run.all)}
    least = min(sizes.values(), default=0)
    widest = {k: max((n for _, n in t.sizes), default=1) for k, t in enumerate(run.all)}
    for k in sorted(sizes, key=lambda k: (sizes[k] > NEAR * least, widest[k], sizes[k]))[:FEW]:
        if sizes[k] <= limit and not run.late():
            run.estimate(k)
    fitting = [c for c in run.known.values() if c.bytes_per_device <= limit]
    return scaled(run, min(fitting, key=lambda c: c.bytes_per_device)) if fitting else None


def scaled(run: Estimates, best: Candidate) -> Scaled:
    """A line of the table of numbers of chips and sizes of the batch."""
    machine, name = run.machine, "" if best.fits is False else best.name
    time_s = best.estimated.time_s if name else 0.0
    return Scaled(machine.size, machine.target, run.roles.examples, name, time_s, best.estimated.bytes_per_device)
