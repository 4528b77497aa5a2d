"""``read.remedies``: what would lower the peak of a program, found by compiling it that way."""

from __future__ import annotations

import contextlib
import functools
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import jax
from jax.sharding import Mesh as JaxMesh
from jax.sharding import NamedSharding, PartitionSpec

from shardwidget import _jax
from shardwidget.document import Fix, Memory, Remedy
from shardwidget.read._memory.memory import memory
from shardwidget.read._memory.recomputed import name_of, recomputed, standing_in
from shardwidget.read._program.executable import Executable, compiled

MOST = 4
"""The most arguments, or functions, that are tried in each way, the largest first."""

NOT_CALLABLE = (
    "remedies are found by compiling the function in other ways, and this is a {type}. Give the function and its "
    "arguments."
)


@dataclass(frozen=True)
class _Way:
    """One way to compile the function."""

    what: str
    code: str
    function: Callable[[], contextlib.AbstractContextManager[Callable[..., Any]]]
    """What is compiled, as long as this is entered."""
    args: tuple[Any, ...]
    fix: Fix | None = None


def remedies(
    f: Callable[..., Any],
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    mesh: JaxMesh | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Remedy, ...]:
    """Compiles a function in other ways; returns the ones that lower its peak.

    It is compiled with ``jax.checkpoint`` around the functions that made what is kept for the backward pass, with more
    arguments donated, and with other specs of its arguments. Nothing is run, and only what was compiled is
    offered. Each way takes as long as a compile. While one with ``jax.checkpoint`` is traced, the name of the function
    refers to the rewritten one.

    Args:
        f: a function, jitted or not.
        *args: its arguments: arrays, or ``jax.ShapeDtypeStruct``s with a sharding.
        kwargs: its keyword arguments, which stay as they are.
        mesh: the mesh; None takes the one of the arguments.
        progress: called with how many attempts were compiled, and how many there are.

    Returns:
        Those that lower the peak, the best first.

    Raises:
        TypeError: ``f`` is not a function.
    """
    if not callable(f) or isinstance(f, jax.stages.Compiled):
        raise TypeError(NOT_CALLABLE.format(type=type(f).__name__))
    executable = compiled(f, *args, kwargs=kwargs, mesh=mesh)
    before = memory(executable)
    donated = _donated(f, args, kwargs or {})
    # Of several ways to write the same, the first that compiles is used.
    groups = [*_checkpoints(f, args, before, executable)]
    # equinox donates arrays alone: other specs are tried with shapes, which it does not take.
    arrays_alone = _jax.donating(f, ()) is None and before.compiler is not None and before.compiler.aliased > 0
    specs = () if arrays_alone else _specs(f, args)
    # XLA already puts the contents of a Ref where they were, and refuses donations beside that.
    with_ref = any(isinstance(leaf, jax.Ref) for leaf in jax.tree.leaves((args, kwargs)))
    groups += [[way] for way in (*(() if with_ref else _donations(f, args, donated)), *specs)]
    found = []
    for number, ways in enumerate(groups):
        if progress is not None:
            progress(number, len(groups))
        for way in ways:
            try:
                with warnings.catch_warnings(), way.function() as other:
                    # JAX warns of a donation that it cannot use; that is exactly what is tested here.
                    warnings.simplefilter("ignore")
                    after = memory(other, *way.args, kwargs=kwargs, mesh=mesh).peak_bytes
            except Exception:  # What does not compile is not a remedy.
                continue
            if after < before.peak_bytes:
                found.append(Remedy(way.what, way.code, before.peak_bytes, after, way.fix))
            break
    return tuple(sorted(found, key=lambda remedy: remedy.after))


def _checkpoints(
    f: Callable[..., Any], args: tuple[Any, ...], before: Memory, executable: Executable
) -> Iterator[list[_Way]]:
    """``jax.checkpoint`` around one of the user's functions."""
    for ways in recomputed(f, before, executable)[:MOST]:
        yield [_Way(w.fix.title, w.fix.code, functools.partial(standing_in, f, w), args, w.fix) for w in ways]


