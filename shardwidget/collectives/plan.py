"""The algorithms of a collective: rounds in which every rank of a group sends to a peer.

Each hop below is one move of a phase, written for all ranks at once. A ring of n ranks is n - 1 hops forward; a
bidirectional ring is n // 2 hops forward and, at the same time, (n - 1) // 2 backward; halving-doubling exchanges with
the rank that differs in one bit. Rounds of all_reduce by ring: Patarasuk and Yuan 2009; by halving and doubling:
Thakur, Rabenseifner and Gropp 2005.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Literal, NamedTuple

from shardwidget.collectives.call import ALL_TO_ALL, SILENT, Call
from shardwidget.document import Move, Plan

Rounds = tuple[tuple[Move, ...], ...]


class Transfer(NamedTuple):
    """A chunk on its way from one rank to another."""

    source: int
    destination: int
    chunk: int
    op: Literal["copy", "add"]
    origin: int = -1
    """For all_to_all: the rank that the chunk started on."""


def plans(call: Call) -> tuple[Plan, ...]:
    """The algorithms that apply to a collective, its meaning in one round first.

    Groups of different sizes have the meaning alone: its transfers between ranks that a smaller group lacks fall away.
    A broadcast from a rank that only an operand knows has none; ``dataclasses.replace(call, source=…)`` names it.
    """
    return _plans(call.kind, call.n, call.pairs, call.source, call.even)


def expand(plan: Plan, number: int) -> list[Transfer]:
    """The transfers of one round of a plan, rank by rank."""
    n, addressed = plan.n, plan.kind in ALL_TO_ALL
    out = []
    for move in plan.rounds[number]:
        if move.peer == "pairs":
            out += [Transfer(source, destination, 0, move.op) for source, destination in move.pairs]
            continue
        place = (lambda r, d: (r + d) % n) if move.peer == "shift" else (lambda r, d: r ^ d)
        out += [
            Transfer(r, place(r, move.by), place(r, offset), move.op, place(r, move.origin) if addressed else -1)
            for r in range(n)
            for offset in range(move.first, move.first + move.count)
        ]
    return out


@lru_cache
def _plans(kind: str, n: int, pairs: tuple[tuple[int, int], ...], source: int, even: bool) -> tuple[Plan, ...]:
    if kind == "pbroadcast" and source < 0:
        return ()
    meaning = Plan("meaning", kind, n, _meaning(kind, n, pairs, source))
    if kind in (*SILENT, "ppermute") or n == 1 or not even:
        return (meaning,)
    out = [meaning, Plan("ring", kind, n, _ring(kind, n, source, n - 1, 0))]
    if n > 2:
        out.append(Plan("bidirectional ring", kind, n, _ring(kind, n, source, n // 2, (n - 1) // 2)))
    if n & (n - 1) == 0:
        out.append(Plan("halving-doubling", kind, n, _halving_doubling(kind, n, source)))
    return tuple(out)


def _meaning(kind: str, n: int, pairs: tuple[tuple[int, int], ...], source: int) -> Rounds:
    peers = range(1, n)
    match kind:
        case "psum" | "pmax" | "pmin":
            moves = [Move("shift", "add", by, first=0, count=n) for by in peers]
        case "reduce_scatter":
            moves = [Move("shift", "add", by, first=by) for by in peers]
        case "all_gather":
            moves = [Move("shift", "copy", by, first=0) for by in peers]
        case "all_to_all" | "ragged_all_to_all":
            moves = [Move("shift", "copy", by, first=by) for by in peers]
        case "pbroadcast":
            others = tuple((source, rank) for rank in range(n) if rank != source)
            moves = [Move("pairs", "copy", pairs=others)] if others else []
        case "ppermute":
            moves = [Move("pairs", "copy", pairs=pairs)] if pairs else []
        case _:
            moves = []
    return (tuple(moves),) if moves else ()


def _ring(kind: str, n: int, source: int, forward: int, backward: int) -> Rounds:
    """Rounds of neighbours: ``forward`` hops to the next rank and meanwhile ``backward`` hops to the one before."""

    def reduce(step: int, hop: int, hops: int) -> Move:
        # A partial sum sets out from the rank `hops` before its home and takes each rank's part with it.
        return Move("shift", "add", step, first=step * (hops - hop))

    def gather(step: int, hop: int, hops: int) -> Move:
        return Move("shift", "copy", step, first=-step * hop)

    def pass_on(step: int, hop: int, hops: int) -> Move:
        # What came from `hop` ranks back and has further to go; the nearest destination is the neighbour itself.
        left = hops - hop
        return Move("shift", "copy", step, first=1 if step > 0 else -left, count=left, origin=-step * hop)

    def tell(step: int, hop: int, hops: int) -> Move:
        pair = ((source + step * hop) % n, (source + step * (hop + 1)) % n)
        return Move("pairs", "copy", pairs=(pair,))

    def rounds(move: Callable[[int, int, int], Move]) -> Rounds:
        return tuple(
            tuple(move(step, hop, hops) for step, hops in ((1, forward), (-1, backward)) if hop < hops)
            for hop in range(forward)
        )

    match kind:
        case "reduce_scatter":
            return rounds(reduce)
        case "all_gather":
            return rounds(gather)
        case "pbroadcast":
            return rounds(tell)
        case "psum" | "pmax" | "pmin":
            return rounds(reduce) + rounds(gather)
    return rounds(pass_on)  # all_to_all


def _halving_doubling(kind: str, n: int, source: int) -> Rounds:
    """Rounds of exchanges with the rank that differs in one bit; n is a power of two."""
    up = [1 << k for k in range(n.bit_length() - 1)]
    down = up[::-1]
    halving = tuple((Move("exchange", "add", bit, first=bit, count=bit),) for bit in down)
    doubling = tuple((Move("exchange", "copy", bit, first=0, count=bit),) for bit in up)
    match kind:
        case "reduce_scatter":
            return halving
        case "all_gather":
            return doubling
        case "psum" | "pmax" | "pmin":
            return halving + doubling
        case "pbroadcast":
            return tuple(
                (Move("pairs", "copy", pairs=tuple((source ^ k, source ^ k ^ bit) for k in range(bit))),) for bit in up
            )
    # all_to_all: the chunks that live across the bit, of every origin that came across the bits before.
    return tuple(
        tuple(Move("exchange", "copy", bit, first=bit, count=bit, origin=o) for o in range(0, n, 2 * bit))
        for bit in down
    )
