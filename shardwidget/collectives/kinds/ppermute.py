"""ppermute: blocks move from rank to rank, by pairs; a rank that nothing is sent to gets zeros."""

from __future__ import annotations

from typing import Any

import numpy as np

from shardwidget.collectives.statement import Blocks, Call, Chunks, Statement
from shardwidget.document import Semantics


def _apply(call: Call, blocks: Any, xp: Any) -> Any:
    senders = np.full(blocks.shape[0], -1)
    for group in call.groups:
        for source, target in call.pairs:
            senders[group[target]] = group[source]
    arrives = (senders >= 0).reshape(-1, *(1 for _ in blocks.shape[1:]))
    return xp.where(arrives, blocks[senders], xp.zeros_like(blocks))


def _join(call: Call, rank: int, operands: Blocks, held: Chunks, arrived: Chunks) -> Any:
    return arrived.get((0, -1), np.zeros_like(operands[0]))


PPERMUTE = Statement(
    kind="ppermute",
    semantics=Semantics("→", "", "nothing"),
    apply=_apply,
    opcodes=("collective-permute", "send"),
    transfer="ONE_TO_ONE",
    numbers_partitions=True,
    by_pairs=True,
    join=_join,
    sentence="Blocks of {value} move along {axes}: {pairs}.{gaps}",
)
