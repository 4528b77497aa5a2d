"""A value that is gathered whole only for each device to keep a slice: XLA's "involuntary full rematerialization"."""

from __future__ import annotations

import re
from collections.abc import Collection

from shardwidget.document import Semantics
from shardwidget.read._program.loops import FoundCollective
from shardwidget.read._program.module import Computation, Instruction, Module

_SAME_VALUES = frozenset({"bitcast", "convert", "copy", "copy-start", "reshape", "transpose"})
_DEVICE = frozenset({"partition-id", "replica-id"})
_INDEX = re.compile(r"[su](32|64)\[1?\]")
"""Types of the numbers that offsets are computed with."""


def resliced(found: FoundCollective, semantics: Semantics, module: Module) -> bool:
    """Whether a collective gathers blocks of which every use is a slice whose place depends on the device.

    It is followed within the computation that it is in; where that does not tell, the answer is no.
    """
    instruction = found.instruction
    if not semantics.gathers or len(instruction.operands) != 1:
        return False
    return _only_sliced(instruction, found.computation, module, ())


def _only_sliced(value: Instruction, inside: Computation, module: Module, given: Collection[str]) -> bool:
    """``given``: names of the parameters that differ from device to device."""
    users = inside.users.get(value.name, [])
    return not value.root and len(users) > 0 and all(_slices(u, value.name, inside, module, given) for u in users)


def _slices(user: Instruction, value: str, inside: Computation, module: Module, given: Collection[str]) -> bool:
    operands = user.operands
    if user.opcode in _SAME_VALUES or user.opcode.endswith("-done"):
        return _only_sliced(user, inside, module, given)
    if user.opcode == "dynamic-slice":
        offsets = operands[1:]
        return value == operands[0] and value not in offsets and any(_differs(o, inside, given) for o in offsets)
    if user.opcode != "fusion":
        return False
    inner = next((module.computations.get(name) for _, name in user.called), None)
    if inner is None:
        return False
    parameters = [(inner.parameter(k), name) for k, name in enumerate(operands)]
    known = {p.name for p, name in parameters if p is not None and _differs(name, inside, given)}
    return all(p is not None and _only_sliced(p, inner, module, known) for p, name in parameters if name == value)


def _differs(name: str, inside: Computation, given: Collection[str]) -> bool:
    """Whether a number is computed from the device's own."""
    number = inside.by_name.get(name)
    if number is None or number.kind or not _INDEX.match(number.type):
        return False
    if number.opcode in _DEVICE or name in given:
        return True
    return any(_differs(operand, inside, given) for operand in number.operands if operand != name)
