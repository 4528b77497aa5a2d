"""Arguments that cannot be cut as in_specs asks."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import jax
from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec

from shardwidget import _jax
from shardwidget._format import joined
from shardwidget._jax import Mapped
from shardwidget.document import Fix
from shardwidget.read._cuts import dims_of_spec
from shardwidget.read._entries import spec_text
from shardwidget.read._trace._failures.changes import placed
from shardwidget.read._trace._failures.explanation import (
    Explanation,
    auto_mesh,
    specs_code,
    value_of,
    without_axes,
)
from shardwidget.read._trace._failures.proposal import Proposal
from shardwidget.read._trace._failures.ranks import too_long_for_argument
from shardwidget.read._trace._failures.stopped import StoppedTrace
from shardwidget.read._trace.arguments import Change
from shardwidget.read._trace.steps import Writer


def indivisible(stop: StoppedTrace, writer: Writer) -> Explanation | None:
    """An argument that its spec does not cut evenly: pad it, or cut it another way."""
    mapped = stop.reached.mapped
    if mapped is None:
        return None
    mesh = mapped.mesh
    for number, (x, spec) in enumerate(zip(mapped.args, mapped.specs, strict=True)):
        aval = jax.typeof(x)
        for d, dim in enumerate(dims_of_spec(aval.shape, spec)):
            parts = math.prod(mesh.shape[a] for a in dim.axes)
            if aval.shape[d] % parts == 0:
                continue
            value = value_of(x, writer)
            name = value.name if value is not None else f"args[{number}]"
            size = aval.shape[d]
            text = (
                f"Dimension {d} of {name} has {size} elements, which {joined(dim.axes)} would cut into {parts} equal "
                f"blocks; {size} = {parts}·{size // parts} + {size % parts}."
            )
            ways = [*_padded(stop, number, name, d, -size % parts), *_uncut(stop, number, d, dim.axes)]
            return Explanation(text, value, dim.axes, ways)
    return None


def _padded(stop: StoppedTrace, number: int, name: str, d: int, more: int) -> list[Proposal]:
    """An argument with more elements: zeros, or its last again; and the result with as many as before."""
    assert stop.reached.mapped is not None
    aval = jax.typeof(stop.reached.mapped.args[number])
    widths = tuple((0, more if k == d else 0) for k in range(aval.ndim))
    size, node, call = aval.shape[d] + more, _argument(stop, number), stop.changes.expression
    zeros, edge = f"jnp.pad({{}}, {widths})", f"jnp.pad({{}}, {widths}, mode='edge')"
    pad, again = f"Pad {name} to {size} elements with zeros", f"Pad {name} to {size} elements with its last"
    cut = f"[{':, ' * d}:{aval.shape[d]}]"
    found = [stop.changes.wrapped(pad, node, zeros), stop.changes.wrapped(again, node, edge)]
    if node is not None and isinstance(call, ast.Call) and stop.changes.source is not None:
        start, arguments = stop.changes.source.segment(call.func), call.args
        for title, code in ((pad, zeros), (again, edge)):
            given = [stop.changes.source.segment(a) for a in arguments]
            given[number] = code.replace("{}", given[number])
            whole = f"{start}({', '.join(given)}){cut}"
            found.append(stop.changes.wrapped(f"{title}, and keep {aval.shape[d]} of the result", call, whole))
    return placed(*found)


def _uncut(stop: StoppedTrace, number: int, d: int, axes: Sequence[str]) -> list[Proposal]:
    """A dimension that is not cut: on the way in, or on the way out too."""
    mapped = stop.reached.mapped
    assert mapped is not None
    entries: list[Any] = [*_jax.partitions(mapped.specs[number])]
    entries[d] = None
    code = specs_code(mapped.in_specs_with({number: PartitionSpec(*entries)}))
    title = f"Do not cut dimension {d}: every device gets it whole"
    outs = specs_code(without_axes(mapped.out_specs, axes))
    both = stop.changes.option(f"{title}, and returns it whole", in_specs=code, out_specs=outs)
    return [replace(way, last=True) for way in (stop.changes.option(title, in_specs=code), both)]


def unlike_in_specs(stop: StoppedTrace, writer: Writer) -> Explanation | None:
    """An argument whose type differs from in_specs."""
    if _jax.messages.is_too_long(stop.error):
        return too_long_for_argument(stop, writer)
    mapped = stop.reached.mapped
    if mapped is None:
        return None
    leaves = mapped.specs
    unlike = [(k, *both) for k, spec in enumerate(leaves) if (both := _cuts(mapped, k, spec))[0] != both[1]]
    if not unlike:
        return None
    number, wanted, given = unlike[0]
    spec, aval, value = leaves[number], jax.typeof(mapped.args[number]), value_of(mapped.args[number], writer)
    names = {k: v.name if (v := value_of(mapped.args[k], writer)) is not None else f"args[{k}]" for k, *_ in unlike}
    axes = [a for w, g in zip(wanted, given, strict=True) for a in {*w} ^ {*g}]
    text = (
        f"{names[number]} is {_jax.type_text(aval)}, and in_specs asks for {spec_text(spec)}. On Explicit axes the two "
        f"must agree: reshard {joined([*names.values()])} before the call."
    )
    title = f"Reshard {joined([*names.values()])} before the call"
    there = stop.changes.each(title, _in_place(stop, names))
    before = Fix(title, _lines(stop, writer, names))
    ways = [there or Proposal(before, argument=_resharded(stop)), auto_mesh(mapped.mesh, stop.changes)]
    if any(given) and {a for g in given for a in g} <= {a for w in wanted for a in w}:
        as_cut = PartitionSpec(*(g[0] if len(g) == 1 else g or None for g in given))
        code = specs_code(mapped.in_specs_with({number: as_cut}))
        ways.insert(1, stop.changes.option(f"Take {names[number]} as it is already cut", in_specs=code))
    return Explanation(text, value, list(dict.fromkeys(axes)), ways)


def _lines(stop: StoppedTrace, writer: Writer, names: Mapping[int, str]) -> str:
    """Statements that reshard arguments: an array, or the tree that is passed, which may be a tuple.

    Args:
        stop: the program.
        writer: the steps up to there.
        names: of the arrays, by their numbers.
    """
    mapped = stop.reached.mapped
    assert mapped is not None
    lines: dict[str, None] = {}
    for number, here in enumerate(_leaves(mapped)):
        every = [value_of(mapped.args[k], writer) for k in here]
        roots = {re.split(r"[.\[]", value.name)[0] if value else "" for value in every}
        wanted = [k for k in here if k in names]
        if wanted and len(roots) == 1 and (root := roots.pop()).isidentifier():
            whole = _sharding(stop, number, names[wanted[0]])
            lines[f"{root} = jax.reshard({root}, {whole})"] = None
        else:
            on_it = {k: names[k] if _is_on_a_mesh(mapped, k) else "" for k in wanted}
            shardings = {k: stop.changes.sharding(mapped.mesh, on_it[k], spec_text(mapped.specs[k])) for k in wanted}
            lines |= {f"{names[k]} = jax.reshard({names[k]}, {sharding})": None for k, sharding in shardings.items()}
    return "\n".join(lines)


Cuts = list[tuple[str, ...]]
"""The mesh axes that cut each dimension."""


def _cuts(mapped: Any, number: int, spec: PartitionSpec) -> tuple[Cuts, Cuts]:
    """How Explicit axes cut an argument of a region, as its spec says and as its type says."""
    aval, mesh = jax.typeof(mapped.args[number]), mapped.mesh
    kinds = dict(zip(mesh.axis_names, mesh.axis_types, strict=True))
    wanted = [tuple(a for a in dim.axes if kinds[a].name == "Explicit") for dim in dims_of_spec(aval.shape, spec)]
    return wanted, [dim.axes for dim in dims_of_spec(aval.shape, aval.sharding.spec)]


def _resharded(stop: StoppedTrace) -> Change:
    """Cuts the program's own arguments as in_specs says, before the call."""
    wanted = stop.argument_shardings()

    def resharded(x: Any, number: int) -> Any:
        if number not in wanted:
            return x
        given, asked = getattr(x, "sharding", None), wanted[number]
        # What is on no mesh, such as an array of numpy, goes to that of the region.
        mesh = given.mesh if isinstance(given, NamedSharding) else stop.arguments.concrete(asked.mesh)
        new = NamedSharding(mesh, asked.spec)
        if isinstance(x, jax.ShapeDtypeStruct):
            return x.update(sharding=new)
        if isinstance(mesh, AbstractMesh):
            return jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=new)
        return jax.device_put(x, new)

    return resharded


