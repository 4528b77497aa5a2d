"""Refs that a function closes over: a compiled program takes their contents, and returns their contents at its end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax

from shardwidget.read._trace.arguments import on_one_device
from shardwidget.read._trace.nodes import TracePlan


def without_refs(plan: TracePlan, *, on_host: bool) -> list[Any]:
    """The constants of a plan, with the contents of each ``Ref``, free to be moved if they are on one device.

    JAX's ``jit`` refuses a ``Ref`` on one device beside arrays on several, which work when operations run one by one.
    """
    consts = list(plan.consts)
    for k in plan.refs:
        held = consts[k][...]
        consts[k] = on_one_device(held) if on_host or len(held.devices()) == 1 else held
    return consts


def write_back(plan: TracePlan, held: Sequence[Any]) -> None:
    """Writes the contents after a run back to the refs of a plan."""
    for k, value in zip(sorted(plan.refs), held, strict=True):
        plan.consts[k][...] = jax.device_put(value, plan.consts[k].sharding)