def _donations(f: Any, args: tuple[Any, ...], donated: tuple[int, ...]) -> Iterator[_Way]:
    """Donating one more of the positional arguments, and all that could be."""
    free = [k for k in _largest(args) if k not in donated][:MOST]
    name = name_of(f)
    for numbers in [(k,) for k in free] + ([tuple(free)] if len(free) > 1 else []):
        every = tuple(sorted((*donated, *numbers)))
        what = f"donate argument{'s' * (len(numbers) > 1)} {', '.join(map(str, sorted(numbers)))}"
        given = every[0] if len(every) == 1 else every
        donating = _jax.donating(f, every)
        if donating is not None:
            of = contextlib.nullcontext(donating[0])
            yield _Way(what, f"{donating[1]}({name}, donate_argnums={given})", lambda of=of: of, args)


def _specs(f: Any, args: tuple[Any, ...]) -> Iterator[_Way]:
    """Splitting one more array, over an axis that it is copied over."""
    leaves, tree = jax.tree_util.tree_flatten_with_path(args)
    free = [(k, spec) for k, (_, leaf) in enumerate(leaves) if (spec := _split(leaf)) is not None]
    free.sort(key=lambda found: -_bytes(leaves[found[0]][1]))
    for k, spec in free[:MOST]:
        path, leaf = leaves[k]
        shape = jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=NamedSharding(leaf.sharding.mesh, spec))
        given = jax.tree.unflatten(tree, [shape if n == k else x for n, (_, x) in enumerate(leaves)])
        first, *rest = path
        where = f"argument {first.idx}{jax.tree_util.keystr(tuple(rest))}"
        written = f"P({', '.join(map(repr, spec))})"
        yield _Way(f"split {where}", f"{where}: {written}", lambda: contextlib.nullcontext(f), given)


def _split(leaf: Any) -> PartitionSpec | None:
    """A spec with one more of the axes that an array is copied over, on the largest dimension that the axis divides."""
    sharding = getattr(leaf, "sharding", None)
    if not isinstance(sharding, NamedSharding) or isinstance(leaf, jax.Ref):
        return None
    entries = [*sharding.spec, *(None,) * (leaf.ndim - len(sharding.spec))]
    used = {a for entry in entries if entry is not None for a in (entry if isinstance(entry, tuple) else (entry,))}
    sizes = {name: size for name, size in sharding.mesh.shape.items() if name not in used and size > 1}
    for name, size in sorted(sizes.items(), key=lambda axis: -axis[1]):
        fitting = [d for d, entry in enumerate(entries) if entry is None and leaf.shape[d] % size == 0 < leaf.shape[d]]
        if fitting:
            entries[max(fitting, key=lambda d: leaf.shape[d])] = name
            return PartitionSpec(*entries)
    return None


def _donated(f: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[int, ...]:
    """Positional arguments that the function already donates."""
    if not hasattr(f, "lower") or _jax.donating(f, ()) is None:
        return ()
    infos, _ = f.lower(*args, **kwargs).args_info
    of = [[leaf.donated for leaf in jax.tree.leaves(one, is_leaf=lambda x: hasattr(x, "donated"))] for one in infos]
    return tuple(k for k, taken in enumerate(of) if taken and all(taken))


def _largest(args: tuple[Any, ...]) -> list[int]:
    sizes = [sum(map(_bytes, jax.tree.leaves(arg))) for arg in args]
    return sorted((k for k, size in enumerate(sizes) if size > 0), key=lambda k: -sizes[k])


def _bytes(leaf: Any) -> int:
    """Bytes of an array on one device; 0 for what is not an array."""
    sharding, shape = getattr(leaf, "sharding", None), getattr(leaf, "shape", None)
    if shape is None or not hasattr(leaf, "dtype"):
        return 0
    own = sharding.shard_shape(shape) if sharding is not None else shape
    count = 1
    for size in own:
        count *= size
    return count * leaf.dtype.itemsize
