"""The types of a program's trace on an Explicit mesh, assigned to the equations of another trace.

The two traces may have other equations: on Explicit axes ``jnp.where`` reshards its condition, ``auto_axes`` its
results, a fix an operand. Equations are matched in order, by what they compute, by the user's line and by their shapes;
and only where their operands are the same values. An equation without a match has no type.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

import jax
import numpy as np
from jax.extend.core import Literal

from shardwidget import _jax
from shardwidget.read._comparison.explicit import Explicit, FixedProgram, Stopped
from shardwidget.read._comparison.tree import TAG, Line, Tree
from shardwidget.read._jaxpr.value import Value


def own_types(tree: Tree, stops: Sequence[Stopped] = ()) -> Explicit:
    """The types of a program that was itself traced on an Explicit mesh."""
    types = {k: tuple(v.aval for v in line.outputs) for k, line in enumerate(tree.lines)}
    return Explicit(types, dict(_stops([(k, k) for k in types], tree, stops)))


def aligned(tree: Tree, explicit: Tree, stops: Sequence[Stopped] = ()) -> Explicit:
    """The types of one trace, assigned to the lines of another.

    Args:
        tree: the program as it was traced.
        explicit: the same, traced on an Explicit mesh.
        stops: of that trace, by their marks.
    """
    found = _verified(tree, explicit, list(_matched(tree, explicit)))
    types = {a: tuple(v.aval for v in explicit.lines[b].outputs) for a, b in found}
    stopped = dict(_stops(found, explicit, stops))
    for stop in stops:  # Another expression may be in its place.
        if stop.chosen >= 0 and stop.fixes[stop.chosen].way.leaves and all(stop is not one for one in stopped.values()):
            stopped.setdefault(stop.line, stop)
    # A fix may continue with the result.
    types |= {k: (stop.fixes[stop.chosen].type, *types.get(k, ())[1:]) for k, stop in stopped.items()}
    return Explicit(types, stopped, FixedProgram(explicit, dict(found)))


def as_far_as(tree: Tree, other: Tree) -> int:
    """How many lines two traces of a function begin with in common."""
    pairs = itertools.takewhile(lambda pair: _key(pair[0]) == _key(pair[1]), zip(tree.lines, other.lines, strict=False))
    return sum(1 for _ in pairs)


def tagged(tree: Tree, bound: Tree) -> dict[int, int]:
    """The lines of the program that an ``ExplicitRun`` made, by the lines that it was made from."""
    found: dict[int, int] = {}
    for k, line in enumerate(bound.lines):
        tags = [int(s.removeprefix(TAG)) for s in _jax.named_scopes(line.eqn) if s.startswith(TAG)]
        if tags and _jax.name_of(tree.lines[tags[-1]].eqn) == _jax.name_of(line.eqn):
            found.setdefault(tags[-1], k)
    return found


def _matched(tree: Tree, explicit: Tree) -> Iterator[tuple[int, int]]:
    ours, theirs = [_key(line) for line in tree.lines], [_key(line) for line in explicit.lines]
    for block in SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks():
        yield from ((block.a + k, block.b + k) for k in range(block.size))


def _verified(tree: Tree, explicit: Tree, matched: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The matches whose operands match too, ignoring what only changes how they are sharded."""
    same = _Same(tree, {a for a, _ in matched}), _Same(explicit, {b for _, b in matched})
    theirs: dict[Value | str, Value | str] = {}

    def agree(v: Value | str, w: Value | str) -> bool:
        return theirs.get(v, w) is w if isinstance(v, Value) and isinstance(w, Value) else v == w

    found = []
    for a, b in matched:
        one, two = tree.lines[a], explicit.lines[b]
        pairs = [(same[0].of(v), same[1].of(w)) for v, w in zip(one.inputs, two.inputs, strict=True)]
        if all(agree(v, w) for v, w in pairs):
            theirs.update(pairs)
            theirs.update(zip(one.outputs, two.outputs, strict=True))
            found.append((a, b))
    return found


class _Same:
    """Values of a program, those that differ only in their sharding as one; constants by their contents."""

    def __init__(self, tree: Tree, matched: set[int]) -> None:
        self._before: dict[Value, Value | str] = {}
        for k, line in enumerate(tree.lines):
            if k in matched:
                continue
            before = self.of(line.inputs[0]) if line.inputs else ""
            # JAX itself casts a constant where nothing has given it a sharding.
            cast = _jax.name_of(line.eqn) == "convert_element_type" and isinstance(before, str)
            if cast or _jax.name_of(line.eqn) in _jax.RELAYOUTS:
                self._before[line.outputs[0]] = before

    def of(self, value: Value | Literal) -> Value | str:
        if isinstance(value, Literal):
            constant = np.asarray(value.val)
            # The tangent of an integer has no number.
            return "float0" if constant.dtype == jax.dtypes.float0 else str(complex(constant.item()))
        return self._before.get(value, value)


def _stops(found: Sequence[tuple[int, int]], explicit: Tree, stops: Sequence[Stopped]) -> Iterator[tuple[int, Stopped]]:
    """The equations in place of one that stopped: transposes carry its mark, too."""
    for a, b in found:
        line = explicit.lines[b]
        mark = _jax.mark_of(line.eqn)
        if mark and kind(_jax.name_of(line.eqn)) == kind(mark.primitive) and _takes(line, stops[mark.number]):
            yield a, stops[mark.number]


def _takes(line: Line, stopped: Stopped) -> bool:
    """Whether an equation's operands are those at which it stopped, on types that JAX refuses elsewhere."""
    pairs = zip(line.inputs, stopped.operands, strict=True) if len(line.inputs) == len(stopped.operands) else ()
    types = [(v.aval, t) for v, t in pairs if isinstance(v, Value) and t is not None]
    return bool(types) and all(_jax.type_text(a) == _jax.type_text(t) for a, t in types)


def _key(line: Line) -> Hashable:
    """What equations of both traces have in common."""
    where = [(f.file_name, f.start_line, f.start_column) for f in line.frames[:1]]
    name = _jax.name_of(line.eqn)
    avals = [v.aval for v in (*line.inputs, *line.outputs)]
    shapes = tuple((getattr(a, "shape", ()), str(getattr(a, "dtype", ""))) for a in avals)
    return kind(name), len(line.inputs), shapes, essence(name, line.eqn.params), *where


def kind(primitive: str) -> str:
    """A primitive's name, one for all that change a layout."""
    return "relayout" if primitive in _jax.RELAYOUTS else primitive


def essence(primitive: str, params: Mapping[str, Any]) -> Hashable:
    """Parameters that state what an equation computes, and not where."""
    if primitive in _jax.RELAYOUTS:
        return ()
    return tuple((key, value) for key, value in sorted(params.items()) if _is_plain(value))


def _is_plain(value: Any) -> bool:
    return isinstance(value, int) or (isinstance(value, tuple) and all(map(_is_plain, value)))
