"""Which mesh axes divide a temporary, where that is certain."""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections.abc import Mapping

from shardwidget._jax import Split
from shardwidget.collectives import statement_of_opcode
from shardwidget.read._memory.slots import Slot
from shardwidget.read._program.module import Instruction, Module

_SAME_VALUE = frozenset({"bitcast", "copy", "convert", "transpose", "reshape"})


class Splits:
    """Joins results of a compiled module with the program's operations, which it names.

    Args:
        module: the compiled module.
        by_operation: how the operations' results are divided.
        sizes: of the mesh axes, in the order of the mesh.
    """

    def __init__(self, module: Module, by_operation: Mapping[str, frozenset[Split]], sizes: Mapping[str, int]) -> None:
        self._module = module
        self._by_operation = by_operation
        self._sizes = {axis: size for axis, size in sizes.items() if size > 1}
        self._only = functools.cache(self._find_only)

    def axes(self, slot: Slot) -> tuple[str, ...] | None:
        """The mesh axes that divide a temporary, in the order of the mesh; None where that is not certain.

        The operation that makes it, or the loop that carries it, is known by its name. The shape on a device must be
        the one that its sharding gives, and no other axes may give that shape.
        """
        if slot.instruction is None:
            return None
        made = self._maker(slot.instruction, slot.index)
        found = self._axes_of(made, made.type) if made is not None else None
        if found is None and slot.carried_by is not None:
            found = self._axes_of(slot.carried_by, slot.array.text)
        return found

    def _axes_of(self, instruction: Instruction, type_: str) -> tuple[str, ...] | None:
        name = instruction.op_name
        shape = shape_of(type_)
        if not name or shape is None:
            return None
        if instruction.kind and statement_of_opcode(instruction.kind).redistributes:
            return None  # It has the name of the operation that needs it, which is divided otherwise.
        splits = self._by_operation.get(name, ())
        found = {self._only(split.shape, split.local) for split in splits if _same_elements(split.local, shape)}
        return next(iter(found)) if len(found) == 1 else None

    def _find_only(self, shape: tuple[int, ...], local: tuple[int, ...]) -> tuple[str, ...] | None:
        """The only mesh axes that make one shape of the other; None where there are others."""
        if any(part == 0 or size % part for size, part in zip(shape, local, strict=True)):
            return None
        parts = [size // part for size, part in zip(shape, local, strict=True)]
        found = set()
        # Each axis divides one dimension, or none: ``len(parts)``.
        for dims in itertools.product(range(len(parts) + 1), repeat=len(self._sizes)):
            product = [1] * (len(parts) + 1)
            for dim, size in zip(dims, self._sizes.values(), strict=True):
                product[dim] *= size
            if product[:-1] == parts:
                found.add(tuple(axis for axis, dim in zip(self._sizes, dims, strict=True) if dim < len(parts)))
        return next(iter(found)) if len(found) == 1 else None

    def _maker(self, instruction: Instruction, index: tuple[int, ...]) -> Instruction | None:
        """The instruction that computes a result: of a fusion, in it."""
        if instruction.opcode != "fusion":
            return None if index else instruction
        fused = next((self._module.computations.get(name) for _, name in instruction.called), None)
        made = fused.root if fused else None
        if fused is None or made is None:
            return None
        if made.opcode == "tuple":
            operands = made.operands
            made = fused.by_name.get(operands[index[0]]) if index and index[0] < len(operands) else None
        elif index:
            return None
        while made is not None and made.opcode in _SAME_VALUE:
            made = fused.by_name.get(made.operands[0])
        return None if made is None or made.opcode == "parameter" else made


def shape_of(type_: str) -> tuple[int, ...] | None:
    """The shape of a type as JAX writes it; None for what is no array."""
    found = re.match(r"[a-z][a-z0-9]*\[([\d,]*)\]", type_)
    return tuple(int(size) for size in found[1].split(",") if size) if found else None


def _same_elements(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    """Whether two shapes are one, up to dimensions of size 1 and dimensions next to one another that are joined."""
    if math.prod(a) != math.prod(b):
        return False
    cuts = [set(itertools.accumulate(shape, lambda x, y: x * y)) for shape in (a, b)]
    return cuts[0] <= cuts[1] or cuts[1] <= cuts[0]
