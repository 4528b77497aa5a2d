"""Why a program stops: the value that causes it, where that came from, and what would fix it."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

import jax
from jax.extend import core
from jax.sharding import NamedSharding

from shardwidget import _jax
from shardwidget.document import Failure, Fix, Mesh
from shardwidget.read import _errors
from shardwidget.read._mesh import read_devices, read_mesh
from shardwidget.read._trace import fixes
from shardwidget.read._trace.arguments import Arguments
from shardwidget.read._trace.draft import Draft, Value
from shardwidget.read._trace.python_values import explained, statement_fixes
from shardwidget.read._trace.sources import line_of
from shardwidget.read._trace.steps import Place, Writer
from shardwidget.read._trace.values import equal_along
from shardwidget.read._trace.words import joined, spec_text

SET_MESH_AROUND = (
    "The function is traced as jit traces it, and there no mesh can be set. Set it around the call: "
    "with jax.set_mesh(mesh): ShardMapStepper(f, ...)."
)


class Stop:
    """A program whose tracing failed.

    Args:
        error: raised by ``_jax.unfiltered``.
        f: the function.
        arguments: what it was called with.
    """

    def __init__(self, error: Exception, f: Callable[..., Any], arguments: Arguments) -> None:
        self.error = error
        self.arguments = arguments
        self.reached = _jax.unfinished(error)
        self.kind: Kind = _kind(error)
        self._f = f
        wrong = _jax.messages.is_wrong_arguments(error)
        if self.kind == "other" and wrong and self._never_ran():
            raise self._wrong_arguments() from error
        if self.reached is None:
            raise error
        self.jaxpr = self.reached.jaxpr

    def argument_shardings(self) -> dict[int, NamedSharding]:
        """How in_specs cut the arguments of the program that went to the region as they are, by their numbers."""
        assert self.reached is not None
        mapped = self.reached.mapped
        if mapped is None or _jax.messages.is_too_long(self.error):
            return {}
        mesh, args = mapped.mesh, mapped.args
        found = {}
        for x, spec in zip(args, fixes.flat_specs(mapped.in_specs, len(args)), strict=True):
            var = self._outermost(getattr(x, "val", None))
            if var in self.jaxpr.invars:
                found[self.jaxpr.invars.index(var)] = NamedSharding(mesh, fixes.explicit_spec(x, spec, mesh))
        return found

    def _outermost(self, var: Any) -> Any:
        """The variable that is passed for one of a called function, through all calls around."""
        levels, jaxpr = [], self.jaxpr
        while jaxpr.eqns and (control := _jax.control_of(jaxpr.eqns[-1])) and _jax.is_open(control.bodies[0]):
            levels.append((jaxpr.eqns[-1], control.bodies[0]))
            jaxpr = control.bodies[0]
        for eqn, body in reversed(levels):
            inner = body.invars
            var = eqn.invars[inner.index(var)] if var in inner else var
        return var

    def mesh(self) -> Mesh:
        """The mesh of the region, of the arguments, or the first device alone."""
        assert self.reached is not None
        found = self.reached.mapped.mesh if self.reached.mapped else None
        for x in self.arguments.arrays:
            found = found or getattr(getattr(x, "sharding", None), "mesh", None)
        return read_mesh(self.arguments.concrete(found)) if found is not None else read_devices(jax.devices()[:1])

    def write(self, writer: Writer) -> None:
        """Adds the step where the program stops."""
        assert self.reached is not None
        values = self.reached.outs or self.reached.operands
        at = writer.stopped or Place(None, {}, -1, "")
        inputs = [v for v in (writer.known.get(var) for var in values if not _is_literal(var)) if isinstance(v, Value)]
        self.inputs = list(dict.fromkeys(inputs))
        self.step = Draft("error", self.inputs, [], region=at.region, scope=at.scope, kind="error")
        if frames := self.users():
            frame, line = frames[-1]
            self.step.source = line_of(frame.f_code.co_filename, line, frame.f_code.co_name)
            writer.frames.append((frame.f_code.co_filename, line))
        writer.steps.append(self.step)

    def users(self) -> list[tuple[Any, int]]:
        """The user's frames in the traceback, outermost first, and their lines."""
        frames = traceback.walk_tb(self.error.__traceback__)
        return [f for f in frames if _jax.is_user_file(f[0].f_code.co_filename)]

    def _never_ran(self) -> bool:
        """Whether none of the user's code ran: JAX, or Python, refused the arguments."""
        files = [frame.f_code.co_filename for frame, _ in traceback.walk_tb(self.error.__traceback__)]
        ours = max(k for k, file in enumerate(files) if file.startswith(_jax.OURS))
        return not any(_jax.is_user_file(file) for file in files[ours:])

    def _wrong_arguments(self) -> TypeError:
        call = ", ".join(["f", *self.arguments.names])
        return TypeError(_errors.WRONG_ARGUMENTS.format(words=self.error, call=call))