def _in_place(stop: StoppedTrace, names: Collection[int]) -> list[tuple[ast.expr | None, str]]:
    """The arguments of the call of the region that are not cut as asked, each with what reshards it there.

    Args:
        stop: the program.
        names: the numbers of the arrays that are not.
    """
    call, mapped = stop.changes.expression, stop.reached.mapped
    assert mapped is not None
    written = call.args if isinstance(call, ast.Call) and not call.keywords else []
    if len(written) != len(mapped.given) or any(isinstance(a, ast.Starred) for a in written):
        return []
    found: list[tuple[ast.expr | None, str]] = []
    for number, here in enumerate(_leaves(mapped)):
        if not set(here).isdisjoint(names):
            is_tree = jax.tree.structure(mapped.given[number]) != jax.tree.structure(0)
            array = "jax.tree.leaves({})[0]" if is_tree else "{}"
            found.append((written[number], f"jax.reshard({{}}, {_sharding(stop, number, array)})"))
    return found


def _sharding(stop: StoppedTrace, number: int, array: str) -> str:
    """The sharding of an argument of a region, or of each array in it, as code.

    Args:
        stop: the program.
        number: of the argument.
        array: one in it, as code.
    """
    mapped = stop.reached.mapped
    assert mapped is not None
    first = [here.start for here in _leaves(mapped)][number]
    array = array if _is_on_a_mesh(mapped, first) else ""
    single = not isinstance(mapped.in_specs, tuple | list)
    specs = specs_code(mapped.in_specs if single else mapped.in_specs[number])
    if specs.startswith("P("):
        return stop.changes.sharding(mapped.mesh, array, specs)
    each = stop.changes.sharding(mapped.mesh, array, "spec")
    return specs if each == "spec" else f"jax.tree.map(lambda spec: {each}, {specs})"


def _is_on_a_mesh(mapped: Mapped, number: int) -> bool:
    return not jax.typeof(mapped.args[number]).sharding.mesh.empty


def _leaves(mapped: Mapped) -> Iterator[range]:
    """The numbers of the arrays in each argument of a region."""
    first = 0
    for argument in mapped.given:
        here = range(first, first + len(jax.tree.leaves(argument)))
        first = here.stop
        yield here


def _argument(stop: StoppedTrace, number: int) -> ast.expr | None:
    """An argument of the call of the region, where it is written as one of as many as there are leaves."""
    call = stop.changes.expression
    assert stop.reached.mapped is not None
    if not isinstance(call, ast.Call) or len(call.args) != len(stop.reached.mapped.args) or call.keywords:
        return None
    return None if any(isinstance(a, ast.Starred) for a in call.args) else call.args[number]
