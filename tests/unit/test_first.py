"""The first program that a user sees is read as one of the user's: its lines and names are shown."""

import shardwidget.first as first
from shardwidget import read


def test_its_lines_and_names_are_shown():
    trace = read.trace(first.matmul, first.a, first.b)
    assert [step.source.text.strip() for step in trace.steps if step.collective and step.source] == [
        'return jax.lax.psum(a_block @ b_block, "y")'
    ]
    assert "a_block @ b_block" in [v.name for v in trace.variables]