def failure_of(stop: Stop, writer: Writer) -> Failure:
    """The failure as a document."""
    found = _FINDERS.get(stop.kind, _other)(stop, writer)
    value, axes, explanation, remedies = found
    origin = _origin(writer, value, axes) if value is not None else -1
    if origin >= 0 and value is not None and set(axes) & _jax.manual_types(value.aval)[0] and stop.kind == "out_specs":
        where = writer.steps[origin]
        line = f" (line {where.source.line}: {where.source.text})" if where.source is not None else ""
        explanation += f" It varies over {joined(axes)} since step {origin + 1}, {where.primitive}{line}."
    stop.step.about["sentence"] = explanation
    return Failure(
        kind=stop.kind,
        error=type(stop.error).__name__,
        message=str(stop.error),
        explanation=explanation,
        variable=-1 if value is None else value.id,
        axes=tuple(axes),
        origin=origin,
        fixes=tuple(remedies),
        traceback=_users_traceback(stop.error),
    )


Kind: TypeAlias = _jax.messages.Kind | Literal["user"]
_Found = tuple[Value | None, Sequence[str], str, Sequence[Fix]]


def _kind(error: Exception) -> Kind:
    kind = _jax.messages.kind_of(error)
    return "user" if kind in ("shape", "other") and _raised_by_user(error) else kind


def _raised_by_user(error: Exception) -> bool:
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return bool(frames) and _jax.is_user_file(frames[-1].f_code.co_filename)


def _users_traceback(error: Exception) -> str:
    lines = [summary for summary in traceback.extract_tb(error.__traceback__) if _jax.is_user_file(summary.filename)]
    text = "".join(traceback.format_list(lines))
    return f"Traceback (most recent call last):\n{text}{type(error).__name__}: {error}"


def _out_specs(stop: Stop, writer: Writer) -> _Found:
    reached = stop.reached
    assert reached is not None
    own = writer.stopped.region.axes if writer.stopped is not None and writer.stopped.region is not None else ()
    if _jax.messages.is_too_long(stop.error):
        return _too_long(stop)
    for number, (var, spec) in enumerate(zip(reached.outs, reached.out_specs, strict=True)):
        named = {
            a for entry in _jax.partitions(spec) if entry for a in (entry if isinstance(entry, tuple) else (entry,))
        }
        varying = _jax.manual_types(var.aval)[0]
        axes = [axis for axis in own if axis in varying and axis not in named]
        value = writer.known.get(var)
        if not axes or not isinstance(value, Value):
            continue
        what = f"{value.name}, result {number + 1}," if len(reached.outs) > 1 else value.name
        text = (
            f"{spec_text(spec)} promises that {what} is the same block along {joined(axes)}, but its type "
            f"{_jax.type_text(value.aval)} says that it varies over {joined(axes)}."
        )
        equal = writer.written is not None and _equal_along(writer, value, axes)
        return value, axes, text, fixes.for_out_specs(value, axes, spec, number, reached.mapped, equal)
    return _other(stop, writer)


def _equal_along(writer: Writer, value: Value, axes: Sequence[str]) -> bool:
    assert writer.written is not None
    assert value.region is not None
    assert value.site is not None
    return equal_along(writer.written, writer.meshes[value.region], value.site, value.slots, axes)


def _scan_carry(stop: Stop, writer: Writer) -> _Found:
    """The first carry whose type changes; JAX's message names it, and the axes where it says how to fix it."""
    changes = _jax.messages.carries(stop.error)
    gains = [(carry, carry.after - carry.before) for carry in changes if carry.after - carry.before]
    losses = [(carry, carry.before - carry.after) for carry in changes if carry.before - carry.after]
    chosen = gains or losses
    if not chosen:
        return _other(stop, writer)
    carry, axes = chosen[0][0], sorted(chosen[0][1])
    value = _carry_called(carry, stop.inputs, set(axes), bool(gains))
    what = value.name if value is not None else carry.name
    same, varies = f"the same along {joined(axes)}", f"varying over {joined(axes)}"
    before, after = (same, varies) if gains else (varies, same)
    text = f"The loop takes {what} as {before} and returns a value there that is {after}; a carry keeps its type."
    if gains:
        return value, axes, text, [fixes.vary(what, axes, "before the loop")]
    inner = "new_" + re.sub(r"\W+", "_", carry.name).strip("_")
    return value, axes, text, [fixes.vary(inner, axes, "in what the body returns")]


def _carry_called(carry: _jax.messages.Carry, values: Sequence[Value], axes: set[str], gains: bool) -> Value | None:
    fitting = [v for v in values if bool(axes & _jax.manual_types(v.aval)[0]) != gains]
    if 0 <= carry.number < len(values) and values[carry.number] in fitting:
        return values[carry.number]
    return fitting[0] if fitting else None


