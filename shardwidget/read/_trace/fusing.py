"""Whether a program with every value recorded is compiled sooner with its operations fused.

A fusion computes again what its value is made from. Where every value is returned, the last of a chain of operations is
a fusion of them all, the one before it of all but one: the work grows with the square of the chain's length.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jax.extend.core import Literal

from shardwidget import _jax
from shardwidget.collectives import statement_of
from shardwidget.read._trace.nodes import BranchesNode, CallNode, LeafNode, LoopNode, RegionNode, TracedBody

REPEATED = 2_000
"""The most operations in the fusions of a program for which fusing shortens the compilation."""


def fused_operations(block: TracedBody) -> int:
    """Operations in all fusions, if each value's is of the longest chain of operations that it is made by."""
    return _chains(block, [0] * len(block.jaxpr.invars))[0]


def _chains(block: TracedBody, lengths: Sequence[int]) -> tuple[int, list[int]]:
    """The operations in the fusions of a block, and the lengths of the chains that make its results.

    Args:
        block: the block.
        lengths: those of the chains that make its arguments.
    """
    total, known = 0, dict(zip(block.jaxpr.invars, lengths, strict=True))

    def length(v: Any) -> int:
        return 0 if isinstance(v, Literal) else known.get(v, 0)

    for node in block.nodes:
        operands = [length(v) for v in node.eqn.invars]
        if isinstance(node, CallNode):
            inside, results = _chains(node.body, node.operands(operands))
            known.update(zip(node.eqn.outvars, results, strict=True))
            total += inside
        elif isinstance(node, LeafNode):
            longest = 0 if _stands_alone(_jax.name_of(node.eqn)) else 1 + max(operands, default=0)
            known.update((v, longest) for v in node.eqn.outvars)
            total += longest
        else:
            total += sum(map(fused_operations, _bodies(node)))
    return total, [length(v) for v in block.jaxpr.outvars]


def _bodies(node: BranchesNode | LoopNode | RegionNode) -> list[TracedBody]:
    if isinstance(node, BranchesNode):
        return node.bodies
    return [node.body, node.test] if isinstance(node, LoopNode) and node.test is not None else [node.body]


def _stands_alone(primitive: str) -> bool:
    """Whether an operation is fused with none of those that use its result."""
    return primitive in _jax.CONTRACTIONS or primitive.startswith("reduce_") or statement_of(primitive) is not None
