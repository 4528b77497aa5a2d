"""What is said beside the candidates: what was left out, what is not known, which dimensions are split alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shardwidget._format import byte_count, count
from shardwidget.document import DimGroup, Offer, Scaled, Shortfall
from shardwidget.read._search.machine import Machine
from shardwidget.read._search.roles import Roles
from shardwidget.read._search.step import Step

NOT_COMPILED = "Nothing is compiled: {words}."

NOT_ESTIMATED = "{count} could not be estimated: {words}"

EXPERTS = (
    "With experts the compiler sends other things than Shardy plans: estimates were up to 7 times too low. Compile "
    "before you trust the order: compiled=8."
)

STOPPED = {
    "time": "The time limit came before anything was compiled, so all figures are estimates: limit_s= allows more.",
    "interrupted": "It was stopped before anything was compiled, so all figures are estimates.",
}


INSTALL = Offer('pip install "shardwidget[tpu]"', "copy", text='pip install "shardwidget[tpu]"')


def other_meshes(chips: int) -> Offer:
    """Where plans were limited until none was left."""
    return Offer(f"search other meshes of {count(chips, 'chip')}", "free", chips=chips)


def offers(shortfall: Shortfall | None, fits_on: Scaled | None) -> tuple[Offer, ...]:
    """What may be done where nothing fits."""
    keep_less = Offer("@jax.checkpoint", "copy", text="@jax.checkpoint")
    kept = (keep_less,) if shortfall and shortfall.growing else ()
    return (*kept, *((Offer(f"search {fits_on.chips} chips", "chips", chips=fits_on.chips),) if fits_on else ()))


def failed(errors: Sequence[Exception]) -> str:
    """How many candidates could not be estimated, and why the first."""
    return NOT_ESTIMATED.format(count=len(errors), words=str(errors[0]).partition("\n")[0][:200])


def notes(step: Step, roles: Roles, machine: Machine, *, has_now: bool, wanted: int) -> tuple[str, ...]:
    """What was left out of the user's code, and what is not known.

    Args:
        step: the step.
        roles: what its dimensions are.
        machine: what is searched for.
        has_now: whether the user's own sharding is among the candidates.
        wanted: how many are to be compiled.
    """
    found = []
    if step.constrains:
        only = 'They are part of "now" alone' if has_now else "They are left out"
        found.append(f"The code has sharding constraints of its own. {only}: candidates constrain by their own rules.")
    if step.mesh is not None and not has_now:
        mine = f"{step.mesh.size} devices, and this is a search for {machine.size}"
        found.append(f'The arguments are on {mine}, so nothing is marked "now".')
    if roles.experts and not wanted:
        found.append(EXPERTS)
    if not any(step.donated):
        found.append(f"Nothing is donated, so new state needs memory beside the old: {step.donation}.")
    if machine.stands_in:
        found.append(f"Peaks and links of {machine.target} are not known: times are those of {machine.stands_in}.")
    if step.closed_over:
        held = byte_count(step.closed_over)
        found.append(f"Arrays that the function closes over ({held}) are on every device, whole. Make them arguments.")
    return tuple(found)


def groups(step: Step, roles: Roles) -> tuple[DimGroup, ...]:
    """What is split alike, with the places of each."""
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
