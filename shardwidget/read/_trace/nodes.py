"""A traced program as a tree: which equations are entered, and where each value is written."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from jax.extend.core import JaxprEqn

from shardwidget import _jax
from shardwidget.read._jaxpr.value import Body
from shardwidget.read._trace.levels import Level, Site


@dataclass(eq=False)
class LeafNode:
    """An equation that is applied as it is."""

    eqn: JaxprEqn
    outputs: list[Site] = field(default_factory=list)


@dataclass(eq=False)
class CallNode:
    """A called function: its equations replace the call."""

    eqn: JaxprEqn
    control: _jax.FunctionCall
    body: TracedBody

    def operands(self, values: Sequence[Any]) -> list[Any]:
        """The operands of an equation that the body takes."""
        passed = self.control.operands
        return list(values) if passed is None else [values[k] for k in passed]


@dataclass(eq=False)
class BranchesNode:
    """A ``cond``: each device takes one of several branches."""

    eqn: JaxprEqn
    index: Site
    bodies: list[TracedBody]
    spans: list[tuple[slice, slice]]
    """For each branch: its pieces and its tensors among those of the level."""
    level: Level
    outputs: list[Site]


@dataclass(eq=False)
class LoopNode:
    """A ``scan`` or a ``while``."""

    eqn: JaxprEqn
    control: _jax.Scan | _jax.While
    level: Level
    slots: int
    """Iterations shown: the first ``slots - 1`` and the last."""
    body: TracedBody
    test: TracedBody | None = None
    """The condition of a ``while``."""
    inputs: list[Site] = field(default_factory=list)
    """Carries and slices at the start of an iteration."""
    count: Site | None = None
    """The number of iterations that each device ran; only for a ``while``."""
    outputs: list[Site] = field(default_factory=list)

    @property
    def consts(self) -> int:
        """Constants of the body: its first parameters."""
        return self.control.consts

    @property
    def carries(self) -> int:
        """Its carries."""
        return self.control.carries

    @property
    def length(self) -> int | None:
        """Iterations; None where only running it shows."""
        return self.control.length if isinstance(self.control, _jax.Scan) else None

    @property
    def reverse(self) -> bool:
        """Whether it begins at the last slices."""
        return isinstance(self.control, _jax.Scan) and self.control.reverse

    @property
    def stopped(self) -> bool:
        """Whether tracing stopped in its body, which then has no end."""
        return _jax.is_open(self.body.jaxpr)

    def operands(self, values: Sequence[Any]) -> list[list[Any]]:
        """Its operands in parts: constants of the test, constants of the body, carries, and what it scans over."""
        tests = self.control.tests if isinstance(self.control, _jax.While) else 0
        ends = list(itertools.accumulate((0, tests, self.consts, self.carries)))
        return [list(values[start:end]) for start, end in itertools.pairwise([*ends, len(values)])]


@dataclass(eq=False)
class RegionNode:
    """A ``shard_map``."""

    eqn: JaxprEqn
    control: _jax.ShardMap
    body: TracedBody
    manual: tuple[str, ...]
    """Its own Manual axes and those of the regions around it, outermost first."""
    sizes: tuple[int, ...]
    """Their sizes."""
    parent: RegionNode | None
    level: Level
    inputs: list[Site] = field(default_factory=list)
    outputs: list[Site] = field(default_factory=list)

    @property
    def mesh(self) -> Any:
        """Its mesh."""
        return self.control.mesh

    @property
    def axes(self) -> tuple[str, ...]:
        """Axes that it makes Manual, in mesh order."""
        return self.control.axes

    @property
    def check_vma(self) -> bool:
        """Whether types state over which axes blocks vary."""
        return self.control.check_vma

    @property
    def typed(self) -> frozenset[str]:
        """Axes over which a value that is kept varies, by its type."""
        return frozenset(self.manual) if self.check_vma else frozenset()


TracedNode = LeafNode | CallNode | BranchesNode | LoopNode | RegionNode
TracedBody: TypeAlias = Body[TracedNode]
"""Its constants are indices among those of the program."""


@dataclass(eq=False)
class TracePlan:
    """A program to run with every value recorded."""

    root: TracedBody
    level: Level
    consts: list[Any]
    sites: list[Site]
    regions: list[RegionNode]
    refs: frozenset[int]
    """Indices of the constants that are ``jax.Ref``."""
