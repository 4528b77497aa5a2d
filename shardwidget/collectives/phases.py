"""Phases: what the algorithms of collectives are made of. An all-reduce is a reduce-scatter and then an all-gather.

Each hop below is one move, written for all ranks at once. A ring of n ranks is n - 1 hops forward; a bidirectional ring
is n // 2 hops forward and, at the same time, (n - 1) // 2 backward; halving-doubling exchanges with the rank that
differs in one bit. Rounds of an all-reduce by ring: Patarasuk and Yuan 2009; by halving and doubling: Thakur,
Rabenseifner and Gropp 2005.

V is the bytes of the whole array of a group: of all blocks together where each rank has a part of its own, else of one
block. Shares on a switch: nccl-tests, doc/PERFORMANCE.md. On a torus: ``shardwidget.cost``. Between nodes: the
scaling book's gpus.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from shardwidget.document import Move

Rounds = tuple[tuple[Move, ...], ...]


@dataclass(frozen=True, eq=False)
class Phase:
    """Rounds of a phase, and the part of V that it takes."""

    hop: Callable[[int, int, int, int, int], Move]
    """One hop on a ring: ``(n, source, step, hop, hops)``; ``step`` is 1 forward and -1 backward."""
    exchanges: Callable[[int, int], Rounds]
    """Exchanges across one bit after another: ``(n, source)``; n is a power of two."""
    formula: str
    """What a device sends on a switch, in words."""
    sends: Callable[[int], Fraction]
    """The part of V that a device sends in a group of n, where each can reach every other directly (a switch)."""
    personal: bool = False
    """Whether each rank sends something else to every other. Otherwise V passes each device, once."""
    leaves: Callable[[int, int], Fraction] = lambda n, node: Fraction(1)
    """The part of V that a node of so many devices sends to others, in a group of n: ``(n, node)``."""
    inferred: bool = False
    """Whether its times between nodes are inferred, not in the book."""
    inferred_inside: bool = False
    """Whether those inside a node are too."""

    def ring(self, n: int, source: int, forward: int, backward: int) -> Rounds:
        """Rounds of neighbours: ``forward`` hops to the next rank and meanwhile ``backward`` hops to the one before."""
        ways = ((1, forward), (-1, backward))
        return tuple(
            tuple(self.hop(n, source, step, hop, hops) for step, hops in ways if hop < hops) for hop in range(forward)
        )


def _reduce(n: int, source: int, step: int, hop: int, hops: int) -> Move:
    # A partial sum sets out from the rank `hops` before its home and takes each rank's part with it.
    return Move("shift", "add", step, first=step * (hops - hop))


def _gather(n: int, source: int, step: int, hop: int, hops: int) -> Move:
    return Move("shift", "copy", step, first=-step * hop)


def _pass_on(n: int, source: int, step: int, hop: int, hops: int) -> Move:
    # What came from `hop` ranks back and has further to go; the nearest destination is the neighbour itself.
    left = hops - hop
    return Move("shift", "copy", step, first=1 if step > 0 else -left, count=left, origin=-step * hop)


def _hand_on(n: int, source: int, step: int, hop: int, hops: int) -> Move:
    pair = ((source + step * hop) % n, (source + step * (hop + 1)) % n)
    return Move("pairs", "copy", pairs=(pair,))


def _halving(n: int, source: int) -> Rounds:
    return tuple((Move("exchange", "add", bit, first=bit, count=bit),) for bit in reversed(_bits(n)))


def _doubling(n: int, source: int) -> Rounds:
    return tuple((Move("exchange", "copy", bit, first=0, count=bit),) for bit in _bits(n))


def _across(n: int, source: int) -> Rounds:
    # The chunks that live across the bit, of every origin that came across the bits before.
    return tuple(
        tuple(Move("exchange", "copy", bit, first=bit, count=bit, origin=o) for o in range(0, n, 2 * bit))
        for bit in reversed(_bits(n))
    )


def _spread(n: int, source: int) -> Rounds:
    return tuple(
        (Move("pairs", "copy", pairs=tuple((source ^ k, source ^ k ^ bit) for k in range(bit))),) for bit in _bits(n)
    )


def _bits(n: int) -> list[int]:
    return [1 << k for k in range(n.bit_length() - 1)]


def _all_but_own(n: int) -> Fraction:
    return Fraction(n - 1, n)


REDUCE = Phase(_reduce, _halving, "V·(N−1)/N", _all_but_own)
"""Each rank gets one chunk, combined over all."""

GATHER = Phase(_gather, _doubling, "V·(N−1)/N", _all_but_own)
"""Each rank gets every rank's chunk."""

EXCHANGE = Phase(
    _pass_on,
    _across,
    "V·(N−1)/N²",
    lambda n: Fraction(n - 1, n * n),
    personal=True,
    # Of each device's V/N the part for the devices elsewhere.
    leaves=lambda n, node: Fraction(node * (n - node), n * n),
    inferred=True,
)
"""Each rank gets a chunk of its own from every rank."""

BROADCAST = Phase(_hand_on, _spread, "V", lambda n: Fraction(1), inferred=True, inferred_inside=True)
"""Each rank gets the block of one."""
