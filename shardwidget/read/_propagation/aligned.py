"""The types of a program that an Explicit mesh takes: those of its trace there, equation for equation.

A trace on an Explicit mesh may have other equations than one on an Auto mesh: ``jnp.where`` reshards its condition,
``auto_axes`` reshards what it gives. They are matched in order, and what has no match has no type.
"""

from __future__ import annotations

from collections.abc import Hashable
from difflib import SequenceMatcher

from shardwidget.read._propagation.explicit import Explicit
from shardwidget.read._propagation.tree import Line, Tree


def aligned(tree: Tree, explicit: Tree) -> Explicit:
    """The types of one trace, as those of the lines of another.

    Args:
        tree: the program as it was traced.
        explicit: the same, traced on an Explicit mesh.
    """
    ours, theirs = [_key(line) for line in tree.lines], [_key(line) for line in explicit.lines]
    types = {}
    for block in SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks():
        for k in range(block.size):
            types[block.a + k] = tuple(v.aval for v in explicit.lines[block.b + k].outputs)
    return Explicit(types, {})


def _key(line: Line) -> Hashable:
    """What equations of both traces have in common."""
    where = [(f.file_name, f.start_line, f.start_column) for f in line.frames[:1]]
    return line.eqn.primitive.name, len(line.outputs), *where
