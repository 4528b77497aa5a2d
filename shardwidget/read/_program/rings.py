"""Products that the compiler computes in a ring: what passes an operand, or parts of the sum, on beside them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from shardwidget import _jax
from shardwidget.document import HloCollective
from shardwidget.read._program.module import Computation, Instruction, Module
from shardwidget.read._program.origin import Origins
from shardwidget.read._program.work import Worker

MOVES = {"bitcast", "collective-permute-done", "copy", "copy-done", "copy-start", "get-tuple-element", "reshape"}
"""What only passes a value on."""

Ring = Literal["", "all-gather", "reduce-scatter"]


class Rings:
    """Finds what a permutation is part of.

    Args:
        module: the compiled module.
    """

    def __init__(self, module: Module) -> None:
        self._module, self._worker, self._origins = module, Worker(module), Origins(module)

    def of(self, collective: HloCollective) -> Ring:
        """The collective that a permutation is a step of, beside the product of its own line; empty where it is none.

        It is a step of an all-gather where the product takes what is passed on, of a reduce-scatter where its result is
        added to that.
        """
        made_by = _jax.known_name(collective.op.rpartition("/")[2])
        if collective.by_user or made_by != "dot_general" or not _is_ring(collective):
            return ""
        for around in self._module.computations.values():
            if (found := around.by_name.get(collective.name)) is not None:
                return self._around(found, around)
        return ""

    def _around(self, permute: Instruction, around: Computation) -> Ring:
        line = self._origins.at(permute).source
        uses: set[Ring] = {
            self._use(user, name, around)
            for name in self._same(permute, around)
            for user in around.users.get(name, ())
            if self._origins.of_any(user, around).source == line
        }
        uses.discard("")
        return uses.pop() if len(uses) == 1 else ""

    def _same(self, permute: Instruction, around: Computation) -> Iterator[str]:
        """The value that is passed on, before and after, by all its names."""
        left, seen = [permute.name, *permute.operands], set[str]()
        while left:
            name = left.pop()
            if name in seen:
                continue
            seen.add(name)
            yield name
            made = around.by_name.get(name)
            if made is not None and made.opcode in MOVES - {"get-tuple-element"}:
                left += made.operands
            left += [user.name for user in around.users.get(name, ()) if user.opcode in MOVES]

    def _use(self, user: Instruction, name: str, around: Computation) -> Ring:
        if self._multiplies(user, around):
            return "all-gather" if self._takes(user, user.operands.index(name)) else "reduce-scatter"
        others = (around.by_name.get(other) for other in user.operands if other != name)
        adds = user.opcode in ("add", "fusion")
        return "reduce-scatter" if adds and any(o and self._multiplies(o, around) for o in others) else ""

    def _multiplies(self, instruction: Instruction, around: Computation) -> bool:
        return self._worker.of(instruction, around).flops > 0

    def _takes(self, product: Instruction, operand: int) -> bool:
        """Whether an operand of what contains a product is one of the product itself, not added to its result."""
        inside = [self._module.computations[name] for _, name in product.called if name in self._module.computations]
        if product.opcode != "fusion" or not inside:
            return True
        parameter = inside[0].parameter(operand)
        left, seen = [parameter.name] if parameter else [], set[str]()
        while left:
            name = left.pop()
            if name in seen:
                continue
            seen.add(name)
            for user in inside[0].users.get(name, ()):
                if self._multiplies(user, inside[0]):
                    return self._takes(user, user.operands.index(name))
                left.append(user.name)
        return False


def _is_ring(collective: HloCollective) -> bool:
    """Whether every device of a group along one axis sends to the next, or every one to the one before."""
    size = collective.group_size
    if collective.kind != "collective-permute" or len(collective.axes) != 1 or size < 2:
        return False
    ranks = {p: k % size for k, p in enumerate(collective.positions.array().ravel().tolist())}
    if len(collective.pairs) != len(ranks) or not {p for pair in collective.pairs for p in pair} <= ranks.keys():
        return False
    return {(ranks[b] - ranks[a]) % size for a, b in collective.pairs} in ({1}, {size - 1})
