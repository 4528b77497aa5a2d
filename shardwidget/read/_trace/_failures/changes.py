"""Changes to the user's source where a program stops: fixes that can be pasted."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import jax
from jax.sharding import AbstractMesh, AxisType

from shardwidget import _jax
from shardwidget._jax import AnyMesh
from shardwidget.document import Fix
from shardwidget.read._jaxpr.rewrite import (
    Edit,
    Function,
    SourceText,
    filled,
    leaf_nodes,
    source_text,
    spelled,
)
from shardwidget.read._jaxpr.sources import frames_of, raised_at, shown_name
from shardwidget.read._jaxpr.syntax import Span, as_unparsed, span_of
from shardwidget.read._trace._failures.proposal import Proposal
from shardwidget.read._trace.draft import TracedValue
from shardwidget.read._trace.steps import Writer

SHARD_MAP = frozenset({"shard_map", "smap"})


class Changes:
    """The source of a program that stops, and changes to it.

    Args:
        f: the user's function.
        error: what it stops with.
        mapped: the ``shard_map`` that it stops in.
        writer: the steps up to there.
    """

    def __init__(self, f: Any, error: Exception, mapped: _jax.Mapped | None, writer: Writer) -> None:
        self.f = f
        self._mapped = mapped
        self._writer = writer
        at = raised_at(error)
        self._frame: Any = at.frame if at else None
        self._span: Span | None = at.span if at else None
        self.source: SourceText | None = source_text(at.file) if at else None
        self.expression: ast.expr | None = None
        """The user's expression that is running."""
        if self.source is not None and self._span is not None:
            self.expression = self.source.expression(self._span)

    @property
    def known(self) -> Mapping[str, object]:
        """What names mean where the program stops; before it runs, what they mean in its module."""
        if self._frame:
            return {**self._frame.f_globals, **self._frame.f_locals}
        users = (f for f in _jax.live_functions(self.f) if _jax.is_user_file(f.__code__.co_filename))
        return next((f.__globals__ for f in users), {})

    def name_of(self, mesh: AnyMesh) -> str:
        """The name that the user has for a mesh; empty if there is none."""
        for name, value in reversed(list(self.known.items())):
            if type(value) is type(mesh) and value == mesh and name.isidentifier():
                return name
        return ""

    def sharding(self, mesh: AnyMesh | None, code: str, spec: str) -> str:
        """A sharding as code: the spec alone where the mesh is the one in force.

        Args:
            mesh: the mesh; None where it is not known.
            code: an array on it; empty for none.
            spec: as code.
        """
        if mesh is not None and _is_in_force(mesh):
            return spec
        named = self.name_of(mesh) if mesh is not None else ""
        its = f"jax.typeof({code}).sharding.mesh" if code else "mesh"
        return f"jax.NamedSharding({named or its}, {spec})"

    def operand(self, value: TracedValue, number: int) -> ast.expr | None:
        """The operand of the expression that stands for a value; number ``number`` if the source does not show it."""
        node = self.expression
        if isinstance(node, ast.BinOp):
            operands: list[ast.expr] = [node.left, node.right]
        elif isinstance(node, ast.Subscript):
            operands = [node.value, node.slice]
        elif isinstance(node, ast.Call):
            operands = [a for a in node.args if not isinstance(a, ast.Constant)]
        else:
            return None
        span = self._made_at(value)
        named = [o for o in operands if ast.unparse(o) == as_unparsed(value.name)]
        made = [o for o in operands if span is not None and _span(o) == span]
        if len(named) == 1 or len(made) == 1:
            return (named if len(named) == 1 else made)[0]
        if named or made:
            return None
        # In a function that the user calls, a value has the name of a parameter.
        if len(operands) == 2:
            return next((o for o in operands[number : number + 1] if isinstance(o, ast.Name)), None)
        arrays = [o for o in operands if isinstance(o, ast.Name) and isinstance(self.known.get(o.id), jax.Array)]
        return next((o for o in arrays[number : number + 1] if self._is_like(o.id, value)), None)

    def _is_like(self, name: str, value: TracedValue) -> bool:
        return jax.typeof(self.known[name]).shape == value.aval.shape

    def body(self) -> tuple[SourceText, Function] | None:
        """The function that ``shard_map`` maps."""
        f = self._mapped.function if self._mapped else None
        while f is not None and not hasattr(f, "__code__"):
            inner = getattr(f, "__wrapped__", getattr(f, "func", None))
            f = getattr(f, "__func__", None) if inner is None else inner
        f = inspect.unwrap(f) if f is not None else None
        code = getattr(f, "__code__", None)
        if code is None or not _jax.is_user_file(code.co_filename):
            return None
        source = source_text(code.co_filename)
        function = source.function(code)
        return None if function is None else (source, function)

    def results(self, count: int, near: TracedValue | None) -> tuple[SourceText, list[ast.expr]] | None:
        """The expressions of the region's results, as many as there are; None where the source does not list them."""
        if (found := self.body()) is None:
            return None
        source, function = found
        returned = source.returned(function, self._made_at(near) if near is not None else None)
        if returned is None:
            return None
        leaves = leaf_nodes(returned)
        return (source, leaves) if len(leaves) == count else None

    def option(self, title: str, **options: str) -> Proposal:
        """Arguments of ``shard_map``, changed to other code."""
        code = ", ".join(f"{name}={code}" for name, code in options.items())
        alone = Proposal(Fix(title, code), options=self._of_region(options))
        return self.each(title, [], None, **options) or alone

    def _options(self, options: Mapping[str, str]) -> tuple[SourceText, list[tuple[ast.expr, str]]] | None:
        """The changes to the call of ``shard_map`` that set its options; None where the call is not found."""
        if (found := self.body()) is None:
            return None
        source, function = found
        calls = source.calls_with(function, SHARD_MAP)
        if len(calls) != 1 or not calls[0].keywords:
            return None
        given = {k.arg: k.value for k in calls[0].keywords}
        last = calls[0].keywords[-1].value
        changes = {last: "{}"} | {given[name]: code for name, code in options.items() if name in given}
        changes[last] += "".join(f", {name}={code}" for name, code in options.items() if name not in given)
        return source, [(node, code) for node, code in changes.items() if code != "{}"]

    def wrapped(
        self, title: str, node: ast.expr | None, code: str, source: SourceText | None = None
    ) -> Proposal | None:
        """An expression put into another, in place of ``{}``."""
        return self.each(title, [(node, code)], source)

    def each(
        self,
        title: str,
        changes: Sequence[tuple[ast.expr | None, str]],
        source: SourceText | None = None,
        **options: str,
    ) -> Proposal | None:
        """Expressions put into others, each in place of ``{}``, and options; None where one has no place there."""
        source = source or self.source
        if options:
            if (found := self._options(options)) is None or (changes and found[0] is not source):
                return None
            source, changes = found[0], [*changes, *found[1]]
        if source is None or not changes or any(node is None for node, _ in changes):
            return None
        new = [
            (node, source.in_place(node, filled(spelled(code, source, self.known), source.segment(node))))
            for node, code in changes
            if node is not None
        ]
        made = self.fix(title, source.edit(new))
        spelt = {name: spelled(code, source, self.known) for name, code in options.items()}
        return replace(made, options=self._of_region(spelt)) if made else None

    def _of_region(self, options: Mapping[str, str]) -> Mapping[tuple[Any, str], str]:
        mapped = self._mapped.function if self._mapped else None
        return {(mapped, name): code for name, code in options.items()}

    def fix(self, title: str, edit: Edit | None) -> Proposal | None:
        """A change as a document, with its file."""
        if edit is None:
            return None
        fix = Fix(title, edit.code, shown_name(edit.file), edit.first, edit.last - edit.first + 1)
        return Proposal(fix, edit.file)

    def _made_at(self, value: TracedValue) -> Span | None:
        eqn = next((s.eqn for s in self._writer.steps if value in s.outputs and s.eqn is not None), None)
        frames = frames_of(eqn) if eqn is not None else []
        return span_of(frames[0]) if frames else None


def _is_in_force(mesh: AnyMesh) -> bool:
    """Whether a spec without a mesh is of this one: it is set, or it is that of a region, which sets it."""
    abstract = mesh if isinstance(mesh, AbstractMesh) else mesh.abstract_mesh
    return abstract == jax.sharding.get_abstract_mesh() or AxisType.Manual in abstract.axis_types


def placed(*fixes: Proposal | None) -> list[Proposal]:
    """The proposals that are not None."""
    return [fix for fix in fixes if fix is not None]


def _span(node: ast.expr) -> Span:
    return node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0
