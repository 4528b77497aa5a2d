"""Collectives, each stated once: who takes part, what it means, its algorithms in rounds, its bytes.

Everything else reads this statement: the host engine (``apply``), the animation (``plans``), the byte counts
(``bytes_sent``) and the tests (``execute``). Nothing here imports JAX; ``apply`` works on numpy and jax.numpy arrays.
"""

from shardwidget.collectives.call import ALL_REDUCE, ALL_TO_ALL, SILENT, Call, Kind, call_of, kind_of
from shardwidget.collectives.execute import chunk_axis, execute
from shardwidget.collectives.meaning import apply
from shardwidget.collectives.plan import Transfer, expand, plans
from shardwidget.collectives.traffic import Traffic, bytes_sent, gathered_bytes

__all__ = [
    "ALL_REDUCE",
    "ALL_TO_ALL",
    "SILENT",
    "Call",
    "Kind",
    "Traffic",
    "Transfer",
    "apply",
    "bytes_sent",
    "call_of",
    "chunk_axis",
    "execute",
    "expand",
    "gathered_bytes",
    "kind_of",
    "plans",
]
