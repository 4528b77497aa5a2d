"""Specs with more entries than their arrays have dimensions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import jax
from jax.sharding import PartitionSpec

from shardwidget import _jax
from shardwidget._format import joined
from shardwidget.read._entries import spec_text
from shardwidget.read._trace._failures.changes import placed
from shardwidget.read._trace._failures.explanation import Explanation, quoted, specs_code, value_of
from shardwidget.read._trace._failures.proposal import Proposal
from shardwidget.read._trace._failures.reducer import axes_that_cut
from shardwidget.read._trace._failures.results import completed, varying, varying_result
from shardwidget.read._trace._failures.stopped import StoppedTrace
from shardwidget.read._trace.draft import TracedValue
from shardwidget.read._trace.steps import Writer

TOO_LONG = "A spec has at most one entry for each dimension, and {name} has {rank}."

Long = tuple[int, TracedValue | None, int, PartitionSpec]
"""An argument or a result: its number, the value, how many dimensions it has, its spec."""


def too_long_for_argument(stop: StoppedTrace, writer: Writer) -> Explanation:
    """An argument with fewer dimensions than its spec has entries."""
    mapped = stop.reached.mapped
    specs = [] if mapped is None else mapped.specs
    arguments = [] if mapped is None else [(value_of(x, writer), jax.typeof(x).ndim) for x in mapped.args]
    wrong = list(_longer(arguments, specs))
    if mapped is None or not wrong:
        return Explanation(TOO_LONG.format(name="the value", rank="fewer"))
    number, value, rank, _ = wrong[0]
    name = f"args[{number}]" if value is None else value.name
    shorter = {k: _only(spec, range(ndim)) for k, _, ndim, spec in wrong}
    code = specs_code(mapped.in_specs_with(shorter))
    ways = [stop.changes.option(_title(name, rank, shorter[number]), in_specs=code)]
    return Explanation(TOO_LONG.format(name=name, rank=rank), value, fixes=ways)


def unfitting_result(stop: StoppedTrace, writer: Writer) -> Explanation | None:
    """A result that has fewer dimensions than its spec has entries, or that varies where its spec says it does not."""
    if not _jax.messages.is_too_long(stop.error):
        return varying_result(stop, writer)
    values = [writer.known.get(var) for var in stop.reached.outs]
    results = [
        (v if isinstance(v, TracedValue) else None, getattr(var.aval, "ndim", 0))
        for var, v in zip(stop.reached.outs, values, strict=True)
    ]
    specs = stop.reached.out_specs
    wrong = list(_longer(results, specs))
    if not wrong:
        return Explanation(TOO_LONG.format(name="the value", rank="fewer"))
    _, value, rank, _ = wrong[0]
    name = "a result" if value is None else value.name
    axes = sorted(_jax.manual_types(value.aval)[0]) if value is not None else []
    ways = [*_shortened_and_completed(stop, writer, specs, wrong), *_more_dimensions(stop, wrong)]
    return Explanation(TOO_LONG.format(name=name, rank=rank), value, axes, ways)


def _longer(values: Sequence[tuple[TracedValue | None, int]], specs: Sequence[PartitionSpec]) -> Iterator[Long]:
    for number, ((value, rank), spec) in enumerate(zip(values, specs, strict=False)):
        if len(_jax.partitions(spec)) > rank:
            yield number, value, rank, spec


def _with(given: Any, specs: Sequence[PartitionSpec], shorter: Mapping[int, PartitionSpec]) -> Any:
    """A tree of specs with some of them replaced.

    Args:
        given: the tree.
        specs: its specs, one for each array.
        shorter: the new ones, by number.
    """
    short = [shorter.get(number, spec) for number, spec in enumerate(specs)]
    leaves, tree = jax.tree.flatten(given, is_leaf=lambda x: x is None or isinstance(x, PartitionSpec))
    return jax.tree.unflatten(tree, short) if len(leaves) == len(short) else tuple(short)


def _title(name: str, rank: int, spec: PartitionSpec) -> str:
    return f"State {spec_text(spec)}, as {name} has {rank or 'no'} dimension{'s' if rank != 1 else ''}"


def _shortened_and_completed(
    stop: StoppedTrace, writer: Writer, specs: Sequence[PartitionSpec], wrong: Sequence[Long]
) -> list[Proposal]:
    """Shorter specs, and where results vary over axes that those no longer name, what completes them."""
    assert stop.reached.mapped is not None
    number, value, rank, spec = wrong[0]
    found: list[Proposal] = []
    for kept in sorted(combinations(range(len(_jax.partitions(spec))), rank), key=_unlike(value, spec, writer)):
        shorter = {k: _only(s, kept if n == 0 else range(r)) for n, (k, _, r, s) in enumerate(wrong)}
        title = _title("it" if value is None else value.name, rank, shorter[number])
        tree = _with(stop.reached.mapped.out_specs, specs, shorter)
        flat = [shorter.get(k, s) for k, s in enumerate(specs)]
        if left := list(varying(stop, writer, flat)):
            further = completed(stop, writer, left, tree)
            titles = [f"{title}; {one.fix.title[:1].lower()}{one.fix.title[1:]}" for one in further]
            found += [replace(one, fix=replace(one.fix, title=t)) for one, t in zip(further, titles, strict=True)]
        else:
            found.append(stop.changes.option(title, out_specs=specs_code(tree)))
    return found


def _only(spec: PartitionSpec, kept: Iterable[int]) -> PartitionSpec:
    entries = _jax.partitions(spec)
    return PartitionSpec(*(entries[d] for d in kept))


def _unlike(value: TracedValue | None, spec: PartitionSpec, writer: Writer) -> Callable[[tuple[int, ...]], int]:
    """How many dimensions of a value are not cut as these entries of the spec say."""
    entries = _jax.partitions(spec)

    def unlike(kept: tuple[int, ...]) -> int:
        if value is None:
            return 0
        cut = [axes_that_cut(value, d, writer) for d in range(value.aval.ndim)]
        said = [e if isinstance(e, tuple) else (e,) if e else () for e in (entries[d] for d in kept)]
        return sum(axes != given for axes, given in zip(cut, said, strict=True))

    return unlike


def _more_dimensions(stop: StoppedTrace, wrong: Sequence[Long]) -> list[Proposal]:
    """Results with one more dimension, as they are, or summed along the axes that their specs do not name."""
    values = [value for _, value, _, _ in wrong if value is not None]
    written = stop.changes.results(len(stop.reached.outs), values[0]) if len(values) == len(wrong) else None
    if written is None:
        return []
    source, results = written
    name, bare = values[0].name, [results[number] for number, *_ in wrong]
    longer = [(node, f"{source.operand(node)}[None]") for node in bare]
    found = [stop.changes.each(f"Give {name} a dimension, along which blocks are concatenated", longer, source)]
    axes = sorted({a for v in values if not v.aval.ndim for a in _jax.manual_types(v.aval)[0]})
    if axes and all(not v.aval.ndim for v in values):
        summed = [(node, f"jax.lax.psum({source.segment(node)}, {quoted(axes)})[None]") for node in bare]
        found.append(stop.changes.each(f"Sum {name} over {joined(axes)}, and give it a dimension", summed, source))
    return placed(*found)
