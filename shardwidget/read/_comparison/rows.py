"""Rows of a comparison, from the results of the three ways of asking."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Sequence, Set
from typing import Any, Literal

from jax.sharding import AxisType

from shardwidget import _jax
from shardwidget.document import Compared, Dim, Failure, Fix, HloCollective, Layout, Row, Source
from shardwidget.read._comparison.concrete import Concrete
from shardwidget.read._comparison.explicit import Explicit, Stopped
from shardwidget.read._comparison.fix import Fixed
from shardwidget.read._comparison.lowered import ValuePlacement, unseen
from shardwidget.read._comparison.specs import explained
from shardwidget.read._comparison.tree import Line
from shardwidget.read._entries import Entries, entries, entries_text, spec_of
from shardwidget.read._jaxpr.rewrite import source_text
from shardwidget.read._jaxpr.sources import own_frame, shown_name, source_of
from shardwidget.read._jaxpr.syntax import span_of
from shardwidget.read._jaxpr.value import Value
from shardwidget.read._parts import in_parts, takes_no_parts

CONSTANT = "A constant: each device makes the part that it needs, wherever it is used."

Decision = Literal["", "reshard", "with_sharding_constraint", "out_sharding", "device_put"]


def row_of(
    line: Line,
    number: int,
    explicit: Explicit,
    concrete: Concrete | None,
) -> Row:
    """The row of an equation.

    Args:
        line: the equation.
        number: its index.
        explicit: the types on an Explicit mesh.
        concrete: the compiled program, if there is one.
    """
    places = concrete.places.get(number, {}) if concrete else {}
    collectives = concrete.caused.get(number, ()) if concrete else ()
    types = explicit.types.get(number, ())
    said = number in explicit.types or any(stop.chosen < 0 for stop in explicit.stops.values())
    values = tuple(
        compared(
            value,
            types[k] if k < len(types) else None,
            places.get(k),
            local=line.local,
            unseen=unseen(line, line.eqn.outvars[k]) if concrete else "",
            unsaid="" if said else "On an Explicit mesh JAX has other equations here.",
        )
        for k, value in enumerate(line.outputs)
    )
    stopped = explicit.stops.get(number)
    decision = decision_of(line)
    remark, wasted = ("", 0) if decision else _gathered(line, [c for _, c in collectives])
    return Row(
        primitive=_jax.name_of(line.eqn),
        values=values,
        source=line.source,
        library=source_of(line.frames[0]) if line.frames and own_frame(line.frames) is not line.frames[0] else None,
        inputs=tuple(v.name for v in line.inputs if isinstance(v, Value)),
        scope=line.scope,
        decision=decision,
        called_from=_caller_of(line) if decision else None,
        error=None if stopped is None else failure_of(stopped, line),
        collectives=tuple(k for k, _ in collectives),
        remark=remark,
        wasted_bytes=wasted,
        inspected=bool(places) and concrete is not None and number in concrete.disturbed,
    )


def compared(
    value: Value,
    type_: Any,
    put: ValuePlacement | None,
    *,
    local: bool,
    unseen: str,
    unsaid: str,
) -> Compared:
    """One value, three ways."""
    aval = value.aval
    explicit = None if type_ is None else typed(type_)
    auto = _jax.type_text(aval) if local else _jax.plain_text(aval)
    _, unreduced, _ = _jax.manual_types(aval)
    concrete = None if put is None else placed(put, aval.shape, tuple(unreduced) if not local else ())
    agreement, note = ("", unseen) if unseen else difference(explicit, concrete, single_axes(type_))
    if value.is_constant and agreement == "differs":
        agreement, note = "", CONSTANT
    return Compared(
        name=value.name,
        shape=tuple(aval.shape),
        dtype=str(aval.dtype),
        bits=8 * getattr(aval.dtype, "itemsize", 0),
        explicit=explicit,
        auto=auto,
        concrete=concrete,
        agreement=agreement,
        note=note or unsaid,
    )


def typed(aval: Any) -> Layout:
    """A type as the document states it."""
    sharding: Any = getattr(aval, "sharding", None)
    explicit = sharding is not None and AxisType.Explicit in sharding.mesh.axis_types
    dims = _dims(aval.shape, entries(sharding.spec, len(aval.shape))) if explicit and sharding else None
    _, unreduced, reduced = _jax.manual_types(aval)
    order = [] if sharding is None else list(sharding.mesh.axis_names)
    return Layout(_jax.type_text(aval), dims, *(tuple(a for a in order if a in axes) for axes in (unreduced, reduced)))


def placed(put: ValuePlacement, shape: Sequence[int], unreduced: Sequence[str] = ()) -> Layout:
    """What the compiled program does.

    Args:
        put: where it puts the value.
        shape: of the value.
        unreduced: axes on which its type in this same program says that parts are still to be added: there the
            compiler follows the type, and the sharding that it reports does not show it.
    """
    if put.dims is None:
        return Layout(put.text)
    axes = put.unreduced or tuple(unreduced)
    text = str(spec_of(put.dims, axes)) if axes else entries_text(put.dims)
    return Layout(text, _dims(shape, put.dims), axes)


def difference(
    explicit: Layout | None, concrete: Layout | None, single: Set[str]
) -> tuple[Literal["same", "differs", "silent", ""], str]:
    """How a type and a placement agree, and what differs in words.

    Args:
        explicit: the type.
        concrete: the placement.
        single: mesh axes of one device, over which nothing is split.
    """
    if explicit is None or concrete is None or concrete.dims is None or explicit.unreduced:
        return "", ""
    if explicit.dims is None:
        return "silent", ""
    notes = []
    for d, (said, done) in enumerate(zip(explicit.dims, concrete.dims, strict=True)):
        theirs, ours = ([a for a in dim.axes if a not in single] for dim in (said, done))
        more = [a for a in ours if a not in theirs]
        less = [a for a in theirs if a not in ours]
        if more:
            notes.append(
                f"dim {d} is split over {' and '.join(more)} too"
                if theirs
                else f"dim {d} is split over {' and '.join(more)}"
            )
        if less:
            notes.append(f"dim {d} is not split over {' and '.join(less)}")
        if not more and not less and theirs != ours:
            notes.append(f"dim {d} is split over {' then '.join(ours)}")
    return ("differs", f"In memory {', '.join(notes)}.") if notes else ("same", "")


def single_axes(aval: Any) -> frozenset[str]:
    """Axes of one device of the mesh that a type is on."""
    sharding = getattr(aval, "sharding", None)
    return frozenset() if sharding is None else frozenset(a for a, n in sharding.mesh.shape.items() if n == 1)


def _caller_of(line: Line) -> Source | None:
    """The user's line that calls a helper that an equation is from: a function whose own parameter it constrains."""
    own = [f for f in line.frames if not _jax.is_library_file(f.file_name)]
    text = source_text(own[0].file_name) if own else None
    node = text.expression(span_of(own[0])) if text is not None else None
    if text is None or not isinstance(node, ast.Call) or not text.takes(node, node.args):
        return None
    sources = [source_of(f) for f in own]
    return next((s for s in sources if (s.file, s.line) != (sources[0].file, sources[0].line)), None)


