"""Loops and branches whose types do not fit."""

from __future__ import annotations

import re
from collections.abc import Sequence

from shardwidget import _jax
from shardwidget.read._trace._failures.explanation import Explanation, vary
from shardwidget.read._trace._failures.stopped import StoppedTrace
from shardwidget.read._trace.draft import TracedValue
from shardwidget.read._trace.steps import Writer
from shardwidget.read._trace.words import joined


def changed_carry(stop: StoppedTrace, writer: Writer) -> Explanation | None:
    """The first carry whose type changes; JAX's message names it, and the axes where it says how to fix it."""
    changes = _jax.messages.carries(stop.error)
    gains = [(carry, carry.after - carry.before) for carry in changes if carry.after - carry.before]
    losses = [(carry, carry.before - carry.after) for carry in changes if carry.before - carry.after]
    chosen = gains or losses
    if not chosen:
        return None
    carry, axes = chosen[0][0], sorted(chosen[0][1])
    value = _carry_called(carry, stop.inputs, set(axes), bool(gains))
    what = value.name if value is not None else carry.name
    same, varies = f"the same along {joined(axes)}", f"varying over {joined(axes)}"
    before, after = (same, varies) if gains else (varies, same)
    text = f"The loop takes {what} as {before} and returns a value there that is {after}; a carry keeps its type."
    if gains:
        return Explanation(text, value, axes, [vary(what, axes, "before the loop")])
    inner = "new_" + re.sub(r"\W+", "_", carry.name).strip("_")
    return Explanation(text, value, axes, [vary(inner, axes, "in what the body returns")])


def _carry_called(
    carry: _jax.messages.Carry, values: Sequence[TracedValue], axes: set[str], gains: bool
) -> TracedValue | None:
    fitting = [v for v in values if bool(axes & _jax.manual_types(v.aval)[0]) != gains]
    if 0 <= carry.number < len(values) and values[carry.number] in fitting:
        return values[carry.number]
    return fitting[0] if fitting else None


def unlike_branches(stop: StoppedTrace, writer: Writer) -> Explanation | None:
    """Branches whose results vary over different axes. JAX's message says their types and not what they are called."""
    found = _jax.messages.branches(stop.error)
    if found is None:
        return None
    one, other = found
    axes = sorted(one.varying ^ other.varying)
    less, more = (one, other) if one.varying < other.varying else (other, one)
    if not less.varying < one.varying | other.varying:
        words = f"{one.name} gives {one.type} and {other.name} gives {other.type}; branches give values of one type."
        return Explanation(words, axes=axes)
    same = [v for v in stop.inputs if str(v.aval) == less.type]
    words = (
        f"What {more.name} returns varies over {joined(axes)}, and what {less.name} returns is the same along "
        f"{joined(axes)}; branches give values of one type."
    )
    if len(same) == 1:
        return Explanation(words, same[0], axes, [vary(same[0].name, axes, "before the branches")])
    return Explanation(words, axes=axes, fixes=[vary("out", axes, f"where out is what {less.name} returns")])
