"""``read.against``: where a program on a mesh begins to differ from the same on one device, or from a reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from shardwidget import _jax
from shardwidget.document.trace import run_of
from shardwidget.document.unsharded import Unsharded, against_reference, against_whole
from shardwidget.read._trace.auto import auto
from shardwidget.read._trace.trace import NoShardMapError, trace

NOT_WHOLE = (
    "{name} does not run on one device, where every block is the whole array: {words}. A program that asks for its "
    "position, or permutes blocks, needs a reference of the same mesh: read.against(f, *args, reference=g)."
)
STOPS = "{name} stops with an error: {words}"


def against(
    f: Callable[..., Any],
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    reference: Callable[..., Any] | None = None,
    rtol: float = 1e-4,
    atol: float = 1e-6,
) -> Unsharded | None:
    """Finds the first value of a program that differs from the same program without sharding.

    The program is run twice: on its mesh, and with its regions on one device, where every block is the whole array.
    Values that have only parts of a sum, still to be added, do not differ. A program without ``shard_map`` is run as it
    is, and on one device; only where the results differ, it is compiled once more with every value among its results,
    with its constraints and without. That takes long for a large one: give it small arguments.

    Args:
        f: what ``read.trace`` takes; or a function without ``shard_map``, jitted or not.
        *args: its arguments, on a mesh.
        kwargs: keyword arguments of ``f``.
        reference: another function of the same arguments and mesh, to compare with step by step, or by names; None for
            ``f`` itself on one device.
        rtol: tolerance, relative to the greatest element of a value.
        atol: absolute tolerance.

    Returns:
        The difference, with its step, line, device and likely cause: a sum that is missing, or made twice, a value that
        is added once for each device, blocks on other devices. None where all values that were kept agree.

    Raises:
        ValueError: ``f`` stops with an error, or does not run on one device.
    """
    try:
        mine = trace(f, *args, kwargs=kwargs)
    except NoShardMapError:
        return auto(f, args, kwargs or {}, reference, rtol, atol)
    name = mine.name or "the function"
    if mine.error is not None:
        raise ValueError(STOPS.format(name=name, words=mine.error.message.partition("\n")[0]))
    if reference is not None:
        other = trace(reference, *args, kwargs=kwargs)
        found = mine.compare(other, rtol=rtol, atol=atol)
        if found is None:
            return None
        return against_reference(run_of(mine), run_of(other), found)
    with _jax.retracing((), "whole"):
        whole = trace(f, *args, kwargs=kwargs, engine="host")
    if whole.error is not None:
        raise ValueError(NOT_WHOLE.format(name=name, words=whole.error.message.partition("\n")[0]))
    return against_whole(run_of(mine), run_of(whole), mine.mesh, rtol, atol)
