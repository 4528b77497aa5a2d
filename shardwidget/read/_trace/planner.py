"""Planning what is recorded of a program: a walk over its jaxpr."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax.extend.core import JaxprEqn, Literal
from jax.sharding import AxisType

from shardwidget import _jax
from shardwidget._jax import AnyMesh
from shardwidget.read._numbers import element_format
from shardwidget.read._trace.nodes import (
    BranchesNode,
    CallNode,
    LeafNode,
    Level,
    LoopNode,
    RegionNode,
    Site,
    Span,
    TensorType,
    TracedBody,
    TracePlan,
    corner_shape,
)

FIRST = 8
"""Iterations shown of an outermost loop, besides the last one. Fewer for a loop inside a loop."""


class Planner:
    """Builds a plan. Constants of inner jaxprs become arguments, so that a compiled plan holds none of them.

    Args:
        corner: the most rows and columns of a corner.
        pack: whether the corners of values that are kept whole are packed too, for one transfer per device. Those of
            values that are not kept are always packed.
        dropped: indices of the sites whose values are not kept whole.
    """

    first = FIRST
    """Iterations written of an outermost loop, besides the last."""
    packs_small = True
    """Whether values that are no larger than their corner are packed: many small results take long to compile and to
    return."""

    def __init__(self, corner: tuple[int, int], pack: bool, dropped: frozenset[int] = frozenset()) -> None:
        self.corner = corner
        self.pack = pack
        self.dropped = dropped
        self.consts: list[Any] = []
        self.sites: list[Site] = []
        self.regions: list[RegionNode] = []
        self._ids: dict[int, int] = {}
        self._returned: set[Any] = set()
        """What the program itself returns."""

    def plan(self, closed: _jax.AnyJaxpr) -> TracePlan:
        level = Level(None, None, None)
        self._returned = {v for v in _jax.open_jaxpr(closed)[0].outvars if not isinstance(v, Literal)}
        root = self._block(closed, level)
        refs = frozenset(k for k, const in enumerate(self.consts) if _jax.is_ref(jax.typeof(const)))
        return TracePlan(root, level, self.consts, self.sites, self.regions, refs)

    def _block(self, closed: _jax.AnyJaxpr, level: Level) -> TracedBody:
        jaxpr, consts = _jax.open_jaxpr(closed)
        block = TracedBody(jaxpr, tuple(self._const(c) for c in consts))
        block.nodes = [self._node(eqn, level) for eqn in jaxpr.eqns]
        return block

    def _const(self, const: Any) -> int:
        if id(const) not in self._ids:
            self._ids[id(const)] = len(self.consts)
            self.consts.append(const)
        return self._ids[id(const)]

    def _node(self, eqn: JaxprEqn, level: Level) -> Any:
        control = _jax.control_of(eqn)
        if isinstance(control, _jax.FunctionCall):
            return CallNode(eqn, control, self._block(control.body, level))
        if isinstance(control, _jax.ShardMap):
            return self._region(eqn, control, level)
        if isinstance(control, _jax.Cond):
            return self._branches(eqn, control, level)
        if isinstance(control, _jax.Scan | _jax.While):
            return self._loop(eqn, control, level)
        return LeafNode(eqn, [] if _jax.name_of(eqn) in _jax.WRITES else self._write(eqn.outvars, level))

    def _region(self, eqn: JaxprEqn, control: _jax.ShardMap, level: Level) -> RegionNode:
        mesh, axes, outer = control.mesh, control.axes, level.region
        manual = (outer.manual if outer else ()) + axes
        jaxpr, _ = _jax.open_jaxpr(control.body)
        region = RegionNode(
            eqn=eqn,
            control=control,
            body=TracedBody(jaxpr, ()),
            manual=manual,
            sizes=tuple(mesh.shape[name] for name in manual),
            parent=outer,
            level=Level(level, None, None),
        )
        self.regions.append(region)
        region.level.owner = region.level.region = region
        region.inputs = self._write(jaxpr.invars, region.level)
        region.body = self._block(control.body, region.level)
        kinds = dict(zip(mesh.axis_names, mesh.axis_types, strict=True))
        explicit = tuple(name for name in axes if kinds[name] == AxisType.Explicit)
        typed = mesh.abstract_mesh if explicit else None
        self._close(region.level, math.prod(mesh.shape[name] for name in axes), explicit, typed)
        region.outputs = self._write(eqn.outvars, level)
        return region

    def _branches(self, eqn: JaxprEqn, control: _jax.Cond, level: Level) -> BranchesNode:
        index = self._site(jax.ShapeDtypeStruct((), np.int32), level)
        bodies, spans = [], []
        for closed in control.branches:
            before, tensors = dict(level.packed), len(level.tensors)
            bodies.append(self._block(closed, level))
            packed = {kind: size - before.get(kind, 0) for kind, size in level.packed.items()}
            packed = {kind: size for kind, size in packed.items() if size}
            spans.append(Span(packed, slice(tensors, len(level.tensors))))
        return BranchesNode(eqn, index, bodies, spans, level, self._write(eqn.outvars, level))

    def _loop(self, eqn: JaxprEqn, control: _jax.Scan | _jax.While, level: Level) -> LoopNode:
        depth = 0
        around = level
        while around is not None:
            depth += isinstance(around.owner, LoopNode)
            around = around.parent
        inner = Level(level, None, level.region)
        jaxpr, _ = _jax.open_jaxpr(control.body)
        loop = LoopNode(eqn, control, inner, max(1, self.first >> (2 * depth)) + 1, TracedBody(jaxpr, ()))
        if _jax.is_open(control.body):  # Its first iteration is as far as tracing got.
            loop.slots = 1
        elif loop.length is not None:
            loop.slots = max(1, min(loop.slots, loop.length))  # A loop of no iterations is traced, too.
        inner.owner = loop
        loop.inputs = self._write(jaxpr.invars[control.consts :], inner)
        test = control.test if isinstance(control, _jax.While) else None
        if test is not None:
            loop.test = self._block(test, inner)
        loop.body = self._block(control.body, inner)
        if test is not None:
            loop.count = self._site(jax.ShapeDtypeStruct((), np.int32), level)
        self._close(inner, loop.slots)
        loop.outputs = self._write(eqn.outvars, level)
        return loop

    def _close(self, level: Level, size: int, axes: tuple[str, ...] = (), mesh: AnyMesh | None = None) -> None:
        """Adds what a level returns to its parent's tensors, with its leading dimension."""
        parent = level.parent
        assert parent is not None
        level.base = len(parent.tensors)
        parent.tensors += [type_.stacked(size, axes, mesh) for type_ in level.types()]

    def _write(self, variables: Sequence[Any], level: Level) -> list[Site]:
        return [self._site(v.aval, level, returned=level.parent is None and v in self._returned) for v in variables]

    def _site(self, aval: Any, level: Level, *, returned: bool = False) -> Site:
        shape, dtype = tuple(aval.shape), aval.dtype
        # A Ref has no value of its own, only what is read from it; a future has none until it is done.
        if _jax.is_ref(aval) or _jax.is_future(aval):
            return Site(level, shape, np.dtype(dtype), ())
        if jax.dtypes.issubdtype(dtype, jax.dtypes.prng_key):
            words = jax.eval_shape(jax.random.key_data, jax.ShapeDtypeStruct((), dtype))
            shape, dtype = shape + words.shape, words.dtype
        site = Site(level, shape, np.dtype(dtype), corner_shape(shape, self.corner))
        if returned or dtype == jax.dtypes.float0:  # The tangent of an integer: no device holds it.
            return Site(level, shape, np.dtype(dtype), ())
        dropped = len(self.sites) in self.dropped
        small = self.packs_small and site.corner == shape
        if level.region is not None and (self.pack or dropped or small):
            site.format = element_format(site.dtype)
            site.offset = level.pack(site.format, math.prod(site.corner))
        if not dropped and not (site.format and site.corner == shape):
            sharding = getattr(aval, "sharding", None)
            explicit = sharding is not None and AxisType.Explicit in sharding.mesh.axis_types
            spec = tuple(_jax.partitions(aval.sharding.spec)) if explicit else ()
            site.tensor = len(level.tensors)
            level.tensors.append(TensorType(shape, site.dtype, spec, aval.sharding.mesh if explicit else None))
        self.sites.append(site)
        return site
