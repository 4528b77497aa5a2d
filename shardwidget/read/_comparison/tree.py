"""A program as rows: every equation of it and of the functions, loops and branches in it, in order, once each."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from jax.extend.core import JaxprEqn, Literal
from jax.sharding import AxisType

from shardwidget import _jax
from shardwidget.document import Scope, Source
from shardwidget.document.mesh import AxisType as AxisTypeName
from shardwidget.read._jaxpr.names import name_outputs, placeholders
from shardwidget.read._jaxpr.scopes import Scopes
from shardwidget.read._jaxpr.sources import frames_of, own_frame, source_of
from shardwidget.read._jaxpr.syntax import words_at
from shardwidget.read._jaxpr.value import Body, Value

TAG = "shardwidget"
"""What the name of the scope of a line's equations begins with, before its number."""


@dataclass(eq=False)
class Line:
    """An equation that becomes a row."""

    eqn: JaxprEqn
    outputs: list[Value]
    inputs: list[Value | Literal]
    scope: int
    frames: list[Any]
    local: bool
    """Whether it is in a ``shard_map``, where types are those of blocks."""
    derived: bool
    """Whether differentiation made it: it is transposed, or inside something that is."""

    @functools.cached_property
    def source(self) -> Source | None:
        """The user's line."""
        return source_of(own_frame(self.frames)) if self.frames else None

    def operand_name(self, operand: int) -> str:
        """An operand in the user's words: a name, an expression, or which one it is."""
        value = self.inputs[operand]
        if isinstance(value, Literal):
            return str(value.val)
        arrays = [v for v in self.inputs if isinstance(v, Value)]
        for known in (value, value.of):
            if known is not None and known.is_named:
                return known.name
        which = f"{_ORDINALS[arrays.index(value)]} " if 1 < len(arrays) <= len(_ORDINALS) else ""
        return f"the {which}operand of {_jax.name_of(self.eqn)}"


_ORDINALS = ("first", "second", "third", "fourth")


@dataclass(eq=False)
class LineNode:
    """An equation: its row, and the bodies that it enters."""

    eqn: JaxprEqn
    control: _jax.Control | None
    line: int = -1
    """Index of its row; -1 for a call, which its body replaces, and for what a fix lays out."""
    of: int = -1
    """Index of the row that the collectives of an equation without a row belong to."""
    bodies: list[Body[LineNode]] = field(default_factory=list)


LineBody: TypeAlias = Body[LineNode]


class LineContext(NamedTuple):
    """What an equation is in."""

    scope: int
    function: str
    types: tuple[AxisTypeName, ...]
    """The types of the mesh's axes."""
    frames: list[Any]
    """The user's, innermost first."""
    local: bool
    stack: str
    """Names of everything around it, as JAX's name stacks have them."""


