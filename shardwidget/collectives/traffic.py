"""How many bytes a device sends in a collective."""

from __future__ import annotations

from typing import NamedTuple

from shardwidget.collectives.call import ALL_TO_ALL, SILENT, Call


class Traffic(NamedTuple):
    """Bytes on the wire, counted for the ring algorithm (sent directly, for a permutation)."""

    bytes: int
    """Bytes that a device sends, rounded up: the same for every device, or the most that one sends."""
    arithmetic: str
    """How that number comes about, for example ``2·V·(N−1)/N, V = 32 B, N = 2``."""
    hops: int
    """Rounds of the ring, one after another; 1 for a permutation."""


def gathered_bytes(call: Call, block_bytes: int) -> int:
    """V: bytes of the whole array that a group works on, given those of one device's operand."""
    return block_bytes * call.n if call.kind in ("all_gather", *ALL_TO_ALL) else block_bytes


def bytes_sent(call: Call, block_bytes: int) -> Traffic:
    """The bytes that a device sends when its block (the operand) has ``block_bytes``.

    All-gather, reduce-scatter and all-reduce as in nccl-tests, doc/PERFORMANCE.md. In all_to_all a chunk for the k-th
    next rank is sent k times, hence half of V; V·(N−1)/N² of it are the device's own (scaling-book, sharding.md). For
    ragged_all_to_all the rows are taken to be spread evenly.
    """
    n, whole = call.n, gathered_bytes(call, block_bytes)
    if call.kind in SILENT:
        return Traffic(0, "nothing is sent", 0)
    if call.kind == "ppermute":
        if all(source == target for source, target in call.pairs):
            return Traffic(0, "no block leaves its device", 0)
        return Traffic(whole, f"V = {whole} B", 1)
    text, numerator, denominator, hops = {
        "reduce_scatter": ("V·(N−1)/N", n - 1, n, n - 1),
        "all_gather": ("V·(N−1)/N", n - 1, n, n - 1),
        "all_to_all": ("V·(N−1)/(2N)", n - 1, 2 * n, n - 1),
        "ragged_all_to_all": ("V·(N−1)/(2N) if spread evenly", n - 1, 2 * n, n - 1),
        "pbroadcast": ("", int(n > 1), 1, n - 1),
    }.get(call.kind, ("2·V·(N−1)/N", 2 * (n - 1), n, 2 * (n - 1)))
    figures = f"V = {whole} B, N = {n}"
    return Traffic(-(-whole * numerator // denominator), f"{text}, {figures}" if text else figures, hops)
