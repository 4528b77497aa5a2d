"""Results that do not match their out_specs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax.sharding import PartitionSpec

from shardwidget import _jax
from shardwidget.collectives import COMPLETIONS, Reducer
from shardwidget.document import Fix
from shardwidget.read._entries import spec_text
from shardwidget.read._trace._failures.changes import placed
from shardwidget.read._trace._failures.explanation import Explanation, quoted, specs_code
from shardwidget.read._trace._failures.reducer import completing_reducer
from shardwidget.read._trace._failures.stopped import StoppedTrace
from shardwidget.read._trace.draft import TracedValue
from shardwidget.read._trace.steps import Writer
from shardwidget.read._trace.words import joined
from shardwidget.read._trace.written import equal_along


def varying_result(stop: StoppedTrace, writer: Writer) -> Explanation | None:
    """A result that varies over an axis along which its spec states that it is the same."""
    own = writer.stopped.region.axes if writer.stopped is not None and writer.stopped.region is not None else ()
    if _jax.messages.is_too_long(stop.error):
        return too_long(stop)
    wrong = list(_wrong(stop, writer, own))
    if not wrong:
        return None
    number, value, axes, spec = wrong[0]
    what = f"{value.name}, result {number + 1}," if len(stop.reached.outs) > 1 else value.name
    text = (
        f"{spec_text(spec)} promises that {what} is the same block along {joined(axes)}, but its type "
        f"{_jax.type_text(value.aval)} says that it varies over {joined(axes)}."
    )
    return Explanation(text, value, axes, _fixes(stop, writer, wrong))


Wrong = tuple[int, TracedValue, list[str], PartitionSpec]
"""A result: its number, the value, axes over which it varies and should not, its spec."""


def _wrong(stop: StoppedTrace, writer: Writer, own: Sequence[str]) -> Iterator[Wrong]:
    for number, (var, spec) in enumerate(zip(stop.reached.outs, stop.reached.out_specs, strict=True)):
        named = {
            a for entry in _jax.partitions(spec) if entry for a in (entry if isinstance(entry, tuple) else (entry,))
        }
        varying = _jax.manual_types(var.aval)[0]
        axes = [axis for axis in own if axis in varying and axis not in named]
        value = writer.known.get(var)
        if axes and isinstance(value, TracedValue):
            yield number, value, axes, spec


def _equal_along(writer: Writer, value: TracedValue, axes: Sequence[str]) -> bool:
    assert writer.written is not None
    assert value.region is not None
    assert value.site is not None
    return equal_along(writer.written, writer.meshes[value.region], value.site, value.slots, axes)


def too_long(stop: StoppedTrace) -> Explanation:
    """A spec with more entries than its array has dimensions."""
    value = stop.inputs[0] if stop.inputs else None
    name = value.name if value is not None else "the value"
    rank = value.aval.ndim if value is not None else 0
    text = f"A spec has at most one entry for each dimension, and {name} has {rank}."
    if value is None or stop.kind == "in_specs":
        return Explanation(text, value)
    varying = sorted(_jax.manual_types(value.aval)[0])
    return Explanation(text, value, varying, _fixes_of_rank(stop, value, varying))


def _fixes(stop: StoppedTrace, writer: Writer, wrong: Sequence[Wrong]) -> list[Fix]:
    """Results that vary where their specs state that they do not; the change that completes them comes first."""
    over = joined(wrong[0][2])
    reductions = _in_place(stop, wrong)
    found: list[Fix] = []
    mapped = stop.reached.mapped
    if mapped is not None and all(v.aval.ndim for _, v, _, _ in wrong):
        specs = {number: _named_too(spec, axes, v.aval.ndim) for number, v, axes, spec in wrong}
        title = f"Concatenate the blocks along {over}: add that to out_specs"
        found.append(stop.changes.option("out_specs", _with_specs(mapped.out_specs, specs), title))
    if all(_equal_along(writer, v, a) for _, v, a, _ in wrong):
        maximum = [COMPLETIONS["reduce_max"].reducer] * len(wrong)
        found += reductions(maximum, f"The blocks are equal along {over}: their maximum is typed as the same")
        title = "The blocks are equal in this run: turn the check off, and ensure it yourself"
        found.append(stop.changes.option("check_vma", "False", title))
    completing = [completing_reducer(writer, v, a) for _, v, a, _ in wrong]
    known = [reducer for reducer in completing if reducer is not None]
    if len(known) == len(wrong):
        found = reductions(known, _title(known[0], over)) + found
    total = COMPLETIONS["reduce_sum"]
    for reducer in filter(None, (total.reducer, total.mean)):
        if any(reducer != one for one in completing):
            found += reductions([reducer] * len(wrong), _title(reducer, over))
    return found


def _title(reducer: Reducer, over: str) -> str:
    return f"{reducer.verb} the blocks along {over}, before the return"


def _in_place(stop: StoppedTrace, wrong: Sequence[Wrong]) -> Callable[[Sequence[Reducer], str], list[Fix]]:
    """Makes the change that reduces the results where they are returned."""
    written = stop.changes.results(len(stop.reached.outs), wrong[0][1])

    def reductions(reducers: Sequence[Reducer], title: str) -> list[Fix]:
        if written is None or any(not jax.dtypes.issubdtype(v.aval.dtype, np.number) for _, v, _, _ in wrong):
            return []
        source, results = written
        changes = [
            (results[number], f"jax.lax.{reducer.function}({{}}, {quoted(axes)})")
            for reducer, (number, _, axes, _) in zip(reducers, wrong, strict=True)
        ]
        return placed(stop.changes.each(title, changes, source))

    return reductions


def _named_too(spec: PartitionSpec, axes: Sequence[str], rank: int) -> PartitionSpec:
    entries: list[Any] = [*_jax.partitions(spec), *[None] * (rank - len(_jax.partitions(spec)))]
    first = entries[0]
    names = [*(() if first is None else first if isinstance(first, tuple) else (first,)), *axes]
    entries[0] = tuple(names) if len(names) > 1 else names[0]
    while entries and entries[-1] is None:
        entries.pop()
    return PartitionSpec(*entries)


def _with_specs(specs: Any, changed: Mapping[int, PartitionSpec]) -> str:
    """The specs as code, some of them replaced."""
    leaves, tree = jax.tree.flatten(specs, is_leaf=lambda x: x is None or isinstance(x, PartitionSpec))
    if len(leaves) == 1:
        return spec_text(next(iter(changed.values())))
    for number, spec in changed.items():
        leaves[number] = spec
    return specs_code(jax.tree.unflatten(tree, leaves))


def _fixes_of_rank(stop: StoppedTrace, value: TracedValue, axes: Sequence[str]) -> list[Fix]:
    """A result with too few dimensions for its spec."""
    written = stop.changes.results(1, value)
    if written is None:
        return []
    source, (result,) = written
    held = source.operand(result)
    found = [(f"Give {value.name} a dimension, along which blocks are concatenated", f"{held}[None]")]
    if axes and not value.aval.ndim:
        total = f"jax.lax.psum({source.segment(result)}, {quoted(axes)})[None]"
        found.append((f"Sum it over {joined(axes)} first", total))
    return placed(*(stop.changes.wrapped(title, result, code, source) for title, code in found))