class Tree:
    """Walks a jaxpr.

    Args:
        closed: the program.
        function: its name.
        names: of its arguments.
        types: of the axes of its mesh.
        constants: names of some that it closes over, by their identity.
    """

    def __init__(
        self,
        closed: _jax.AnyJaxpr,
        function: str,
        names: Sequence[str],
        types: Sequence[AxisType],
        constants: Mapping[int, str],
    ) -> None:
        self.lines: list[Line] = []
        self.scopes: list[Scope] = []
        self.changing: dict[int, int] = {}
        """By the identity of a value that is another in each turn of a loop, the loop's scope."""
        self.slices: list[tuple[Value, Value]] = []
        """What the body of a loop takes in each turn, and what it is a slice of: outer loops first."""
        self._constants = constants
        self._expressions: list[tuple[Value, str]] = []
        self._shifted: dict[int, Value] = {}
        """By the identity of a value, what it was compared with or moved from."""
        self._scopes = Scopes()
        self._numbers: dict[int, int] = {}
        self._count = 0
        jaxpr, _ = _jax.open_jaxpr(closed)
        self.arguments = [self._value(v.aval, name) for v, name in zip(jaxpr.invars, names, strict=True)]
        self.root, self.results = self._body(
            closed, self.arguments, LineContext(-1, function, _names(tuple(types)), [], False, "")
        )
        self._name()

    def _name(self) -> None:
        """Names the values that no line gives a name by their expressions, else ``tmp1``, ``tmp2`` and so on."""
        for value, text in self._expressions:
            value.name = value.name or text
        values = [v for line in self.lines for v in line.outputs]
        places = ((frame.file_name, frame.start_line) for line in self.lines for frame in line.frames[:1])
        taken = words_at(places) | {v.name for v in (*values, *self.arguments)}
        free = placeholders(taken)
        for line in self.lines:
            for v in (*line.inputs, *line.outputs):
                if isinstance(v, Value) and not v.name:
                    v.name, v.is_named = next(free), False

    def _value(self, aval: Any, name: str = "") -> Value:
        self._count += 1
        return Value(self._count - 1, aval, name)

    def _body(
        self, closed: _jax.AnyJaxpr, args: Sequence[Any], around: LineContext
    ) -> tuple[LineBody, list[Value | Literal]]:
        jaxpr, consts = _jax.open_jaxpr(closed)
        body = LineBody(jaxpr, consts)
        named = [self._constants.get(id(c), "") for c in consts] or [""] * len(jaxpr.constvars)
        env: dict[Any, Any] = {v: self._value(v.aval, n) for v, n in zip(jaxpr.constvars, named, strict=True)}
        env |= dict(zip(jaxpr.invars, args, strict=True))
        at = around
        for eqn in jaxpr.eqns:
            types = _axis_types(eqn)
            known = around.local or _jax.mark_of(eqn) or _jax.name_of(eqn) == "reshard"
            if types != at.types and not known:
                scope = around.scope if types == around.types else self._changed(types, around)
                at = at._replace(scope=scope, types=types)
            # A library's cached traces have no line, nor has what JAX adds: they belong to the line of the call.
            frames = frames_of(eqn) or at.frames
            at = at if frames is at.frames else at._replace(frames=frames)
            here = at._replace(scope=self._around(eqn, at), stack=_jax.stack_within(around.stack, eqn))
            node, outputs = self._node(eqn, [v if isinstance(v, Literal) else env[v] for v in eqn.invars], here)
            env.update(zip(eqn.outvars, outputs, strict=True))
            body.nodes.append(node)
        self._expressions += name_outputs(body, env, around.function, around.stack, around.frames)
        return body, [v if isinstance(v, Literal) else env[v] for v in jaxpr.outvars]

    def _node(self, eqn: JaxprEqn, inputs: list[Any], at: LineContext) -> tuple[LineNode, list[Value]]:
        name, control = _jax.name_of(eqn), _jax.control_of(eqn)
        node = LineNode(eqn, control)
        mark = _jax.mark_of(eqn)
        if mark and name == "reshard" and mark.primitive != "sharding_constraint" and isinstance(inputs[0], Value):
            # A fix lays an operand or its result out: that is not a row of its own.
            last = self.lines[-1] if self.lines else None
            node.of = len(self.lines) - (last is not None and inputs[0] in last.outputs)
            return node, inputs
        if isinstance(control, _jax.FunctionCall) and control.operands is None:
            jaxpr, _ = _jax.open_jaxpr(control.body)
            called = _jax.function_name(jaxpr)
            # A library's function is not a scope of its own: its equations belong to the user's line.
            if called and _jax.is_user_file(_jax.function_place(jaxpr)[0] or _jax.OURS):
                at = self._inside(at, Scope("function", control.manner or called, at.scope))._replace(function=called)
            body, results = self._body(control.body, inputs, at)
            node.bodies, node.of = [body], len(self.lines) - 1
            return node, [
                self._value(v.aval) if isinstance(r, Literal) else r for v, r in zip(eqn.outvars, results, strict=True)
            ]
        node.bodies = self._bodies(control, inputs, at)
        outputs = [self._value(v.aval) for v in eqn.outvars]
        node.line = len(self.lines)
        self.lines.append(Line(eqn, outputs, inputs, at.scope, at.frames, at.local, "transpose(" in at.stack))
        if len(outputs) == 1:
            made = all(isinstance(v, Literal) or v.is_constant for v in inputs)
            outputs[0].is_constant = made and (name == "iota" or name in _jax.RESHAPES)
            outputs[0].of = self._reshaped(name, [v for v in inputs if isinstance(v, Value)], outputs[0])
        return node, outputs

    def _reshaped(self, name: str, inputs: Sequence[Value], output: Value) -> Value | None:
        """The value that the result of an equation is in another shape or dtype, or as an index from the start."""
        kept: list[Value] = []
        if len(inputs) == 1 and name in _jax.RESHAPES:
            kept = [*inputs]
        elif len(inputs) == 1 and name in _jax.INDEXING:
            self._shifted[id(output)] = inputs[0]
        elif len(inputs) == 3 and name == "select_n":
            first = self._shifted.get(id(inputs[0]))
            # The index itself may be one that was moved, as ids + 1.
            is_same = all(first in (v, self._shifted.get(id(v))) for v in inputs[1:])
            kept = [v for v in inputs if v is first and is_same][:1]
        return (kept[0].of or kept[0]) if kept else None

    def _bodies(self, control: _jax.Control | None, inputs: list[Any], at: LineContext) -> list[LineBody]:
        """The bodies of control flow."""
        if isinstance(control, _jax.Scan):
            inside = self._inside(at, Scope("loop", "scan", at.scope, times=control.length))
            parts = self._parts(control.body, inputs[: control.consts], inside)
            first = control.consts + control.carries
            whole = zip(parts[first:], inputs[first:], strict=False)
            self.slices += [(part, x) for part, x in whole if isinstance(x, Value)]
            return [self._body(control.body, parts, inside)[0]]
        if isinstance(control, _jax.While):
            inside = self._inside(at, Scope("loop", "while", at.scope, times=None))
            first, second = control.tests, control.tests + control.consts
            parts = ((control.test, inputs[:first]), (control.body, inputs[first:second]))
            return [
                self._body(jaxpr, self._parts(jaxpr, consts, inside), inside)[0] for jaxpr, consts in parts if jaxpr
            ]
        if isinstance(control, _jax.Cond):
            branches = []
            for k, branch in enumerate(control.branches):
                inside = self._inside(at, Scope("branch", f"cond branch {k}", at.scope))
                branches.append(self._body(branch, inputs[1:], inside)[0])
            return branches
        if isinstance(control, _jax.ShardMap):
            types = _axis_types_inside(control)
            inside = self._inside(at, Scope("region", "shard_map", at.scope, axis_types=types))
            return [self._body(control.body, self._parts(control.body, (), inside), inside._replace(local=True))[0]]
        return []

    def _parts(self, jaxpr: _jax.AnyJaxpr, consts: Sequence[Any], at: LineContext) -> list[Any]:
        """Parameters of a body: values passed in unchanged, and its own, such as slices and blocks."""
        variables = _jax.open_jaxpr(jaxpr)[0].invars[len(consts) :]
        own = [self._value(v.aval) for v in variables]
        self.changing |= {id(value): at.scope for value in own}
        return [*consts, *own]

    def _inside(self, at: LineContext, scope: Scope) -> LineContext:
        return at._replace(scope=self._enter(scope))

    def _enter(self, scope: Scope) -> int:
        self.scopes.append(scope)
        return len(self.scopes) - 1

    def _changed(self, types: tuple[AxisTypeName, ...], around: LineContext) -> int:
        kind = "auto_axes" if types.count("Auto") > around.types.count("Auto") else "explicit_axes"
        return self._enter(Scope(kind, kind, around.scope, axis_types=types))

    def _around(self, eqn: JaxprEqn, at: LineContext) -> int:
        """The innermost function and named scope of an equation, as a scope."""
        before = len(self._scopes.all)
        # Scopes number their own from 0: the ones around them are told apart by the sign.
        within = self._scopes.around(eqn, at.frames, at.function, -2 - at.scope)
        for number in range(before, len(self._scopes.all)):
            made = self._scopes.all[number]
            parent = self._numbers[made.parent] if made.parent >= 0 else -2 - made.parent
            kind = "named_scope" if made.kind == "named_scope" else "function"
            self._numbers[number] = self._enter(Scope(kind, _scope_name(made.name), parent))
        return self._numbers[within] if within >= 0 else at.scope


