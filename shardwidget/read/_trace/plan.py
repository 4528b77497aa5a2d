"""A traced program as a tree: which equations are entered, and where each value is written when the program runs.

The instrumented program returns *tensors* beside the user's results. A *level* is what runs as one piece: the whole
program, the body of a ``shard_map``, the body of a loop. Its tensors gain a leading dimension where the level ends: the
devices of a region, the iterations of a loop that are shown. The corners of all values of a level, those that travel to
the front end, lie packed in one tensor an element format; a value that is kept whole has a tensor of its own.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np
from jax.extend.core import Literal
from jax.sharding import AxisType

from shardwidget import _jax
from shardwidget.read._numbers import element_format

FIRST = 8
"""Iterations shown of an outermost loop, and the last one. Of a loop in a loop fewer."""


@dataclass(frozen=True)
class Type:
    """Shape, dtype and (of a global value under an Explicit mesh) sharding of a tensor."""

    shape: tuple[int, ...]
    dtype: Any
    spec: tuple[Any, ...] = ()
    """How Explicit axes cut its dimensions."""
    mesh: Any = None
    """The mesh of these axes; None where there are none."""
    depth: int = 0
    """Leading dimensions that inner levels added."""

    def stacked(self, size: int, axes: tuple[str, ...] = (), mesh: Any = None) -> Type:
        """With one more leading dimension, cut by axes of a mesh."""
        return Type((size, *self.shape), self.dtype, (axes or None, *self.spec), mesh or self.mesh, self.depth + 1)


@dataclass(eq=False)
class Site:
    """Where a value is written."""

    level: Level
    shape: tuple[int, ...]
    """Of the value; a PRNG key has the words of its data as a last dimension."""
    dtype: Any
    corner: tuple[int, ...]
    """Shape of the corner that travels."""
    format: str = ""
    """Element format of the packed corner; empty where it is not packed, but read from the value."""
    offset: int = 0
    """Index of its first packed element."""
    tensor: int = -1
    """Index among the level's tensors of the whole value; -1 where that is not kept, or the packed corner is all."""

    @property
    def written(self) -> bool:
        """Whether anything of the value is."""
        return self.tensor >= 0 or bool(self.format)


@dataclass(eq=False)
class Level:
    """What runs as one piece."""

    parent: Level | None
    owner: Region | Loop | None
    """The region or loop whose body it is; None for the program."""
    region: Region | None
    """The innermost region that it is in."""
    pieces: list[tuple[str, int]] = field(default_factory=list)
    """Format and number of elements of the corners, in the order in which they are written."""
    tensors: list[Type] = field(default_factory=list)
    base: int = 0
    """Index among the parent's tensors of its first: the packed corners by format, then its tensors."""

    @property
    def formats(self) -> list[str]:
        """Formats of the packed corners, in order."""
        return sorted({kind for kind, _ in self.pieces})

    def packed(self, kind: str) -> int:
        """Elements packed in a format."""
        return sum(size for k, size in self.pieces if k == kind)

    def types(self) -> list[Type]:
        """What the level returns: its packed corners, then its tensors."""
        return [Type((self.packed(k),), np.dtype("?" if k == "b1" else k)) for k in self.formats] + self.tensors


@dataclass(eq=False)
class Block:
    """A jaxpr, with a node for each equation."""

    jaxpr: Any
    consts: tuple[int, ...]
    """Indices of its constants among those of the program."""
    nodes: list[Leaf | Call | Branches | Loop | Region] = field(default_factory=list)


@dataclass(eq=False)
class Leaf:
    """An equation that is applied as it is."""

    eqn: Any
    outputs: list[Site] = field(default_factory=list)


@dataclass(eq=False)
class Call:
    """A called function: its equations stand in place of the call."""

    eqn: Any
    control: _jax.FunctionCall
    body: Block

    def operands(self, values: Sequence[Any]) -> list[Any]:
        """Those of an equation's operands that the body takes."""
        passed = self.control.operands
        return list(values) if passed is None else [values[k] for k in passed]


@dataclass(eq=False)
class Branches:
    """A ``cond``: each device takes one of several branches."""

    eqn: Any
    index: Site
    bodies: list[Block]
    spans: list[tuple[slice, slice]]
    """For each branch: its pieces and its tensors among those of the level."""
    level: Level
    outputs: list[Site]


