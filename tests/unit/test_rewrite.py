"""Changes to the text of a program: where they are, and what they are in."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from shardwidget.document import Fix
from shardwidget.read._jaxpr.pasted import name_of, pasted
from shardwidget.read._jaxpr.rewrite import SourceText, filled

TEXT = """\
def f(x):
    with forbidding({"x", "y"}), other():
        h = x + 1
        return g(h)
    return [lambda: g(x)]
"""


@pytest.fixture
def source() -> SourceText:
    return SourceText("cell", TEXT)


def test_an_expression_in_the_head_of_a_with_is_changed_in_its_line(source: SourceText) -> None:
    (call,) = source.calls("forbidding")
    edit = source.edit([(call.args[0], '{"y"}')])
    assert edit is not None
    assert (edit.first, edit.last, edit.code) == (2, 2, 'with forbidding({"y"}), other():')


def test_a_with_is_around_what_runs_in_it(source: SourceText) -> None:
    inside, in_a_lambda = source.calls("g")[:2]
    block = source.block(inside, "forbidding")
    assert block is not None
    assert isinstance(block[0], ast.With)
    assert source.segment(block[1]) == 'forbidding({"x", "y"})'
    assert source.block(inside, "another") is None
    assert source.block(in_a_lambda, "forbidding") is None


def test_lines_are_counted_from_one(source: SourceText) -> None:
    assert source.lines(3, 4) == ["        h = x + 1", "        return g(h)"]


@pytest.mark.parametrize(
    ("text", "new", "there"),
    [
        ("y = g(x)", "a > 0", "y = a > 0"),
        ("y = g(x) & z", "a > 0", "y = (a > 0) & z"),
        ("y = g(x) and z", "a > 0", "y = a > 0 and z"),
        ("y = ~g(x)", "a > 0", "y = ~(a > 0)"),
        ("y = g(x).T", "a + b", "y = (a + b).T"),
        ("y = h + g(x)", "a @ b", "y = h + a @ b"),
        ("y = h @ g(x)", "a @ b", "y = h @ (a @ b)"),
        ("y = h(g(x), k=g(x))", "a if b else c", "y = h(a if b else c, k=g(x))"),
        ("y = g(x)(z)", "a or b", "y = (a or b)(z)"),
        ("y = [v for v in g(x) if v]", "a if b else c", "y = [v for v in (a if b else c) if v]"),
        ("with g(x): pass", "a or b", "with a or b: pass"),
        ("y = g(x)", "a +\n    b", "y = (a +\n    b)"),
        ("y = h(g(x))", "a +\n    b", "y = h(a +\n    b)"),
        ("h(g(x))", "x, k=1", "h(x, k=1)"),
        ("é = h + (\n 1 + g(x)\n + 2)", "a > b", "é = h + (\n 1 + (a > b)\n + 2)"),
    ],
)
def test_an_expression_is_in_parentheses_where_it_needs_them(text: str, new: str, there: str) -> None:
    source = SourceText("cell", text)
    call = source.calls("g")[0]
    edit = source.edit([(call, source.in_place(call, new))])
    assert edit is not None
    assert edit.code == there


@pytest.mark.parametrize(
    ("code", "text", "made"),
    [
        ("psum(~{}, 'i')", "x", "psum(~x, 'i')"),
        ("psum(~{}, 'i')", "x > 0", "psum(~(x > 0), 'i')"),
        ("psum({}, 'i')", "x > 0", "psum(x > 0, 'i')"),
        ("{} ** 2", "-x", "(-x) ** 2"),
        ("{}, k=1", "x + 1", "x + 1, k=1"),
    ],
)
def test_code_is_filled_with_an_expression(code: str, text: str, made: str) -> None:
    assert filled(code, text) == made


STATEMENTS = """\
from __future__ import annotations

@jit
@named
def f(x):
    def g(y: nothing) -> nothing:
        return y + 1

    return g(x)

a = (
    1); b = (
    2); c = 3

def h(x):
    return x
"""


@pytest.mark.parametrize(
    ("line", "lines", "reached"),
    [(7, 1, (3, 9)), (3, 1, (3, 9)), (6, 0, (3, 9)), (11, 1, (11, 13)), (13, 1, (11, 13)), (16, 1, (15, 16))],
)
def test_a_fix_reaches_the_outermost_statements_on_its_lines(line: int, lines: int, reached: tuple[int, int]) -> None:
    source, fix = SourceText("cell", STATEMENTS), Fix("", "", line=line, lines=lines)
    assert source.reach(fix) == reached
    first, last = reached
    alone = source.around(fix)
    assert alone.split("\n")[first - 1 :] == STATEMENTS.split("\n")[first - 1 : last]
    assert [node.lineno for node in ast.parse(alone).body if node.lineno < first] == []


def test_a_form_feed_ends_no_line() -> None:
    source = SourceText("cell", "a = 1\n\f\nb = 2\n")
    (node,) = (n for n in ast.walk(source.tree) if isinstance(n, ast.Constant) and n.value == 2)
    assert source.segment(node) == "2"
    edit = source.edit([(node, "3")])
    assert edit is not None
    assert (edit.first, edit.code) == (3, "b = 3")


def test_a_pasted_fix_changes_its_function_alone(tmp_path: Path) -> None:
    file = tmp_path / "step.py"
    file.write_text(STATEMENTS)
    held = {"jit": lambda f: f, "named": lambda f: f}
    exec(compile(STATEMENTS, str(file), "exec"), held)
    fix = Fix("", "return y + 2", line=7, lines=1)
    ((function, attribute, code),) = pasted([held["f"], held["h"]], str(file), fix)
    assert (function, attribute) == (held["f"], "__code__")
    assert (code.co_filename, code.co_firstlineno) == (name_of(fix.applied(STATEMENTS)), 3)
    function.__code__ = code
    assert function(1) == 3  # ``nothing`` is never looked up, as the file says.
