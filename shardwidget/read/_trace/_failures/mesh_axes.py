"""Mesh axes that are unknown, of several kinds, or Explicit."""

from __future__ import annotations

import ast
import difflib
import itertools
from collections.abc import Callable, Sequence

from jax.sharding import PartitionSpec

from shardwidget import _jax
from shardwidget._format import joined
from shardwidget.read._cuts import dims_of_spec
from shardwidget.read._entries import spec_text, without_repeats
from shardwidget.read._trace._failures.changes import placed
from shardwidget.read._trace._failures.explanation import Explanation, auto_mesh, quoted, specs_code, vary
from shardwidget.read._trace._failures.proposal import Proposal
from shardwidget.read._trace._failures.stopped import StoppedTrace
from shardwidget.read._trace.steps import Writer

OUTSIDE = (
    "{axes} is used outside of jax.shard_map, and mesh axes have names only inside of one: move it into a function "
    "that jax.shard_map runs."
)


MIXED = (
    "{name} varies over {varying} and is the same along {same}: a collective takes axes over which its operand varies, "
    "or none of them."
)
SEVERAL = (
    "A collective takes axes along all of which its operand is of one kind: it varies, is the same on all devices, or "
    "has parts of a sum."
)


def unfitting_axes(stop: StoppedTrace, writer: Writer) -> Explanation:
    """Names of axes that an operation does not take: unknown ones, or a collective's of several kinds."""
    del writer
    return _mixed_axes(stop) if _jax.messages.is_of_mixed_axes(stop.error) else _unknown_axis(stop)


def _mixed_axes(stop: StoppedTrace) -> Explanation:
    """A collective over axes of which its operand varies over some, and is the same along others."""
    value = stop.inputs[0] if stop.inputs else None
    known = _jax.manual_types(value.aval) if value is not None else ()
    varying = [a for a in stop.reached.names if known and a in known[0]]
    same = [a for a in stop.reached.names if known and not any(a in axes for axes in known)]
    if value is None or not varying or not same:
        return Explanation(SEVERAL, value, stop.reached.names)
    call, found = stop.changes.expression, list[Proposal]()
    if isinstance(call, ast.Call):
        named = [*call.args[1:2], *(k.value for k in call.keywords if k.arg == "axis_name")]
        only = [(node, quoted(varying)) for node in named]
        found += placed(stop.changes.each(f"Name {joined(varying)} alone, over which {value.name} varies", only))
        title = f"Type {value.name} as varying over {joined(same)} first: equal copies count each"
        found += placed(stop.changes.wrapped(title, stop.changes.operand(value, 0), vary(same)))
    text = MIXED.format(name=value.name, varying=joined(varying), same=joined(same))
    return Explanation(text, value, same, found)


def _unknown_axis(stop: StoppedTrace) -> Explanation:
    """A name that is not an axis of the mesh."""
    specs, unknown = _jax.messages.unknown_axis(stop.error)
    value = stop.inputs[0] if stop.inputs else None
    if stop.reached.mapped is None and not specs:
        names = [*stop.reached.names] or [unknown] * bool(unknown)
        axes = "The axis " + joined([repr(name) for name in names]) if names else "A mesh axis"
        return Explanation(OUTSIDE.format(axes=axes), value, names, [])
    known = [axis.name for axis in stop.mesh().axes]
    names = [n for n in stop.reached.names if n not in known] or ([unknown] if unknown else [])
    wrong, right = (joined([repr(name) for name in part]) for part in (names, known))
    text = f"The mesh has no axis {wrong or 'of this name'}; its axes are {right}."
    return Explanation(text, value, names, _names_fixed(stop, names, known, specs))


def unclear_sharding(stop: StoppedTrace, writer: Writer) -> Explanation:
    """An operation whose result could be cut in several ways."""
    del writer
    values = [v for v in stop.inputs if v.aval.ndim]
    mesh = next((v.aval.sharding.mesh for v in values if not v.aval.sharding.mesh.empty), None)
    parts = [f"{v.name} is {_jax.type_text(v.aval)}" for v in values]
    dims = [[d.axes for d in dims_of_spec(v.aval.shape, v.aval.sharding.spec)] for v in values]
    axes = list(dict.fromkeys(a for one in dims for names in one for a in names))
    text = f"On Explicit axes a type says how a value is cut, and for this result that is not clear: {joined(parts)}."

    def sharding(code: str, cut: Sequence[Sequence[str]]) -> str:
        spec = spec_text(PartitionSpec(*(axes or None for axes in cut)))
        return stop.changes.sharding(mesh, code, spec)

    def resharded(title: str, number: int, cut: Sequence[Sequence[str]]) -> list[Proposal]:
        operand = stop.changes.operand(values[number], number)
        return placed(stop.changes.wrapped(title, operand, f"jax.reshard({{}}, {sharding('{}', cut)})"))

    ways = _stated(stop, dims, sharding) if len(values) == 2 else []
    for (j, one), (k, other) in itertools.permutations(enumerate(values), 2):
        if one.aval.ndim == other.aval.ndim and dims[j] != dims[k]:
            ways += resharded(f"Lay {one.name} out as {other.name} first", j, dims[k])
    for k, v in enumerate(values):
        if any(dims[k]):
            ways += resharded(f"Gather {v.name} first", k, ())
    if mesh is not None:
        ways.append(auto_mesh(mesh, stop.changes))
    return Explanation(text, values[0] if values else None, axes, ways)


def _stated(
    stop: StoppedTrace, dims: Sequence[Sequence[Sequence[str]]], sharding: Callable[[str, Sequence[Sequence[str]]], str]
) -> list[Proposal]:
    """A product, or what is taken of an array, with ``out_sharding``; none where the expression is another."""
    node, source = stop.changes.expression, stop.changes.source
    if source is None:
        return []
    if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Tuple):
        a, b = source.segment(node.value), source.segment(node.slice)
        cut = without_repeats([*dims[1], *dims[0][1:]])
        title, code = "State how what is taken is cut", f"{a}.at[{b}].get(out_sharding={sharding(a, cut)})"
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult) and len(dims[0]) > 1 and len(dims[1]) == 2:
        a, b = source.segment(node.left), source.segment(node.right)
        cut = without_repeats([*dims[0][:-1], dims[1][1]])
        title = "State how the result is cut: JAX then sums the parts"
        code = f"jnp.matmul({a}, {b}, out_sharding={sharding(a, cut)})"
    else:
        return []
    return placed(stop.changes.wrapped(title, node, code))


def _names_fixed(stop: StoppedTrace, names: Sequence[str], known: Sequence[str], specs: str) -> list[Proposal]:
    """The existing axes to use in place of the name, the likeliest first."""
    wrong = names[0] if names else ""
    close = difflib.get_close_matches(wrong, known, n=len(known), cutoff=0.0)
    found = []
    for axis in [*close, *(a for a in known if a not in close)]:
        title = f"Use the axis {axis!r}"
        if specs:
            code = specs_code(getattr(stop.reached.mapped, specs, None))
            found.append(stop.changes.option(title, **{specs: code.replace(repr(wrong), repr(axis))}))
        elif stop.changes.source is not None and stop.changes.expression is not None:
            nodes = [n for n in ast.walk(stop.changes.expression) if isinstance(n, ast.Constant) and n.value == wrong]
            found += placed(stop.changes.each(title, [(node, repr(axis)) for node in nodes]))
    return found
