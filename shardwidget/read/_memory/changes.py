"""Changes that may lower a peak: donations of state, specs for a whole tree, and how they are combined."""

from __future__ import annotations

import collections
import contextlib
import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

from shardwidget import _jax
from shardwidget.read._call import parameter_names
from shardwidget.read._memory.recomputed import Recomputed, name_of, standing_in

_BATCH = frozenset({
    "batch", "data", "example", "examples", "image", "images", "input", "inputs", "key", "label", "labels", "rng",
    "target", "targets", "text", "token", "tokens", "xs", "ys",
})  # fmt: skip
"""Names of arguments that every call is given anew, and that its caller may still need."""

_NOT_USABLE = "donated buffers were not usable"

_SPLIT = """\
def split(x):  # over {axis!r}, the largest dimension that can be
    spec = [*x.sharding.spec, *[None] * (x.ndim - len(x.sharding.spec))]
    used = [axis for entry in spec if entry for axis in (entry if isinstance(entry, tuple) else (entry,))]
    free = [d for d in range(x.ndim) if spec[d] is None and x.shape[d] % {size} == 0]
    if {axis!r} not in used and free:
        spec[max(free, key=lambda d: x.shape[d])] = {axis!r}
    return jax.device_put(x, jax.NamedSharding(x.sharding.mesh, jax.P(*spec)))

{names} = jax.tree.map(split, {given})"""


@dataclass(frozen=True)
class Change:
    """What is changed: at most one function that is recomputed, some donations, one axis that trees are split over."""

    checkpoint: Recomputed | None = None
    donated: tuple[int, ...] = ()
    axis: str = ""

    def __or__(self, other: Change) -> Change:
        """Both at once."""
        return Change(self.checkpoint or other.checkpoint, self.donated or other.donated, self.axis or other.axis)

    @property
    def family(self) -> str:
        """What kind of change this is, of one that is not a combination."""
        return "checkpoint" if self.checkpoint else "donation" if self.donated else "specs"


class Changes:
    """The changes that a call allows.

    Args:
        f: the function.
        args: its positional arguments.
        kwargs: its keyword arguments.
        results: shapes and dtypes of what it returns.
    """

    def __init__(self, f: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], results: Sequence[Any]) -> None:
        self._f, self._args, self._kwargs = f, args, kwargs
        self._names = tuple(parameter_names(f, len(args)))
        self._given = _given(f, args, kwargs)
        self._state = self._returned(results)

    def _returned(self, results: Sequence[Any]) -> tuple[int, ...]:
        """Arguments that come back changed: every array of theirs has a result of its type. None of them is a batch."""
        left = collections.Counter((tuple(x.shape), np.dtype(x.dtype)) for x in results if _is_plain(x))
        found = list[int]()
        for k in sorted(range(len(self._args)), key=lambda k: -_size(self._args[k])):
            types = collections.Counter((tuple(x.shape), np.dtype(x.dtype)) for x in _arrays(self._args[k]))
            if types and types <= left and not self._is_batch(k):
                left -= types
                found.append(k)
        return tuple(sorted(found))

    def _is_batch(self, k: int) -> bool:
        if k in self._given:
            return False
        whole = all(np.issubdtype(x.dtype, np.integer) for x in _arrays(self._args[k]))
        name = self._names[k].lower()
        return whole or name in _BATCH or (name in ("x", "y") and len(self._args) > 1)

    def donations(self) -> Iterator[Change]:
        """All the state, and where that is in several arguments, the largest alone."""
        free = tuple(k for k in self._state if k not in self._given)
        # XLA already puts the contents of a Ref where they were, and refuses donations beside that.
        with_ref = any(isinstance(leaf, jax.Ref) for leaf in jax.tree.leaves((self._args, self._kwargs)))
        if free and not with_ref and _jax.donating(self._f, free) is not None:
            yield Change(donated=tuple(sorted({*self._given, *free})))

    def splits(self) -> Iterator[Change]:
        """Every array of the state, or of all that is no batch, over one more of the mesh axes it is copied over."""
        sizes: dict[str, int] = {}
        for leaf in (leaf for k in self._trees for leaf in _arrays(self._args[k])):
            if isinstance(getattr(leaf, "sharding", None), NamedSharding):
                sizes |= {axis: size for axis, size in leaf.sharding.mesh.shape.items() if size > 1}
        for axis in sorted(sizes, key=lambda axis: -sizes[axis])[:2]:
            if self._moved(axis):
                yield Change(axis=axis)

    @property
    def _trees(self) -> tuple[int, ...]:
        return self._state or tuple(k for k in range(len(self._args)) if not self._is_batch(k))

    def _moved(self, axis: str) -> list[tuple[int, str, PartitionSpec]]:
        """Argument, path in it and new spec of each array that is split over one more axis."""
        return [
            (k, jax.tree_util.keystr(path), spec)
            for k in self._trees
            for path, leaf in jax.tree.flatten_with_path(self._args[k])[0]
            if (spec := split_over(leaf, axis)) is not None
        ]

    @contextlib.contextmanager
    def applied(self, change: Change) -> Iterator[tuple[Callable[..., Any], tuple[Any, ...]]]:
        """The function and the arguments to compile.

        Raises:
            ValueError: a donation would do nothing.
        """
        args = self._args
        if change.axis:
            args = tuple(_split(arg, change.axis) if k in self._trees else arg for k, arg in enumerate(args))
        with contextlib.ExitStack() as entered:
            caught = entered.enter_context(warnings.catch_warnings(record=True))
            warnings.simplefilter("always")
            f = self._f
            if change.checkpoint:
                entered.enter_context(standing_in(self._f, change.checkpoint))
            if change.donated:
                donating = _jax.donating(f, change.donated)
                assert donating is not None
                f = donating[0]
            yield f, args
            if any(_NOT_USABLE in str(warning.message) for warning in caught):
                raise ValueError(_NOT_USABLE)

    def words(self, change: Change) -> str:
        """A change in words: ``donate argument 0, split argument 0 over 'data'``."""
        parts = [change.checkpoint.fix.title] if change.checkpoint else []
        if new := [k for k in change.donated if k not in self._given]:
            parts.append(f"donate argument{'s' * (len(new) > 1)} {', '.join(map(str, new))}")
        if change.axis:
            moved = self._moved(change.axis)
            where = dict.fromkeys(f"argument {k}{path}" if len(moved) == 1 else self._names[k] for k, path, _ in moved)
            parts.append(f"split {', '.join(where)}" + (f" over {change.axis!r}" if len(moved) > 1 else ""))
        return ", ".join(parts)

    def code(self, change: Change) -> str:
        """A change as code, a paragraph for each of its parts."""
        parts = [change.checkpoint.fix.code] if change.checkpoint else []
        if change.donated:
            given = change.donated[0] if len(change.donated) == 1 else change.donated
            jit = (_jax.donating(self._f, change.donated) or (None, ""))[1]
            parts.append(f"{jit}({name_of(self._f)}, donate_argnums={given})")
        if change.axis:
            moved = self._moved(change.axis)
            if len(moved) == 1:
                ((k, path, spec),) = moved
                parts.append(f"argument {k}{path}: P({', '.join(map(repr, spec))})")
            else:
                names = ", ".join(dict.fromkeys(self._names[k] for k, *_ in moved))
                size = next(leaf.sharding.mesh.shape[change.axis] for leaf in self._split_leaves(change.axis))
                given = f"({names})" if "," in names else names
                parts.append(_SPLIT.format(axis=change.axis, size=size, names=names, given=given))
        return "\n\n".join(parts)

    def _split_leaves(self, axis: str) -> Iterator[Any]:
        return (leaf for k in self._trees for leaf in _arrays(self._args[k]) if split_over(leaf, axis) is not None)


