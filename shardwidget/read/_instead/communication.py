"""Ways to write a program that communicate less, found by compiling them."""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

import jax
from jax.sharding import Mesh, NamedSharding

from shardwidget import _jax
from shardwidget.document import HloCollective, Program, Remedies, Remedy
from shardwidget.findings.program import places, sent
from shardwidget.rates import RATES
from shardwidget.read._call import function_name
from shardwidget.read._instead.attempts import attempts
from shardwidget.read._instead.boundary import Boundary, Respec
from shardwidget.read._instead.source import UNSET, Change, Line, Sources, takes_of, values_of
from shardwidget.read._program.executable import executable_of, jitted_of
from shardwidget.read._program.overlap import overlap
from shardwidget.read._program.programs import of_executable

LINES = 6
"""The most lines whose collectives are looked at, the longest first."""

LEAST = 0.01
"""The least share of bytes, of time or of memory that a change must save to be offered."""

OWN = 0.1
"""The least share of what its line sends that a change to an argument must save, if it saves less than ``LEAST``."""

LOOKUPS = 2
"""The most lines that take rows by indices, as of an embedding, whose arguments are looked at besides."""

PRICE = 0.1
"""The share by which bytes may rise where time falls, or time where bytes do; or half of the share by which they fall,
where that is more."""

LIMIT = 40
"""How many candidates are compiled unless the caller says so."""

T = TypeVar("T")

NO_MESH = "nothing says which mesh the program runs on: give arguments that are on one, or mesh=."


Where = tuple[str, int]
"""The short name of a file, and a number; ``("", 0)`` for what has no line."""


class Figures(NamedTuple):
    """What a program takes in a call, on one device."""

    sent: int
    seconds: float
    memory: int
    work: float = 0.0
    """FLOP."""
    lines: Mapping[Where, tuple[int, float]] = MappingProxyType({})
    """What each line of the user's sends, and how long that takes."""


