"""A collective, as documents of traces and of compiled programs state it, and the algorithms that it runs by."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from shardwidget.document.wire import Ints

__all__ = ["Collective", "Move", "Plan", "Semantics"]


@dataclass(frozen=True)
class Semantics:
    """What a collective does with the blocks of a group; the same in every program. ``chunk`` is an n-th of a block."""

    sign: str
    """One or a few characters that stand for it in lists: ``Σ``, ``⇉``, ``max``."""
    combines: Literal["", "sum", "max", "min"] = ""
    """The operation by which chunks are combined; empty where they are only moved."""
    starts: Literal["whole", "own", "source", "nothing"] = "whole"
    """What a rank holds, before the first round, of the block that algorithms work on: all of its chunks (``whole``),
    its own chunk (``own``), the block, on the source rank alone (``source``), or nothing, because only what arrives
    counts."""
    cuts: Literal["none", "sent", "received", "both"] = "none"
    """Which block consists of n chunks side by side: the one that is sent, the one that is received, or both.
    Algorithms work on the sent block where it alone does, otherwise on the received one."""
    by_origin: bool = False
    """Whether a received chunk is named by the rank that it comes from, and a sent one by the rank that it goes to."""
    replicates: bool = False
    """Whether all ranks of a group receive the same block."""

    @property
    def gathers(self) -> bool:
        """Whether every rank receives the blocks of all, side by side: it undoes a split."""
        return self.cuts == "received"

    @property
    def permutes(self) -> bool:
        """Whether whole blocks go from one rank to another."""
        return self.cuts == "none" and not self.by_origin and self.starts == "nothing"


@dataclass(frozen=True)
class Collective:
    """What a step communicates: who takes part together, and how much each device sends."""

    kind: str
    """What happens, whatever JAX calls it: ``psum``, ``all_gather``, ``reduce_scatter``, ``ppermute`` …"""
    semantics: Semantics
    axes: tuple[str, ...]
    """The user's mesh axes, as the program names them."""
    groups: tuple[tuple[int, ...], ...] = field(metadata={"wire": False})
    """The device ids of each group, in rank order."""
    positions: Ints
    """The mesh positions of the groups, one group after another; shorter groups are padded with -1."""
    group_size: int
    """The number of ranks in the largest group; 1 where no rank has another one to send to."""
    bytes_per_device: int
    """Bytes that a device sends, rounded up, if it can reach every other directly (a switch). See ``arithmetic``."""
    arithmetic: str
    """How that number is computed, for example ``2·V·(N−1)/N, V = 32 B, N = 2``. V is the size of a group's whole array
    in bytes: all blocks together where each rank has a part of its own, otherwise one block."""
    hops: int
    """The number of rounds of the ring algorithm, in each of which ranks send to a neighbour; 1 for a permutation."""
    plans: tuple[int, ...]
    """Indices in ``Trace.plans`` of the algorithms that apply, the meaning first."""
    plan_bytes: tuple[int, ...] = ()
    """For each of ``plans``, the bytes that a device sends by it, including what it passes on for others."""
    split_axis: int = -1
    """The dimension along which the sent block is cut into n equal chunks; -1 where its elements, in row-major order,
    are cut into n ranges (chunk c begins at ``c·size//n``), or where a chunk is a whole block."""
    concat_axis: int = -1
    """The dimension along which chunks are joined in the received block; -1 as in ``split_axis``."""
    latency: tuple[float, ...] = ()
    """Estimated latency in seconds on each of ``Trace.interconnects``."""
    bandwidth: tuple[float, ...] = ()
    """Estimated seconds that the bytes take on each of them. The estimate is the greater of the two."""


@dataclass(frozen=True)
class Move:
    """What all ranks of a group do at the same time: each sends ``count`` consecutive chunks to one peer.

    Offsets count from the sender r: an offset d means rank or chunk ``(r + d) mod n`` in a shift and ``r ^ d`` in an
    exchange. A permutation or a broadcast names its ranks instead, pair by pair, and each pair moves chunk 0.
    """

    peer: Literal["shift", "exchange", "pairs"]
    """How a rank finds its peer: by adding ``by``, by flipping the bits of ``by``, or in ``pairs``."""
    op: Literal["copy", "add"]
    """Whether the destination's chunk is replaced (``copy``) or combined with what arrives, by the collective's
    operation."""
    by: int = 0
    """Offset of the peer. In a shift, +1 is the next rank of the ring and -1 the previous one."""
    first: int = 0
    """Offset of the first chunk, modulo n, so it may be negative; the others are at ``first + 1``, ``first + 2`` …"""
    count: int = 1
    """The number of chunks."""
    origin: int = 0
    """Offset of the rank that the chunks started on, modulo n, so it may be negative, where ``Semantics.by_origin``
    tells chunks apart by it. A chunk's number is then the rank that it goes to."""
    pairs: tuple[tuple[int, int], ...] = ()
    """The pairs (source rank, destination rank)."""


@dataclass(frozen=True)
class Plan:
    """An algorithm of a collective for a group of n ranks: rounds of moves.

    The moves of a round happen together: each sends what its source held when the round began.
    """

    algorithm: Literal["meaning", "ring", "bidirectional ring", "halving-doubling"]
    """Its name. ``meaning`` is no algorithm: every chunk goes straight to where it belongs, in one round."""
    semantics: Semantics
    n: int
    """The number of ranks."""
    rounds: tuple[tuple[Move, ...], ...]
