"""Changes to the text of a program: where they are, and what they are in."""

from __future__ import annotations

import ast

import pytest

from shardwidget.read._jaxpr.rewrite import SourceText

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
