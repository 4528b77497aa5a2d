"""How many bytes a device sends in a collective.

One convention: the bytes that leave a device when it can reach every other directly (a switch), by an algorithm that
sends no more than it must. These are the factors of NCCL's bus bandwidth (nccl-tests, doc/PERFORMANCE.md) and of the
scaling book (sharding.md, gpus.md). What a ring or a torus passes on for others is counted by ``bytes_by_plan``, and in
the times of ``shardwidget.cost``.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from shardwidget.collectives.statement import Call
from shardwidget.document import Plan


class Traffic(NamedTuple):
    """Bytes on the wire, sent directly."""

    bytes: int
    """Bytes that a device sends, rounded up: the same for every device, or the most that one sends."""
    arithmetic: str
    """How that number is computed, for example ``2·V·(N−1)/N, V = 32 B, N = 2``."""
    hops: int
    """Rounds of the ring algorithm, one after another; 1 for a permutation."""


def gathered_bytes(call: Call, block_bytes: int) -> int:
    """V: bytes of the whole array of a group, given those of one device's operand.

    Of all blocks together where each rank has a part of its own (all_gather, all_to_all), else of one block.
    """
    return block_bytes * call.n if call.statement.semantics.starts == "own" else block_bytes


def bytes_sent(call: Call, block_bytes: int) -> Traffic:
    """The bytes that a device sends when its block (the operand) has ``block_bytes``.

    For ragged_all_to_all the rows are assumed to be spread evenly; where it ran, ``ragged_bytes_sent`` knows.
    """
    n, whole = call.n, gathered_bytes(call, block_bytes)
    if not call.statement.communicates:
        return Traffic(0, "nothing is sent", 0)
    if n == 1:
        return Traffic(0, "no communication: each group is one device", 0)
    if call.statement.by_pairs:
        if all(source == target for source, target in call.pairs):
            return Traffic(0, "no block leaves its device", 0)
        return Traffic(whole, f"V = {whole} B, the block", 1)
    first, *others = call.statement.phases
    sent = sum((phase.sends(n) for phase in others), first.sends(n)) * whole
    text = f"{1 + len(others)}·{first.formula}" if others else first.formula
    text += " if spread evenly" if call.statement.ragged else ""
    figures = f"V = {whole} B, the block" if text == "V" else f"{text}, V = {whole} B"
    return Traffic(math.ceil(sent), f"{figures}, N = {n}", (1 + len(others)) * (n - 1))


def ragged_bytes_sent(call: Call, row_bytes: int, sizes: np.ndarray) -> Traffic:
    """The bytes of the device that sends the most, given how many rows each sends to each rank.

    Args:
        call: a collective whose statement is ragged.
        row_bytes: bytes of a row of the operand.
        sizes: rows that the device at each mesh position sends, ``[devices, n · slices]``, those to a rank in a row.
    """
    n = call.n
    if n == 1:
        return bytes_sent(call, 0)
    to = sizes.reshape(len(sizes), n, -1).sum(axis=2)
    rows = [int(to[p].sum() - to[p, rank]) for group in call.groups for rank, p in enumerate(group)]
    spread = f"{max(rows)} rows" if len(set(rows)) == 1 else f"{min(rows)} to {max(rows)} rows"
    return Traffic(max(rows) * row_bytes, f"{spread} to other devices, of {row_bytes} B each, N = {n}", n - 1)


def bytes_by_plan(plan: Plan, call: Call, block_bytes: int) -> int:
    """The bytes that a device sends by an algorithm, rounded up, including what it passes on for others.

    For the meaning, which is not an algorithm, those of ``bytes_sent``.
    """
    if plan.algorithm == "meaning":
        return bytes_sent(call, block_bytes).bytes
    semantics = plan.semantics
    if semantics.starts == "source":
        sources = [source for moves in plan.rounds for move in moves for source, _ in move.pairs]
        return block_bytes * max(map(sources.count, sources), default=0)
    chunks = sum(move.count for moves in plan.rounds for move in moves)
    return math.ceil(Fraction(block_bytes * chunks, 1 if semantics.cuts == "received" else plan.n))
