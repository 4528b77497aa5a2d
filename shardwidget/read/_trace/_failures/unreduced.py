"""A value whose parts are still to be combined, where an operation or ``out_specs`` takes none: combine them first."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from jax.sharding import PartitionSpec

from shardwidget import _jax
from shardwidget._format import joined
from shardwidget.read._entries import entries, entries_text, spec_text
from shardwidget.read._parts import combining, in_parts, takes_no_parts
from shardwidget.read._trace._failures.changes import placed
from shardwidget.read._trace._failures.explanation import Explanation, quoted
from shardwidget.read._trace._failures.proposal import Proposal
from shardwidget.read._trace._failures.results import with_specs
from shardwidget.read._trace._failures.stopped import StoppedTrace
from shardwidget.read._trace.draft import TracedValue
from shardwidget.read._trace.steps import Writer

COMBINE = "Combine the parts of {names} first"


def not_combined(stop: StoppedTrace, writer: Writer) -> Explanation | None:
    """For a program that stops because of parts that are still to be combined."""
    if stop.reached.outs:
        return _result(stop, writer)
    values = [v for v in stop.inputs if _jax.manual_types(v.aval)[1]]
    if not values or not _jax.messages.is_of_parts(stop.error):
        return None
    text = _words(values[0], takes_no_parts("this operation", stop.error))
    return Explanation(text, values[0], _axes(values[0]), placed(_combined(stop, values)))


def _result(stop: StoppedTrace, writer: Writer) -> Explanation | None:
    """For a result whose parts ``out_specs`` does not mention."""
    for number, (var, spec) in enumerate(zip(stop.reached.outs, stop.reached.out_specs, strict=True)):
        value = writer.known.get(var)
        if not isinstance(value, TracedValue) or not (axes := _axes(value)):
            continue
        if set(axes) == spec.unreduced and _jax.partial_kind(value.aval) == _jax.unreduced_kind(spec):
            continue
        written = stop.changes.results(len(stop.reached.outs), value)
        source, results = written or (None, [])
        whole = _with(stop, number, PartitionSpec(*_jax.partitions(spec)))
        combined = [(node, _code(value)) for node in results[number : number + 1]]
        left = _with(stop, number, PartitionSpec(*_jax.partitions(spec), unreduced=frozenset(axes)))
        ways = [
            stop.changes.each(COMBINE.format(names=value.name), combined, source, **whole) if combined else None,
            stop.changes.option(f"Leave {value.name} in parts: add that to out_specs", **left) if left else None,
        ]
        return Explanation(_words(value, f"out_specs {spec_text(spec)} does not say so"), value, axes, placed(*ways))
    return None


def _with(stop: StoppedTrace, number: int, spec: PartitionSpec) -> dict[str, str]:
    """The option ``out_specs`` with one spec replaced; nothing where it is that already."""
    assert stop.reached.mapped is not None
    if spec == stop.reached.out_specs[number]:
        return {}
    return {"out_specs": with_specs(stop.reached.mapped.out_specs, {number: spec})}


def _words(value: TracedValue, takes: str) -> str:
    return f"{in_parts(value.name, value.aval, _axes(value))}, and {takes}."


def _axes(value: TracedValue) -> list[str]:
    return sorted(_jax.manual_types(value.aval)[1])


def _combined(stop: StoppedTrace, values: Sequence[TracedValue]) -> Proposal | None:
    """Every operand that is in parts, combined where it is used."""
    changes = [(node, _code(value)) for value in values for node in _uses(stop, value)]
    return stop.changes.each(COMBINE.format(names=joined([v.name for v in values])), changes)


def _uses(stop: StoppedTrace, value: TracedValue) -> list[ast.expr]:
    """Where the expression that stops names a value, or has it as an operand."""
    nodes = ast.walk(stop.changes.expression) if stop.changes.expression is not None else ()
    named: list[ast.expr] = [node for node in nodes if isinstance(node, ast.Name) and node.id == value.name]
    made = stop.changes.operand(value, stop.inputs.index(value))
    return named or ([] if made is None else [made])


def _code(value: TracedValue) -> str:
    axes = _axes(value)
    if value.region is not None and set(axes) <= set(value.region.axes):
        return f"jax.lax.{combining(value.aval)}({{}}, {quoted(axes)})"
    return f"jax.reshard({{}}, {entries_text(entries(value.aval.sharding.spec, value.aval.ndim))})"
