"""What deserves a look, stated only where it is certain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shardwidget.document import Semantics
from shardwidget.read._program.loops import FoundCollective
from shardwidget.read._program.module import Computation, Instruction, Module
from shardwidget.read._program.origin import InstructionOrigin
from shardwidget.read._program.resliced import resliced


@dataclass(frozen=True)
class Remark:
    """Why a collective deserves a look."""

    said: str = ""
    """Empty if it does not."""
    advice: str = ""
    """What may avoid it."""

    def of(self, **words: str) -> Remark:
        """With the words of one collective in place of names in braces."""
        return Remark(self.said.format(**words), self.advice.format(**words))


_ALONG = frozenset({
    "gather", "scatter", "sort", "rev", "reshape", "concatenate", "dynamic_slice", "dynamic_update_slice", "slice",
    "argmax", "argmin", "top_k", "transpose", "pad", "cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp",
    "reduce_window_sum", "reduce_window_prod", "reduce_window_max", "reduce_window_min", "fft",
})  # fmt: skip
"""Primitives that move an operand, or pass over it in order: most do not need all of it at once."""

RESLICED = Remark(
    "full rematerialization: gathered whole, then sliced again",
    "reshard in two steps, with a sharding constraint in between whose spec has a direct way to both",
)

RETURNED = Remark(
    "gathers a result over {axes} only to return it so",
    "out_shardings, or a constraint at the end, asks for it: leave that out, or split the result over {axes} there",
)

UNDONE = Remark(
    "undoes the split{of} over {axes}, for {primitive}", "split another dim of {name} over {axes}, if it has one"
)

_SAME_VALUES = frozenset({"parameter", "copy", "bitcast", "copy-done", "copy-start", "convert", "transpose", "reshape"})


def remark_of(
    found: FoundCollective, semantics: Semantics, axes: Sequence[str], origin: InstructionOrigin, module: Module
) -> Remark:
    """That a split is undone: an array gathered whole over its axes, for an operation that computes nothing with it.

    Or that a reshard has no direct way, so that every device gathers the array whole and slices it again; or that a
    result is gathered for nothing but to be returned. A matmul that
    gathers its weights is what fully sharded training does, and gets no remark.
    """
    if resliced(found, semantics, module):
        return RESLICED
    if not semantics.gathers or not axes:
        return Remark()
    if origin.primitive not in _ALONG:
        returned = found.computation is module.entry and _returned(found, module)
        return RETURNED.of(axes=_listed(axes)) if returned else Remark()
    name = argument_of(found, module)
    of = name and f" of {name}"
    return UNDONE.of(of=of, axes=_listed(axes), primitive=origin.primitive, name=name or "its operand")


def _returned(found: FoundCollective, module: Module) -> bool:
    """Whether all that is done with a collective's result is to move it, gather it further, and return it."""
    rest, seen = [found.instruction], {found.instruction}
    for instruction in rest:
        users = found.computation.users.get(instruction.name, [])
        if not (users or instruction.root):
            return False
        for user in users:
            ends = user.opcode == "tuple" and user.root
            further = user.kind == found.instruction.kind or user.opcode.endswith("-done")
            if not (ends or further or _keeps_values(user, module)):
                return False
            if user not in seen:
                seen.add(user)
                rest.append(user)
    return True


def argument_of(found: FoundCollective, module: Module) -> str:
    """The user's argument that a collective moves, or a slice of in each turn of a loop; empty where it moves none."""
    names = found.instruction.operands
    computation, operand = found.computation, found.computation.by_name.get(names[0]) if len(names) == 1 else None
    while operand is not None:
        if operand.opcode == "parameter":
            if computation is module.entry:
                return operand.op_name
            computation, operand = _given_by_the_caller(operand, computation, found)
            continue
        if operand.opcode == "get-tuple-element":
            computation, operand = _before_the_loop(operand, computation, module)
        else:
            number = _taken(operand, module, slices=computation is not module.entry)
            operand = computation.by_name.get(operand.operands[number]) if number >= 0 else None
    return ""


def _given_by_the_caller(
    parameter: Instruction, computation: Computation, found: FoundCollective
) -> tuple[Computation, Instruction | None]:
    """What the fusion, or the asynchronous half, that a collective is in takes, and the computation that it is in."""
    place = found.places[0]
    if computation is not found.computation or place.caller is None or place.around is None:
        return computation, None
    return place.around, place.around.by_name.get(place.caller.operands[int(parameter.arguments)])


def _before_the_loop(
    element: Instruction, computation: Computation, module: Module
) -> tuple[Computation, Instruction | None]:
    """What an element of a loop's state was before the loop, and the computation that it is in; None if it changes."""
    around, loop = module.loops.get(computation.name, (computation, None))
    state, root = computation.by_name.get(element.operands[0]), computation.root
    index = int(element.attribute("index") or -1)
    if loop is None or root is None or root.opcode != "tuple" or state is None or state.opcode != "parameter":
        return computation, None
    kept = computation.by_name.get(root.operands[index])
    if kept is None or kept.opcode != "get-tuple-element" or kept.attribute("index") != str(index):
        return computation, None
    given = around.by_name.get(loop.operands[0])
    if given is None or given.opcode != "tuple":
        return computation, None
    return around, around.by_name.get(given.operands[index])


def _taken(instruction: Instruction, module: Module, *, slices: bool) -> int:
    """Which operand an instruction gives the values of, or a slice; -1 where it computes."""
    if instruction.opcode == "dynamic-slice":
        return 0 if slices else -1
    if instruction.opcode != "fusion":
        return 0 if instruction.opcode in _SAME_VALUES else -1
    inner = next((module.computations.get(name) for _, name in instruction.called), None)
    at = None if inner is None else inner.root
    while inner is not None and at is not None and at.opcode != "parameter":
        number = _taken(at, module, slices=slices)
        at = inner.by_name.get(at.operands[number]) if number >= 0 else None
    return -1 if at is None else int(at.arguments)


def _keeps_values(instruction: Instruction, module: Module) -> bool:
    if instruction.opcode == "fusion":
        inner = next((module.computations.get(name) for _, name in instruction.called), None)
        return inner is not None and all(_keeps_values(i, module) for i in inner.instructions)
    return instruction.opcode in _SAME_VALUES


def _listed(axes: Sequence[str]) -> str:
    return " and ".join([", ".join(axes[:-1]), axes[-1]] if len(axes) > 1 else axes)
