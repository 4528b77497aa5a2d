"""A collective where ``jax.sharding.no_collectives`` forbids it: allow it, or do it outside of the block."""

from __future__ import annotations

import ast
import textwrap
from dataclasses import replace

from shardwidget import _jax
from shardwidget.read._jaxpr.rewrite import SourceText
from shardwidget.read._trace._failures.changes import placed
from shardwidget.read._trace._failures.explanation import Explanation
from shardwidget.read._trace._failures.proposal import Proposal
from shardwidget.read._trace._failures.stopped import StoppedTrace

LONGEST = 12
"""The most lines of a block that a fix rewrites."""

_NEEDS = {
    "acts": "{operation} is one",
    "sums": "{operation} sums over {axis}: its result is not unreduced over {axis}",
    "ends": "{operation} needs one: its result is neither split over {axis} nor unreduced",
    "moves": "{operation} moves {axis} from one dimension to another",
}


def forbidden_collective(stop: StoppedTrace) -> Explanation | None:
    """For a program that stops at a collective over an axis for which there may be none."""
    found = _jax.messages.forbidden(stop.error)
    if found is None:
        return None
    source, node = stop.changes.source, stop.changes.expression
    block = source.block(node, "no_collectives") if source and node else None
    where = f" in line {block[0].lineno}" if block else ""
    needs = _NEEDS[found.why].format(operation=found.operation, axis=found.axis)
    text = f"jax.sharding.no_collectives{where} forbids collectives over {found.axis}, and {needs}."
    if source is None or node is None or block is None:
        return Explanation(text, axes=[found.axis])
    ways = placed(_outside(stop, source, block[0], node), _allowed(stop, source, *block, found.axis))
    # What is allowed changes no value.
    return Explanation(text, axes=[found.axis], fixes=[replace(way, only_types=True) for way in ways])


def _outside(stop: StoppedTrace, source: SourceText, block: ast.With, node: ast.expr) -> Proposal | None:
    """The last statement of a block after it."""
    last = block.body[-1]
    if source.statement(node) is not last or len(block.body) == 1:
        return None
    inside = source.lines(block.lineno, last.lineno - 1)
    return _rewritten(
        stop, source, "Do it outside of the block", block, [*inside, *_dedented(source, block, last, last)]
    )


def _allowed(stop: StoppedTrace, source: SourceText, block: ast.With, call: ast.Call, axis: str) -> Proposal | None:
    """A block that forbids one axis less; none where it forbids no other."""
    given = call.args[0] if len(call.args) == 1 else None
    if not isinstance(given, ast.Set) or not all(isinstance(e, ast.Constant) for e in given.elts):
        return None
    title = f"Allow collectives over {axis}"
    rest = [e for e in given.elts if isinstance(e, ast.Constant) and e.value != axis]
    if rest:
        return stop.changes.wrapped(title, given, "{" + ", ".join(map(source.segment, rest)) + "}")
    if len(block.items) > 1:
        return None
    return _rewritten(stop, source, title, block, _dedented(source, block, block.body[0], block.body[-1]))


def _dedented(source: SourceText, block: ast.With, first: ast.stmt, last: ast.stmt) -> list[str]:
    """Statements of a block as they are written outside of it."""
    lines = source.lines(first.lineno, last.end_lineno or last.lineno)
    return textwrap.indent(textwrap.dedent("\n".join(lines)), " " * block.col_offset).split("\n")


def _rewritten(
    stop: StoppedTrace, source: SourceText, title: str, block: ast.With, lines: list[str]
) -> Proposal | None:
    end = block.body[-1].end_lineno or block.lineno
    if end - block.lineno >= LONGEST:
        return None
    return stop.changes.fix(title, source.replaced(block.lineno, end, "\n".join(lines)))