def _branches(stop: Stop, writer: Writer) -> _Found:
    """Branches whose results vary over different axes. JAX's message says their types and not what they are called."""
    found = _jax.messages.branches(stop.error)
    if found is None:
        return _other(stop, writer)
    one, other = found
    axes = sorted(one.varying ^ other.varying)
    less, more = (one, other) if one.varying < other.varying else (other, one)
    if not less.varying < one.varying | other.varying:
        words = f"{one.name} gives {one.type} and {other.name} gives {other.type}; branches give values of one type."
        return None, axes, words, ()
    same = [v for v in stop.inputs if str(v.aval) == less.type]
    words = (
        f"What {more.name} returns varies over {joined(axes)}, and what {less.name} returns is the same along "
        f"{joined(axes)}; branches give values of one type."
    )
    if len(same) == 1:
        return same[0], axes, words, [fixes.vary(same[0].name, axes, "before the branches")]
    return None, axes, words, [fixes.vary("out", axes, f"where out is what {less.name} returns")]


def _traced_value(stop: Stop, writer: Writer) -> _Found:
    """Python's own ``if``, ``while``, ``int`` and the like, on a value that has a type alone."""
    del writer
    value = stop.inputs[-1] if stop.inputs else None
    name, type_ = (value.name, _jax.type_text(value.aval)) if value is not None else ("the value", "a tracer")
    asked = isinstance(stop.error, jax.errors.TracerBoolConversionError)
    return value, (), explained(stop.error, name, type_), fixes_of_statement(stop) if asked else []


def fixes_of_statement(stop: Stop) -> list[Fix]:
    """The statement of the user's at which the program stops, in JAX."""
    frames = stop.users()
    return statement_fixes(frames[-1][0].f_code.co_filename, frames[-1][1]) if frames else []


def _shape(stop: Stop, writer: Writer) -> _Found:
    parts = [f"{v.name} is {_jax.type_text(v.aval)}" for v in stop.inputs]
    text = f"Inside shard_map a function sees blocks: {joined(parts)}."
    if not parts:
        text = "Inside shard_map a function sees blocks, and these do not fit."
    value = stop.inputs[0] if stop.inputs else None
    assert stop.reached is not None
    ways, axes = fixes.for_shapes(stop, writer)
    return value, axes, text, ways


def _indivisible(stop: Stop, writer: Writer) -> _Found:
    return fixes.for_indivisible(stop, writer)


def _too_long(stop: Stop) -> _Found:
    """A spec with more entries than its array has dimensions."""
    value = stop.inputs[0] if stop.inputs else None
    name = value.name if value is not None else "the value"
    rank = value.aval.ndim if value is not None else 0
    text = f"A spec has an entry for each dimension at most, and {name} has {rank}."
    if value is None or stop.kind == "in_specs":
        return value, (), text, ()
    varying = sorted(_jax.manual_types(value.aval)[0])
    return value, varying, text, fixes.for_rank(value, varying)


def _in_specs(stop: Stop, writer: Writer) -> _Found:
    if _jax.messages.is_too_long(stop.error):
        return _too_long(stop)
    return fixes.for_in_specs(stop, writer)


def _sharding_type(stop: Stop, writer: Writer) -> _Found:
    return fixes.for_sharding_type(stop, writer)


def _axis_name(stop: Stop, writer: Writer) -> _Found:
    assert stop.reached is not None
    mesh = stop.mesh()
    known = [axis.name for axis in mesh.axes]
    specs, unknown = _jax.messages.unknown_axis(stop.error)
    names = [n for n in stop.reached.names if n not in known] or ([unknown] if unknown else [])
    wrong, right = (joined([repr(name) for name in part]) for part in (names, known))
    text = f"The mesh has no axis {wrong or 'of this name'}; its axes are {right}."
    value = stop.inputs[0] if stop.inputs else None
    line = stop.step.source.text if stop.step.source is not None else ""
    if specs:
        line = f"{specs}={fixes.specs_code(getattr(stop.reached.mapped, specs, None))}"
    return value, names, text, fixes.for_axis_name(names, known, line)


def _other(stop: Stop, writer: Writer) -> _Found:
    value = stop.inputs[0] if stop.inputs and stop.kind != "user" else None
    if stop.kind == "user":
        return None, (), "The function itself raised this; the steps before it ran.", ()
    if _jax.messages.is_mesh_set_within_jit(stop.error):
        return None, (), SET_MESH_AROUND, ()
    return value, (), "JAX refused this operation; the steps before it ran.", ()


_FINDERS = {
    "out_specs": _out_specs, "scan_carry": _scan_carry, "shape": _shape, "indivisible": _indivisible,
    "in_specs": _in_specs, "branches": _branches, "traced_value": _traced_value,
    "sharding_type": _sharding_type, "axis_name": _axis_name,
}  # fmt: skip


def _origin(writer: Writer, value: Value, axes: Sequence[str]) -> int:
    """The step where a value's ancestor began to vary over the axes."""
    wanted = set(axes)
    made: dict[Value, int] = {out: k for k, step in enumerate(writer.steps) for out in step.outputs}
    at = made.get(value, -1)
    while at >= 0:
        before = [v for v in writer.steps[at].inputs if wanted & _jax.manual_types(v.aval)[0] and v in made]
        if not before or writer.steps[at].kind == "in_specs":
            break
        # What JAX itself marked as varying only follows another operand.
        before.sort(key=lambda v: writer.steps[made[v]].implicit)
        at = made[before[0]]
    return at


def _is_literal(var: Any) -> bool:
    return isinstance(var, core.Literal)
