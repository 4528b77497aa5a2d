"""Results as the function returns them: compiled together with everything else, they may be on other devices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
from jax.extend.core import Literal

from shardwidget import _jax
from shardwidget.read._trace.arguments import on_one_device
from shardwidget.read._trace.nodes import BranchesNode, CallNode, LoopNode, RegionNode, TracedBody


def as_returned(root: TracedBody, leaves: Sequence[Any], outs: Sequence[Any]) -> list[Any]:
    """Results with the placement that they have when the function is called.

    Outside of ``jit`` each operation runs alone: an argument is returned as it is, what is made from uncommitted
    arrays is uncommitted, and ``device_put`` determines where an array is. The rest is where the compiled program
    puts it.

    Args:
        root: the function's equations.
        leaves: its arguments.
        outs: its results, compiled.
    """
    jaxpr = root.jaxpr
    known: dict[Any, Any] = dict(zip(jaxpr.invars, leaves, strict=True))
    free = {v for v, x in known.items() if not getattr(x, "committed", False)} | set(jaxpr.constvars)
    put: dict[Any, Any] = {}
    for node in root.nodes:
        eqn = node.eqn
        if _jax.name_of(eqn) == "device_put":
            put |= zip(eqn.outvars, eqn.params["devices"], strict=True)
        elif not _touches_devices(node) and all(isinstance(v, Literal) or v in free for v in eqn.invars):
            free |= set(eqn.outvars)

    def placed(v: Any, out: Any) -> Any:
        alone = isinstance(v, Literal) or v in free - known.keys()
        if alone and isinstance(out, jax.Array) and out.is_fully_addressable:
            return on_one_device(out)
        if isinstance(put.get(v), jax.sharding.Sharding | jax.Device):
            return jax.device_put(out, put[v])
        return known.get(v, out)

    return [placed(v, out) for v, out in zip(jaxpr.outvars, outs, strict=True)]


def _touches_devices(node: Any) -> bool:
    """Whether a node, or one in it, states where something is placed."""
    if isinstance(node, RegionNode) or _jax.name_of(node.eqn) in _jax.PLACES:
        return True
    if isinstance(node, CallNode):
        shardings = (*node.control.in_shardings, *node.control.out_shardings)
        if any(isinstance(s, jax.sharding.Sharding) for s in shardings):
            return True
        inner = [node.body]
    elif isinstance(node, BranchesNode):
        inner = node.bodies
    elif isinstance(node, LoopNode):
        inner = [node.body, *([] if node.test is None else [node.test])]
    else:
        inner = []
    return any(_touches_devices(n) for block in inner for n in block.nodes)
