"""How long a call of a program takes, measured."""

from __future__ import annotations

import contextlib
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax
from jax.sharding import AbstractMesh, Mesh, NamedSharding, PartitionSpec

from shardwidget import _jax
from shardwidget.document import Timing
from shardwidget.read._call import function_name, keywords
from shardwidget.read._processes.together import together
from shardwidget.read._program.executable import jitted_of, setting

NOTHING_TO_RUN = (
    "{what}, so there is nothing to measure. Call it with arrays on devices of this machine: "
    "jax.device_put(values, sharding)."
)

COMPILED_ALONE = (
    "the program came compiled, without the {count} arguments to call it with, so there is nothing to measure. "
    "Give the function and its arguments, (f, x, w), or call shardwidget.read.time_program(compiled, (x, w))."
)

NOT_RUNNING = (
    "this code is being traced (by jit, grad, vmap or shard_map), so nothing runs that could be measured. Measure "
    "outside the traced function."
)

OUT_OF_MEMORY = (
    "{program} needs more memory than its devices have. What is alive at its peak, and on which lines: "
    "shardwidget.read.memory({given}).{remedies}\nXLA's words: {words}"
)

REMEDIES = " Changes that lower it, compiled: shardwidget.read.remedies({given})."

NO_COUNT = "n must be a whole number of calls, 1 or more; got {n!r}."

WARM_UP = 2
"""Calls before the measured ones: the first compiles, the second fills caches."""


def time_program(
    f: Callable[..., Any] | jax.stages.Compiled,
    args: Sequence[Any],
    *,
    kwargs: Mapping[str, Any] | None = None,
    n: int = 10,
    mesh: Mesh | None = None,
) -> Timing:
    """Measures calls of a program, each until its results are ready.

    Args:
        f: a function, jitted or not, or a ``Compiled``.
        args: its arguments. Donated ones are copied before each call, unmeasured; yours stay as they are.
        kwargs: its keyword arguments.
        n: measured calls, after ``WARM_UP`` others.
        mesh: the mesh to call it on, as ``read.program`` takes it: arguments that are on no mesh are put there.

    Returns:
        Median, least and greatest seconds.

    Raises:
        ValueError: an argument has no values, a ``Compiled`` came without its arguments, the program is compiled for
            devices that are not here, or ``n`` is not a whole number of 1 or more.
        TypeError: ``f`` is lowered, not compiled.
        jax.errors.JaxRuntimeError: the program fails while it runs, for example because it does not fit in memory.
    """
    seconds = []
    with calls(f, args, kwargs=kwargs, n=n, mesh=mesh) as ready:
        for _ in range(WARM_UP + n):
            call = ready()
            start = time.perf_counter()
            call()
            seconds.append(time.perf_counter() - start)
    measured = seconds[WARM_UP:]
    return Timing(statistics.median(measured), min(measured), max(measured), n)


@contextlib.contextmanager
def calls(
    f: Callable[..., Any] | jax.stages.Compiled,
    args: Sequence[Any],
    *,
    kwargs: Mapping[str, Any] | None,
    n: int,
    mesh: Mesh | None,
) -> Iterator[Callable[[], Callable[[], None]]]:
    """Calls of a program that are measured: yields a function that prepares one, with its donated arguments copied.

    What that returns calls the program and waits for its results. Arguments and errors: as in ``time_program``.
    """
    if not isinstance(n, int) or n < 1:
        raise ValueError(NO_COUNT.format(n=n))
    if isinstance(f, jax.stages.Traced | jax.stages.Lowered):
        way = "lowered.compile()" if isinstance(f, jax.stages.Lowered) else "traced.lower().compile()"
        raise TypeError(f"a {type(f).__name__} cannot be called: give {way}, or the function itself.")
    if not _jax.is_running():
        raise ValueError(NOT_RUNNING)
    given = tuple(args), keywords(kwargs)
    _check(f, given, mesh)
    # What equinox jits is called as it is: jitted again it would be another program than the one that is read.
    as_it_is = isinstance(f, jax.stages.Compiled) or _jax.traces_arrays_alone(f)
    call, *given = (f, *given) if as_it_is else jitted_of(f, *given)
    given = tuple(given)
    takes_part = _devices((_jax.boundary_shardings(f)[0] if isinstance(f, jax.stages.Compiled) else given, mesh))
    # What is measured is the compiled program, even where the user's own calls are not compiled.
    with (
        jax.disable_jit(False),
        setting(mesh, given),
        together(f"calls {function_name(f)} {WARM_UP + n} times", takes_part),
    ):
        donated = _donated(call, given)

        def ready() -> Callable[[], None]:
            copied = jax.tree.map(lambda x, copy: _copy(x) if copy else x, given, donated)
            fresh, named = jax.block_until_ready(copied)
            return lambda: jax.block_until_ready(call(*fresh, **named))

        try:
            yield ready
        except jax.errors.JaxRuntimeError as error:
            if not _jax.messages.needs_too_much_memory(error):
                raise
            raise jax.errors.JaxRuntimeError(_out_of_memory(f, error)) from error


