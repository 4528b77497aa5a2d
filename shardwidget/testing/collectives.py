"""Assertions about the collectives of a compiled program."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from jax.sharding import Mesh

from shardwidget import read
from shardwidget._format import byte_count, parse_bytes
from shardwidget.collectives import OPCODES
from shardwidget.document import Comparison, HloCollective, Program
from shardwidget.findings.program import twin

__tracebackhide__ = True

Limit = int | str | None
"""Of one kind over some axes: the most places in the program that may have it, the most bytes that a device may send by
it in a call (``"2 MiB"``), or None for any number."""

MOST = 6
"""The most collectives that a failure names."""

MOST_OPERANDS = 3
"""The most types that a failure names of what a combined collective moves."""

AVOID = 'shardwidget.read.remedies(f, *args, lowers="communication") compiles changes that may avoid it'


def assert_no_collectives(
    f: Callable[..., Any],
    *args: Any,
    axis: str | None = None,
    kind: str | None = None,
    kwargs: Mapping[str, Any] | None = None,
    mesh: Mesh | None = None,
) -> None:
    """Fails if the compiled program has a collective over an axis, of a kind, or any at all.

    ``jax.sharding.no_collectives`` refuses those that the user's program asks for; this sees those that the compiler
    adds.

    Args:
        f: a function, jitted or not, or what ``read.program`` takes in its place.
        *args: its arguments: arrays, or ``jax.ShapeDtypeStruct``s with a sharding.
        axis: a mesh axis; collectives over it and others count too. None for every axis.
        kind: XLA's name of a collective: ``all-gather``; None for every kind.
        kwargs: keyword arguments of the function.
        mesh: the mesh whose axes are meant; None takes that of the arguments.

    Raises:
        AssertionError: there is one; or the mesh has one device; or a part of the program could not be read.
        ValueError: the mesh has no such axis, or XLA no such collective.
    """
    call = _Call(f, args, kwargs, mesh)
    program = call.compiled()
    _check_axes(program, [axis] if axis else [])
    _check_kinds([kind] if kind else [])
    found = [c for c in program.collectives if (not axis or axis in _over(c)) and (not kind or c.kind == kind)]
    what = f"{kind or 'collective'}{f' over {axis}' if axis else ''}"
    _fail(call, program, [(c, f"no {what} is allowed") for c in found])


def assert_collectives(
    f: Callable[..., Any],
    *args: Any,
    allow: Mapping[str | tuple[str, ...], Mapping[str, Limit]],
    kwargs: Mapping[str, Any] | None = None,
    mesh: Mesh | None = None,
) -> None:
    """Fails if the compiled program has other collectives than those that are allowed.

    ```python
    assert_collectives(step, state, batch, allow={
        "fsdp": {"all-gather": 2, "reduce-scatter": "64 MiB"},
        ("fsdp", "model"): {"all-reduce": None},
    })
    ```

    Args:
        f: as of ``assert_no_collectives``.
        *args: likewise.
        allow: for each mesh axis, or tuple of axes that one collective goes over, the kinds that are allowed, by XLA's
            names. A number is that of places in the program (a loop's body counts once), at most; a text such as
            ``"2 MiB"`` is what a device sends in a call, at most; None is no limit.
        kwargs: as of ``assert_no_collectives``.
        mesh: likewise.

    Raises:
        AssertionError: as of ``assert_no_collectives``.
        ValueError: likewise, or a limit has another form.
    """
    call = _Call(f, args, kwargs, mesh)
    program = call.compiled()
    given = {axes if isinstance(axes, tuple) else (axes,): kinds for axes, kinds in allow.items()}
    _check_axes(program, [axis for axes in given for axis in axes])
    _check_kinds([kind for kinds in given.values() for kind in kinds])
    limits = {(frozenset(axes), kind): limit for axes, kinds in given.items() for kind, limit in kinds.items()}
    groups: dict[tuple[frozenset[str], str], list[HloCollective]] = {}
    for c in program.collectives:
        groups.setdefault((frozenset(_over(c)), c.kind), []).append(c)
    _fail(call, program, [(c, why) for key, found in groups.items() for c, why in _beyond(found, key, limits)])


def _beyond(
    found: Sequence[HloCollective], key: tuple[frozenset[str], str], limits: Mapping[tuple[frozenset[str], str], Limit]
) -> Iterator[tuple[HloCollective, str]]:
    """Those of one kind over the same axes that are not allowed, and why not."""
    if key not in limits:
        yield from ((c, "not allowed") for c in found)
        return
    limit = limits[key]
    if isinstance(limit, str):
        sent, most = sum(_sent(c) for c in found), parse_bytes(limit)
        if sent > most:
            yield from ((c, f"{byte_count(sent)} in all, {limit} allowed") for c in found)
    elif limit is not None and len(found) > limit:
        yield from ((c, f"{len(found)} in the program, {limit} allowed") for c in found)


@dataclass(frozen=True)
class _Call:
    """What an assertion is about."""

    f: Callable[..., Any]
    args: Sequence[Any]
    kwargs: Mapping[str, Any] | None
    mesh: Mesh | None

    def compiled(self) -> Program:
        """The program; an assertion fails where it could not."""
        program = read.program(self.f, *self.args, kwargs=self.kwargs, mesh=self.mesh)
        if math.prod(axis.size for axis in program.mesh.axes) == 1:
            raise AssertionError(
                f"{program.name} is compiled for one device, where no program communicates: this checks nothing. Give "
                "arguments on a mesh, or shapes on shardwidget.tpu_mesh('v5e:4x4', ('data', 'model'))."
            )
        if program.unread or not program.instructions:
            raise AssertionError(
                f"{program.name} has instructions that could not be read, so this cannot be checked: "
                f"{'; '.join(program.unread[:3]) or program.note}"
            )
        return program

    def compared(self) -> Comparison | None:
        """What knows why collectives are there; None where that cannot be read, as of what is compiled already."""
        with contextlib.suppress(Exception):  # The assertion has failed by then, and says so all the same.
            return read.comparison(self.f, *self.args, kwargs=self.kwargs, mesh=self.mesh)
        return None


def _check_axes(program: Program, axes: Sequence[str]) -> None:
    known = [axis.name for axis in program.mesh.axes]
    for axis in axes:
        if axis not in known:
            raise ValueError(f"the mesh has no axis {axis!r}; its axes are {', '.join(map(repr, known))}")


def _check_kinds(kinds: Sequence[str]) -> None:
    for kind in kinds:
        if kind not in OPCODES:
            near = get_close_matches(kind.replace("_", "-"), OPCODES, 1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise ValueError(f"XLA has no collective {kind!r}; it has {', '.join(sorted(OPCODES))}.{hint}")


def _over(c: HloCollective) -> tuple[str, ...]:
    return c.within if c.irregular else c.axes


def _sent(c: HloCollective) -> int:
    return c.bytes_per_device * (c.times or 1)


def _fail(call: _Call, program: Program, found: Sequence[tuple[HloCollective, str]]) -> None:
    if not found:
        return
    dearest = sorted(found, key=lambda each: -_sent(each[0]))
    compared = call.compared()
    lines = [_described(c, why) + _because(program, c, compared) for c, why in dearest[:MOST]]
    if (left := len(found) - MOST) > 0:
        lines.append(f"… and {left} more")
    mesh = " ".join(f"{axis.name}={axis.size}" for axis in program.mesh.axes)
    about = f"{program.name}, compiled for {program.target}, mesh {mesh}"
    avoid = [] if all(c.by_user for c, _ in found) else [AVOID]
    raise AssertionError("\n".join([*lines, about, *avoid]))


def _because(program: Program, c: HloCollective, compared: Comparison | None) -> str:
    """The splits that a collective follows from, and what asked for them."""
    same = twin(program, program.collectives.index(c), compared and compared.program)
    found = compared.why_collective(same) if compared is not None and same is not None else ()
    return "".join(f"\n    {answer}" for answer in dict.fromkeys(why.answer for why in found))


def _described(c: HloCollective, why: str) -> str:
    where = f"{c.source.file}:{c.source.line}: {c.source.text}" if c.source else c.op or "line not known"
    axes = ", ".join(_over(c)) or "no whole axis"
    sent = f"{byte_count(c.bytes_per_device)} sent per device, {_runs(c)}"
    moved = c.operand or ", ".join(dict.fromkeys(c.shapes[:MOST_OPERANDS])) + " …" * (len(c.shapes) > MOST_OPERANDS)
    remark = f"; {c.remark}" if c.remark else "; the program asks for it" if c.by_user else ""
    advice = f"\n    {c.advice}" if c.advice else ""
    return f"{c.kind} of {moved} over {axes}: {why}. {where}\n    {sent}{remark}{advice}"


def _runs(c: HloCollective) -> str:
    if c.times is None:
        return "an unknown number of times"
    return "once" if c.times == 1 else f"{c.times} times: {byte_count(_sent(c))} in a call"
