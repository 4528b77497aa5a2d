"""Constraints in the user's source: left out, with another spec, or added to the value of a line."""

from __future__ import annotations

import ast
import contextlib
import itertools
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from jax.sharding import Mesh, PartitionSpec

from shardwidget import _jax
from shardwidget.document import Fix
from shardwidget.read._jaxpr.pasted import Swap, pasted
from shardwidget.read._jaxpr.rewrite import Edit, SourceText, argument, last_name, source_text, span_of_node, spelled
from shardwidget.read._jaxpr.sources import frames_of, own_frame, shown_name

CONSTRAINT = "with_sharding_constraint"

UNSET = "; the program must run under jax.set_mesh(mesh)"
"""What is said of a bare ``P``, for which the user has no name of the mesh."""

Line = tuple[str, int]
"""The full name of a file, and a number."""


@dataclass(frozen=True)
class Change:
    """Lines of the user's, rewritten."""

    what: str
    fix: Fix
    file: str
    """The full name of the file."""
    keeps: Line | None = None
    """A line whose value must have the shape that it had; None where nothing but shardings changes."""


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

    def constraints(self) -> Iterator[Change]:
        """Every constraint left out, then with its spec's entries in another order."""
        found = list(self._constraints())
        for text, call in found:
            yield from self._left_out(text, call)
        for text, call in found:
            given = argument(call, 1, "shardings") or argument(call, 1, "shardings_tree")
            specs = [n for n in ast.walk(given) if _is_spec(n)] if given is not None else []
            if len(specs) == 1 and isinstance(specs[0], ast.Call):
                for entries in _orders(specs[0]):
                    written = f"{text.segment(specs[0].func)}({', '.join(entries)})"
                    yield from self._made(f"constrain line {call.lineno} to {written}", text, specs[0], written)

    def without(self, line: Line) -> Iterator[Change]:
        """The constraint of a line left out; none where the line has several."""
        found = [(text, call) for text, call in self._constraints() if text.file == line[0] and _spans(call, line[1])]
        if len(found) == 1:
            yield from self._left_out(*found[0])

    def _constraints(self) -> Iterator[tuple[SourceText, ast.Call]]:
        for text in map(source_text, self.files.values()):
            for call in text.calls(CONSTRAINT):
                if call.args and any(self._holds(g, text, call) for g in self._functions):
                    yield text, call

    def _left_out(self, text: SourceText, call: ast.Call) -> Iterator[Change]:
        what = f"leave out the constraint of line {call.lineno}"
        node, new = _without_call(text, call)
        statement = text.statement(node)
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is node and _gives(statement, new):
            yield from _changes(what, _removed(text, statement))
        else:
            yield from self._made(what, text, node, new)

    def added(self, line: Line, shape: Sequence[int], batch: Mapping[int, Sequence[Any]]) -> Iterator[Change]:
        """Constraints on the value that a line makes, split along its first dimension as arguments of this size are.

        Args:
            line: where.
            shape: the shape of the value.
            batch: by a size, the entries of specs that split the first dimension of arguments of this size.
        """
        text = source_text(line[0])
        value = _value_at(text, line[1])
        if value is None or not shape or (isinstance(value, ast.Call) and last_name(value.func) == CONSTRAINT):
            return
        function = next((g for g in self._functions if self._holds(g, text, value)), None)
        if function is None:
            return
        mesh, names = self._name_of_mesh(function), text.names | set(function.__globals__)
        free = "P.UNCONSTRAINED" if "P" in names else "jax.P.UNCONSTRAINED"
        for entry in batch.get(shape[0], ()):
            for rest in dict.fromkeys(("None", free)) if len(shape) > 1 else ("",):
                spec = f"P({', '.join([repr(entry), *[rest] * (len(shape) - 1)])})"
                sharding = f"jax.NamedSharding({mesh}, {spec})" if mesh else spec
                call = f"jax.lax.{CONSTRAINT}({text.segment(value)}, {sharding})"
                code = spelled(call, text, function.__globals__)
                what = f"constrain the value of line {line[1]}{'' if mesh else UNSET}"
                yield from self._made(what, text, value, code)

    def indexed(self, line: Line) -> Iterator[Change]:
        """Other ways to write what a line takes out of an array by indices: with ``jax.vmap``, or cast before."""
        text = source_text(line[0])
        for node in (n for n in ast.walk(text.tree) if isinstance(n, ast.expr) and n.lineno == line[1]):
            new = _mapped(text, node) or _cast_before(text, node)
            if new and any(self._holds(g, text, node) for g in self._functions):
                what = "index each row by jax.vmap" if isinstance(node, ast.Subscript) else "cast before the gather"
                for change in self._made(f"{what} in line {line[1]}", text, node, new):
                    yield replace(change, keeps=line)

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
        if getattr(aval, "shape", None) and aval.dtype.kind in "fV":
            found[frame.file_name, frame.start_line] = tuple(aval.shape)
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
            return node, _in_place(text, given, node, parent)


def _in_place(text: SourceText, given: ast.expr, node: ast.expr, parent: ast.AST | None) -> str:
    """The text of an expression, safe in the place of another."""
    alone = isinstance(parent, ast.Assign | ast.AnnAssign | ast.Return) and "\n" not in text.segment(given)
    apart = alone or isinstance(parent, ast.Call | ast.keyword | ast.Tuple | ast.List | ast.Dict | ast.Lambda)
    is_called = isinstance(parent, ast.Call) and parent.func is node
    return text.segment(given) if apart and not is_called else text.operand(given)


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


def _mapped(text: SourceText, node: ast.expr) -> str:
    """``x[jnp.arange(n), i]`` for each row: the indices of a gather along a split dimension go to all devices."""
    if not (isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple) and len(node.slice.elts) == 2):
        return ""
    rows, at = node.slice.elts
    every = isinstance(rows, ast.Call) and last_name(rows.func) == "arange" and len(rows.args) == 1
    if not every or isinstance(at, ast.Slice | ast.Constant | ast.Starred):
        return ""
    return f"jax.vmap(lambda row, at: row[at])({text.segment(node.value)}, {text.segment(at)})"


def _cast_before(text: SourceText, node: ast.expr) -> str:
    """``x[i].astype(t)`` as ``x.astype(t)[i]``."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "astype"):
        return ""
    taken = node.func.value
    if not isinstance(taken, ast.Subscript) or isinstance(taken.slice, ast.Slice | ast.Constant):
        return ""
    cast = ", ".join(map(text.segment, [*node.args, *node.keywords]))
    return f"{text.operand(taken.value)}.astype({cast})[{text.segment(taken.slice)}]"


def _is_spec(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) in ("P", "PartitionSpec") and not node.keywords


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