def _out_of_memory(f: Any, error: Exception) -> str:
    if isinstance(f, jax.stages.Compiled):  # It is not compiled in other ways.
        return OUT_OF_MEMORY.format(program="The program", given="compiled", remedies="", words=error)
    given = f"{function_name(f)}, *args"
    remedies = REMEDIES.format(given=given)
    return OUT_OF_MEMORY.format(program=function_name(f), given=given, remedies=remedies, words=error)


def _check(f: Any, given: tuple[tuple[Any, ...], dict[str, Any]], mesh: Mesh | None) -> None:
    if mesh is not None:
        _check_devices(NamedSharding(mesh, PartitionSpec()))
    if isinstance(f, jax.stages.Compiled):
        _check_devices(_jax.boundary_shardings(f)[0])
        if not any(given) and (count := f.in_tree.num_leaves):
            raise ValueError(COMPILED_ALONE.format(count=count))
    _check_devices([leaf.sharding for leaf in jax.tree.leaves(given) if isinstance(leaf, jax.ShapeDtypeStruct)])
    for (_, parameter, *path), leaf in jax.tree.leaves_with_path(given):
        name = getattr(parameter, "key", getattr(parameter, "idx", ""))
        at = f"argument {name}{jax.tree_util.keystr(tuple(path))}"
        if isinstance(leaf, jax.ShapeDtypeStruct):
            raise ValueError(NOTHING_TO_RUN.format(what=f"{at} has a shape and no values"))
        if isinstance(leaf, jax.Array) and leaf.is_deleted():
            raise ValueError(NOTHING_TO_RUN.format(what=f"{at} was deleted or donated"))


def _devices(of: Any) -> set[Any]:
    """The devices of arrays, shardings and meshes."""
    shardings = [getattr(x, "sharding", x) for x in jax.tree.leaves(of)]
    concrete = [s.mesh if isinstance(s, NamedSharding) else s for s in shardings]
    return {
        device for s in concrete for device in (s.devices.flat if isinstance(s, Mesh) else getattr(s, "device_set", ()))
    }


def _check_devices(shardings: Any) -> None:
    concrete = [s for s in jax.tree.leaves(shardings) if not isinstance(getattr(s, "mesh", None), AbstractMesh)]
    for device in {d for s in concrete for d in s.device_set}:
        if device not in _here(device.platform):
            what = f"the program is compiled for {device.device_kind}, which this machine does not have"
            raise ValueError(NOTHING_TO_RUN.format(what=what))


def _here(platform: str) -> list[Any]:
    try:
        return jax.devices(platform)
    except RuntimeError:
        return []


def _donated(call: Any, given: Any) -> Any:
    """For each leaf of the arguments, whether a call changes it: an array that is donated, a ``jax.Ref``."""
    if isinstance(call, jax.stages.Compiled):
        infos = call.args_info
    else:
        infos = (_jax.lowered_by_library(call, *given) or call.lower(*given[0], **given[1])).args_info
    taken = [info.donated for info in jax.tree.leaves(infos, is_leaf=lambda x: hasattr(x, "donated"))]
    leaves, tree = jax.tree.flatten(given)
    refs = [isinstance(leaf, jax.Ref) for leaf in leaves]
    arrays = [isinstance(leaf, jax.Array) for leaf in leaves]
    # Static arguments are not part of what is compiled, so leaves may be more; then any array may be meant.
    if len(taken) != len(leaves):
        taken = [any(taken)] * len(leaves)
    each = zip(refs, arrays, taken, strict=True)
    return tree.unflatten([is_ref or (is_array and bool(of)) for is_ref, is_array, of in each])


def _copy(x: jax.Array | jax.Ref) -> Any:
    return jax.new_ref(x[...]) if isinstance(x, jax.Ref) else x.copy()