@dataclass(eq=False)
class Loop:
    """A ``scan`` or a ``while``."""

    eqn: Any
    body: Block
    test: Block | None
    """The condition of a ``while``."""
    slots: int
    """Iterations shown: the first ``slots - 1`` and the last."""
    length: int | None
    """Iterations; None where only the run can tell."""
    tests: int
    """Operands of the test alone: the first ones."""
    consts: int
    carries: int
    level: Level
    inputs: list[Site] = field(default_factory=list)
    """Carries and slices at the start of an iteration."""
    count: Site | None = None
    """Iterations that each device ran; of a ``while``."""
    outputs: list[Site] = field(default_factory=list)
    reverse: bool = False
    unroll: int | bool = 1

    @property
    def stopped(self) -> bool:
        """Whether tracing stopped in its body, which then has no end."""
        return _jax.is_open(self.body.jaxpr)

    def operands(self, values: Sequence[Any]) -> list[list[Any]]:
        """Its operands in parts: constants of the test, constants of the body, carries, and what it goes along."""
        ends = list(itertools.accumulate((0, self.tests, self.consts, self.carries)))
        return [list(values[start:end]) for start, end in itertools.pairwise([*ends, len(values)])]


@dataclass(eq=False)
class Region:
    """A ``shard_map``."""

    eqn: Any
    control: _jax.ShardMap
    body: Block
    manual: tuple[str, ...]
    """They and those that are Manual around it, outermost first."""
    sizes: tuple[int, ...]
    """Their sizes."""
    parent: Region | None
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
        """Whether types say over which axes blocks vary."""
        return self.control.check_vma

    @property
    def typed(self) -> frozenset[str]:
        """Axes over which a value that is kept varies, by its type."""
        return frozenset(self.manual) if self.check_vma else frozenset()


@dataclass(eq=False)
class Plan:
    """A program to run with every value written down."""

    root: Block
    level: Level
    consts: list[Any]
    sites: list[Site]
    regions: list[Region]


