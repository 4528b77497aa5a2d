"""Python needs the number of a traced value: what that means, and the same statement in JAX."""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import jax

from shardwidget import _jax
from shardwidget._format import joined
from shardwidget.read._jaxpr.rewrite import SourceText, source_text, spelled
from shardwidget.read._trace._failures.changes import Changes, placed
from shardwidget.read._trace._failures.explanation import Explanation
from shardwidget.read._trace._failures.partial import parts_of
from shardwidget.read._trace._failures.proposal import Proposal
from shardwidget.read._trace._failures.stopped import StoppedTrace
from shardwidget.read._trace.draft import TracedValue
from shardwidget.read._trace.steps import Writer

NEEDS = {
    jax.errors.TracerBoolConversionError: "Python needs to know whether {name} is true",
    jax.errors.TracerIntegerConversionError: "Python needs {name} as a whole number",
    jax.errors.TracerArrayConversionError: (
        "NumPy needs the numbers in {name}: jax.numpy has functions of the same names"
    ),
    jax.errors.NonConcreteBooleanIndexError: (
        "How many elements a mask picks decides a shape, and jnp.where keeps the shape"
    ),
    jax.errors.ConcretizationTypeError: "Python needs the number in {name}",
}
"""What each exception of JAX is raised for, the more specific ones first."""


INSTEAD = (
    " Choose within the program instead: jax.lax.cond(condition, f, g, *operands) runs one of two functions, jnp.where "
    "computes both values and takes one, jax.lax.while_loop repeats a function."
)


def _explained(error: Exception, name: str, type_: str) -> str:
    """What the exception means, for a value of a name and a type."""
    needs = next(text for kind, text in NEEDS.items() if isinstance(error, kind))
    return (
        f"{needs.format(name=name)}. While JAX traces a function, {name} is {type_}, a type without a number, "
        "which may differ on each device."
    )


def traced_value(stop: StoppedTrace, writer: Writer) -> Explanation:
    """Python's own ``if``, ``while``, ``int`` and the like, on a value that has only a type."""
    value = stop.inputs[-1] if stop.inputs else None
    name, type_ = (value.name, _jax.type_text(value.aval)) if value is not None else ("the value", "a tracer")
    fixes: list[Proposal] = []
    if isinstance(stop.error, jax.errors.TracerBoolConversionError) and (frames := stop.users()):
        fixes = _statement_fixes(frames[-1][0].f_code.co_filename, frames[-1][1], stop.changes)
        fixes += _completed(stop, writer, value) if fixes and value is not None else []
    is_condition = isinstance(stop.error, jax.errors.TracerBoolConversionError)
    text = _explained(stop.error, name, type_) + (INSTEAD if is_condition and not fixes else "")
    return Explanation(text, value, fixes=fixes)


def _completed(stop: StoppedTrace, writer: Writer, value: TracedValue) -> list[Proposal]:
    """What the condition reduces, completed: then all devices choose alike. The statement is to be changed as well."""
    parts = parts_of(writer, value, sorted(_jax.manual_types(value.aval)[0]))
    changes = [(part.node, codes[0]) for part in parts if (codes := part.completed())]
    if not changes or len(changes) < len(parts):
        return []
    over = joined(list(dict.fromkeys(axis for part in parts for axis in part.axes)))
    return placed(stop.changes.each(f"Decide by the whole over {over}", changes, parts[0].source))


def _statement_fixes(file: str, line: int, changes: Changes) -> list[Proposal]:
    """The statement whose condition is on a line, written in JAX; nothing where that is not one of the plain forms."""
    source = source_text(file)
    found = [
        (body, k)
        for node in ast.walk(source.tree)
        for body in _bodies(node)
        for k, statement in enumerate(body)
        if statement.lineno <= line <= (statement.end_lineno or line)
    ]
    made = _fixes(*found[-1], changes.known) if found else ()
    return placed(
        *(
            changes.fix(
                title,
                source.replaced(first.lineno, last.end_lineno or last.lineno, _indented(code, first, source, changes)),
            )
            for title, code, first, last in made
        )
    )


def _indented(code: str, first: ast.stmt, source: SourceText, changes: Changes) -> str:
    return " " * first.col_offset + spelled(code, source, changes.known)


def _bodies(node: ast.AST) -> list[list[ast.stmt]]:
    bodies = [getattr(node, key, None) for key in ("body", "orelse", "finalbody")]
    return [body for body in bodies if isinstance(body, list)]


