"""Where XLA's CPU backend computes in a wider dtype than the program: its collectives then move more bytes.

The CPU has no arithmetic in bf16, f16 or fp8, so XLA computes in f32 there, and values between two operations may be
sent as f32; int4 and uint4 are sent in bytes. A GPU or a TPU sends the narrow values.
"""

from __future__ import annotations

import re

from shardwidget import _jax
from shardwidget.read._program.loops import FoundCollective
from shardwidget.read._program.module import Computation, Instruction, Module

_NARROW = re.compile(r"\(?(bf16|f16|f8e\w+|f4e\w+|[su][24])\[")
_WIDE = ("f32", "s8", "u8")
_MOVES = frozenset({"copy", "bitcast", "reshape", "transpose", "broadcast", "slice", "dynamic-slice", "concatenate"})


def widened_from(found: FoundCollective, module: Module) -> str:
    """The narrow dtype of the program in whose place a collective sends a wider one; empty where it sends its own.

    Certain in two cases: XLA marks the computation that an all-reduce combines with as ``promoted``; or the operand is
    converted just before, and each result is converted back just after.
    """
    instruction, computation = found.instruction, found.computation
    if not instruction.type.lstrip("(").startswith(_WIDE):
        return ""
    operand = computation.by_name.get((instruction.operands or [""])[0])
    before = "" if operand is None else _before(operand, computation, module)
    promoted = "_promoted" in instruction.attribute("to_apply")
    if not before and not promoted:
        return ""
    behind = {_after(user, name, computation, module) for user, name in _users(instruction, computation)}
    if promoted:
        return next((kind for kind in sorted(behind) if kind), "")
    return before if behind == {before} else ""


def _users(instruction: Instruction, computation: Computation) -> list[tuple[Instruction, str]]:
    """What takes the result, and its name there; of an asynchronous one, once it is done, and of several each."""
    found = []
    for user in computation.users.get(instruction.name, ()):
        passes = user.opcode.endswith("-done") or user.opcode == "get-tuple-element"
        found += _users(user, computation) if passes else [(user, instruction.name)]
    return found


def _before(instruction: Instruction, computation: Computation, module: Module) -> str:
    """The narrow dtype that a value was converted from; empty where it was not."""
    if instruction.opcode == "fusion":
        inner = module.computations.get(next((name for _, name in instruction.called), ""))
        return _before(inner.root, inner, module) if inner is not None and inner.root is not None else ""
    operand = computation.by_name.get((instruction.operands or [""])[0])
    if operand is None:
        return ""
    if instruction.opcode == "convert":
        narrow = _NARROW.match(operand.type)
        return narrow[1] if narrow else ""
    return _before(operand, computation, module) if instruction.opcode in _MOVES else ""


def _after(user: Instruction, name: str, computation: Computation, module: Module) -> str:
    """The narrow dtype that a user converts a value to before anything else; empty where it does not."""
    if user.opcode == "convert":
        narrow = _NARROW.match(user.type)
        own = _jax.known_name(user.op_name.rpartition("/")[2]) == "convert_element_type"
        return narrow[1] if narrow and not own else ""
    if user.opcode == "fusion":
        inner = module.computations.get(next((called for _, called in user.called), ""))
        numbers = [k for k, operand in enumerate(user.operands) if operand == name]
        parameters = [] if inner is None else [inner.parameter(k) for k in numbers]
        found = {_first(parameter, inner, module) for parameter in parameters if parameter is not None and inner}
        return found.pop() if len(found) == 1 else ""
    return _first(user, computation, module) if user.opcode in _MOVES else ""


def _first(value: Instruction, computation: Computation, module: Module) -> str:
    """The narrow dtype that all users of a value convert it to first."""
    found = {_after(user, value.name, computation, module) for user in computation.users.get(value.name, ())}
    return found.pop() if len(found) == 1 else ""