class Search:
    """Compiles candidates, one after another.

    Args:
        f: the function.
        args: its arguments.
        kwargs: its keyword arguments.
        mesh: the mesh; None takes the one of the arguments.
        progress: called with how many candidates were compiled, and how many there are.
        limit: the most that are compiled.
    """

    def __init__(
        self,
        f: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        mesh: Mesh | None,
        progress: Callable[[int, int], None] | None,
        limit: int,
    ) -> None:
        self._f, self._args, self._kwargs, self._mesh = f, args, kwargs, mesh
        self._progress, self._limit = progress, limit
        self.found: list[Remedy] = []
        self._worth: list[tuple[Change | Respec, Figures]] = []
        self.tried = 0

    def run(self) -> None:
        """Compiles the program as it is, then every candidate.

        Raises:
            ValueError: there is no mesh.
        """
        read = self._read(self._f, self._args)
        if read is None:
            raise ValueError(NO_MESH)
        program, self._on = read
        self._before = figures(program)
        candidates = list(self._candidates(program, self._on))[: self._limit]
        try:
            for candidate, after in attempts(candidates, self._compiled, self._progress):
                if saves(self._before, after, candidate.sent if isinstance(candidate, Respec) else 0):
                    self._worth.append((candidate, after))
        finally:  # Interrupted, too.
            self.found = self._ordered()

    def _ordered(self) -> list[Remedy]:
        """What is worth it: first the best at each place that is changed, and the best for each line and memory."""
        saved = [self._saved(*one) for one in self._worth]
        by_cost = sorted(range(len(saved)), key=lambda k: self._cost(self._worth[k][1]))
        best: dict[Any, int] = {}
        for k in by_cost:
            best.setdefault(self._worth[k][0].place, k)
        for of in {of for one in saved for of in one}:
            helping = [k for k in by_cost if saved[k].get(of, 0) >= LEAST]
            if helping:
                # What costs memory or work is the best only where nothing else helps.
                best[of] = min(helping, key=lambda k: (self._cost(self._worth[k][1])[0], -saved[k][of]))
        first = set(best.values())
        ordered = sorted(by_cost, key=lambda k: k not in first)
        return [self._remedy(*self._worth[k], saved[k], other=k not in first) for k in ordered]

    def _cost(self, after: Figures) -> tuple[bool, float]:
        """Whether it lowers no communication, or takes memory or work for it; and what is not saved. Less is better.

        What each device no longer computes or holds counts as much as what it no longer sends: a program of small
        arrays is estimated to take its collectives' latency alone.
        """
        sent, seconds, work, memory = shares = _shares(self._before, after)
        is_free = max(sent, seconds) > LEAST and min(work, memory) >= -LEAST
        return not is_free, -sum(shares)

    def _saved(self, candidate: Change | Respec, after: Figures) -> dict[str, float]:
        """By line, and of memory: the share of the whole that is saved."""
        before, now = self._before, after.lines
        if isinstance(candidate, Change):
            now = {candidate.before(where): of for where, of in now.items()}
        saved: dict[str, float] = {}
        for where, (size, seconds) in before.lines.items():
            size_now, seconds_now = now.get(where, (0, 0.0))
            saved[self._named(where)] = (size - size_now) / (before.sent or 1)
            saved[self._named(where)] += (seconds - seconds_now) / (before.seconds or 1)
        of = candidate.arguments if isinstance(candidate, Respec) else ()
        names = dict.fromkeys(self._boundary.names[key[0]] for key, _ in of)
        saved[f"memory of {' and '.join(names)}" if names else "memory"] = _share(before.memory, after.memory)
        return saved

    def _named(self, where: Where) -> str:
        """``line 30``, with its file where there are lines of several."""
        several = len({file for file, _ in self._before.lines if file}) > 1
        return f"{f'{where[0]}, ' if several else ''}line {where[1]}" if where[0] else "what has no line"

    def _candidates(self, program: Program, mesh: Mesh) -> Iterator[Change | Respec]:
        """Each once, those first that are tried most often with success."""
        jaxpr = self._traced()
        self._sources, self._boundary = Sources(self._f, mesh), Boundary(self._f, self._args, jaxpr)
        self._shapes, batch = values_of(jaxpr), self._batch()
        shapes, takes = self._shapes, takes_of(jaxpr)
        every = [p for p in places(program, by_phase=False) if p.source is not None]
        flagged = [p for p in every if any(program.collectives[k].remark for k in p.members)]
        gathers = [p for p in every if any(_is_lookup(program.collectives[k]) for k in p.members)]
        wanted = list(dict.fromkeys([*flagged[:LINES], *gathers[:LOOKUPS], *every[:LINES]]))
        files = self._sources.files
        lines = [(files[p.source.file], p.source.line) for p in wanted if p.source and p.source.file in files]
        # The compiler may gather what a line takes later, in a line after it.
        taking = itertools.islice((at for at in takes if at[0] in files.values()), LOOKUPS)
        own = (at for at, shape in shapes.items() if shape[0] in batch and at[0] in files.values())
        first = next(own, None)  # The first value of the batch, such as an embedding.
        moved = (
            self._boundary.moved(program.collectives[place.members[0]], sent(program, place.members))
            for place in wanted
        )
        sources = self._sources
        yield from _in_turn(
            sources.left_out(),
            self._boundary.returned(),
            self._boundary.alike(),
            (
                c
                for line in dict.fromkeys([*lines, *taking])
                for c in sources.indexed(line, shapes.get(line, ()), batch, rows=takes.get(line, False))
            ),
            sources.reordered(batch),
            (
                c
                for line in dict.fromkeys([*filter(None, [first]), *lines])
                for c in sources.added(line, shapes.get(line, ()), batch)
            ),
            # The first of each argument before the second of any.
            {frozenset(one.arguments): one for one in _in_turn(*itertools.chain(*moved))}.values(),
        )

    def _keeps(self, line: Line) -> bool:
        """Whether a line makes a value of the same shape in the functions as they are now, in a file of their own."""
        now = [shape for (_, number), shape in values_of(self._traced()).items() if number == line[1]]
        return self._shapes.get(line) in now

    def _traced(self) -> Any:
        # A model may have leaves that are no arrays, as an activation of equinox.
        f, args, kwargs = jitted_of(self._f, self._args, self._kwargs)
        return jax.make_jaxpr(f, static_argnums=_jax.static_parameters(f)[0])(*args, **kwargs)

    def _batch(self) -> dict[int, list[Any]]:
        """By a size, how arguments of this size are split along their first dimension."""
        found: dict[int, list[Any]] = {}
        for leaf in jax.tree.leaves(self._args):
            sharding = getattr(leaf, "sharding", None)
            entries = _jax.partitions(sharding.spec) if isinstance(sharding, NamedSharding) else ()
            if entries and isinstance(entries[0], str | tuple) and entries[0] not in found.get(leaf.shape[0], ()):
                found.setdefault(leaf.shape[0], []).append(entries[0])
        return found

    def _compiled(self, candidate: Change | Respec) -> Figures | None:
        self.tried += 1
        if isinstance(candidate, Respec):
            read = self._read(*self._boundary.applied(candidate))
        else:
            swaps = self._sources.swaps(candidate)
            if not swaps:
                return None
            with _jax.retracing(swaps, "as they are"):
                if candidate.keeps and not self._keeps(candidate.keeps):
                    return None
                needs_mesh = candidate.what.endswith(UNSET)
                read = self._read(self._f, self._args, self._on if needs_mesh else None)
        return figures(read[0]) if read else None

    def _read(
        self, f: Callable[..., Any], args: Sequence[Any], mesh: Mesh | None = None
    ) -> tuple[Program, Mesh] | None:
        """The program of a function; under ``jax.set_mesh(mesh)`` where a mesh is given."""
        executable = executable_of(f, tuple(args), mesh or self._mesh, self._kwargs, quick=True)
        return None if executable.mesh is None else (of_executable(executable, None, None), executable.mesh)

    def _remedy(self, candidate: Change | Respec, after: Figures, saved: Mapping[str, float], *, other: bool) -> Remedy:
        before, least = self._before, min(LEAST, max(saved.values()))
        fix = candidate.fix if isinstance(candidate, Change) else None
        code = candidate.fix.code if isinstance(candidate, Change) else candidate.code
        return Remedy(
            candidate.what,
            code,
            before.sent,
            after.sent,
            fix,
            lowers="communication",
            helps=tuple(sorted((of for of in saved if saved[of] >= least), key=lambda of: -saved[of])),
            seconds_before=before.seconds,
            seconds_after=after.seconds,
            memory=after.memory - before.memory,
            work=-_share(before.work, after.work),
            other=other,
        )


