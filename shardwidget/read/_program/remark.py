"""What deserves a look, stated only where it is certain."""

from __future__ import annotations

from collections.abc import Sequence

from shardwidget.document import Semantics
from shardwidget.read._program.loops import FoundCollective
from shardwidget.read._program.module import Instruction, Module
from shardwidget.read._program.origin import InstructionOrigin
from shardwidget.read._program.resliced import resliced

_ALONG = frozenset({
    "gather", "scatter", "sort", "rev", "reshape", "concatenate", "dynamic_slice", "dynamic_update_slice", "slice",
    "argmax", "argmin", "top_k", "transpose", "pad", "cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp",
    "reduce_window_sum", "reduce_window_prod", "reduce_window_max", "reduce_window_min", "fft",
})  # fmt: skip
"""Primitives that move an operand, or pass over it in order: most do not need all of it at once."""

RESLICED = "full rematerialization: gathered whole, then sliced again; a sharding constraint in between can avoid it"

_SAME_VALUES = frozenset({"parameter", "copy", "bitcast", "copy-done", "copy-start", "convert", "transpose", "reshape"})


def remark_of(
    found: FoundCollective, semantics: Semantics, axes: Sequence[str], origin: InstructionOrigin, module: Module
) -> str:
    """That a split is undone: an array gathered whole over its axes, for an operation that computes nothing with it.

    Or that a reshard has no direct way, so that every device gathers the array whole and slices it again. A matmul that
    gathers its weights is what fully sharded training does, and gets no remark.
    """
    if resliced(found, semantics, module):
        return RESLICED
    if not semantics.gathers or not axes or origin.primitive not in _ALONG:
        return ""
    name = argument_of(found, module)
    return f"undoes the split{name and f' of {name}'} over {_listed(axes)}, for {origin.primitive}"


def argument_of(found: FoundCollective, module: Module) -> str:
    """The user's argument that a collective moves; empty where it moves none."""
    names = found.instruction.operands
    if found.computation is not module.entry or len(names) != 1:
        return ""
    operand = found.computation.by_name.get(names[0])
    while operand is not None and operand.opcode != "parameter" and _keeps_values(operand, module):
        operand = found.computation.by_name.get(operand.operands[0])
    if operand is None or operand.opcode != "parameter":
        return ""
    return operand.op_name


def _keeps_values(instruction: Instruction, module: Module) -> bool:
    if instruction.opcode == "fusion":
        inner = next((module.computations.get(name) for _, name in instruction.called), None)
        return inner is not None and all(_keeps_values(i, module) for i in inner.instructions)
    return instruction.opcode in _SAME_VALUES


def _listed(axes: Sequence[str]) -> str:
    return " and ".join([", ".join(axes[:-1]), axes[-1]] if len(axes) > 1 else axes)
