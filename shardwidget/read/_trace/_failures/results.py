"""Results that are not what their out_specs say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
from jax.sharding import PartitionSpec

from shardwidget import _jax
from shardwidget.document import Fix
from shardwidget.read._entries import spec_text
from shardwidget.read._trace._failures.explanation import Explanation, quoted, specs_code
from shardwidget.read._trace._failures.stopped import StoppedTrace
from shardwidget.read._trace.draft import TracedValue
from shardwidget.read._trace.steps import Writer
from shardwidget.read._trace.words import joined
from shardwidget.read._trace.written import equal_along


def varying_result(stop: StoppedTrace, writer: Writer) -> Explanation | None:
    """A result that varies over an axis along which its spec says that it is the same."""
    reached = stop.reached
    own = writer.stopped.region.axes if writer.stopped is not None and writer.stopped.region is not None else ()
    if _jax.messages.is_too_long(stop.error):
        return too_long(stop)
    for number, (var, spec) in enumerate(zip(reached.outs, reached.out_specs, strict=True)):
        named = {
            a for entry in _jax.partitions(spec) if entry for a in (entry if isinstance(entry, tuple) else (entry,))
        }
        varying = _jax.manual_types(var.aval)[0]
        axes = [axis for axis in own if axis in varying and axis not in named]
        value = writer.known.get(var)
        if not axes or not isinstance(value, TracedValue):
            continue
        what = f"{value.name}, result {number + 1}," if len(reached.outs) > 1 else value.name
        text = (
            f"{spec_text(spec)} promises that {what} is the same block along {joined(axes)}, but its type "
            f"{_jax.type_text(value.aval)} says that it varies over {joined(axes)}."
        )
        equal = writer.written is not None and _equal_along(writer, value, axes)
        return Explanation(text, value, axes, _fixes(value, axes, spec, number, reached.mapped, equal))
    return None


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
    text = f"A spec has an entry for each dimension at most, and {name} has {rank}."
    if value is None or stop.kind == "in_specs":
        return Explanation(text, value)
    varying = sorted(_jax.manual_types(value.aval)[0])
    return Explanation(text, value, varying, _fixes_of_rank(value, varying))


def _fixes(
    value: TracedValue, axes: Sequence[str], spec: PartitionSpec, number: int, mapped: _jax.Mapped | None, equal: bool
) -> list[Fix]:
    """A result that varies where its spec says that it does not."""
    found: list[Fix] = []
    if value.aval.ndim and mapped is not None:
        code = _with_spec(mapped.out_specs, number, _named_too(spec, axes, value.aval.ndim))
        found.append(Fix(f"Concatenate the blocks along {joined(axes)}: say so in out_specs", f"out_specs={code}"))
    if equal:
        reduce = f"{value.name} = jax.lax.pmax({value.name}, {quoted(axes)})"
        found.append(Fix(f"The blocks are equal along {joined(axes)}: their maximum is typed as the same", reduce))
        found.append(
            Fix("The blocks are equal in this run: turn the check off, and answer for it yourself", "check_vma=False")
        )
    for name, title in (("psum", "Sum"), ("pmean", "Average")):
        code = f"{value.name} = jax.lax.{name}({value.name}, {quoted(axes)})"
        found.append(Fix(f"{title} the blocks along {joined(axes)}, before the return", code))
    return found


def _named_too(spec: PartitionSpec, axes: Sequence[str], rank: int) -> PartitionSpec:
    entries: list[Any] = [*_jax.partitions(spec), *[None] * (rank - len(_jax.partitions(spec)))]
    first = entries[0]
    names = [*(() if first is None else first if isinstance(first, tuple) else (first,)), *axes]
    entries[0] = tuple(names) if len(names) > 1 else names[0]
    while entries and entries[-1] is None:
        entries.pop()
    return PartitionSpec(*entries)


def _with_spec(specs: Any, number: int, spec: PartitionSpec) -> str:
    """The specs as code, one of them replaced."""
    leaves, tree = jax.tree.flatten(specs, is_leaf=lambda x: x is None or isinstance(x, PartitionSpec))
    if len(leaves) == 1:
        return spec_text(spec)
    leaves[number] = spec
    return specs_code(jax.tree.unflatten(tree, leaves))


def _fixes_of_rank(value: TracedValue, axes: Sequence[str]) -> list[Fix]:
    """A result with too few dimensions for its spec."""
    found = [
        Fix(f"Give {value.name} a dimension, along which blocks are concatenated", f"{value.name} = {value.name}[None]")
    ]
    if axes and not value.aval.ndim:
        total = f"{value.name} = jax.lax.psum({value.name}, {quoted(axes)})[None]"
        found.append(Fix(f"Sum it over {joined(axes)} first", total))
    return found
