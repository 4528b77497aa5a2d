"""pbroadcast: the block of one member of a group is copied to all."""

from __future__ import annotations

from typing import Any

from shardwidget.collectives.blocks import by_rank, seats
from shardwidget.collectives.phases import BROADCAST
from shardwidget.collectives.statement import Call, Statement
from shardwidget.document import Move, Semantics


def _apply(call: Call, blocks: Any, xp: Any) -> Any:
    group, _ = seats(call)
    values, source = blocks if isinstance(blocks, tuple | list) else (blocks, call.source)
    return by_rank(call, values)[group, source]


def _direct(n: int, source: int) -> list[Move]:
    others = tuple((source, rank) for rank in range(n) if rank != source)
    return [Move("pairs", "copy", pairs=others)] if others else []


PBROADCAST = Statement(
    kind="pbroadcast",
    semantics=Semantics("⇶", "", "source", replicates=True),
    apply=_apply,
    primitives=("pbroadcast_dynamic",),
    opcodes=("collective-broadcast",),
    compiled_to=("all-reduce", "collective-permute"),
    numbers_partitions=True,
    direct=_direct,
    phases=(BROADCAST,),
    joint=True,
    join=lambda call, rank, operands, held, arrived: held[0, -1],
    sentence="One device of each group copies {value} to the others.",
)
