"""Why a program stops: the value that causes it, where that came from, and what would fix it."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence

from shardwidget import _jax
from shardwidget._format import joined
from shardwidget.document import Failure
from shardwidget.read._errors import first_line
from shardwidget.read._trace._failures.blocks import unfitting_blocks
from shardwidget.read._trace._failures.explanation import Explanation
from shardwidget.read._trace._failures.forbidden import forbidden_collective
from shardwidget.read._trace._failures.futures import used_too_early
from shardwidget.read._trace._failures.in_specs import indivisible, unlike_in_specs
from shardwidget.read._trace._failures.loops import changed_carry, unlike_branches
from shardwidget.read._trace._failures.mesh_axes import unclear_sharding, unfitting_axes
from shardwidget.read._trace._failures.proposal import Proposal
from shardwidget.read._trace._failures.python_values import traced_value
from shardwidget.read._trace._failures.ranks import unfitting_result
from shardwidget.read._trace._failures.stopped import StoppedTrace
from shardwidget.read._trace._failures.trials import tried
from shardwidget.read._trace._failures.unreduced import not_combined
from shardwidget.read._trace.draft import TracedValue
from shardwidget.read._trace.steps import Writer

SET_MESH_AROUND = (
    "The function is traced as jit traces it, and no mesh can be set there. Set it around the call: "
    "with jax.set_mesh(mesh): ShardMapStepper(f, ...)."
)

REF_CLOSED_OVER = (
    "A function that shard_map maps cannot close over a jax.Ref. Give it the Ref as an argument with a spec: "
    "jax.shard_map(body, in_specs=(P('x'), P('x')), ...)(x, ref)."
)


def failure_of(
    stop: StoppedTrace, writer: Writer, typed: Callable[[StoppedTrace], Writer]
) -> tuple[Failure, list[Proposal]]:
    """The failure as a document, and the changes that its fixes state.

    Args:
        stop: the program.
        writer: its steps.
        typed: the steps of a program that stops elsewhere, by their types.
    """
    found = _explained(stop, writer)
    value, axes, explanation = found.value, found.axes, found.text
    origin = _origin(writer, value, axes) if value is not None else -1
    if origin >= 0 and value is not None and set(axes) & _jax.manual_types(value.aval)[0] and stop.kind == "out_specs":
        where = writer.steps[origin]
        line = ""
        if where.source is not None:
            text = f": {where.source.text}" if where.source.text else ""
            line = f" (line {where.source.line}{text})"
        explanation += f" It differs along {joined(axes)} since step {origin}, {where.primitive}{line}."
    proposals, verdict = tried(stop, found.fixes, lambda further: _explained(further, typed(further)).fixes)
    explanation += verdict
    stop.step.about["sentence"] = "The program stops here."
    if value is not None and _jax.is_future(value.aval):
        stop.step.inputs = [value]
    failure = Failure(
        error=type(stop.error).__name__,
        message=str(stop.error),
        explanation=explanation,
        axes=tuple(axes),
        fixes=tuple(one.fix for one in proposals),
        kind=stop.kind,
        variable=-1 if value is None else value.id,
        origin=origin,
        traceback=_users_traceback(stop.error),
    )
    return failure, proposals


def _explained(stop: StoppedTrace, writer: Writer) -> Explanation:
    if (future := used_too_early(stop, writer)) is not None:
        return future
    if (forbidden := forbidden_collective(stop)) is not None:
        return forbidden
    if (parts := not_combined(stop, writer)) is not None:
        return parts
    explain = _EXPLAIN.get(stop.kind)
    return (explain(stop, writer) if explain else None) or _other(stop)


def _users_traceback(error: Exception) -> str:
    lines = [summary for summary in traceback.extract_tb(error.__traceback__) if _jax.is_user_file(summary.filename)]
    text = "".join(traceback.format_list(lines))
    return f"Traceback (most recent call last):\n{text}{type(error).__name__}: {error}"


def _other(stop: StoppedTrace) -> Explanation:
    value = stop.inputs[0] if stop.inputs and stop.kind != "user" else None
    if stop.kind != "user" and _jax.messages.is_ref_closed_over(stop.error):
        return Explanation(REF_CLOSED_OVER)
    if isinstance(stop.error, AttributeError):  # JAX says what came in place of a function that it has no more.
        return Explanation(first_line(stop.error))
    if stop.kind == "user":
        return Explanation("The function itself raised this; the steps before it ran.")
    if _jax.messages.is_mesh_set_within_jit(stop.error):
        return Explanation(SET_MESH_AROUND)
    if _jax.messages.is_not_an_array(stop.error):
        return Explanation(stop.arguments.not_arrays())
    if specs := stop.wrong_specs():
        return Explanation(specs)
    return Explanation("JAX rejected this operation; the steps before it ran.", value)


_EXPLAIN = {
    "out_specs": unfitting_result,
    "scan_carry": changed_carry,
    "shape": unfitting_blocks,
    "indivisible": indivisible,
    "in_specs": unlike_in_specs,
    "branches": unlike_branches,
    "traced_value": traced_value,
    "sharding_type": unclear_sharding,
    "axis_name": unfitting_axes,
}


def _origin(writer: Writer, value: TracedValue, axes: Sequence[str]) -> int:
    """The step where a value's ancestor began to vary over the axes."""
    wanted = set(axes)
    made: dict[TracedValue, int] = {out: k for k, step in enumerate(writer.steps) for out in step.outputs}
    at = made.get(value, -1)
    while at >= 0:
        before = [v for v in writer.steps[at].inputs if wanted & _jax.manual_types(v.aval)[0] and v in made]
        if not before or writer.steps[at].kind == "in_specs":
            break
        # What JAX itself marked as varying only follows another operand.
        before.sort(key=lambda v: writer.steps[made[v]].implicit)
        at = made[before[0]]
    return at