def figures(program: Program) -> Figures:
    """What is sent, how long that takes by the estimate, and the memory of a device."""
    m = program.memory
    held = 0 if m is None else m.arguments + m.outputs + m.temporaries - m.aliased
    lines: dict[Where, tuple[int, float]] = {}
    for total in program.by_line():
        where = (total.source.file, total.source.line) if total.source else ("", 0)
        own, seconds = lines.get(where, (0, 0.0))
        lines[where] = own + total.bytes_per_device, seconds + total.seconds
    every = range(len(program.collectives))
    seconds = sum(map(program.seconds, program.collectives))
    return Figures(sent(program, every), seconds, held, max(0.0, work_of(program)), lines)


def work_of(program: Program) -> float:
    """The FLOP of a device; -1 where the module has no schedule."""
    try:
        return overlap(program, chip=next(iter(RATES))).flops  # They are the same on any chip.
    except ValueError:
        return -1.0


def _in_turn(*several: Iterable[T]) -> Iterator[T]:
    """The first of each, then the second of each, and so on."""
    return (one for turn in itertools.zip_longest(*several) for one in turn if one is not None)


def _is_lookup(c: HloCollective) -> bool:
    """Whether a collective is there because rows are taken by indices: of an embedding, mostly."""
    return re.split(r"[/(]", c.op.rstrip(")"))[-1] == "gather"


def saves(before: Figures, after: Figures, own: int = 0) -> bool:
    """Whether a change is worth offering: bytes, time or memory fall, and nothing grows as much for it.

    Args:
        before: as it is.
        after: with the change.
        own: the bytes that are sent for the line that it is to help; 0 for none.
    """
    fewer, sooner, work, memory = shares = _shares(before, after)
    if sum(shares) <= 0:  # A batch that is split less, for example: fewer devices have something to send.
        return False
    helps = own > 0 and before.sent - after.sent > OWN * own and sooner >= 0
    faster = sooner > LEAST and -fewer <= max(PRICE, sooner / 2)
    less = fewer > LEAST and -sooner <= max(PRICE, fewer / 2)
    return helps or faster or less or (memory > LEAST and min(fewer, sooner, work) >= -LEAST)


def _shares(before: Figures, after: Figures) -> tuple[float, float, float, float]:
    """The shares by which what is sent, seconds, work and memory fall."""
    pairs = zip(before[:4], after[:4], strict=True)
    sent, seconds, memory, work = (_share(one, other) for one, other in pairs)
    return sent, seconds, work, memory


def _share(before: float, after: float) -> float:
    """The share by which a figure falls; less than 0 where it rises."""
    return 1 - after / before if before else -after


def tried(
    f: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    mesh: Mesh | None,
    progress: Callable[[int, int], None] | None,
    limit: int | None = None,
) -> Remedies:
    """What lowers communication; what was found until then where it is interrupted."""
    search = Search(f, args, kwargs, mesh, progress, LIMIT if limit is None else limit)
    ended = False
    with contextlib.suppress(KeyboardInterrupt):  # What was compiled is known.
        search.run()
        ended = True
    return Remedies(function_name(f), "communication", tuple(search.found), search.tried, ended, jax.__version__)