def decision_of(line: Line) -> Decision:
    """The user's own decision about sharding that an equation carries."""
    name, params = _jax.name_of(line.eqn), line.eqn.params
    if name == "reshard":
        return "reshard" if _jax.calls_reshard(line.eqn) else ""
    if name == "sharding_constraint":
        return "with_sharding_constraint"
    if name == "device_put":
        return "device_put"
    # Differentiation writes out_sharding= into products of its own.
    return "out_sharding" if params.get("out_sharding") is not None and not line.derived else ""


def failure_of(stopped: Stopped, line: Line | None) -> Failure:
    """A refusal as the document states it."""
    error = stopped.error
    axes, explanation = ((), "") if line is None else _explained(line, stopped)
    fixes = tuple(map(fix_of, stopped.fixes)) or tuple(change.fix for change in stopped.rewritten)
    return Failure(type(error).__name__, str(error), explanation, axes, fixes, stopped.chosen)


def fix_of(fix: Fixed) -> Fix:
    """A fix as the document states it."""
    way, edit, price = fix.way, fix.edit, fix.price
    return Fix(
        way.title,
        edit.code if edit else way.code,
        shown_name(edit.file) if edit else "",
        edit.first if edit else 0,
        edit.last - edit.first + 1 if edit else 0,
        typed(fix.type),
        price.communication if price else "",
        price.bytes if price else 0,
    )


