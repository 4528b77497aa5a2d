"""Constraints in the user's source: left out, with another spec, or added to the value of a line."""

from __future__ import annotations

import ast
import contextlib
import itertools
import types
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, Mesh, PartitionSpec

from shardwidget import _jax
from shardwidget.document import Fix
from shardwidget.read._jaxpr import taken
from shardwidget.read._jaxpr.pasted import Swap, pasted
from shardwidget.read._jaxpr.rewrite import Edit, SourceText, argument, last_name, source_text, span_of_node, spelled
from shardwidget.read._jaxpr.sources import frames_of, own_frame, shown_name
from shardwidget.read._jaxpr.taken import only_spec, sharding_text

CONSTRAINT = "with_sharding_constraint"

RESHARD = "reshard"

UNSET = "; the program must run under jax.set_mesh(mesh)"
"""What is said of a bare ``P``, for which the user has no name of the mesh."""

Line = tuple[str, int]
"""The full name of a file, and a number."""


Batch = Mapping[int, Sequence[Any]]

_SECOND = ("shardings", "shardings_tree", "out_shardings")
"""What the second parameter of functions that constrain or reshard is called."""


@dataclass(frozen=True)
class Change:
    """Lines of the user's, rewritten."""

    what: str
    fix: Fix
    file: str
    """The full name of the file."""
    keeps: Line | None = None
    """A line whose value must have the shape that it had; None where nothing but shardings changes."""

    @property
    def place(self) -> Hashable:
        """What is changed."""
        return self.file, self.fix.line

    def before(self, where: tuple[str, int]) -> tuple[str, int]:
        """Where a line stood before the change: the short name of its file, and its number."""
        added = self.fix.code.count("\n") + 1 - self.fix.lines
        is_below = where[0] == self.fix.file and where[1] >= self.fix.line + self.fix.lines + added
        return (where[0], where[1] - added) if is_below else where


