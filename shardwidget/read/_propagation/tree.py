"""A program as rows: every equation of it and of the functions, loops and branches in it, in order, once each."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from jax.extend.core import Literal
from jax.sharding import AxisType

from shardwidget import _jax
from shardwidget.document import Enclosure
from shardwidget.document.mesh import AxisType as AxisTypeName
from shardwidget.read._trace.draft import Value, letters
from shardwidget.read._trace.names import name_outputs
from shardwidget.read._trace.plan import CALLS
from shardwidget.read._trace.scopes import Scopes
from shardwidget.read._trace.sources import OURS, frames_of


@dataclass(eq=False)
class Line:
    """A row to be."""

    eqn: Any
    outputs: list[Value]
    inputs: list[Value | Literal]
    enclosure: int
    frames: list[Any]
    local: bool
    """Whether it stands in a ``shard_map``, where types are those of blocks."""


@dataclass(eq=False)
class Node:
    """An equation: its row, and the bodies that it enters."""

    eqn: Any
    line: int
    """Index of its row; -1 for a call, in whose place its body stands."""
    bodies: list[Body] = field(default_factory=list)


@dataclass(eq=False)
class Body:
    """A jaxpr that is entered."""

    jaxpr: Any
    consts: Sequence[Any]
    nodes: list[Node] = field(default_factory=list)
    results: list[Value | Literal] = field(default_factory=list)


class Tree:
    """Walks a jaxpr.

    Args:
        closed: the program.
        function: its name.
        names: of its arguments.
        types: of the axes of its mesh.
    """

    def __init__(self, closed: Any, function: str, names: Sequence[str], types: Sequence[AxisType]) -> None:
        self.lines: list[Line] = []
        self.enclosures: list[Enclosure] = []
        self._scopes = Scopes()
        self._numbers: dict[int, int] = {}
        self._count = 0
        jaxpr, _ = _jax.open_jaxpr(closed)
        self.arguments = [self._value(v.aval, name) for v, name in zip(jaxpr.invars, names, strict=True)]
        self.types = _names(types)
        self.root = self._body(closed, self.arguments, -1, function, False)
        self._name()

    def _name(self) -> None:
        """Letters for the values that no line gives a name."""
        values = [v for line in self.lines for v in line.outputs]
        taken = {v.name for v in (*values, *self.arguments)}
        free = (name for name in letters() if name not in taken and not keyword.iskeyword(name))
        for line in self.lines:
            for v in (*line.inputs, *line.outputs):
                if isinstance(v, Value) and not v.name:
                    v.name = next(free)

    def _value(self, aval: Any, name: str = "") -> Value:
        self._count += 1
        return Value(self._count - 1, aval, None, name=name)

    def _body(
        self, closed: Any, args: Sequence[Any], outer: int, function: str, local: bool, caller: Sequence[Any] = ()
    ) -> Body:
        jaxpr, consts = _jax.open_jaxpr(closed)
        body = Body(jaxpr, consts)
        env: dict[Any, Any] = {v: self._value(v.aval) for v in jaxpr.constvars}
        env |= dict(zip(jaxpr.invars, args, strict=True))
        types = self.types
        scope, frames = outer, list(caller)
        for eqn in jaxpr.eqns:
            here = _axis_types(eqn)
            if here != types and eqn.primitive.name != "reshard" and not local:
                scope = outer if here == self.types else self._changed(here, outer)
                types = here
            # What a library keeps traced knows of no line, it belongs to that of the call; nor does what JAX adds.
            frames = frames_of(eqn) or frames
            enclosure = self._around(eqn, frames, function, scope)
            inputs = [v if isinstance(v, Literal) else env[v] for v in eqn.invars]
            node, outputs = self._node(eqn, inputs, enclosure, function, frames, local)
            env.update(zip(eqn.outvars, outputs, strict=True))
            body.nodes.append(node)
        name_outputs(body, env, function)  # type: ignore[arg-type]
        body.results = [v if isinstance(v, Literal) else env[v] for v in jaxpr.outvars]
        return body

    def _node(
        self, eqn: Any, inputs: list[Any], enclosure: int, function: str, frames: list[Any], local: bool
    ) -> tuple[Node, list[Value]]:
        name, params = eqn.primitive.name, eqn.params
        node = Node(eqn, -1)
        mark = _jax.mark_of(eqn)
        if mark and name == "reshard" and mark.primitive != "sharding_constraint" and isinstance(inputs[0], Value):
            return node, inputs  # A mend lays an operand out: that is no row of its own.
        if name in CALLS or isinstance(params.get("jaxpr"), _jax.OpenJaxpr):
            inner = params.get("jaxpr") or params["call_jaxpr"]
            jaxpr, _ = _jax.open_jaxpr(inner)
            called = _jax.function_name(jaxpr)
            # A function of a library is no place of its own: its equations belong to the user's line.
            theirs = bool(called) and _jax.is_user_file(_jax.function_place(jaxpr)[0] or OURS, OURS)
            around = self._enter(Enclosure("function", called, enclosure)) if theirs else enclosure
            body = self._body(inner, inputs, around, called if theirs else function, local, frames)
            node.bodies = [body]
            return node, [
                self._value(v.aval) if isinstance(r, Literal) else r
                for v, r in zip(eqn.outvars, body.results, strict=True)
            ]
        if name == "scan":
            consts, _ = _jax.scan_counts(params)
            around = self._enter(Enclosure("loop", "scan", enclosure, times=params["length"]))
            jaxpr, _ = _jax.open_jaxpr(params["jaxpr"])
            slices = [self._value(v.aval) for v in jaxpr.invars[consts:]]
            node.bodies = [self._body(params["jaxpr"], inputs[:consts] + slices, around, function, local, frames)]
        elif name == "while":
            around = self._enter(Enclosure("loop", "while", enclosure, times=None))
            for key, count, first in (
                ("cond_jaxpr", params["cond_nconsts"], 0),
                ("body_jaxpr", params["body_nconsts"], params["cond_nconsts"]),
            ):
                jaxpr, _ = _jax.open_jaxpr(params[key])
                carried = [self._value(v.aval) for v in jaxpr.invars[count:]]
                args = inputs[first : first + count] + carried
                node.bodies.append(self._body(params[key], args, around, function, local, frames))
        elif name == "cond":
            for k, branch in enumerate(params["branches"]):
                around = self._enter(Enclosure("branch", f"cond branch {k}", enclosure))
                node.bodies.append(self._body(branch, inputs[1:], around, function, local, frames))
        elif name == "shard_map":
            around = self._enter(Enclosure("shard_map", "shard_map", enclosure, axis_types=_axis_types_inside(params)))
            jaxpr, _ = _jax.open_jaxpr(params["jaxpr"])
            blocks = [self._value(v.aval) for v in jaxpr.invars]
            node.bodies = [self._body(params["jaxpr"], blocks, around, function, True, frames)]
        outputs = [self._value(v.aval) for v in eqn.outvars]
        node.line = len(self.lines)
        self.lines.append(Line(eqn, outputs, inputs, enclosure, frames, local))
        return node, outputs

    def _enter(self, enclosure: Enclosure) -> int:
        self.enclosures.append(enclosure)
        return len(self.enclosures) - 1

    def _changed(self, types: tuple[AxisTypeName, ...], outer: int) -> int:
        kind = "auto_axes" if types.count("Auto") > self.types.count("Auto") else "explicit_axes"
        return self._enter(Enclosure(kind, kind, outer, axis_types=types))

    def _around(self, eqn: Any, frames: list[Any], function: str, outer: int) -> int:
        """The innermost function and named scope of an equation, as an enclosure."""
        before = len(self._scopes.all)
        # Scopes number their own from 0 on: what is around them is told apart by its sign.
        scope = self._scopes.around(eqn, frames, function, -2 - outer)
        for number in range(before, len(self._scopes.all)):
            made = self._scopes.all[number]
            parent = self._numbers[made.parent] if made.parent >= 0 else -2 - made.parent
            kind = "named_scope" if made.kind == "named_scope" else "function"
            self._numbers[number] = self._enter(Enclosure(kind, _scope_name(made.name), parent))
        return self._numbers[scope] if scope >= 0 else outer


def _axis_types(eqn: Any) -> tuple[AxisTypeName, ...]:
    """Types of the axes of the mesh that an equation was traced under."""
    return _names(_jax.context_mesh(eqn).axis_types)


def _axis_types_inside(shard_map: dict[str, Any]) -> tuple[AxisTypeName, ...]:
    mesh, manual = shard_map["mesh"], _jax.manual_axes(shard_map)
    kept = zip(mesh.axis_names, mesh.axis_types, strict=True)
    return _names([AxisType.Manual if name in manual else kind for name, kind in kept])


def _names(types: Sequence[AxisType]) -> tuple[AxisTypeName, ...]:
    names: dict[AxisType, AxisTypeName] = {
        AxisType.Auto: "Auto",
        AxisType.Explicit: "Explicit",
        AxisType.Manual: "Manual",
    }
    return tuple(names[t] for t in types)


def _scope_name(name: str) -> str:
    """A named scope without what differentiation writes around it: ``transpose(jvp(mlp))`` is ``mlp, backward``."""
    inner = name
    while found := re.fullmatch(r"(?:transpose|jvp)\((.*)\)", inner):
        inner = found[1]
    if inner == name:
        return name
    way = "backward" if name.startswith("transpose(") else "forward"
    return f"{inner}, {way}" if inner else way


def bodies(body: Body) -> Iterator[Body]:
    """A body and all in it."""
    yield body
    for node in body.nodes:
        for inner in node.bodies:
            yield from bodies(inner)
