"""A traced program as a tree: which equations are entered, and where each value is written.

The instrumented program returns *tensors* besides the user's results. A *level* is what runs as one piece: the whole
program, the body of a ``shard_map``, the body of a loop. Its tensors gain a leading dimension where the level ends: the
devices of a region, the iterations of a loop that are shown. What is sent to the
front end, small values and the corners of large ones, is packed in one tensor per element format; a large value that is
kept whole has a tensor of its own.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from jax.extend.core import JaxprEqn

from shardwidget import _jax
from shardwidget.read._jaxpr.value import Body


@dataclass(frozen=True)
class TensorType:
    """Shape, dtype and (of a global value under an Explicit mesh) sharding of a tensor."""

    shape: tuple[int, ...]
    dtype: np.dtype
    spec: tuple[Any, ...] = ()
    """How Explicit axes cut its dimensions."""
    mesh: _jax.AnyMesh | None = None
    """The mesh of these axes; None if there are none."""
    depth: int = 0
    """Leading dimensions that inner levels added."""

    def stacked(self, size: int, axes: tuple[str, ...] = (), mesh: _jax.AnyMesh | None = None) -> TensorType:
        """With one more leading dimension, cut by axes of a mesh."""
        return TensorType(
            (size, *self.shape), self.dtype, (axes or None, *self.spec), mesh or self.mesh, self.depth + 1
        )


@dataclass(eq=False)
class Site:
    """Where a value is written."""

    level: Level
    shape: tuple[int, ...]
    """The shape of the value; a PRNG key has the words of its data as a last dimension."""
    dtype: np.dtype
    corner: tuple[int, ...]
    """Shape of the corner that is sent."""
    format: str = ""
    """Element format of the packed corner; empty where it is not packed, but read from the value."""
    offset: int = 0
    """Index of its first packed element."""
    tensor: int = -1
    """Index among the level's tensors of the whole value; -1 where that is not kept, or the corner is whole."""

    @property
    def written(self) -> bool:
        """Whether any part of the value is written."""
        return self.tensor >= 0 or bool(self.format)


@dataclass(eq=False)
class Level:
    """What runs as one piece."""

    parent: Level | None
    owner: RegionNode | LoopNode | None
    """The region or loop whose body it is; None for the program."""
    region: RegionNode | None
    """The innermost region that it is in."""
    tensors: list[TensorType] = field(default_factory=list)
    base: int = 0
    """Index among the parent's tensors of its first: the packed corners by format, then its tensors."""
    packed: dict[str, int] = field(default_factory=dict)
    """Elements of the packed corners in each format."""

    @property
    def formats(self) -> list[str]:
        """Formats of the packed corners, in order."""
        return sorted(self.packed)

    def pack(self, kind: str, size: int) -> int:
        """Packs one more corner; returns the index of its first element."""
        offset = self.packed.get(kind, 0)
        self.packed[kind] = offset + size
        return offset

    def types(self) -> list[TensorType]:
        """What the level returns: its packed corners, then its tensors."""
        return [packed_type(k, self.packed[k]) for k in self.formats] + self.tensors


def packed_type(kind: str, size: int) -> TensorType:
    """The type of so many packed elements of a format."""
    return TensorType((size,), packed_dtype(kind))


def packed_dtype(kind: str) -> np.dtype:
    """The type of the packed elements of a format."""
    return np.dtype("?" if kind == "b1" else kind)


@dataclass(frozen=True)
class Span:
    """What one branch writes, of all that its level does."""

    packed: dict[str, int]
    """Elements of its corners in each format."""
    tensors: slice
    """Its tensors among those of the level."""


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
    spans: list[Span]
    """What each branch writes."""
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


def corner_shape(shape: tuple[int, ...], most: tuple[int, int]) -> tuple[int, ...]:
    """The leading corner of a value: ``most`` of the last two dimensions, and about as many elements in other ranks.

    A value that has no more elements than that is its own corner: one row of 16 chunks is told apart as 4×4 are.
    """
    limit = math.prod(most)
    if math.prod(shape) <= limit:
        return shape
    if len(shape) < 2:
        return tuple(min(size, limit) for size in shape)
    corner = [min(shape[-2], most[0]), min(shape[-1], most[1])]
    for size in reversed(shape[:-2]):
        corner.insert(0, min(size, max(1, limit // max(1, math.prod(corner)))))
    return tuple(corner)


def leads(level: Level) -> Iterator[RegionNode | LoopNode]:
    """The leading dimensions of a level's tensors in the program's results, innermost first."""
    while level.owner is not None:
        yield level.owner
        assert level.parent is not None
        level = level.parent
