"""``read.remedies``: what to write instead, found by compiling it that way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import jax
from jax.sharding import Mesh

from shardwidget.document import Remedies
from shardwidget.read._instead import communication
from shardwidget.read._memory import remedies as of_memory


def remedies(
    f: Callable[..., Any],
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    mesh: Mesh | None = None,
    lowers: Literal["peak", "communication"] = "peak",
    limit: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Remedies:
    """Compiles a function in other ways; returns the ones that lower its peak of memory, or its communication.

    For the peak it is compiled with ``jax.checkpoint`` around the functions that made what is kept for the backward
    pass, also with policies that keep matrix products or put them into the host's memory; with the arguments donated
    that it returns changed; with every array of these split over one more mesh axis; and with the best of these
    together.

    For communication each of the user's sharding constraints is left out, and put with its entries in another
    order; a constraint is added to the values of the lines that take longest, split as the arguments are along the
    batch; arguments are split otherwise that these lines use, or as the same arrays of another argument are (an
    optimizer's state as the parameters); results are returned as the arguments that they replace.
    ``x[jnp.arange(n), i]`` is written with ``jax.vmap``, ``x[i].astype(t)`` as ``x.astype(t)[i]``, and on Explicit
    axes ``x.at[i].get(out_sharding=…)`` with other specs. Such changes alter no value. A change is offered where
    estimated time or bytes fall by 1 % or more and the other rises by 10 % at most, or where memory falls and
    nothing else rises. The best at each place comes first, and the best for each line that sends and for memory;
    then other ways at the same places (``other``). Among them, what communicates less without more memory or work
    precedes the rest, and then what saves more of bytes, time, memory and work in all.

    Nothing is run, and only what was compiled is offered. While changed source is traced, the functions have the
    changed code. Each candidate takes as long as a compile; for CPUs XLA's optimizations of machine code are left out.
    Interrupted (``KeyboardInterrupt``), it returns what was found until then.

    Args:
        f: a function, jitted or not.
        *args: its arguments: arrays, or ``jax.ShapeDtypeStruct``s with a sharding.
        kwargs: its keyword arguments, which stay as they are.
        mesh: the mesh; None takes the one of the arguments.
        lowers: what is to be lower.
        limit: the most that is compiled for communication; None for 40.
        progress: called with how many attempts were compiled, and how many there are as far as is known.

    Returns:
        The changes, the best first.

    Raises:
        TypeError: ``f`` is not a function.
        ValueError: ``lowers`` is something else; or there is no mesh to communicate on.
    """
    if not callable(f) or isinstance(f, jax.stages.Compiled):
        raise TypeError(of_memory.NOT_CALLABLE.format(type=type(f).__name__))
    if lowers == "communication":
        return communication.tried(f, args, kwargs or {}, mesh, progress, limit)
    if lowers != "peak":
        raise ValueError(f"lowers must be 'peak' or 'communication'; got {lowers!r}")
    return of_memory.tried(f, args, kwargs or {}, mesh, progress)
