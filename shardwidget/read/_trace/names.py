"""The user's names for values: what a line assigns the result of an equation to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shardwidget.read._trace.draft import Value
from shardwidget.read._trace.plan import Block
from shardwidget.read._trace.sources import frames_of, names_at, span_of


def within(frames: list[Any], function: str) -> list[Any]:
    """The frames from a function inwards, innermost first; the innermost alone where it is not among them."""
    for k in range(len(frames) - 1, -1, -1):
        if frames[k].function_name.rpartition(".")[2] == function:
            return frames[: k + 1]
    return frames[:1]


def name_outputs(block: Block, env: Mapping[Any, Any], function: str) -> None:
    """Names the values of a block.

    An expression is often several equations, one after another; the last one's value is what the line assigns. Where
    the first primitive of such a run comes again, a Python loop has come to the line again.
    """
    runs: dict[Any, tuple[tuple[str, ...], Any, str]] = {}
    for node in block.nodes:
        eqn = node.eqn
        if "transpose(" in str(eqn.source_info.name_stack) or "jvp(" in str(eqn.source_info.name_stack):
            continue  # The line says what the primal value is called.
        chain = within(frames_of(eqn), function)
        keys = {}
        for depth, frame in enumerate(reversed(chain)):
            if names := names_at(frame):
                keys[(depth, frame.file_name, span_of(frame))] = names
        primitive = eqn.primitive.name
        for key in [k for k, (_, _, first) in runs.items() if k not in keys or first == primitive]:
            _assign(*runs.pop(key)[:2], env)
        for key, names in keys.items():
            first = runs[key][2] if key in runs else primitive
            runs[key] = (names, node, first)
    for names, node, _ in runs.values():
        _assign(names, node, env)


def _assign(names: tuple[str, ...], node: Any, env: Mapping[Any, Any]) -> None:
    outputs = [env[v] for v in node.eqn.outvars]
    for value, name in zip(outputs, names, strict=False) if len(names) == len(outputs) else ():
        if isinstance(value, Value) and not value.name:
            value.name = name