class Sources:
    """The functions that a program may call, and constraints in their source.

    Args:
        f: the program.
        mesh: its mesh.
    """

    def __init__(self, f: Any, mesh: Mesh) -> None:
        self._functions = [g for g in _jax.live_functions(f) if _own(g.__code__.co_filename)]
        self._mesh = mesh
        self.files = {shown_name(file): file for file in (g.__code__.co_filename for g in self._functions)}
        """Full names by the short ones, as ``Source.file`` has them."""

    def swaps(self, change: Change) -> list[Swap]:
        """What makes a change in the functions that run; empty where it cannot be made."""
        return list(pasted(self._functions, change.file, change.fix))

    def left_out(self) -> Iterator[Change]:
        """Every constraint left out."""
        for text, call in self._constraints():
            yield from self._left_out(text, call)

    def reordered(self, batch: Batch) -> Iterator[Change]:
        """Every constraint with its spec's entries in another order; first as arguments are split along the batch.

        Args:
            batch: by a size, the entries of specs that split the first dimension of arguments of this size.
        """
        first = {repr(entry) for entries in batch.values() for entry in entries}
        for text, call in self._constraints():
            given = next(filter(None, (argument(call, 1, name) for name in _SECOND)), None)
            if spec := only_spec(given):
                for entries in sorted(_orders(spec), key=lambda entries: entries[0] not in first):
                    written = f"{text.segment(spec.func)}({', '.join(entries)})"
                    yield from self._made(f"constrain line {call.lineno} to {written}", text, spec, written)

    def without(self, line: Line) -> Iterator[Change]:
        """The constraint of a line left out; none where the line has several."""
        found = [(text, call) for text, call in self._constraints() if text.file == line[0] and _spans(call, line[1])]
        if len(found) == 1:
            yield from self._left_out(*found[0])

    def _constraints(self) -> Iterator[tuple[SourceText, ast.Call]]:
        """Calls that constrain a value, or reshard it: they return what they are given."""
        for text in map(source_text, self.files.values()):
            for call in (*text.calls(CONSTRAINT), *text.calls(RESHARD)):
                holders = [g for g in self._functions if self._holds(g, text, call)] if call.args else []
                if holders and (last_name(call.func) == CONSTRAINT or _is_reshard(call.func, holders[0])):
                    yield text, call

    def _left_out(self, text: SourceText, call: ast.Call) -> Iterator[Change]:
        what = f"leave out the constraint of line {call.lineno}"
        node, new = _without_call(text, call)
        statement = text.statement(node)
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is node and _gives(statement, new):
            yield from _changes(what, _removed(text, statement))
        else:
            yield from self._made(what, text, node, new)

    def added(self, line: Line, shape: Sequence[int], batch: Batch) -> Iterator[Change]:
        """Constraints on the value that a line makes, split along its first dimension as arguments of this size are.

        Args:
            line: where.
            shape: the shape of the value.
            batch: by a size, the entries of specs that split the first dimension of arguments of this size.
        """
        text = source_text(line[0])
        value = _value_at(text, line[1])
        given = last_name(value.func) if isinstance(value, ast.Call) else ""
        function = next((g for g in self._functions if self._holds(g, text, value)), None) if value else None
        if value is None or function is None or not shape or given in (CONSTRAINT, RESHARD):
            return
        mesh, names = self._name_of_mesh(function), text.names | set(function.__globals__)
        called, free = f"jax.lax.{CONSTRAINT}", "P.UNCONSTRAINED" if "P" in names else "jax.P.UNCONSTRAINED"
        if self._explicit():  # There a constraint only states a type, and a spec is whole.
            called, free = f"jax.sharding.{RESHARD}", "None"
        for entry in batch.get(shape[0], ()):
            for rest in dict.fromkeys(("None", free)) if len(shape) > 1 else ("",):
                sharding = sharding_text(mesh, [repr(entry), *[rest] * (len(shape) - 1)])
                code = spelled(f"{called}({text.segment(value)}, {sharding})", text, function.__globals__)
                what = f"constrain the value of line {line[1]}{'' if mesh else UNSET}"
                yield from self._made(what, text, value, code)

    def indexed(self, line: Line, shape: Sequence[int], batch: Batch, *, rows: bool) -> Iterator[Change]:
        """Other ways to write what a line takes out of an array by indices.

        With ``jax.vmap``; cast before; on Explicit axes, with another ``out_sharding``.

        Args:
            line: where.
            shape: the shape of its value.
            batch: by a size, the entries of specs that split the first dimension of arguments of this size.
            rows: whether each row has one index there, so that ``jax.vmap`` gives the same.
        """
        text, axes = source_text(line[0]), self._explicit()
        for node in (n for n in ast.walk(text.tree) if isinstance(n, ast.expr) and n.lineno == line[1]):
            holder = next((g for g in self._functions if self._holds(g, text, node)), None)
            if holder is None:
                continue
            ways = [("cast before the gather", taken.cast_before(text, node))]
            if rows:
                ways.append(("index each row by jax.vmap", taken.mapped(text, node)))
            if axes and shape:
                mesh = self._name_of_mesh(holder)
                for entries, code in taken.placed(text, node, shape, batch.get(shape[0], ()), axes, mesh):
                    ways.append((f"say where rows go: {entries}", spelled(code, text, holder.__globals__)))
            for what, new in ways:
                if new:
                    for change in self._made(f"{what} in line {line[1]}", text, node, new):
                        yield replace(change, keeps=line)

    def _explicit(self) -> dict[str, int]:
        """The sizes of the mesh axes that types show."""
        kinds = zip(self._mesh.axis_names, self._mesh.axis_types, strict=True)
        return {name: self._mesh.shape[name] for name, kind in kinds if kind == AxisType.Explicit}

    def _made(self, what: str, text: SourceText, node: ast.expr, new: str) -> Iterator[Change]:
        yield from _changes(what, text.edit([(node, new)]))

    def _holds(self, function: types.FunctionType, text: SourceText, node: ast.AST) -> bool:
        """Whether an expression is in a function."""
        if function.__code__.co_filename != text.file or (own := text.function(function.__code__)) is None:
            return False
        return any(inner is node for inner in ast.walk(own))

    def _name_of_mesh(self, function: types.FunctionType) -> str:
        """What the mesh is called where a function runs; empty where it has no name there."""
        known = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        for name, cell in known.items():
            with contextlib.suppress(ValueError):  # Nothing is in it yet.
                if isinstance(cell.cell_contents, Mesh) and cell.cell_contents == self._mesh:
                    return name
        taken = {*known, *function.__code__.co_varnames}
        names = (n for n, v in function.__globals__.items() if isinstance(v, Mesh) and v == self._mesh)
        return next((n for n in names if n.isidentifier() and n not in taken), "")


def values_of(jaxpr: Any) -> dict[Line, tuple[int, ...]]:
    """The shape of what each line of the user's makes in the forward pass: of its last floating-point result."""
    found: dict[Line, tuple[int, ...]] = {}
    for eqn in _jax.every_equation(jaxpr):
        frames = frames_of(eqn)
        if not frames or not eqn.outvars or not _jax.is_forward("/".join(_jax.named_scopes(eqn))):
            continue
        aval = eqn.outvars[0].aval
        frame = own_frame(frames)
        if getattr(aval, "shape", None) and jnp.issubdtype(aval.dtype, jnp.floating):
            found[frame.file_name, frame.start_line] = tuple(aval.shape)
    return found


