"""Blocks whose shapes do not fit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from jax.sharding import PartitionSpec

from shardwidget import _jax
from shardwidget.document import Fix
from shardwidget.read._cuts import dims_of_spec
from shardwidget.read._entries import spec_text
from shardwidget.read._trace._failures.explanation import Explanation, quoted
from shardwidget.read._trace._failures.stopped import StoppedTrace
from shardwidget.read._trace.draft import TracedValue
from shardwidget.read._trace.steps import Writer
from shardwidget.read._trace.words import joined


def unfitting_blocks(stop: StoppedTrace, writer: Writer) -> Explanation:
    """An operation on blocks whose shapes do not fit."""
    parts = [f"{v.name} is {_jax.type_text(v.aval)}" for v in stop.inputs]
    text = f"Inside shard_map a function sees blocks: {joined(parts)}."
    if not parts:
        text = "Inside shard_map a function sees blocks, and these do not fit."
    value = stop.inputs[0] if stop.inputs else None
    ways, axes = _fixes(stop, writer)
    return Explanation(text, value, axes, ways)


def _fixes(stop: StoppedTrace, writer: Writer) -> tuple[list[Fix], list[str]]:
    """Blocks that do not fit: gather along the axis by which they differ, or cut both alike."""
    values, mapped = stop.inputs, stop.reached.mapped
    if len(values) != 2 or mapped is None:
        return [], []
    found, axes = [], []
    for one, other in (values, values[::-1]):
        for d, size in _wanted(one, other, values, stop.error):
            cutting = _cutting(one, d, writer)
            for k in range(len(cutting)):  # The last axes are the ones that blocks next to each other differ by.
                gathered = cutting[k:]
                if one.aval.shape[d] * math.prod(mapped.mesh.shape[a] for a in gathered) == size:
                    axes += gathered
                    code = f"{one.name} = jax.lax.all_gather({one.name}, {quoted(gathered)}, axis={d}, tiled=True)"
                    cuts = "cut" if len(gathered) > 1 else "cuts"
                    title = f"Gather {one.name} along {joined(gathered)}, which {cuts} its dimension {d}"
                    found.append(Fix(title, code))
    alike = _alike(values, writer, stop.error)
    return ([alike, *found] if alike else found), list(dict.fromkeys(axes))


def _wanted(
    one: TracedValue, other: TracedValue, both: Sequence[TracedValue], error: Exception
) -> list[tuple[int, int]]:
    """Dimensions of a value, and the sizes that the other operand wants them to have."""
    rank = one.aval.ndim
    if _jax.messages.is_contraction(error):
        inner = (rank - 1, -2 if other.aval.ndim > 1 else -1) if one is both[0] else (max(rank - 2, 0), -1)
        return [(inner[0], other.aval.shape[inner[1]])]
    return [(d, other.aval.shape[d]) for d in range(rank)] if rank == other.aval.ndim else []


def _cutting(value: TracedValue, d: int, writer: Writer) -> tuple[str, ...]:
    """Axes that cut a dimension of a block, where that is certain: of an argument of the region, as its spec says.

    What is computed element by element from such blocks is cut as they are. Of any other value nothing is known.
    """
    step = next((step for step in writer.steps if value in step.outputs), None)
    if step is not None and step.kind == "in_specs":
        spec = step.about["node"].control.in_specs[step.outputs.index(value)]
        return dims_of_spec(value.aval.shape, spec)[d].axes
    if step is not None and step.primitive in _jax.ELEMENTWISE:
        found = {_cutting(v, d, writer) for v in step.inputs if v.aval.shape == value.aval.shape}
        return found.pop() if len(found) == 1 else ()
    return ()


def _alike(values: Sequence[TracedValue], writer: Writer, error: Exception) -> Fix | None:
    """The in_specs with both operands cut so that their blocks fit, where both are arguments of the region.

    Elementwise operands of one shape are cut alike; of a matrix product the rows of the second as the columns of the
    first are.
    """
    first = next((s for s in reversed(writer.steps) if s.kind == "in_specs"), None)
    if first is None or not all(v in first.outputs for v in values):
        return None
    node = first.about["node"]
    one, other = (first.outputs.index(v) for v in values)
    shapes = [v.aval.shape for v in node.eqn.invars]
    given = list(node.control.in_specs)
    if _jax.messages.is_contraction(error):
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
    return Fix(title, f"in_specs=({', '.join(map(spec_text, given))})")
