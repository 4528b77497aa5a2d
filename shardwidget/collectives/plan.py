"""The algorithms of a collective, made of its phases: rounds in which every rank of a group sends to a peer."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, NamedTuple

from shardwidget.collectives.phases import Rounds
from shardwidget.collectives.statement import Call, Statement
from shardwidget.document import Move, Plan


class Transfer(NamedTuple):
    """A chunk on its way from one rank to another."""

    source: int
    destination: int
    chunk: int
    op: Literal["copy", "add"]
    origin: int = -1
    """Where chunks have an origin: the rank that this one started on."""


def plans(call: Call) -> tuple[Plan, ...]:
    """The algorithms that apply to a collective, its meaning in one round first.

    Groups of different sizes have the meaning alone: transfers between ranks that a smaller group lacks are dropped.
    A broadcast from a rank that only an operand gives has none; ``dataclasses.replace(call, source=…)`` names it.
    """
    return _plans(call.statement, call.n, call.pairs, call.source, call.even)


def expand(plan: Plan, number: int) -> list[Transfer]:
    """The transfers of one round of a plan, rank by rank."""
    n, by_origin = plan.n, plan.semantics.by_origin
    out = []
    for move in plan.rounds[number]:
        if move.peer == "pairs":
            out += [Transfer(source, destination, 0, move.op) for source, destination in move.pairs]
            continue
        place = (lambda r, d: (r + d) % n) if move.peer == "shift" else (lambda r, d: r ^ d)
        out += [
            Transfer(r, place(r, move.by), place(r, offset), move.op, place(r, move.origin) if by_origin else -1)
            for r in range(n)
            for offset in range(move.first, move.first + move.count)
        ]
    return out


@lru_cache
def _plans(
    statement: Statement, n: int, pairs: tuple[tuple[int, int], ...], source: int, even: bool
) -> tuple[Plan, ...]:
    semantics = statement.semantics
    if semantics.starts == "source" and source < 0:
        return ()
    moves = tuple(statement.direct(n, source))
    if statement.by_pairs and pairs:
        moves = (Move("pairs", "copy", pairs=pairs),)
    meaning = Plan("meaning", semantics, n, (moves,) if moves else ())
    if not statement.phases or n == 1 or not even:
        return (meaning,)

    def ring(forward: int, backward: int) -> Rounds:
        return sum((phase.ring(n, source, forward, backward) for phase in statement.phases), ())

    out = [meaning, Plan("ring", semantics, n, ring(n - 1, 0))]
    if n > 2:
        out.append(Plan("bidirectional ring", semantics, n, ring(n // 2, (n - 1) // 2)))
    if n & (n - 1) == 0:
        rounds: Rounds = sum((phase.exchanges(n, source) for phase in statement.phases), ())
        out.append(Plan("halving-doubling", semantics, n, rounds))
    return tuple(out)