def _explained(line: Line, stopped: Stopped) -> tuple[tuple[str, ...], str]:
    """The axes in question, and why."""
    known = [(line.operand_name(k), t) for k, t in enumerate(stopped.operands) if t is not None]
    split = {id(t): entries(t.sharding.spec, t.ndim) for _, t in known}
    if _jax.name_of(line.eqn) == "dot_general" and len(known) == 2:
        (lc, rc), _ = line.eqn.params["dimension_numbers"]
        (left, lt), (right, rt) = known
        mine = [a for k in lc for a in split[id(lt)][k]]
        theirs = [a for k in rc for a in split[id(rt)][k]]
        both = tuple(a for a in mine if a in theirs)
        if both:
            return both, (
                f"{left} and {right} are both split over {_and(both)} along the dimension that is summed: "
                "every device has a part of the sum, and the types do not determine how the parts are added."
            )
        if mine or theirs:
            return tuple(dict.fromkeys(mine + theirs)), (
                f"Along the dimension that is summed {left} is {_over(mine)} and {right} is {_over(theirs)}: "
                "the blocks do not match."
            )
    if _jax.messages.is_of_parts(stopped.error) and (parts := [(n, t) for n, t in known if t.sharding.spec.unreduced]):
        name, of = parts[0]
        over = tuple(a for a in of.sharding.mesh.axis_names if a in of.sharding.spec.unreduced)
        return over, f"{in_parts(name, of, over)}, and {takes_no_parts(_jax.name_of(line.eqn), stopped.error)}."
    said = explained(stopped.error)
    if said[1]:
        return said
    layouts = {split[id(t)] for _, t in known if any(split[id(t)])}
    # Where those that are split are split alike, it is another that is not.
    told = {name: t for name, t in known if t.ndim and (len(layouts) == 1 or any(split[id(t)]))}
    words = [f"{name} is {_type_text(line, name, t)}" for name, t in told.items()]
    axes = tuple(dict.fromkeys(a for t in split.values() for e in t for a in e))
    if not words or _jax.control_of(line.eqn):
        return axes, ""
    said = ", ".join(words)
    # Names of the user's stay as they are.
    said = f"T{said[1:]}" if said.startswith("the ") else said
    return axes, f"{said}: the types do not say how the result of {_jax.name_of(line.eqn)} is split."


def _type_text(line: Line, name: str, type_: Any) -> str:
    """The type of an operand; of an index without the dimension that a gather has for its coordinates."""
    text = _jax.type_text(type_)
    roots = (v.of for v in line.inputs if isinstance(v, Value) and v.of is not None)
    return text.replace(",1]", "]") if any(v.name == name and v.aval.shape == type_.shape[:-1] for v in roots) else text


def _gathered(line: Line, collectives: Sequence[HloCollective]) -> tuple[str, int]:
    """An operand that the compiler gathers whole, and the bytes that this takes on each device."""
    for c in collectives:
        if not c.semantics.gathers or c.by_user or not c.axes or len(c.shapes) != 1:
            continue
        names = [
            line.operand_name(k)
            for k, v in enumerate(line.inputs)
            if isinstance(v, Value) and _elements(c.shapes[0]) * c.group_size == math.prod(v.aval.shape)
        ]
        if len(set(names)) == 1:
            return f"{names[0]} is gathered whole over {_and(c.axes)}", c.bytes_per_device
    return "", 0


def _elements(text: str) -> int:
    found = re.search(r"\[([\d,]*)\]", text)
    return math.prod(int(n) for n in found[1].split(",") if n) if found else 0


def _dims(shape: Sequence[int], dims: Entries) -> tuple[Dim, ...]:
    return tuple(Dim(int(n), axes) for n, axes in zip(shape, dims, strict=True))


def _over(axes: Sequence[str]) -> str:
    return f"split over {_and(axes)}" if axes else "whole"


def _and(axes: Sequence[str]) -> str:
    return " and ".join(axes)
