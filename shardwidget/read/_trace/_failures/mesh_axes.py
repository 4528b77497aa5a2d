"""Mesh axes that are unknown, or Explicit."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from jax.sharding import PartitionSpec

from shardwidget import _jax
from shardwidget.document import Fix
from shardwidget.read._cuts import dims_of_spec
from shardwidget.read._entries import spec_text
from shardwidget.read._trace._failures.explanation import Explanation, auto_mesh, specs_code
from shardwidget.read._trace._failures.stopped import StoppedTrace
from shardwidget.read._trace.steps import Writer
from shardwidget.read._trace.words import joined


def unknown_axis(stop: StoppedTrace, writer: Writer) -> Explanation:
    """A name that is not an axis of the mesh."""
    del writer
    mesh = stop.mesh()
    known = [axis.name for axis in mesh.axes]
    specs, unknown = _jax.messages.unknown_axis(stop.error)
    names = [n for n in stop.reached.names if n not in known] or ([unknown] if unknown else [])
    wrong, right = (joined([repr(name) for name in part]) for part in (names, known))
    text = f"The mesh has no axis {wrong or 'of this name'}; its axes are {right}."
    value = stop.inputs[0] if stop.inputs else None
    line = stop.step.source.text if stop.step.source is not None else ""
    if specs:
        line = f"{specs}={specs_code(getattr(stop.reached.mapped, specs, None))}"
    return Explanation(text, value, names, _names_fixed(names, known, line))


def unclear_sharding(stop: StoppedTrace, writer: Writer) -> Explanation:
    """An operation whose result could be cut in several ways."""
    del writer
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
    return Explanation(text, values[0] if values else None, axes, ways)


def _names_fixed(names: Sequence[str], known: Sequence[str], line: str) -> list[Fix]:
    """The axes that there are in place of the name, the likeliest first."""
    wrong = names[0] if names else ""
    close = difflib.get_close_matches(wrong, known, n=len(known), cutoff=0.0)
    found = []
    for axis in [*close, *(a for a in known if a not in close)]:
        code = re.sub(rf"(['\"]){re.escape(wrong)}\1", repr(axis), line) if wrong and line else repr(axis)
        found.append(Fix(f"Use the axis {axis!r}", code))
    return found
