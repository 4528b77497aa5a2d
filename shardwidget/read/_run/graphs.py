"""The instructions that the kernels of a CUDA graph belong to.

XLA launches what it can as CUDA graphs, which it calls command buffers. The profiler then gives the graph's name in
place of the instruction's, and only the kernels' own names are left:

- a kernel that XLA generates has its fusion's name, with underscores; equal fusions share one kernel, which has the
  name of the first;
- a product is a kernel of a library (cuBLAS, cuDNN), which may fill its workspace first;
- a copy is a kernel or a transfer.

The kernels of a launch run in the order of the schedule. Those whose names decide are found first, the others between
them, by kind, where there are as many of the kind as there are instructions.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence

from shardwidget.read._program.module import Computation, Instruction, Module

_GRAPH = re.compile(r"command_buffer[\w.\-]*$")
_LAUNCHED = frozenset({"copy", "custom-call", "fusion"})
_MOVES = frozenset({"dynamic-slice", "dynamic-update-slice", "copy"})
_COPY, _FILL = re.compile(r"memcpy", re.IGNORECASE), re.compile(r"memset", re.IGNORECASE)


def is_graph(name: str) -> bool:
    """Whether it names a CUDA graph, and no instruction."""
    return _GRAPH.match(name) is not None


class Graphs:
    """Names the kernels that one module launches in CUDA graphs."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._orders = [order for c in module.computations.values() if (order := _launched(c))]
        self._kernels = [[_kernel(i.name) for i in order] for order in self._orders]
        self._generated = set(itertools.chain.from_iterable(self._kernels))

    def instructions(self, kernels: Sequence[str]) -> list[str]:
        """The instruction of each kernel of one launch, in the order in which they ran; empty where it is unknown."""
        scores = [self._score(kernels, own) for own in self._kernels]
        best = max(scores, default=0)
        if not best or scores.count(best) > 1:
            return [""] * len(kernels)
        at = scores.index(best)
        order, own = self._orders[at], self._kernels[at]
        found: list[Instruction | None] = [None] * len(kernels)
        begin, follows = 0, 0
        for k, kernel in enumerate([*kernels, None]):
            position = len(order) if kernel is None else _next(own, kernel, follows)
            if position is None:
                continue
            self._between(kernels, range(begin, k), order[follows:position], found)
            if kernel is not None:
                found[k] = order[position]
            begin, follows = k + 1, position + 1
        # What fills a workspace belongs to the product that follows.
        for k in reversed(range(len(kernels) - 1)):
            if found[k] is None and _FILL.match(kernels[k]):
                found[k] = found[k + 1]
        return [each.name if each else "" for each in found]

    def _score(self, kernels: Sequence[str], own: list[str]) -> int:
        return sum((Counter(kernels) & Counter(own)).values())

    def _between(
        self, kernels: Sequence[str], gap: range, order: list[Instruction], found: list[Instruction | None]
    ) -> None:
        """Finds the kernels that stand between two that are certain, or before the first or after the last."""
        those = [(k, sort) for k in gap if (sort := self._sort_of_kernel(kernels[k]))]
        at_an_end = gap.start == 0 or gap.stop == len(kernels)
        if at_an_end:
            # What else the schedule has there is launched by others.
            order = order[: len(those)] if gap.start else order[-len(those) :] if those else []
            if [self._sort(i) for i in order] != [sort for _, sort in those]:
                return
        for sort in ("product", "copy", "fusion"):
            mine = [k for k, own in those if own == sort]
            instructions = [i for i in order if self._sort(i) == sort]
            if sort == "product" and len(instructions) == 1:  # A product may take several kernels.
                instructions *= len(mine)
            if len(mine) == len(instructions):
                for k, instruction in zip(mine, instructions, strict=True):
                    found[k] = instruction

    def _sort_of_kernel(self, kernel: str) -> str:
        if kernel in self._generated:
            return "fusion"
        if _COPY.match(kernel):
            return "copy"
        return "" if _FILL.match(kernel) else "product"

    def _sort(self, instruction: Instruction) -> str:
        opcode = instruction.opcode.removesuffix("-start")
        if opcode == "custom-call":
            return "product"
        return "copy" if opcode == "copy" or self._moves(instruction) else "fusion"

    def _moves(self, fusion: Instruction) -> bool:
        """Whether a fusion moves a slice and computes nothing: XLA copies it."""
        fused = self._module.computations.get(fusion.attribute("calls").lstrip("%"))
        root = fused.root if fused else None
        while fused and root and root.opcode == "bitcast":
            root = fused.by_name.get(root.operands[0])
        return root is not None and root.opcode in _MOVES


def _launched(of: Computation) -> list[Instruction]:
    """What starts kernels, in the order of the schedule."""
    return [i for i in of.instructions if i.opcode.removesuffix("-start") in _LAUNCHED]


def _kernel(instruction: str) -> str:
    """The name of the kernel of a fusion."""
    return re.sub(r"\W", "_", instruction)


def _next(own: list[str], kernel: str, follows: int) -> int | None:
    """Where an instruction's kernel comes next in a schedule."""
    try:
        return own.index(kernel, follows)
    except ValueError:
        return None