class Planner:
    """Builds a plan. Constants of inner jaxprs become arguments, so that a compiled plan holds none of them.

    Args:
        corner: most rows and columns of a corner.
        pack: whether the corners of all values are packed, so that one transfer a device fetches them. Those of values
            that are not kept are, in any case.
        dropped: indices of the sites whose values are not kept whole.
    """

    first = FIRST
    """Iterations written of an outermost loop, besides the last."""

    def __init__(self, corner: tuple[int, int], pack: bool, dropped: frozenset[int] = frozenset()) -> None:
        self.corner = corner
        self.pack = pack
        self.dropped = dropped
        self.consts: list[Any] = []
        self.sites: list[Site] = []
        self.regions: list[Region] = []
        self._ids: dict[int, int] = {}
        self._returned: set[Any] = set()
        """What the program returns anyway."""

    def plan(self, closed: Any) -> Plan:
        level = Level(None, None, None)
        self._returned = {v for v in _jax.open_jaxpr(closed)[0].outvars if not isinstance(v, Literal)}
        return Plan(self._block(closed, level), level, self.consts, self.sites, self.regions)

    def _block(self, closed: Any, level: Level) -> Block:
        jaxpr, consts = _jax.open_jaxpr(closed)
        block = Block(jaxpr, tuple(self._const(c) for c in consts))
        block.nodes = [self._node(eqn, level) for eqn in jaxpr.eqns]
        return block

    def _const(self, const: Any) -> int:
        if id(const) not in self._ids:
            self._ids[id(const)] = len(self.consts)
            self.consts.append(const)
        return self._ids[id(const)]

    def _node(self, eqn: Any, level: Level) -> Any:
        control = _jax.control_of(eqn)
        if isinstance(control, _jax.FunctionCall):
            return Call(eqn, control, self._block(control.body, level))
        if isinstance(control, _jax.ShardMap):
            return self._region(eqn, control, level)
        if isinstance(control, _jax.Cond):
            return self._branches(eqn, control, level)
        if isinstance(control, _jax.Scan | _jax.While):
            return self._loop(eqn, control, level)
        return Leaf(eqn, [] if eqn.primitive.name in _jax.WRITES else self._write(eqn.outvars, level))

    def _region(self, eqn: Any, control: _jax.ShardMap, level: Level) -> Region:
        mesh, axes, outer = control.mesh, control.axes, level.region
        manual = (outer.manual if outer else ()) + axes
        region = Region(
            eqn=eqn,
            control=control,
            body=Block(None, ()),
            manual=manual,
            sizes=tuple(mesh.shape[name] for name in manual),
            parent=outer,
            level=Level(level, None, None),
        )
        self.regions.append(region)
        region.level.owner = region.level.region = region
        jaxpr, _ = _jax.open_jaxpr(control.body)
        region.inputs = self._write(jaxpr.invars, region.level)
        region.body = self._block(control.body, region.level)
        kinds = dict(zip(mesh.axis_names, mesh.axis_types, strict=True))
        explicit = tuple(name for name in axes if kinds[name] == AxisType.Explicit)
        typed = mesh.abstract_mesh if explicit else None
        self._close(region.level, math.prod(mesh.shape[name] for name in axes), explicit, typed)
        region.outputs = self._write(eqn.outvars, level)
        return region

    def _branches(self, eqn: Any, control: _jax.Cond, level: Level) -> Branches:
        index = self._site(jax.ShapeDtypeStruct((), np.int32), level)
        bodies, spans = [], []
        for closed in control.branches:
            pieces, tensors = len(level.pieces), len(level.tensors)
            bodies.append(self._block(closed, level))
            spans.append((slice(pieces, len(level.pieces)), slice(tensors, len(level.tensors))))
        return Branches(eqn, index, bodies, spans, level, self._write(eqn.outvars, level))

    def _loop(self, eqn: Any, control: _jax.Scan | _jax.While, level: Level) -> Loop:
        depth = 0
        around = level
        while around is not None:
            depth += isinstance(around.owner, Loop)
            around = around.parent
        slots = max(1, self.first >> (2 * depth)) + 1
        inner = Level(level, None, level.region)
        if isinstance(control, _jax.Scan):
            test, tests, consts, length = None, 0, control.consts, control.length
        else:
            test, tests, consts, length = control.test, control.test_consts, control.body_consts, None
        if length is not None:
            slots = min(slots, length)
        if _jax.is_open(control.body):  # Its first iteration is as far as it came.
            slots = 1
        loop = Loop(eqn, Block(None, ()), None, slots, length, tests, consts, control.carries, inner)
        if isinstance(control, _jax.Scan):
            loop.reverse, loop.unroll = control.reverse, control.unroll
        inner.owner = loop
        loop.inputs = self._write(_jax.open_jaxpr(control.body)[0].invars[consts:], inner)
        if test is not None:
            loop.test = self._block(test, inner)
        loop.body = self._block(control.body, inner)
        if test is not None:
            loop.count = self._site(jax.ShapeDtypeStruct((), np.int32), level)
        self._close(inner, slots)
        loop.outputs = self._write(eqn.outvars, level)
        return loop

    def _close(self, level: Level, size: int, axes: tuple[str, ...] = (), mesh: Any = None) -> None:
        """Adds what a level returns to its parent's tensors, with its leading dimension."""
        parent = level.parent
        assert parent is not None
        level.base = len(parent.tensors)
        parent.tensors += [type_.stacked(size, axes, mesh) for type_ in level.types()]

    def _write(self, variables: Sequence[Any], level: Level) -> list[Site]:
        return [self._site(v.aval, level, returned=level.parent is None and v in self._returned) for v in variables]

    def _site(self, aval: Any, level: Level, *, returned: bool = False) -> Site:
        shape, dtype = tuple(aval.shape), aval.dtype
        if jax.dtypes.issubdtype(dtype, jax.dtypes.prng_key):
            words = jax.eval_shape(jax.random.key_data, jax.ShapeDtypeStruct((), dtype))
            shape, dtype = shape + words.shape, words.dtype
        site = Site(level, shape, np.dtype(dtype), corner_shape(shape, self.corner))
        if returned or dtype == jax.dtypes.float0:  # The tangent of an integer: no device holds it.
            return Site(level, shape, np.dtype(dtype), ())
        dropped = len(self.sites) in self.dropped
        if level.region is not None and (self.pack or dropped):
            site.format = element_format(site.dtype)
            site.offset = level.packed(site.format)
            level.pieces.append((site.format, math.prod(site.corner)))
        if not dropped and not (site.format and site.corner == shape):
            sharding = getattr(aval, "sharding", None)
            explicit = sharding is not None and AxisType.Explicit in sharding.mesh.axis_types
            spec = tuple(_jax.partitions(aval.sharding.spec)) if explicit else ()
            site.tensor = len(level.tensors)
            level.tensors.append(Type(shape, site.dtype, spec, aval.sharding.mesh if explicit else None))
        self.sites.append(site)
        return site


def corner_shape(shape: tuple[int, ...], most: tuple[int, int]) -> tuple[int, ...]:
    """The leading corner of a value: ``most`` of the last two dimensions, and as many elements of any other rank."""
    limit = math.prod(most)
    if len(shape) < 2:
        return tuple(min(size, limit) for size in shape)
    corner = [min(shape[-2], most[0]), min(shape[-1], most[1])]
    for size in reversed(shape[:-2]):
        corner.insert(0, min(size, max(1, limit // max(1, math.prod(corner)))))
    return tuple(corner)


def leads(level: Level) -> Iterator[Region | Loop]:
    """The leading dimensions of a level's tensors in the program's results, innermost first."""
    while level.owner is not None:
        yield level.owner
        assert level.parent is not None
        level = level.parent
