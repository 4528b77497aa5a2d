"""The instructions that the kernels of a CUDA graph belong to.

XLA launches what it can as CUDA graphs, which it calls command buffers. The profiler then gives the graph's name in
place of the instruction's, and only the kernels' own names are left:

- a kernel that XLA generates has its fusion's name, with underscores, and one that sorts the name of what is fused;
  a second kernel of the same instruction has this name with ``__1`` at its end; equal fusions share one kernel, which
  has the name of the first: a name says where in the schedule it is at the earliest, and what ran before narrows that
  down;
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
_MOVES = frozenset({"slice", "dynamic-slice", "dynamic-update-slice", "copy"})
_NAME = re.compile(r"%[\w.\-]+")
_LATER = re.compile(r"__\d+$")
_COPY, _FILL = re.compile(r"memcpy", re.IGNORECASE), re.compile(r"memset", re.IGNORECASE)


def is_graph(name: str) -> bool:
    """Whether it names a CUDA graph, and no instruction."""
    return _GRAPH.match(name) is not None


class Graphs:
    """Names the kernels that one module launches in CUDA graphs."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._orders = [order for c in module.computations.values() if (order := _launched(c))]
        self._kernels = [[_kernel(self._named(i)) for i in order] for order in self._orders]
        self._contents: dict[str, tuple[str, ...]] = {}
        self._generated = set(itertools.chain.from_iterable(self._kernels))

    def instructions(self, kernels: Sequence[str], after: str = "") -> list[str]:
        """The instruction of each kernel of one launch, in the order in which they ran; empty where it is unknown.

        Args:
            kernels: names of kernels.
            after: the instruction that ran before the launch, if it is known.
        """
        kernels = [self._first(kernel) for kernel in kernels]
        scores = [self._score(kernels, own) for own in self._kernels]
        best = max(scores, default=0)
        if not best or scores.count(best) > 1:
            return [""] * len(kernels)
        at = scores.index(best)
        order, own = self._orders[at], self._kernels[at]
        begin = next((k + 1 for k, i in enumerate(order) if i.name == after), 0)
        places = self._places(kernels, own, order, begin)
        if begin and any(place is None and kernel in own for kernel, place in zip(kernels, places, strict=True)):
            begin, places = 0, self._places(kernels, own, order, 0)  # A loop begins its next pass.
        found: list[Instruction | None] = [None if place is None else order[place] for place in places]
        certain = [(k, place) for k, place in enumerate(places) if place is not None]
        edges = [(-1, begin - 1), *certain, (len(kernels), len(order))]
        for (k, place), (next_k, next_place) in itertools.pairwise(edges):
            self._between(kernels, range(k + 1, next_k), order[place + 1 : next_place], found)
        # What fills a workspace belongs to the product that follows, a copy to what works in place.
        for k in reversed(range(len(kernels) - 1)):
            if found[k] is None and (_FILL.match(kernels[k]) or _COPY.match(kernels[k])):
                found[k] = found[k + 1]
        return [each.name if each else "" for each in found]

    def _places(self, kernels: Sequence[str], own: list[str], order: list[Instruction], begin: int) -> list[int | None]:
        """Where the instructions of kernels whose names decide are in a schedule, from a place on."""
        found: list[int | None] = []
        for kernel in kernels:
            first = own.index(kernel) if kernel in own else len(own)
            later = range(max(first, begin), len(own))
            found.append(next((k for k in later if self._content(order[k]) == self._content(order[first])), None))
            if found[-1] is not None:
                begin = found[-1] + (not self._repeats(order[found[-1]]))
        return found

    def _first(self, kernel: str) -> str:
        """The name of the first kernel of the same instruction."""
        first = _LATER.sub("", kernel)
        return first if kernel not in self._generated and first in self._generated else kernel

    def _content(self, instruction: Instruction) -> tuple[str, ...]:
        """What is fused, without names: that of equal fusions is equal."""
        if instruction.name not in self._contents:
            fused = self._fused(instruction)
            texts = (_NAME.sub("", i.text.partition(", metadata=")[0]) for i in fused.instructions) if fused else ()
            self._contents[instruction.name] = (*texts,) or (instruction.name,)
        return self._contents[instruction.name]

    def _score(self, kernels: Sequence[str], own: list[str]) -> int:
        return sum((Counter(kernels) & Counter(own)).values())

    def _between(
        self, kernels: Sequence[str], gap: range, order: list[Instruction], found: list[Instruction | None]
    ) -> None:
        """Finds the kernels that stand between two that are certain, or before the first or after the last."""
        copies = any(self._sort(i) == "copy" for i in order)
        sorts = [(k, self._sort_of_kernel(kernels[k])) for k in gap]
        # Where the schedule has no copy, what works in place copies.
        those = [(k, sort) for k, sort in sorts if sort and (copies or sort != "copy")]
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

    def _named(self, instruction: Instruction) -> str:
        """The name that an instruction's kernel has."""
        return root.name if (root := self._sorted(instruction)) else instruction.name

    def _repeats(self, instruction: Instruction) -> bool:
        """Whether it may start its kernel several times: a sort does."""
        return self._sorted(instruction) is not None

    def _sorted(self, instruction: Instruction) -> Instruction | None:
        """The sort that a fusion consists of."""
        root = self._root(instruction)
        return root if root and root.opcode == "sort" else None

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
        root = self._root(fusion)
        return root is not None and root.opcode in _MOVES

    def _fused(self, fusion: Instruction) -> Computation | None:
        return self._module.computations.get(fusion.attribute("calls").lstrip("%"))

    def _root(self, fusion: Instruction) -> Instruction | None:
        """What a fusion computes last."""
        fused = self._fused(fusion)
        root = fused.root if fused else None
        while fused and root and root.opcode == "bitcast":
            root = fused.by_name.get(root.operands[0])
        return root


def _launched(of: Computation) -> list[Instruction]:
    """What starts kernels, in the order of the schedule."""
    return [i for i in of.instructions if i.opcode.removesuffix("-start") in _LAUNCHED]


def _kernel(instruction: str) -> str:
    """The name of the kernel of a fusion."""
    return re.sub(r"\W", "_", instruction)
