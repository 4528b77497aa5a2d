"""Python asks a traced value for its number: what it means, and the same statement in JAX."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from shardwidget.document import Mend
from shardwidget.read._trace.sources import text_of

ERRORS = {
    "TracerBoolConversionError": "Python asks {name} whether it is true",
    "TracerIntegerConversionError": "Python asks {name} for a whole number",
    "TracerArrayConversionError": "NumPy asks {name} for its numbers: jax.numpy has functions of the same names",
    "ConcretizationTypeError": "Python asks {name} for its number",
    "NonConcreteBooleanIndexError": "How many elements a mask picks decides a shape, and jnp.where keeps the shape",
}
"""What each exception of JAX is raised for."""


def explained(error: str, name: str, type_: str) -> str:
    """What the exception means, for a value of a name and a type."""
    return (
        f"{ERRORS[error].format(name=name)}. While JAX traces a function {name} is {type_}, a type without a number, "
        "and on each device it may be another one."
    )


def statement_mends(file: str, line: int) -> list[Mend]:
    """The statement whose condition stands on a line, said in JAX; nothing where that is not one of the plain forms."""
    try:
        tree = ast.parse(text_of(file))
    except (SyntaxError, ValueError):
        return []
    found = [
        (body, k)
        for node in ast.walk(tree)
        for body in _bodies(node)
        for k, statement in enumerate(body)
        if statement.lineno <= line <= (statement.end_lineno or line)
    ]
    return list(_mends(*found[-1])) if found else []


def _bodies(node: ast.AST) -> list[list[ast.stmt]]:
    bodies = [getattr(node, key, None) for key in ("body", "orelse", "finalbody")]
    return [body for body in bodies if isinstance(body, list)]


def _mends(body: list[ast.stmt], at: int) -> Iterator[Mend]:
    statement = body[at]
    if isinstance(statement, ast.While) and len(statement.body) == 1:
        (inner,) = statement.body
        if isinstance(inner, ast.Assign | ast.AugAssign) and not statement.orelse and (name := _target(inner)):
            condition, value = ast.unparse(statement.test), ast.unparse(_value(inner))
            yield Mend(
                f"Repeat by lax.while_loop, in place of {_lines(statement, statement)}",
                f"{name} = jax.lax.while_loop(lambda {name}: {condition}, lambda {name}: {value}, {name})",
            )
        return
    choice = _choice(body, at)
    if choice is None:
        return
    start, condition, yes, no, last = choice
    place = f"in place of {_lines(statement, last)}"
    yield Mend(f"Compute both and choose by jnp.where, {place}", f"{start}jnp.where({condition}, {yes}, {no})")
    yield Mend(
        f"Compute one of them by lax.cond, {place}", f"{start}jax.lax.cond({condition}, lambda: {yes}, lambda: {no})"
    )


def _choice(body: list[ast.stmt], at: int) -> tuple[str, str, str, str, ast.stmt] | None:
    """How the statement begins, the condition, both values, and the last statement of the choice."""
    statement = body[at]
    if isinstance(statement, ast.Assign | ast.Return) and isinstance(statement.value, ast.IfExp):
        start = "return " if isinstance(statement, ast.Return) else f"{_target(statement)} = "
        parts = (statement.value.test, statement.value.body, statement.value.orelse)
        return (start, *map(ast.unparse, parts), statement) if start != " = " else None
    if not isinstance(statement, ast.If) or len(statement.body) != 1:
        return None
    (yes,) = statement.body
    after = statement.orelse or (body[at + 1 : at + 2] if isinstance(yes, ast.Return) else [])
    if isinstance(yes, ast.Return) and len(after) == 1 and isinstance(after[0], ast.Return):
        values = (yes.value, after[0].value)
        if all(values):
            return "return ", ast.unparse(statement.test), *(ast.unparse(v) for v in values if v), after[0]
    if isinstance(yes, ast.Assign | ast.AugAssign) and (name := _target(yes)):
        if not statement.orelse:
            return f"{name} = ", ast.unparse(statement.test), ast.unparse(_value(yes)), name, statement
        no = statement.orelse[0]
        if len(statement.orelse) == 1 and isinstance(no, ast.Assign | ast.AugAssign) and _target(no) == name:
            values = (ast.unparse(_value(one)) for one in (yes, no))
            return f"{name} = ", ast.unparse(statement.test), *values, statement
    return None


def _target(statement: ast.Assign | ast.AugAssign) -> str:
    """The one name that is assigned to; empty where it is another form."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else ""


def _value(statement: ast.Assign | ast.AugAssign) -> ast.expr:
    if isinstance(statement, ast.Assign):
        return statement.value
    assert isinstance(statement.target, ast.Name)
    return ast.BinOp(ast.Name(statement.target.id), statement.op, statement.value)


def _lines(first: ast.stmt, last: ast.stmt) -> str:
    end = last.end_lineno or last.lineno
    return f"line {end}" if first.lineno == end else f"lines {first.lineno} to {end}"
