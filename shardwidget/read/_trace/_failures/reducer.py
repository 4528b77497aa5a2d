"""Which function completes a result that varies over mesh axes: a sum of parts, a mean, a maximum."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from shardwidget import _jax
from shardwidget.collectives import COMPLETIONS, Reducer, statement_of
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

    What is computed element by element, or a product, is cut as its operands are. Nothing is known of any other value.
    """
    step = _step(writer, value)
    if step is None:
        return ()
    if step.kind == "in_specs":
        spec = step.about["node"].control.in_specs[step.outputs.index(value)]
        return dims_of_spec(value.aval.shape, spec)[d].axes
    if _keeps_dims(step.primitive):
        operands = [(v, d) for v in step.inputs if v.aval.shape == value.aval.shape]
    else:
        operands = list(_where(step, d))
    found = {axes_that_cut(v, at, writer) for v, at in operands} - {()}
    return found.pop() if len(found) == 1 else ()


def _keeps_dims(primitive: str) -> bool:
    """Whether a result has the dimensions of its operand, each cut as it is there."""
    statement = statement_of(primitive)
    combines = statement is not None and bool(statement.semantics.combines) and statement.semantics.cuts == "none"
    return combines or primitive in _jax.ELEMENTWISE | _jax.SAME_ELEMENTS


def _where(step: Draft, d: int) -> Iterator[tuple[TracedValue, int]]:
    """The operands, and their dimensions, that a dimension of a step's result is made from."""
    params = step.eqn.params if step.eqn is not None else {}
    if step.primitive == "dot_general" and len(step.inputs) == 2:
        (lc, rc), (lb, rb) = params["dimension_numbers"]
        left, right = step.inputs
        free = [(left, k) for k in range(left.aval.ndim) if k not in lc and k not in lb]
        free += [(right, k) for k in range(right.aval.ndim) if k not in rc and k not in rb]
        yield [*((left, k) for k in lb), *free][d]
    elif step.primitive == "transpose":
        yield step.inputs[0], params["permutation"][d]
    elif step.primitive == "broadcast_in_dim" and d in params["broadcast_dimensions"]:
        yield step.inputs[0], tuple(params["broadcast_dimensions"]).index(d)
    elif step.primitive.startswith(("reduce_", "arg")) and "axes" in params:
        yield step.inputs[0], [k for k in range(step.inputs[0].aval.ndim) if k not in params["axes"]][d]


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
