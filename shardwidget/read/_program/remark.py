"""What deserves a look, said only where it is certain."""

from __future__ import annotations

import re
from collections.abc import Sequence

from shardwidget.read._program.loops import Found
from shardwidget.read._program.source import Origin

_ONLY_MOVES = frozenset({
    "gather", "scatter", "sort", "rev", "reshape", "concatenate", "dynamic_slice", "dynamic_update_slice", "slice",
    "cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp", "argmax", "argmin", "top_k", "transpose", "pad",
})  # fmt: skip
"""Primitives that need no more of an operand than moving it, or going along it in order."""

_SAME_VALUES = frozenset({"copy", "bitcast", "copy-done", "copy-start", "convert", "transpose", "reshape"})


def of(found: Found, kind: str, axes: Sequence[str], origin: Origin) -> str:
    """That a split is undone: an array gathered whole over its axes, for an operation that computes nothing with it.

    A matmul that gathers its weights is what fully sharded training does, and no remark.
    """
    if kind != "all-gather" or not axes or origin.primitive not in _ONLY_MOVES:
        return ""
    name = _argument(found)
    undone = f"undoes the split over {_listed(axes)}"
    return f"{undone}: gathers {name} whole" if name else f"{undone}, for {origin.primitive}"


def _argument(found: Found) -> str:
    """The user's argument that is gathered; empty where it is none."""
    names = found.instruction.operands
    if found.places[0].where or len(names) != 1:
        return ""
    operand = found.computation.by_name.get(names[0])
    while operand is not None and operand.opcode in _SAME_VALUES:
        operand = found.computation.by_name.get(operand.operands[0])
    if operand is None or operand.opcode != "parameter":
        return ""
    name = re.search(r'metadata=\{op_name="([^"]*)"', operand.text)
    return name[1] if name else ""


def _listed(axes: Sequence[str]) -> str:
    return " and ".join([", ".join(axes[:-1]), axes[-1]] if len(axes) > 1 else axes)