def _axis_types(eqn: JaxprEqn) -> tuple[AxisTypeName, ...]:
    """Types of the axes of the mesh that an equation was traced under."""
    return _names(_jax.context_mesh(eqn).axis_types)


def _axis_types_inside(control: _jax.ShardMap) -> tuple[AxisTypeName, ...]:
    kept = zip(control.mesh.axis_names, control.mesh.axis_types, strict=True)
    return _names(tuple(AxisType.Manual if name in control.axes else kind for name, kind in kept))


@functools.lru_cache(64)  # It is asked of each equation.
def _names(types: tuple[AxisType, ...]) -> tuple[AxisTypeName, ...]:
    names: dict[AxisType, AxisTypeName] = {
        AxisType.Auto: "Auto",
        AxisType.Explicit: "Explicit",
        AxisType.Manual: "Manual",
    }
    return tuple(names[t] for t in types)


def _scope_name(name: str) -> str:
    """A named scope without what differentiation adds around it: ``transpose(jvp(mlp))`` is ``mlp, backward``."""
    inner = name
    while found := re.fullmatch(r"(?:transpose|jvp)\((.*)\)", inner):
        inner = found[1]
    if inner == name:
        return name
    way = "backward" if name.startswith("transpose(") else "forward"
    return f"{inner}, {way}" if inner else way


def bodies(body: LineBody) -> Iterator[LineBody]:
    """A body and all bodies in it."""
    yield body
    for node in body.nodes:
        for inner in node.bodies:
            yield from bodies(inner)
