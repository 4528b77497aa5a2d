"""Collectives, each stated once: its names, what it means, its algorithms in rounds, its bytes.

A collective is one ``Statement`` in ``kinds/``, listed in ``registry.py``. Everything else reads it: the host engine
(``apply``), the animation (``plans``), the byte counts (``bytes_sent``), the times (``shardwidget.cost``), the facts
that documents carry (``Statement.semantics``) and the tests (``execute``). Nothing here imports JAX; ``apply`` works on
numpy and jax.numpy arrays.
"""

from shardwidget.collectives.execute import execute
from shardwidget.collectives.meaning import apply
from shardwidget.collectives.plan import Transfer, expand, plans
from shardwidget.collectives.registry import (
    COMPLETIONS,
    OPCODES,
    STATEMENTS,
    call_of,
    named_axes,
    statement_of,
    statement_of_fusion,
    statement_of_opcode,
    statement_of_transfer,
)
from shardwidget.collectives.statement import Call, Completion, Reducer, Statement
from shardwidget.collectives.traffic import Traffic, bytes_by_plan, bytes_sent, gathered_bytes, ragged_bytes_sent

__all__ = [
    "COMPLETIONS",
    "OPCODES",
    "STATEMENTS",
    "Call",
    "Completion",
    "Reducer",
    "Statement",
    "Traffic",
    "Transfer",
    "apply",
    "bytes_by_plan",
    "bytes_sent",
    "call_of",
    "execute",
    "expand",
    "gathered_bytes",
    "named_axes",
    "plans",
    "ragged_bytes_sent",
    "statement_of",
    "statement_of_fusion",
    "statement_of_opcode",
    "statement_of_transfer",
]
