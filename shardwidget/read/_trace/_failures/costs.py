"""What a program takes, from its equations: to order proposals by, and to leave out what is too large to be run."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

from shardwidget import _jax
from shardwidget._format import joined
from shardwidget.collectives import bytes_sent, statement_of
from shardwidget.read._trace.collective import call_of


def work_of(jaxpr: Any) -> int:
    """About how many elements and products a program computes."""
    total = 0
    for eqn in _jax.open_jaxpr(jaxpr)[0].eqns:
        times = 1
        if control := _jax.control_of(eqn):
            if isinstance(control, _jax.Scan):
                times = control.length or 1
            if isinstance(control, _jax.While):
                times = _jax.TURNS
            if isinstance(control, _jax.ShardMap):
                times = control.mesh.size
            total += times * sum(map(work_of, control.bodies))
            continue
        sizes = [math.prod(getattr(v.aval, "shape", ())) for v in eqn.outvars]
        if _jax.name_of(eqn) in _jax.CONTRACTIONS:
            times = math.prod(eqn.invars[0].aval.shape[-1:])
        total += times * sum(sizes)
    return total


def cost_of(jaxpr: Any) -> float:
    """Bytes that the regions of a program hold as arguments and receive, in all turns of their loops."""
    total = 0.0
    for eqn in _jax.open_jaxpr(jaxpr)[0].eqns:
        control = _jax.control_of(eqn)
        statement = statement_of(_jax.name_of(eqn))
        if control is not None:
            times = control.length or 1 if isinstance(control, _jax.Scan) else 1
            total += times * sum(map(cost_of, control.bodies))
            if isinstance(control, _jax.ShardMap):
                total += sum(map(_bytes, _jax.open_jaxpr(control.body)[0].invars))
        elif statement is not None and statement.communicates:
            total += sum(map(_bytes, (*eqn.invars, *eqn.outvars)))
    return total


def sent_by(jaxpr: Any, mesh: Any) -> dict[str, int] | None:
    """Bytes that a device sends in a program, by what it does: ``psum over y``.

    None where that is not known: loops that end as data says, a ``reshard``, which the compiler does in its own way.

    Of the branches of a ``cond`` it is the one that sends most.

    Args:
        jaxpr: the program.
        mesh: that of the region around it; None outside.
    """
    total: Counter[str] = Counter()
    for eqn in _jax.open_jaxpr(jaxpr)[0].eqns:
        if control := _jax.control_of(eqn):
            within = control.mesh if isinstance(control, _jax.ShardMap) else mesh
            found = [sent_by(body, within) for body in control.bodies]
            known = [one for one in found if one is not None]
            if len(known) < len(found) or (isinstance(control, _jax.While) and any(known)):
                return None
            if isinstance(control, _jax.Cond):
                known = [max(known, key=lambda one: sum(one.values()))]
            times = control.length or 1 if isinstance(control, _jax.Scan) else 1
            for one in known:
                total.update({name: times * size for name, size in one.items()})
        elif _jax.name_of(eqn) == "reshard":
            return None
        elif mesh is not None and (call := call_of(eqn, mesh.axis_names, tuple(mesh.shape.values()))) is not None:
            total[f"{call.kind} over {joined(call.axes)}"] += bytes_sent(call, _bytes(eqn.invars[0])).bytes
    return dict(total)


def _bytes(v: Any) -> int:
    return math.prod(getattr(v.aval, "shape", ())) * getattr(getattr(v.aval, "dtype", None), "itemsize", 0)
