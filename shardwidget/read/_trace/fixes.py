"""Changes that make a failing program run, as code."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Sequence
from typing import Any

import jax
from jax.sharding import PartitionSpec

from shardwidget import _jax
from shardwidget.document import Fix
from shardwidget.read._cuts import dims_of_spec
from shardwidget.read._trace.draft import Value
from shardwidget.read._trace.words import joined, spec_text


def quoted(axes: Sequence[str]) -> str:
    """Axis names as an argument: ``'x'`` or ``('x', 'y')``."""
    return repr(axes[0]) if len(axes) == 1 else repr(tuple(axes))


def vary(name: str, axes: Sequence[str], where: str) -> Fix:
    """Types a value as varying."""
    return Fix(
        f"Type {name} as varying over {joined(axes)}, {where}: nothing is sent",
        f"{name} = jax.lax.pcast({name}, {quoted(axes)}, to='varying')",
    )


def auto_mesh(mesh: Any) -> Fix:
    """A mesh whose axes are all Auto."""
    sizes, names = tuple(mesh.shape.values()), tuple(map(str, mesh.axis_names))
    return Fix(
        "Make a mesh of Auto axes: shardings are not part of types then",
        f"mesh = jax.make_mesh({sizes}, {names}, axis_types=(jax.sharding.AxisType.Auto,) * {len(names)})",
    )


def for_out_specs(
    value: Value, axes: Sequence[str], spec: PartitionSpec, number: int, mapped: Any, equal: bool
) -> list[Fix]:
    """A result that varies where its spec says that it does not."""
    found: list[Fix] = []
    if value.aval.ndim:
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


def specs_code(specs: Any) -> str:
    """A tree of specs as it is written."""
    leaves, tree = jax.tree.flatten(specs, is_leaf=lambda x: x is None or isinstance(x, PartitionSpec))
    return repr(jax.tree.unflatten(tree, [None if leaf is None else _Code(spec_text(leaf)) for leaf in leaves]))


class _Code(str):
    __slots__ = ()
    __repr__ = str.__str__


def for_shapes(stop: Any, writer: Any) -> tuple[list[Fix], list[str]]:
    """Blocks that do not fit: gather along the axis by which they differ, or cut both alike."""
    values, mesh = stop.inputs, getattr(stop.reached.mapped, "mesh", None)
    if len(values) != 2 or mesh is None:
        return [], []
    found, axes = [], []
    for one, other in (values, values[::-1]):
        for d, size in _wanted(one, other, values, stop.error):
            cutting = _cutting(one, d, writer)
            for k in range(len(cutting)):  # The last axes are the ones that blocks next to each other differ by.
                gathered = cutting[k:]
                if one.aval.shape[d] * math.prod(mesh.shape[a] for a in gathered) == size:
                    axes += gathered
                    code = f"{one.name} = jax.lax.all_gather({one.name}, {quoted(gathered)}, axis={d}, tiled=True)"
                    cuts = "cut" if len(gathered) > 1 else "cuts"
                    title = f"Gather {one.name} along {joined(gathered)}, which {cuts} its dimension {d}"
                    found.append(Fix(title, code))
    alike = _alike(values, writer, stop.error)
    return ([alike, *found] if alike else found), list(dict.fromkeys(axes))


def _wanted(one: Value, other: Value, both: Sequence[Value], error: Exception) -> list[tuple[int, int]]:
    """Dimensions of a value, and the sizes that the other operand wants them to have."""
    rank = one.aval.ndim
    if _jax.messages.is_contraction(error):
        inner = (rank - 1, -2 if other.aval.ndim > 1 else -1) if one is both[0] else (max(rank - 2, 0), -1)
        return [(inner[0], other.aval.shape[inner[1]])]
    return [(d, other.aval.shape[d]) for d in range(rank)] if rank == other.aval.ndim else []


def _cutting(value: Value, d: int, writer: Any) -> tuple[str, ...]:
    """Axes that cut a dimension of a block, where that is certain: of an argument of the region, as its spec says.

    What is computed element by element from such blocks is cut as they are. Of any other value nothing is known.
    """
    step = next((step for step in writer.steps if value in step.outputs), None)
    if step is not None and step.kind == "in_specs":
        spec = step.about["node"].control.in_specs[step.outputs.index(value)]
        return dims_of_spec(value.aval.shape, spec)[d].axes
    if step is not None and step.primitive in _jax.ELEMENTWISE:
        found = {_cutting(v, d, writer) for v in step.inputs if v.aval.shape == value.aval.shape}
        return found.pop() if len(found) == 1 else ()
    return ()


def _alike(values: Sequence[Value], writer: Any, error: Exception) -> Fix | None:
    """The in_specs with both operands cut so that their blocks fit, where both are arguments of the region.

    Elementwise operands of one shape are cut alike; of a matrix product the rows of the second as the columns of the
    first are.
    """
    first = next((s for s in reversed(writer.steps) if s.kind == "in_specs"), None)
    if first is None or not all(v in first.outputs for v in values):
        return None
    node = first.about["node"]
    one, other = (first.outputs.index(v) for v in values)
    shapes = [v.aval.shape for v in node.eqn.invars]
    given = list(node.control.in_specs)
    if _jax.messages.is_contraction(error):
        rank = len(shapes[other])
        if rank < 2 or shapes[one][-1] != shapes[other][-2]:
            return None
        inner = dims_of_spec(shapes[one], given[one])[-1].axes
        entries: list[Any] = [
            tuple(a for a in dim.axes if a not in inner) or None for dim in dims_of_spec(shapes[other], given[other])
        ]
        entries[-2] = inner or None
        given[other] = PartitionSpec(*(e[0] if e and len(e) == 1 else e for e in entries))
        title = f"Cut the rows of {values[1].name} as the columns of {values[0].name} are"
    elif shapes[one] == shapes[other] and values[0].aval.ndim:
        given[other] = given[one]
        title = f"Cut {values[1].name} as {values[0].name} is"
    else:
        return None
    return Fix(title, f"in_specs=({', '.join(map(spec_text, given))})")


def for_rank(value: Value, axes: Sequence[str]) -> list[Fix]:
    """A result with too few dimensions for its spec."""
    found = [
        Fix(f"Give {value.name} a dimension, along which blocks are concatenated", f"{value.name} = {value.name}[None]")
    ]
    if axes and not value.aval.ndim:
        total = f"{value.name} = jax.lax.psum({value.name}, {quoted(axes)})[None]"
        found.append(Fix(f"Sum it over {joined(axes)} first", total))
    return found


def for_indivisible(stop: Any, writer: Any) -> Any:
    """An argument that its spec does not cut evenly: pad it, or cut it otherwise."""
    mapped = stop.reached.mapped
    mesh = mapped.mesh
    leaves = flat_specs(mapped.in_specs, len(mapped.args))
    for number, (x, spec) in enumerate(zip(mapped.args, leaves, strict=True)):
        aval = jax.typeof(x)
        for d, dim in enumerate(dims_of_spec(aval.shape, spec)):
            parts = math.prod(mesh.shape[a] for a in dim.axes)
            if aval.shape[d] % parts == 0:
                continue
            value = _value_of(x, stop, writer, number)
            name = value.name if value is not None else f"args[{number}]"
            size = aval.shape[d]
            more = -size % parts
            widths = [(0, more if k == d else 0) for k in range(aval.ndim)]
            entries = [tuple(e.axes) if k != d else () for k, e in enumerate(dims_of_spec(aval.shape, spec))]
            whole = PartitionSpec(*(e[0] if len(e) == 1 else e or None for e in entries))
            code = ", ".join(spec_text(whole if k == number else s) for k, s in enumerate(leaves))
            text = (
                f"Dimension {d} of {name} has {size} elements, which {joined(dim.axes)} would cut into {parts} equal "
                f"blocks; {size} = {parts}·{size // parts} + {size % parts}."
            )
            uncut = f"in_specs=({code}{',' * (len(leaves) == 1)})"
            ways = [
                Fix(f"Pad {name} to {size + more} elements", f"{name} = jnp.pad({name}, {tuple(widths)})"),
                Fix(f"Do not cut dimension {d}: every device gets it whole", uncut),
            ]
            return value, dim.axes, text, ways
    return None, (), "", ()


def for_in_specs(stop: Any, writer: Any) -> Any:
    """An argument typed otherwise than in_specs says."""
    mapped = stop.reached.mapped
    leaves = flat_specs(mapped.in_specs, len(mapped.args))
    kinds = dict(zip(mapped.mesh.axis_names, mapped.mesh.axis_types, strict=True))
    for number, (x, spec) in enumerate(zip(mapped.args, leaves, strict=True)):
        aval = jax.typeof(x)
        wanted = [tuple(a for a in dim.axes if kinds[a].name == "Explicit") for dim in dims_of_spec(aval.shape, spec)]
        given = [dim.axes for dim in dims_of_spec(aval.shape, aval.sharding.spec)]
        if wanted == given:
            continue
        value = _value_of(x, stop, writer, number)
        name = value.name if value is not None else f"args[{number}]"
        axes = [a for w, g in zip(wanted, given, strict=True) for a in {*w} ^ {*g}]
        text = (
            f"The mesh's axes are Explicit, so the type of {name}, {_jax.type_text(aval)}, says how it is cut; "
            f"in_specs says {spec_text(spec)}."
        )
        sharding = f"jax.NamedSharding(mesh, {spec_text(spec)})"
        ways = [
            Fix(f"Reshard {name} before the call", f"{name} = jax.reshard({name}, {sharding})"),
            auto_mesh(mapped.mesh),
        ]
        if any(given) and {a for g in given for a in g} <= {a for w in wanted for a in w}:
            spec_of = spec_text(PartitionSpec(*(g[0] if len(g) == 1 else g or None for g in given)))
            code = ", ".join(spec_of if k == number else spec_text(s) for k, s in enumerate(leaves))
            ways.insert(1, Fix(f"Take {name} as it is cut", f"in_specs=({code}{',' * (len(leaves) == 1)})"))
        return value, list(dict.fromkeys(axes)), text, ways
    return None, (), "", ()


def for_sharding_type(stop: Any, writer: Any) -> Any:
    """An operation whose result could be cut in several ways."""
    values = stop.inputs
    mesh = next((v.aval.sharding.mesh for v in values if not v.aval.sharding.mesh.empty), None)
    parts = [f"{v.name} is {_jax.type_text(v.aval)}" for v in values]
    axes = list(
        dict.fromkeys(a for v in values for dim in dims_of_spec(v.aval.shape, v.aval.sharding.spec) for a in dim.axes)
    )
    text = f"On Explicit axes a type says how a value is cut, and for this result that is not clear: {joined(parts)}."
    ways = []
    product = re.fullmatch(r"(\w+) = (\w+) @ (\w+)", stop.step.source.text if stop.step.source is not None else "")
    if product and len(values) == 2 and all(v.aval.ndim == 2 for v in values):
        rows, columns = (dims_of_spec(v.aval.shape, v.aval.sharding.spec)[d].axes for d, v in enumerate(values))
        spec = spec_text(PartitionSpec(rows or None, tuple(a for a in columns if a not in rows) or None))
        out, a, b = product.groups()
        code = f"{out} = jnp.matmul({a}, {b}, out_sharding=jax.NamedSharding(mesh, {spec}))"
        ways.append(Fix("Say how the result is cut: JAX then sums the parts", code))
    for v in values:
        if any(dim.axes for dim in dims_of_spec(v.aval.shape, v.aval.sharding.spec)):
            code = f"{v.name} = jax.reshard({v.name}, jax.NamedSharding(mesh, P()))"
            ways.append(Fix(f"Gather {v.name} first", code))
    if mesh is not None:
        ways.append(auto_mesh(mesh))
    return (values[0] if values else None), axes, text, ways


def for_axis_name(names: Sequence[str], known: Sequence[str], line: str) -> list[Fix]:
    """A name that is no axis: those that are, the likeliest first."""
    wrong = names[0] if names else ""
    close = difflib.get_close_matches(wrong, known, n=len(known), cutoff=0.0)
    found = []
    for axis in [*close, *(a for a in known if a not in close)]:
        code = re.sub(rf"(['\"]){re.escape(wrong)}\1", repr(axis), line) if wrong and line else repr(axis)
        found.append(Fix(f"Use the axis {axis!r}", code))
    return found


def explicit_spec(x: Any, spec: PartitionSpec, mesh: Any) -> PartitionSpec:
    """What a spec says of Explicit axes: the part that a type has to say, too."""
    kinds = dict(zip(mesh.axis_names, mesh.axis_types, strict=True))
    dims = dims_of_spec(jax.typeof(x).shape, spec)
    return PartitionSpec(*(tuple(a for a in dim.axes if kinds[a].name == "Explicit") or None for dim in dims))


def flat_specs(specs: Any, count: int) -> list[PartitionSpec]:
    """A spec for each flat argument."""
    leaves = jax.tree.leaves(specs, is_leaf=lambda x: x is None or isinstance(x, PartitionSpec))
    leaves = [PartitionSpec() if spec is None else spec for spec in leaves]
    return leaves * count if len(leaves) == 1 and count > 1 else leaves


def _value_of(x: Any, stop: Any, writer: Any, number: int) -> Value | None:
    value = writer.known.get(getattr(x, "val", None))
    return value if isinstance(value, Value) else None