def takes_of(jaxpr: Any) -> dict[Line, bool]:
    """Lines that take out of arrays by indices, in order.

    Returns:
        By line, whether every gather takes one element of the last of the dimensions that it indexes, for each row.
    """
    found: dict[Line, bool] = {}
    for eqn in _jax.every_equation(jaxpr):
        if _jax.name_of(eqn) == "gather" and (frames := frames_of(eqn)):
            frame = own_frame(frames)
            line = frame.file_name, frame.start_line
            found[line] = found.get(line, True) and eqn.outvars[0].aval.ndim == eqn.invars[0].aval.ndim - 1
    return found


def _spans(node: ast.expr, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _own(file: str) -> bool:
    return _jax.is_user_file(file) and not _jax.is_library_file(file)


def _changes(what: str, edit: Edit | None) -> Iterator[Change]:
    if edit is not None:
        fix = Fix(what, edit.code, shown_name(edit.file), edit.first, edit.last - edit.first + 1)
        yield Change(what, fix, edit.file)


def _without_call(text: SourceText, call: ast.Call) -> tuple[ast.expr, str]:
    """What to replace so that a call is left out, and by what: its first argument.

    With it goes what does nothing then: ``jax.tree.map(lambda x: x, tree)``, ``x if … else x``.
    """
    node: ast.expr = call
    given: ast.expr = call.args[0]
    while True:
        parent = text.parent(node)
        around = text.parent(parent) if parent is not None else None
        if isinstance(parent, ast.IfExp) and {text.segment(given)} == {
            text.segment(e) for e in (parent.body, parent.orelse) if e is not node
        }:
            node = parent
        elif (
            isinstance(parent, ast.Lambda)
            and [a.arg for a in parent.args.args] == [text.segment(given)]
            and isinstance(around, ast.Call)
            and last_name(around.func) in ("map", "tree_map")
            and len(around.args) == 2
            and around.args[0] is parent
            and not around.keywords
        ):
            node, given = around, around.args[1]
        else:
            return node, text.in_place(node, text.segment(given))


def _gives(statement: ast.Assign | ast.AnnAssign, value: str) -> bool:
    """Whether a statement that gives a value to its target would give it what it has."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    return len(targets) == 1 and ast.unparse(targets[0]) == ast.unparse(ast.parse(value, mode="eval"))


def _removed(text: SourceText, statement: ast.stmt) -> Edit | None:
    """A statement turned into a comment; where it does not have its lines for itself, taken out of them."""
    first, start, last, end = span_of_node(statement)
    lines = text.lines(first, last)
    before, after = lines[0].encode()[:start].decode(), lines[-1].encode()[end:].decode()
    blocks = (getattr(text.parent(statement), name, ()) for name in ("body", "orelse", "finalbody"))
    is_only = any(list(block) == [statement] for block in blocks)
    if not before.strip() and not after.partition("#")[0].strip() and not is_only:
        return text.replaced(first, last, "\n".join(f"{before}# {line.removeprefix(before)}" for line in lines))
    if ";" in (before.rstrip()[-1:], after.lstrip()[:1]):
        before, after = before.rstrip().removesuffix(";"), after.lstrip().removeprefix(";").lstrip()
        joined = f"{before}; {after}" if before.strip() and after and not after.startswith("#") else before + after
        return text.replaced(first, last, joined)
    return text.replaced(first, last, f"{before}pass{after}")


def _value_at(text: SourceText, line: int) -> ast.expr | None:
    """What the statement of a line gives a name to, or returns; None where it does something else."""
    around = [
        n
        for n in ast.walk(text.tree)
        if isinstance(n, ast.Assign | ast.Return) and n.lineno <= line <= (n.end_lineno or n.lineno)
    ]
    if len(around) != 1:
        return None
    (statement,) = around
    if isinstance(statement, ast.Assign) and not isinstance(statement.targets[0], ast.Name):
        return None
    return None if isinstance(statement.value, ast.Tuple) else statement.value


def _is_reshard(called: ast.expr, function: types.FunctionType) -> bool:
    """Whether a name is JAX's ``reshard`` where a function runs: others may do something else."""
    with contextlib.suppress(AttributeError, KeyError):
        name, *parts = ast.unparse(called).split(".")
        found = function.__globals__[name]
        for part in parts:
            found = getattr(found, part)
        return found is jax.sharding.reshard
    return False


def _orders(spec: ast.Call) -> Iterator[list[str]]:
    """The entries of a spec that is written out, in other orders; at most five."""
    entries = [ast.unparse(entry) for entry in spec.args]
    if len(entries) > 4 or any(isinstance(entry, ast.Starred) for entry in spec.args):
        return
    others = dict.fromkeys(itertools.permutations(entries))
    others.pop(tuple(entries), None)
    yield from map(list, itertools.islice(others, 5))


def spec_text(spec: PartitionSpec) -> str:
    """A spec as it is written: ``P('data', None)``."""
    return f"P({', '.join(map(repr, _jax.partitions(spec)))})"
