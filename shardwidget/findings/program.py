"""What dominates a compiled program, and what deserves a look in it."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from shardwidget._format import count, duration, percent
from shardwidget.document import Finding, HloCollective, Program, Source

Phase = Literal["forward", "recomputed", "backward", "other", ""]

NO_COLLECTIVES = "No collectives: no device sends anything"
ONE_DEVICE = "No collectives: it runs on one device"
NOT_KNOWN = "Its collectives are not known"
ALONE = "Nothing is sent: each device is alone in its groups"


@dataclass(frozen=True)
class Place:
    """Equal collectives of one line: one operation over the same axes, in one phase."""

    kind: str
    over: str
    source: Source | None
    phase: Phase
    members: tuple[int, ...]
    """Indices in ``Program.collectives``, in the order of the module."""


def with_findings(program: Program) -> Program:
    """The program with what is said of it first."""
    found = replace(program, findings=_findings(program))
    return replace(found, verdicts=tuple(_verdict(found, k) for k in range(max(1, len(program.interconnects)))))


def places(program: Program, *, by_phase: bool = True) -> tuple[Place, ...]:
    """The collectives, equal ones of a line as one, the longest first and then those that send most.

    Args:
        program: what they are of.
        by_phase: whether those of the forward and of the backward pass are two.
    """
    found: dict[tuple[str, str, Source | None, str, Phase], list[int]] = {}
    for at, c in enumerate(program.collectives):
        line = "" if c.source else c.op
        of = phase(program, c) if by_phase else ""
        found.setdefault((c.kind, over(c), c.source, line, of), []).append(at)
    all_of = [Place(kind, axes, source, of, tuple(at)) for (kind, axes, source, _, of), at in found.items()]
    return tuple(sorted(all_of, key=lambda p: (-seconds(program, p.members), -sent(program, p.members))))


def phase(program: Program, c: HloCollective) -> Phase:
    """The part of a training step that a collective belongs to; empty where the program has no backward pass."""
    if not any(other.backward for other in program.collectives):
        return ""
    if c.recomputed:
        return "recomputed"
    if c.backward:
        return "backward"
    return "forward" if "jvp(" in c.op else "other"


def over(c: HloCollective) -> str:
    """The mesh axes of its groups, in words."""
    if c.irregular:
        return f"irregular, within {', '.join(c.within)}" if c.within else "irregular"
    return ", ".join(c.axes) or "each device alone"


def runs(program: Program, of: Sequence[int]) -> int:
    """How often they run in a call; an unknown number of times counts as one."""
    return sum(program.collectives[k].times or 1 for k in of)


def sent(program: Program, of: Sequence[int]) -> int:
    """Bytes that a device sends in a call."""
    return sum(c.bytes_per_device * (c.times or 1) for c in (program.collectives[k] for k in of))


def seconds(program: Program, of: Sequence[int], interconnect: int | None = None) -> float:
    """Estimated seconds in a call; on ``Program.interconnect`` where none is given."""
    k = program.interconnect if interconnect is None else interconnect
    if k >= len(program.interconnects):
        return 0.0
    return sum(
        max(c.latency[k], c.bandwidth[k]) * (c.times or 1)
        for c in (program.collectives[at] for at in of)
        if k < len(c.latency)
    )


def open_ended(program: Program, of: Sequence[int] | None = None) -> bool:
    """Whether one is in a loop whose trip count is not known, so that totals are lower bounds."""
    found = program.collectives if of is None else [program.collectives[k] for k in of]
    return any(c.times is None for c in found)


def where(program: Program, source: Source | None, prefix: str = "in ") -> str:
    """``in line 41``, with the file where the program's lines are in several."""
    if source is None:
        return "whose line is not known"
    several = len({c.source.file for c in program.collectives if c.source}) > 1
    return f"{prefix}{f'{source.file}, ' if several else ''}line {source.line}"


def twin(program: Program, collective: int, other: Program | None) -> int | None:
    """The index of a collective in the same program, compiled again; None where it is not there."""

    def key(of: Program, k: int) -> tuple[object, ...]:
        c = of.collectives[k]
        return c.kind, c.axes, c.source, path_within(c.op)

    if other is None:
        return None
    wanted = key(program, collective)
    before = sum(key(program, k) == wanted for k in range(collective))
    found = [k for k in range(len(other.collectives)) if key(other, k) == wanted]
    return found[min(before, len(found) - 1)] if found else None


@functools.lru_cache(4096)  # Operations of a loop, and of a Python loop's turns, have the same.
def path_within(op: str) -> str:
    """JAX's path of an operation in the function that is compiled, whether that is jitted itself or by its caller.

    A transformation stands round what comes next, ``jvp(jit(take))``, or, where a name is between them that was taken
    out, before it: here it is ``jvp()/jit(take)`` in both cases.
    """
    return "/".join(map(_unwrapped, _CALLED.sub("", op).split("/")))


def _unwrapped(part: str) -> str:
    around = ""
    while found := _TRANSFORM.fullmatch(part):
        around, part = f"{around}{found[1]}(", found[2]
    around += ")" * around.count("(")
    return "/".join(filter(None, (around, part)))


_TRANSFORM = re.compile(r"(jvp|transpose|vmap)\((.*)\)")
_CALLED = re.compile(r"^(?:p?jit\([^()]*\)/)+")


def _verdict(program: Program, interconnect: int) -> str:
    if not program.instructions:
        return NOT_KNOWN
    if not program.collectives and program.unread:
        return f"{count(len(program.unread), 'instruction')} may be a collective, and could not be read"
    if not program.collectives:
        return ONE_DEVICE if program.mesh.size == 1 else NO_COLLECTIVES
    if not program.interconnects:  # Only groups: nothing says what is sent.
        return ""
    every = range(len(program.collectives))
    whole = seconds(program, every, interconnect)
    if not whole:
        return ALONE
    longest = max(places(program, by_phase=False), key=lambda p: seconds(program, p.members, interconnect))
    least = "≥ " if open_ended(program) else ""
    share = seconds(program, longest.members, interconnect) / whole
    part = "all" if share == 1 else percent(share)
    times = runs(program, longest.members)
    some = "≥ " if open_ended(program, longest.members) else ""
    said = (
        f"{some}{count(times, longest.kind)} {_over(longest, program)} {where(program, longest.source)} "
        f"{'takes' if times == 1 and not some else 'take'} {part} of {least}{duration(whole)}"
    )
    looks = len(program.findings)
    return f"{said}; {count(looks, 'thing')} to look at" if looks else said


def _over(place: Place, program: Program) -> str:
    c = program.collectives[place.members[0]]
    return f"over {place.over}" if c.axes and not c.irregular else f"in {place.over} groups"


def _findings(program: Program) -> tuple[Finding, ...]:
    """Remarks, equal ones of a line as one, the dearest first."""
    found: dict[tuple[str, Source | None, str], list[int]] = {}
    for at, c in enumerate(program.collectives):
        if c.remark:
            found.setdefault((c.remark, c.source, c.kind), []).append(at)
    ordered = sorted(found.items(), key=lambda item: (-seconds(program, item[1]), -sent(program, item[1])))
    return tuple(
        Finding(tuple(of), f"{kind} {where(program, source)}: {remark}", program.collectives[of[0]].advice)
        for (remark, source, kind), of in ordered
    )
