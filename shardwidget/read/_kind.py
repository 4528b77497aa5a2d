"""What an object is: a function that calls ``jax.shard_map``, a function of global arrays, or a tree of arrays."""

from __future__ import annotations

import dataclasses
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jax

from shardwidget import _jax
from shardwidget.read._call import FlatCall
from shardwidget.read._trace.arguments import Arguments


def calls_shard_map(f: Callable[..., Any], *args: Any, kwargs: Mapping[str, Any] | None = None) -> bool:
    """Whether a function calls ``jax.shard_map``. It is traced, and not run.

    For a function that cannot be traced: whether it had reached a ``shard_map`` when it stopped.
    """
    try:
        closed, _ = _jax.unfiltered(Arguments(FlatCall(f, args, kwargs)).trace)
    except Exception as error:
        files = (Path(frame.f_code.co_filename).name for frame, _ in traceback.walk_tb(error.__traceback__))
        return "shard_map.py" in files
    return any(_jax.name_of(eqn) == "shard_map" for eqn in _jax.every_equation(closed))


def is_tree(x: Any) -> bool:
    """Whether this is a container, of arrays or of anything; an array, a shape with a sharding and a mesh are not."""
    if isinstance(x, tuple) and len(x) == 3 and isinstance(x[2], jax.sharding.Sharding | jax.sharding.PartitionSpec):
        return False
    if callable(x):
        # Modules are called, and hold arrays; a function that is a pytree holds none.
        return any(isinstance(leaf, jax.Array | jax.Ref | jax.ShapeDtypeStruct) for leaf in _inside(x))
    if x is None or _of_numbers(x):
        return False
    return dataclasses.is_dataclass(x) or not jax.tree_util.all_leaves([x])


def _of_numbers(x: Any) -> bool:
    """Whether this is a container of only Python's own numbers and strings: not a model."""
    inside = x.values() if isinstance(x, dict) else x if isinstance(x, list | tuple) else ()
    return isinstance(x, dict | list | tuple) and all(isinstance(v, int | float | complex | str) for v in inside)


def _inside(x: Any) -> list[Any]:
    leaves = jax.tree.leaves(x)
    return [] if len(leaves) == 1 and leaves[0] is x else leaves
