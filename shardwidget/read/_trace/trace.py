"""``read.trace``: a program executed step by step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import jax

from shardwidget import cost
from shardwidget._config import Config, config
from shardwidget.document import Trace
from shardwidget.read._call import Call, FlatCall
from shardwidget.read._trace.arguments import Arguments
from shardwidget.read._trace.reading import read_call

NO_SUCH_ENGINE = (
    "engine must be None, which runs on the mesh's own devices, or 'host', which simulates them; got {engine!r}."
)


def trace(
    f: Callable[..., Any],
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    engine: Literal["host"] | None = None,
    keep: int | None = None,
    interconnect: str | cost.Interconnect | None = None,
) -> Trace:
    """Runs a function, and records every step.

    The program is compiled once with every intermediate value among its results, so that values are read from the
    devices that computed them. In a ``shard_map`` these are the blocks of each device, elsewhere whole arrays. What
    ``jax.debug.print`` would write is shown at its step; other callbacks do not run. With several processes all of them
    call it, and each gets the values of all.

    Args:
        f: a ``shard_map`` function, or any function that calls some: jitted, ``jax.grad`` or ``jax.vmap`` of one, a
            closure. Of a function that calls none, jitted or not, every value is a whole array.
        *args: its arguments. A ``jax.ShapeDtypeStruct`` stands for an array of the numbers 0, 1, 2 … A ``jax.Ref``
            holds afterwards what ``f`` leaves in it.
        kwargs: keyword arguments of ``f``.
        engine: ``"host"`` simulates the mesh on one device; None does so only where the mesh is abstract.
        keep: the most bytes of values kept in full, on all devices together; None for ``config.keep``. Of
            every other value only the corner that is shown is kept. Values that the corner shows whole do not count.
        interconnect: what estimated times are shown for first: a name in ``cost.INTERCONNECTS``, or one of your own. If
            not given, the one that connects the mesh's devices, or ``cost.DEFAULT``.

    Returns:
        The trace; ``.outputs`` is what ``f(*args)`` returns, ``.against()`` finds where it differs from one device. If
        ``f`` stops with an error, ``.error`` says why and the steps lead up to it.

    Raises:
        ValueError: the engine or the interconnect is not known; or ``keep`` is not a number of bytes.
        TypeError: the arguments are not those that ``f`` takes.
    """
    return _of_call(Call(f, args, kwargs or {}), engine, keep, interconnect, regions=False)


def trace_mapped(
    f: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any] | None = None,
    engine: Literal["host"] | None = None,
    keep: int | None = None,
    interconnect: str | cost.Interconnect | None = None,
) -> Trace:
    """The same of a function that must call ``jax.shard_map``; of others nothing is run.

    Args:
        f: as of ``trace``.
        args: as of ``trace``.
        kwargs: as of ``trace``.
        engine: as of ``trace``.
        keep: as of ``trace``.
        interconnect: as of ``trace``.

    Raises:
        ValueError: ``f`` calls no ``shard_map``; or as of ``trace``.
        TypeError: as of ``trace``.
    """
    return _of_call(Call(f, args, kwargs or {}), engine, keep, interconnect, regions=True)


def trace_flat(f: Callable[..., Any], arrays: Sequence[Any], names: Sequence[str]) -> Trace:
    """A function of arrays alone, with names for them.

    Args:
        f: the function.
        arrays: its arguments.
        names: what each is called.
    """
    arguments = Arguments(FlatCall(f, arrays))
    arguments.names = list(names)
    with jax.disable_jit(False):
        return read_call(f, arguments, False, config.keep, None)


def _of_call(
    call: Call,
    engine: Literal["host"] | None,
    keep: int | None,
    interconnect: str | cost.Interconnect | None,
    *,
    regions: bool,
) -> Trace:
    if engine not in (None, "host"):
        raise ValueError(NO_SUCH_ENGINE.format(engine=engine))
    cost.interconnects(interconnect)  # Nothing is run for an unknown one.
    keep = config.keep if keep is None else Config.keep.checked(keep)
    arguments = Arguments(FlatCall(call.f, call.args, call.kwargs))
    with jax.disable_jit(False):  # What is instrumented is compiled, whatever the user's own calls are.
        found = read_call(call.f, arguments, engine == "host", keep, interconnect, regions=regions)
    return replace(found, call=call)
