"""Which function completes a result that varies over mesh axes: a sum of parts, a mean, a maximum."""

from __future__ import annotations

import math
from collections.abc import Sequence

from shardwidget import _jax
from shardwidget.collectives import COMPLETIONS, Reducer
from shardwidget.read._cuts import dims_of_spec
from shardwidget.read._trace.draft import Draft, TracedValue
from shardwidget.read._trace.steps import Writer


def completing_reducer(writer: Writer, value: TracedValue, axes: Sequence[str]) -> Reducer | None:
    """The function that makes the whole of a value which each device has a part of, along some axes.

    A matrix product or a reduction over a dimension that the axes cut gives parts. What is only scaled or cast stays
    a part; a sum that is divided by the number of its terms is a mean; a minus turns a maximum into a minimum.

    Returns:
        None where the value is not certain to be a part.
    """
    divisor, negative = 1.0, False
    while (step := _step(writer, value)) is not None:
        if step.primitive == "dot_general":
            (left, right), _ = step.eqn.params["dimension_numbers"]
            if len(step.inputs) != 2:
                return None
            pairs = zip(step.inputs, (left, right), strict=True)
            parts = all(_cuts(writer, v, dims, axes) for v, dims in pairs)
            return COMPLETIONS["reduce_sum"].reducer if parts else None
        if step.primitive in COMPLETIONS:
            completion = COMPLETIONS[step.primitive]
            operand, dims = step.inputs[0], step.eqn.params["axes"]
            if not _cuts(writer, operand, dims, axes):
                return None
            if completion.mean and divisor == math.prod(operand.aval.shape[d] for d in dims):
                return completion.mean
            return completion.negated if negative and completion.negated else completion.reducer
        if step.primitive not in _jax.LINEAR:
            return None
        if step.primitive == "div":
            by = _constant(writer, step)
            if by is None:
                return None
            divisor *= by
        negative ^= step.primitive == "neg"
        value = step.inputs[0]
    return None


def axes_that_cut(value: TracedValue, d: int, writer: Writer) -> tuple[str, ...]:
    """Axes that cut a dimension of a block, where that is certain: for an argument of the region, from its spec.

    What is computed element by element from such blocks is cut in the same way. Nothing is known of any other value.
    """
    step = _step(writer, value)
    if step is not None and step.kind == "in_specs":
        spec = step.about["node"].control.in_specs[step.outputs.index(value)]
        return dims_of_spec(value.aval.shape, spec)[d].axes
    if step is not None and step.primitive in _jax.ELEMENTWISE:
        found = {axes_that_cut(v, d, writer) for v in step.inputs if v.aval.shape == value.aval.shape}
        return found.pop() if len(found) == 1 else ()
    return ()


def _cuts(writer: Writer, value: TracedValue, dims: Sequence[int], axes: Sequence[str]) -> bool:
    """Whether the axes cut some dimensions of a value."""
    return set(axes) <= {axis for d in dims for axis in axes_that_cut(value, d, writer)}


def _constant(writer: Writer, step: Draft) -> float | None:
    """The constant that a step divides by; None if that is not a constant."""
    by = _step(writer, step.inputs[1]) if len(step.inputs) == 2 else step
    literals = by.literals if by is not None and (by is step or by.implicit) else ()
    try:
        return float(literals[0]) if literals else None
    except ValueError:
        return None


def _step(writer: Writer, value: TracedValue) -> Draft | None:
    return next((step for step in writer.steps if value in step.outputs), None)