def split_over(leaf: Any, axis: str) -> PartitionSpec | None:
    """The spec of an array with one more mesh axis, on the largest dimension that it divides; None where none fits."""
    sharding = getattr(leaf, "sharding", None)
    if not isinstance(sharding, NamedSharding) or isinstance(leaf, jax.Ref) or axis not in sharding.mesh.shape:
        return None
    entries = [*sharding.spec, *(None,) * (leaf.ndim - len(sharding.spec))]
    used = {a for entry in entries if entry is not None for a in (entry if isinstance(entry, tuple) else (entry,))}
    size = sharding.mesh.shape[axis]
    free = [d for d, entry in enumerate(entries) if entry is None and leaf.shape[d] % size == 0 < leaf.shape[d]]
    if axis in used or not free:
        return None
    entries[max(free, key=lambda d: leaf.shape[d])] = axis
    return PartitionSpec(*entries)


def _split(tree: Any, axis: str) -> Any:
    def moved(leaf: Any) -> Any:
        spec = split_over(leaf, axis)
        if spec is None:
            return leaf
        return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=NamedSharding(leaf.sharding.mesh, spec))

    return jax.tree.map(moved, tree)


def _given(f: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[int, ...]:
    """Positional arguments that the function already donates."""
    if not hasattr(f, "lower") or _jax.donating(f, ()) is None:
        return ()
    infos, _ = f.lower(*args, **kwargs).args_info
    of = [[leaf.donated for leaf in jax.tree.leaves(one, is_leaf=lambda x: hasattr(x, "donated"))] for one in infos]
    return tuple(k for k, taken in enumerate(of) if taken and all(taken))


def _is_plain(x: Any) -> bool:
    return hasattr(x, "shape") and hasattr(x, "dtype") and not jax.dtypes.issubdtype(x.dtype, jax.dtypes.extended)


def _arrays(tree: Any) -> list[Any]:
    return [leaf for leaf in jax.tree.leaves(tree) if _is_plain(leaf)]


def _size(tree: Any) -> int:
    return sum(math.prod(leaf.shape) * leaf.dtype.itemsize for leaf in _arrays(tree))
