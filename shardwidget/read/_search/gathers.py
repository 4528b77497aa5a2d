"""Gathers of one value: near ones XLA makes one, far ones it gathers again."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

import jax

from shardwidget import _jax

TURNS = frozenset({"stablehlo.reverse", "stablehlo.transpose"})

NEAR = 90 if jax.__version_info__ < (0, 12) else math.inf
"""The most operations between two equal gathers that XLA makes one. They are 100 in XLA's own graph, which has some
more (``xla_tpu_spmd_threshold_for_allgather_cse`` of libtpu). That of JAX 0.12 makes all of them one."""


def turned(v: _jax.Value, made: Mapping[int, _jax.Op]) -> _jax.Value:
    """The value that one is made of by turning it round: XLA gathers it once, and turns what is gathered."""
    while (op := made.get(id(v))) is not None and op.name in TURNS:
        v = op.operands[0]
    return v


def users(block: _jax.Block) -> dict[int, list[_jax.Op]]:
    """By the id of a value, the operations that read it."""
    found: dict[int, list[_jax.Op]] = {}
    for op in block.ops:
        for v in op.operands:
            found.setdefault(id(v), []).append(op)
    return found


def same_gathers(
    block: _jax.Block, made: Mapping[int, _jax.Op], apart: Collection[int] = (), kept: Collection[int] = frozenset()
) -> dict[int, _jax.Op]:
    """For each gather that XLA drops, by its id, the earlier one whose result is used in its place.

    What is far from every use of the earlier gather is gathered again, so that the result need not be kept: weights of
    the first layers, for the backward pass.

    Args:
        block: a function of the program.
        made: by its id, the operation that makes a value.
        apart: ids of gathers that XLA does not make: rows move in their place.
        kept: ids of values of which all equal gathers count as one.
    """
    if not any(op.name == "sdy.all_gather" for op in block.ops):
        return {}
    height, below = _heights(block)
    found: dict[int, _jax.Op] = {}
    latest: dict[tuple[int, str], tuple[_jax.Op, int]] = {}
    for op in block.ops:
        if op.name != "sdy.all_gather" or id(op) in apart:
            continue
        of, lowest = id(turned(op.operands[0], made)), below[id(op)]
        key = of, str(op.axes)
        if key in latest and (of in kept or latest[key][1] <= height[id(op)] + NEAR):
            first, before = latest[key]
            found[id(op)] = first
            latest[key] = first, min(before, lowest)
        else:
            latest[key] = op, lowest
    return found


def _heights(block: _jax.Block) -> tuple[dict[int, int], dict[int, int]]:
    """How many operations follow each at most, up to the results, and the same of its last user."""
    of_value: dict[int, list[int]] = {}
    height: dict[int, int] = {}
    below: dict[int, int] = {}
    for op in reversed(block.ops):
        users = [n for v in op.results for n in of_value.get(id(v), ())]
        height[id(op)] = max(users, default=0) + _depth(op)
        below[id(op)] = min(users, default=height[id(op)])
        for v in op.operands:
            of_value.setdefault(id(v), []).append(height[id(op)])
    return height, below


def _depth(op: _jax.Op) -> int:
    """How many operations an operation is: XLA writes the body of a function where it is called."""
    if op.name != "func.call":
        return 1
    body: Sequence[_jax.Op] = op.bodies[0].ops
    return max(_heights(op.bodies[0])[0].values(), default=1) if body else 1
