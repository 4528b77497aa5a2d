"""Ticks of a program: what is between one ``ppermute`` and the next, with loops unrolled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from shardwidget import _jax
from shardwidget.read._schedule.probe import WatchedValue
from shardwidget.read._trace.nodes import BranchesNode, CallNode, LeafNode, LoopNode, RegionNode, TracedBody, TracePlan

UNKNOWN_LENGTH = (
    "the number of ticks of the pipeline is not known before it runs: its loop is a while loop. Give fori_loop bounds "
    "that are Python integers, or use lax.scan"
)


@dataclass(frozen=True)
class Computed:
    """A watched value in one iteration of the loops around it."""

    value: int
    """Its number."""
    iteration: int
    """Index of the iteration over all loops, the innermost fastest."""


@dataclass(frozen=True)
class Tick:
    """What is between two moves."""

    moves: int
    """Number of moves before it."""
    computed: tuple[Computed, ...]


def moves_of(plan: TracePlan) -> list[tuple[RegionNode, str]]:
    """The ``shard_map`` and the mesh axis of every ``ppermute``, in program order."""
    return [
        (region, axis)
        for region in plan.regions
        for leaf in _leaves(region.body)
        if _jax.name_of(leaf.eqn) == "ppermute"
        for axis in _axes(leaf)
    ]


def ticks_of(region: RegionNode, axis: str, watched: Sequence[WatchedValue]) -> list[Tick]:
    """What each tick of a ``shard_map`` computes: between moves along an axis, without the empty ones.

    Raises:
        ValueError: a loop's length is not known.
    """
    walk = _Walk(axis, {w.node: k for k, w in enumerate(watched)})
    walk.block(region.body, 0)
    return [Tick(moves, tuple(computed)) for moves, computed in enumerate(walk.ticks) if computed]


class _Walk:
    def __init__(self, axis: str, numbers: dict[LeafNode, int]) -> None:
        self._axis = axis
        self._numbers = numbers
        self.ticks: list[list[Computed]] = [[]]

    def block(self, block: TracedBody, iteration: int) -> None:
        for node in block.nodes:
            if isinstance(node, LeafNode):
                if _jax.name_of(node.eqn) == "ppermute" and self._axis in _axes(node):
                    self.ticks.append([])
                elif node in self._numbers:
                    self.ticks[-1].append(Computed(self._numbers[node], iteration))
            elif isinstance(node, CallNode):
                self.block(node.body, iteration)
            elif isinstance(node, BranchesNode):
                for body in node.bodies:
                    self.block(body, iteration)
            elif isinstance(node, LoopNode):
                self._loop(node, iteration)

    def _loop(self, node: LoopNode, iteration: int) -> None:
        if not any(leaf in self._numbers or _jax.name_of(leaf.eqn) == "ppermute" for leaf in _leaves(node.body)):
            return
        if node.length is None:
            raise ValueError(UNKNOWN_LENGTH)
        for k in range(node.length):
            self.block(node.body, iteration * node.slots + k)


def _axes(leaf: LeafNode) -> tuple[str, ...]:
    named = leaf.eqn.params["axis_name"]
    return tuple(named) if isinstance(named, tuple | list) else (named,)


def _leaves(block: TracedBody) -> Iterator[LeafNode]:
    for node in block.nodes:
        if isinstance(node, LeafNode):
            yield node
        elif isinstance(node, BranchesNode):
            for body in node.bodies:
                yield from _leaves(body)
        elif not isinstance(node, RegionNode):
            yield from _leaves(node.body)
