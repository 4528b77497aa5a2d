"""Collectives, each stated once: its names, what it means, its algorithms in rounds, its bytes.

A collective is one ``Statement`` in ``kinds/``, listed in ``registry.py``. Everything else reads it: the host engine
(``apply``), the animation (``plans``), the byte counts (``bytes_sent``), the times (``shardwidget.cost``), the facts
that documents carry (``Statement.semantics``) and the tests (``execute``). Nothing here imports JAX; ``apply`` works on
numpy and jax.numpy arrays.
"""

from shardwidget.collectives.execute import execute
from shardwidget.collectives.meaning import apply
from shardwidget.collectives.plan import Transfer, expand, plans
from shardwidget.collectives.registry import OPCODES, STATEMENTS, call_of, statement_of, statement_of_opcode
from shardwidget.collectives.statement import Call, Statement
from shardwidget.collectives.traffic import Traffic, bytes_by_plan, bytes_sent, gathered_bytes, ragged_bytes_sent

__all__ = [
    "OPCODES",
    "STATEMENTS",
    "Call",
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
    "plans",
    "ragged_bytes_sent",
    "statement_of",
    "statement_of_opcode",
]