def _fixes(body: list[ast.stmt], at: int, known: Collection[str]) -> Iterator[tuple[str, str, ast.stmt, ast.stmt]]:
    """Titles and code of statements in JAX, and the first and last statement that they replace."""
    statement = body[at]
    if isinstance(statement, ast.While) and len(statement.body) == 1:
        (inner,) = statement.body
        if not statement.orelse and (name := _target(inner)):
            condition, value = ast.unparse(statement.test), ast.unparse(_value(inner))
            code = f"{name} = jax.lax.while_loop(lambda {name}: {condition}, lambda {name}: {value}, {name})"
            yield "Repeat with lax.while_loop", code, statement, statement
        return
    choice = _choice(body, at) or _choice_of_several(statement, known)
    if choice is None:
        return
    start, condition, yes, no = choice.start, *(ast.unparse(e) for e in (choice.condition, choice.yes, choice.no))
    if not isinstance(choice.yes, ast.Tuple):
        one = f"{start}jnp.where({condition}, {yes}, {no})"
        yield "Compute both and choose with jnp.where", one, statement, choice.last
    one = f"{start}jax.lax.cond({condition}, lambda: {yes}, lambda: {no})"
    yield "Compute one of them with lax.cond", one, statement, choice.last


@dataclass(frozen=True)
class _Choice:
    """One of two values, by a condition."""

    start: str
    """What is done with it: ``return ``, or ``name = ``."""
    condition: ast.expr
    yes: ast.expr
    no: ast.expr
    last: ast.stmt
    """The last statement of the choice."""


def _choice(body: list[ast.stmt], at: int) -> _Choice | None:
    statement = body[at]
    if isinstance(statement, ast.Assign | ast.Return) and isinstance(statement.value, ast.IfExp):
        chosen = statement.value
        start = _start(statement)
        return _Choice(start, chosen.test, chosen.body, chosen.orelse, statement) if start else None
    if not isinstance(statement, ast.If) or len(statement.body) != 1:
        return None
    yes, test = statement.body[0], statement.test
    start = _start(yes)
    if isinstance(yes, ast.Return):
        others = statement.orelse or body[at + 1 : at + 2]
    else:  # Without an else the name keeps its value.
        others = statement.orelse or [ast.Assign([], ast.Name(start.removesuffix(" = ")), lineno=0)]
    if not start or len(others) != 1 or (statement.orelse and _start(others[0]) != start):
        return None
    no = others[0]
    if isinstance(yes, ast.Return) != isinstance(no, ast.Return) or not _valued(yes) or not _valued(no):
        return None
    last = no if isinstance(no, ast.Return) else statement
    return _Choice(start, test, _value(yes), _value(no), last)


def _choice_of_several(statement: ast.stmt, known: Collection[str]) -> _Choice | None:
    """An ``if`` whose sides are assignments to single names: what each name is after it.

    A name that only one side assigns keeps its value on the other.

    Args:
        statement: any statement.
        known: names that have a value before it.
    """
    if not isinstance(statement, ast.If):
        return None
    yes, no = _assigned(statement.body), _assigned(statement.orelse)
    if yes is None or no is None:
        return None
    names = list(dict.fromkeys((*yes, *no)))
    if any(name not in known for name in names if name not in yes or name not in no):
        return None
    first, second = ([side.get(name, ast.Name(name)) for name in names] for side in (yes, no))
    start, several = f"{', '.join(names)} = ", len(names) > 1
    return _Choice(
        start,
        statement.test,
        ast.Tuple(first) if several else first[0],
        ast.Tuple(second) if several else second[0],
        statement,
    )


def _assigned(statements: Sequence[ast.stmt]) -> dict[str, ast.expr] | None:
    """What names are after some assignments, in the names before them; None where there is another statement."""
    after: dict[str, ast.expr] = {}
    for statement in statements:
        name = _target(statement)
        if not name or not _valued(statement):
            return None
        value = copy.deepcopy(_value(statement))
        if any(isinstance(node, _BINDING) for node in ast.walk(value)):
            return None  # A name in it may be another one.
        after[name] = _With(after).visit(value)
    return after


_BINDING = (ast.Lambda, ast.NamedExpr, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Await, ast.Yield)


class _With(ast.NodeTransformer):
    """Puts values in place of names."""

    def __init__(self, values: dict[str, ast.expr]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """The value of a name, where it has one."""
        return copy.deepcopy(self._values.get(node.id, node))


def _valued(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Assign | ast.AugAssign | ast.Return) and statement.value is not None


def _start(statement: ast.stmt) -> str:
    """How a statement that gives a value begins; empty for any other."""
    if isinstance(statement, ast.Return):
        return "return "
    name = _target(statement)
    return f"{name} = " if name else ""


def _target(statement: ast.stmt) -> str:
    """The one name that is assigned to; empty where it is another form."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    targets = [statement.target] if isinstance(statement, ast.AugAssign) else targets
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else ""


def _value(statement: ast.stmt) -> ast.expr:
    assert isinstance(statement, ast.Assign | ast.AugAssign | ast.Return)
    assert statement.value is not None
    if isinstance(statement, ast.AugAssign):
        return ast.BinOp(ast.Name(_target(statement)), statement.op, statement.value)
    return statement.value
