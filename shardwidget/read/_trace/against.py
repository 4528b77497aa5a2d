"""``Trace.against``: where a program on a mesh begins to differ from the same on one device, or from a reference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from shardwidget import _jax
from shardwidget.document import Trace
from shardwidget.document.trace import run_of
from shardwidget.document.unsharded import Unsharded, against_reference, against_whole
from shardwidget.read._call import Call
from shardwidget.read._trace.auto import auto, on_host
from shardwidget.read._trace.trace import trace

NO_CALL = (
    "this trace no longer has the function and its arguments: it was read from a file, traced with a fix, or is of a "
    "view that is displayed. Call read.trace(f, *args).against()."
)
STOPS = "{name} stops with an error: {words}"
NOT_RUN = "{name} was not run, so there are no values to compare: {note}"
NO_MESH = (
    "{name} was not run on a mesh of devices. Put its arguments on one: "
    "jax.device_put(x, jax.NamedSharding(mesh, spec))."
)
HAS_REFS = (
    "{name} takes a jax.Ref, which running it once more would write again: give a function that returns the value"
)
NOT_WHOLE = (
    "{name} does not run on one device, where every block is the whole array: {words}. A program that asks for its "
    "position, or permutes blocks, needs a reference of the same mesh: .against(reference)."
)


def against(mine: Trace, reference: Callable[..., Any] | None, rtol: float | None, atol: float) -> Unsharded | None:
    """``Trace.against``.

    Args:
        mine: a trace, with what it was called with.
        reference: another function of the same arguments; None for the traced one, on one device.
        rtol: tolerance, relative to the greatest element of a value; None for that of the program's types.
        atol: absolute tolerance.

    Raises:
        ValueError: as of ``Trace.against``.
    """
    name = mine.name or "the function"
    _refuse_stopped(mine, name)
    rtol = _rounding(mine) if rtol is None else rtol
    call = mine.call
    if not isinstance(call, Call):
        raise ValueError(NO_CALL)
    if any(isinstance(x, jax.Ref) for x in jax.tree.leaves((call.args, dict(call.kwargs)))):
        raise ValueError(HAS_REFS.format(name=name))
    if not mine.regions:
        if mine.mesh.size < 2 or mine.engine == "host":
            raise ValueError(NO_MESH.format(name=name))
        return auto(call, mine.mesh, reference, rtol, atol)
    if reference is not None:
        other = trace(reference, *call.args, kwargs=call.kwargs)
        _refuse_stopped(other, other.name or "the reference")
        axes = {axis.name: axis.size for axis in mine.mesh.axes}
        return against_reference(run_of(mine), run_of(other), axes, rtol, atol)
    with _jax.retracing((), "whole"):
        whole = trace(call.f, *call.args, kwargs=call.kwargs, engine="host")
    if whole.error is not None:
        raise ValueError(NOT_WHOLE.format(name=name, words=whole.error.message.partition("\n")[0]))
    _refuse_stopped(whole, name)
    results = [
        (on_host(a), on_host(b))
        for a, b in zip(jax.tree.leaves(mine.outputs), jax.tree.leaves(whole.outputs), strict=True)
        if not isinstance(a, jax.Array) or a.is_fully_addressable or a.is_fully_replicated
    ]
    return against_whole(run_of(mine), run_of(whole), results, mine.mesh, rtol, atol)


def _rounding(mine: Trace) -> float:
    """The tolerance for the types of a program: in parts, sums are rounded otherwise than in one piece."""
    floats = {v.dtype for v in mine.variables if v.dtype.startswith(("float", "bfloat"))}
    return max([1e-4, *(2 * float(jnp.finfo(dtype).eps) for dtype in floats)])


def _refuse_stopped(found: Trace, name: str) -> None:
    """Refuses a trace without values.

    Raises:
        ValueError: the program stops, or was not run.
    """
    if found.error is not None:
        raise ValueError(STOPS.format(name=name, words=found.error.message.partition("\n")[0]))
    if found.engine == "types":
        raise ValueError(NOT_RUN.format(name=name, note=found.note))
