"""Results that do not match their out_specs."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import jax
import numpy as np
from jax.sharding import PartitionSpec

from shardwidget import _jax
from shardwidget._format import joined
from shardwidget.collectives import COMPLETIONS, Reducer, statement_of
from shardwidget.read._entries import spec_text
from shardwidget.read._jaxpr.rewrite import SourceText, source_text
from shardwidget.read._jaxpr.syntax import span_of
from shardwidget.read._trace._failures.changes import placed
from shardwidget.read._trace._failures.explanation import Explanation, quoted, specs_code, without_axes
from shardwidget.read._trace._failures.partial import parts_of
from shardwidget.read._trace._failures.proposal import Proposal
from shardwidget.read._trace._failures.reducer import axes_that_cut, completing_reducer
from shardwidget.read._trace._failures.stopped import StoppedTrace
from shardwidget.read._trace.draft import TracedValue
from shardwidget.read._trace.steps import Writer
from shardwidget.read._trace.written import equal_along


def varying_result(stop: StoppedTrace, writer: Writer) -> Explanation | None:
    """A result that varies over an axis along which its spec states that it is the same."""
    wrong = list(varying(stop, writer, stop.reached.out_specs))
    if not wrong:
        return None
    number, value, axes, spec = wrong[0]
    what = _called(value, writer)
    what = f"{what}, result {number + 1}," if len(stop.reached.outs) > 1 else what
    along, given = joined(axes), spec_text(spec)
    if writer.written is not None and not _equal_along(writer, value, axes):
        text = f"Along {along}, {what} is not the same block on all devices, but out_specs {given} says that it is."
    else:
        kind = _jax.type_text(value.aval)
        text = f"Along {along}, {what} may differ by its type {kind}, but out_specs {given} says that it does not."
    return Explanation(text, value, axes, completed(stop, writer, wrong))


def _called(value: TracedValue, writer: Writer) -> str:
    """A value by its name, or by the line that computes it where it has none."""
    made = next((step for step in writer.steps if value in step.outputs), None)
    named = not re.fullmatch(r"tmp\d+", value.name)
    return value.name if named or made is None or made.source is None else f"what line {made.source.line} computes"


Wrong = tuple[int, TracedValue, list[str], PartitionSpec]
"""A result: its number, the value, axes over which it varies and should not, its spec."""


def varying(stop: StoppedTrace, writer: Writer, specs: Sequence[PartitionSpec]) -> Iterator[Wrong]:
    """Results that vary over axes along which the specs state that they are the same."""
    own = writer.stopped.region.axes if writer.stopped is not None and writer.stopped.region is not None else ()
    for number, (var, spec) in enumerate(zip(stop.reached.outs, specs, strict=True)):
        named = {
            a for entry in _jax.partitions(spec) if entry for a in (entry if isinstance(entry, tuple) else (entry,))
        }
        over = _jax.manual_types(var.aval)[0]
        axes = [axis for axis in own if axis in over and axis not in named]
        value = writer.known.get(var)
        if axes and isinstance(value, TracedValue):
            yield number, value, axes, spec


def _equal_along(writer: Writer, value: TracedValue, axes: Sequence[str]) -> bool:
    if writer.written is None or value.region is None or value.site is None:
        return False
    return equal_along(writer.written, writer.meshes[value.region], value.site, value.slots, axes)


def completed(stop: StoppedTrace, writer: Writer, wrong: Sequence[Wrong], out_specs: Any = None) -> list[Proposal]:
    """Results that vary where their specs state that they do not: completed, concatenated, or not cut at all.

    Args:
        stop: the program.
        writer: its steps.
        wrong: the results.
        out_specs: specs in the place of those given; None for those.
    """
    over = joined(wrong[0][2])
    given = {} if out_specs is None else {"out_specs": specs_code(out_specs)}
    reductions = _in_place(stop, wrong, given)
    found: list[Proposal] = []
    completing = [completing_reducer(writer, v, a) for _, v, a, _ in wrong]
    known = [reducer for reducer in completing if reducer is not None]
    if len(known) == len(wrong):
        found += reductions(known, _title(known[0], over))
    found += _gathered_alike(stop, writer, wrong, given)
    if all(_equal_along(writer, v, a) for _, v, a, _ in wrong):
        maximum = [COMPLETIONS["reduce_max"].reducer] * len(wrong)
        title = f"The blocks are equal along {over}: their maximum is typed as the same"
        found += [replace(one, rests_on_equality=True) for one in reductions(maximum, title)]
        title = "The blocks are equal in this run: turn the check off, and ensure it yourself"
        found.append(replace(stop.changes.option(title, check_vma="False", **given), last=True, rests_on_equality=True))
    specs = _concatenated(stop, writer, wrong, out_specs)
    if specs:
        title = f"Concatenate the blocks along {over}: add that to out_specs"
        found.append(stop.changes.option(title, out_specs=specs))
    steps = {step.primitive for step in writer.steps}
    total, largest, least = (COMPLETIONS[name] for name in ("reduce_sum", "reduce_max", "reduce_min"))
    reducers = [total.reducer, total.mean]
    reducers += [one.reducer for one in (largest, least) if steps & {largest.of, least.of}]
    for reducer in filter(None, reducers):
        found += reductions([reducer] * len(wrong), _title(reducer, over))
    found += _where_they_are_parts(stop, writer, wrong, specs, given)
    if stop.reached.mapped is not None:
        axes = {axis for _, _, axes, _ in wrong for axis in axes}
        title = f"Do not cut the arguments along {over}: every device gets them whole"
        code = specs_code(without_axes(stop.reached.mapped.in_specs, axes))
        found.append(replace(stop.changes.option(title, in_specs=code, **given), last=True))
    return found


def _gathered_alike(
    stop: StoppedTrace, writer: Writer, wrong: Sequence[Wrong], given: Mapping[str, str]
) -> list[Proposal]:
    """The gathers on the way to the results, typed as giving every device the same."""
    calls: dict[ast.expr, SourceText] = {}
    for step in writer.steps if _jax.GATHERS_INVARYING else ():
        statement = statement_of(step.primitive)
        if statement is not None and statement.semantics.gathers and step.frame is not None:
            source = source_text(step.frame.file_name)
            node = source.expression(span_of(step.frame))
            if isinstance(node, ast.Call) and node.keywords and all(k.arg != "to" for k in node.keywords):
                calls[node.keywords[-1].value] = source
    title = f"Type what is gathered as the same along {joined(wrong[0][2])}"
    changes = [(node, "{}, to='invarying'") for node in calls]
    return placed(stop.changes.each(title, changes, next(iter(calls.values()), None), **(given if changes else {})))


def _where_they_are_parts(
    stop: StoppedTrace, writer: Writer, wrong: Sequence[Wrong], specs: str, given: Mapping[str, str]
) -> list[Proposal]:
    """Each expression that reduces parts completed in its place, before what is not linear; or its operand whole."""
    every = list({p.node: p for _, v, axes, _ in wrong for p in parts_of(writer, v, axes)}.values())
    if not every or len({p.source.file for p in every}) > 1:
        return []
    source = every[0].source
    over = joined(list(dict.fromkeys(a for p in every for a in p.axes)))
    shown = joined([" ".join(p.source.segment(p.node).split()) for p in every])
    ways = [part.completed() for part in every]
    found: list[Proposal | None] = []
    for k in range(max(map(len, ways)) if all(ways) else 0):
        changes = [(p.node, codes[min(k, len(codes) - 1)]) for p, codes in zip(every, ways, strict=True)]
        averages = k > 0 and all(code.startswith("jax.lax.pmean") for _, code in changes)
        title = f"{'Average' if averages else 'Complete'} {shown} over {over}"
        there = placed(stop.changes.each(title, changes, source, **given))
        if specs and not averages:
            title += ", and concatenate the blocks"
            there += placed(stop.changes.each(title, changes, source, out_specs=specs))
        found += [replace(one, last=averages) for one in there]
    changes = [change for part in every if (change := part.gathered(writer))]
    if len(changes) == len(every):
        gathered = stop.changes.each(f"Gather along {over} what is reduced: {shown}", changes, source, **given)
        found += [replace(gathered, last=True)] if gathered else []
    return placed(*found)


def _concatenated(stop: StoppedTrace, writer: Writer, wrong: Sequence[Wrong], out_specs: Any) -> str:
    """The out_specs with the axes added where they cut each result, or else its first dimension; empty for scalars."""
    if stop.reached.mapped is None or not all(v.aval.ndim for _, v, _, _ in wrong):
        return ""
    specs = {number: _named_too(spec, axes, v, writer) for number, v, axes, spec in wrong}
    return with_specs(stop.reached.mapped.out_specs if out_specs is None else out_specs, specs)


def _title(reducer: Reducer, over: str) -> str:
    return f"{reducer.verb} the blocks along {over}, before the return"


def _in_place(
    stop: StoppedTrace, wrong: Sequence[Wrong], given: Mapping[str, str]
) -> Callable[[Sequence[Reducer], str], list[Proposal]]:
    """Makes the change that reduces the results where they are returned."""
    written = stop.changes.results(len(stop.reached.outs), wrong[0][1])

    def reductions(reducers: Sequence[Reducer], title: str) -> list[Proposal]:
        if written is None or any(not jax.dtypes.issubdtype(v.aval.dtype, np.number) for _, v, _, _ in wrong):
            return []
        source, results = written
        changes = [
            (results[number], f"jax.lax.{reducer.function}({{}}, {quoted(axes)})")
            for reducer, (number, _, axes, _) in zip(reducers, wrong, strict=True)
        ]
        return placed(stop.changes.each(title, changes, source, **given))

    return reductions


def _named_too(spec: PartitionSpec, axes: Sequence[str], value: TracedValue, writer: Writer) -> PartitionSpec:
    listed = _jax.partitions(spec)
    entries = [() if e is None else e if isinstance(e, tuple) else (e,) for e in listed]
    entries += [()] * (value.aval.ndim - len(entries))
    for axis in axes:
        cut = (d for d in range(value.aval.ndim) if axis in axes_that_cut(value, d, writer))
        entries[next(cut, 0)] += (axis,)
    while entries and not entries[-1]:
        entries.pop()
    return PartitionSpec(*(e[0] if len(e) == 1 else e or None for e in entries))


def with_specs(specs: Any, changed: Mapping[int, PartitionSpec]) -> str:
    """The specs as code, some of them replaced."""
    leaves, tree = jax.tree.flatten(specs, is_leaf=lambda x: x is None or isinstance(x, PartitionSpec))
    if len(leaves) == 1:
        return spec_text(next(iter(changed.values())))
    for number, spec in changed.items():
        leaves[number] = spec
    return specs_code(jax.tree.unflatten(tree, leaves))
