"""Blocks whose shapes do not fit."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from typing import Any

from jax.sharding import PartitionSpec

from shardwidget import _jax
from shardwidget._format import joined
from shardwidget.read._cuts import dims_of_spec
from shardwidget.read._entries import spec_text
from shardwidget.read._trace._failures.changes import placed
from shardwidget.read._trace._failures.explanation import Explanation, quoted
from shardwidget.read._trace._failures.proposal import Proposal
from shardwidget.read._trace._failures.reducer import axes_that_cut
from shardwidget.read._trace._failures.stopped import StoppedTrace
from shardwidget.read._trace.draft import TracedValue
from shardwidget.read._trace.steps import Writer


def unfitting_blocks(stop: StoppedTrace, writer: Writer) -> Explanation:
    """An operation on blocks whose shapes do not fit."""
    parts = [f"{v.name} is {_jax.type_text(v.aval)}" for v in stop.inputs]
    text = f"Inside shard_map a function sees blocks: {joined(parts)}."
    if not parts:
        text = "Inside shard_map a function sees blocks, and these do not fit."
    value = stop.inputs[0] if stop.inputs else None
    if value is not None and (pieces := _jax.messages.uneven_pieces(stop.error)) is not None:
        return _uneven(stop, value, pieces, text)
    ways, axes = _fixes(stop, writer)
    return Explanation(text, value, axes, ways)


def _uneven(stop: StoppedTrace, value: TracedValue, pieces: _jax.messages.Pieces, blocks: str) -> Explanation:
    """A collective that cuts its operand into a piece for each device, which its size does not allow."""
    size, n, stacked = pieces
    each = "pieces of one element" if stacked else "equal pieces"
    text = f"{value.name} is to be cut into {n} {each}, one for each device, along a dimension of {size} elements"
    text += "." if stacked else f"; {size} = {n}·{size // n} + {size % n}."
    call, found = stop.changes.expression, list[Proposal]()
    if stacked and size % n == 0 and isinstance(call, ast.Call) and stop.changes.source is not None:
        title = f"Cut it into {n} blocks of {size // n}, and concatenate them"
        code = f"{stop.changes.source.segment(call).removesuffix(')').rstrip(', ')}, tiled=True)"
        found += placed(stop.changes.wrapped(title, call, code)) if "{}" not in code else []
    return Explanation(f"{text} {blocks}", value, stop.reached.names, found)


def _fixes(stop: StoppedTrace, writer: Writer) -> tuple[list[Proposal], list[str]]:
    """Blocks that do not fit: gather along the axis by which they differ, or cut both in the same way."""
    values, mapped = stop.inputs, stop.reached.mapped
    if len(values) != 2 or mapped is None:
        return [], []
    found, axes = [], []
    held = {v: stop.users_dims(v) for v in values}
    shapes = {v: tuple(v.aval.shape[d] for d in held[v]) for v in values}
    for number, (one, other) in enumerate((values, values[::-1])):
        for d, size in _wanted(shapes[one], shapes[other], number == 0, stop.error):
            cuts = axes_that_cut(one, held[one][d], writer)
            for k in range(len(cuts)):  # Neighbouring blocks differ by the last axes.
                gathered = cuts[k:]
                if shapes[one][d] * math.prod(mapped.mesh.shape[a] for a in gathered) == size:
                    axes += gathered
                    code = f"jax.lax.all_gather({{}}, {quoted(gathered)}, axis={d}, tiled=True)"
                    verb = "cut" if len(gathered) > 1 else "cuts"
                    title = f"Gather {one.name} along {joined(gathered)}, which {verb} its dimension {d}"
                    alike = code.replace("tiled=True", "tiled=True, to='invarying'")
                    for way in (code, alike) if _jax.GATHERS_INVARYING else (code,):
                        found += placed(stop.changes.wrapped(title, stop.changes.operand(one, number), way))
    alike = _alike(stop, writer)
    return ([alike, *found] if alike else found), list(dict.fromkeys(axes))


def _wanted(one: Sequence[int], other: Sequence[int], is_first: bool, error: Exception) -> list[tuple[int, int]]:
    """Dimensions of an operand of one shape, and the sizes that the other operand requires."""
    if _jax.messages.is_contraction(error):
        inner = (len(one) - 1, -2 if len(other) > 1 else -1) if is_first else (max(len(one) - 2, 0), -1)
        return [(inner[0], other[inner[1]])]
    return list(enumerate(other)) if len(one) == len(other) else []


def _alike(stop: StoppedTrace, writer: Writer) -> Proposal | None:
    """The in_specs with both operands cut so that their blocks fit, where both are arguments of the region.

    Elementwise operands of one shape are cut in the same way; in a matrix product the rows of the second are cut as
    the columns of the first.
    """
    values = stop.inputs
    first = next((s for s in reversed(writer.steps) if s.kind == "in_specs"), None)
    if first is None or not all(v in first.outputs for v in values):
        return None
    node = first.about["node"]
    one, other = (first.outputs.index(v) for v in values)
    shapes = [v.aval.shape for v in node.eqn.invars]
    given = list(node.control.in_specs)
    if _jax.messages.is_contraction(stop.error):
        rank = len(shapes[other])
        if rank < 2 or shapes[one][-1] != shapes[other][-2]:
            return None
        inner = dims_of_spec(shapes[one], given[one])[-1].axes
        entries: list[Any] = [
            tuple(a for a in dim.axes if a not in inner) or None for dim in dims_of_spec(shapes[other], given[other])
        ]
        entries[-2] = inner or None
        given[other] = PartitionSpec(*(e[0] if e and len(e) == 1 else e for e in entries))
        title = f"Cut the rows of {values[1].name} as the columns of {values[0].name} are"
    elif shapes[one] == shapes[other] and values[0].aval.ndim:
        given[other] = given[one]
        title = f"Cut {values[1].name} as {values[0].name} is"
    else:
        return None
    return stop.changes.option(title, in_specs=f"({', '.join(map(spec_text, given))})")
