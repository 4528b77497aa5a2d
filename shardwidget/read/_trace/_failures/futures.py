"""A future that is used as if it were an array: wait for it first."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from shardwidget import _jax
from shardwidget.read._trace._failures.changes import placed
from shardwidget.read._trace._failures.explanation import Explanation
from shardwidget.read._trace._failures.stopped import StoppedTrace
from shardwidget.read._trace.draft import TracedValue
from shardwidget.read._trace.steps import Writer


def used_too_early(stop: StoppedTrace, writer: Writer) -> Explanation | None:
    """For a program whose last line names a future that is not done."""
    if not isinstance(stop.error, TypeError | AttributeError | ValueError):
        return None
    text = stop.step.source.text if stop.step.source else ""
    for step in reversed(writer.steps):
        for value in filter(lambda value: _jax.is_future(value.aval), step.outputs):
            if re.search(rf"\b{re.escape(value.name)}\b(?!\.done)", text):
                where = f" in line {step.source.line}" if step.source else ""
                words = (
                    f"{value.name} is a future, not an array: it was started{where} and has no values until "
                    f"{value.name}.done()."
                )
                waits = stop.changes.each(
                    f"Wait for {value.name} here", [(node, "{}.done()") for node in _uses(stop, value)]
                )
                # It gives the only values that the line can mean.
                return Explanation(words, value, fixes=[replace(fix, only_types=True) for fix in placed(waits)])
    return None


def _uses(stop: StoppedTrace, value: TracedValue) -> Iterator[ast.expr]:
    """Where the expression that stops names a future without waiting for it."""
    if stop.changes.expression is None:
        return
    nodes = list(ast.walk(stop.changes.expression))
    waits = {id(node.value) for node in nodes if isinstance(node, ast.Attribute) and node.attr == "done"}
    for node in nodes:
        if isinstance(node, ast.Name) and node.id == value.name and id(node) not in waits:
            yield node
