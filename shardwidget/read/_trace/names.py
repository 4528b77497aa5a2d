"""The user's names for values: what a line assigns the result of an equation to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from jax.extend.core import Literal

from shardwidget import _jax
from shardwidget.read._trace.draft import Value
from shardwidget.read._trace.plan import Block
from shardwidget.read._trace.sources import frames_of, names_at, span_of


def within(frames: list[Any], function: str) -> list[Any]:
    """The frames from a function inwards, innermost first; the innermost alone where it is not among them."""
    for k in range(len(frames) - 1, -1, -1):
        if frames[k].function_name.rpartition(".")[2] == function:
            return frames[: k + 1]
    return frames[:1]


def name_outputs(block: Block, env: Mapping[Any, Any], function: str, stack: str) -> None:
    """Names the values of a block.

    An expression is often several equations, one after another: a run. Where the first primitive of a run comes again,
    a Python loop has come to the line again. What differentiation makes on its way back has no name.

    Args:
        block: the equations.
        env: the values of their variables.
        function: the function that they belong to.
        stack: name stacks around the block.
    """
    stacks = [_jax.stack_within(stack, node.eqn) for node in block.nodes]
    forward = [at for at, names in enumerate(stacks) if _jax.is_forward(names)]
    runs: dict[Any, _Run] = {}
    ended: list[_Run] = []
    for at in forward:
        eqn = block.nodes[at].eqn
        keys = {}
        for depth, frame in enumerate(reversed(within(frames_of(eqn), function))):
            if names := names_at(frame):
                keys[(depth, frame.file_name, span_of(frame))] = names
        primitive = eqn.primitive.name
        ended += [runs.pop(key) for key in [k for k, run in runs.items() if k not in keys or run.first == primitive]]
        for key, names in keys.items():
            runs.setdefault(key, _Run(names, primitive)).nodes.append(at)
    users = _users(block, forward)
    for run in (*ended, *runs.values()):
        at = _result(run, block, users)
        if at is not None or not _jax.is_differentiated(stacks[run.nodes[-1]]):
            _assign(run.names, block.nodes[run.nodes[-1] if at is None else at], env)


@dataclass
class _Run:
    """The equations of one expression."""

    names: tuple[str, ...]
    """What its value is assigned to."""
    first: str
    """The first primitive."""
    nodes: list[int] = field(default_factory=list)


def _result(run: _Run, block: Block, users: Mapping[Any, Sequence[int]]) -> int | None:
    """The last equation of a run whose result others use; differentiation adds equations behind it, for the way back.

    Returns:
        None where there is none: the value is returned, or not used.
    """
    for at in reversed(run.nodes):
        if any(user not in run.nodes for v in block.nodes[at].eqn.outvars for user in users.get(v, ())):
            return at
    return None


def _users(block: Block, forward: Sequence[int]) -> dict[Any, list[int]]:
    """By variable, the equations that use it on the way forward."""
    users: dict[Any, list[int]] = {}
    for at in forward:
        for v in block.nodes[at].eqn.invars:
            if not isinstance(v, Literal):
                users.setdefault(v, []).append(at)
    return users


def _assign(names: tuple[str, ...], node: Any, env: Mapping[Any, Any]) -> None:
    outputs = [env[v] for v in node.eqn.outvars]
    for value, name in zip(outputs, names, strict=False) if len(names) == len(outputs) else ():
        if isinstance(value, Value) and not value.name:
            value.name = name
