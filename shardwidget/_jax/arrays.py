"""Arrays as objects: what is inside a node of a tree, and which arrays share memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import jax


def children(node: Any) -> Iterable[Any] | None:
    """What is directly inside a node of a pytree; None for a leaf.

    JAX 0.9 – 0.12: ``jax.tree`` flattens the whole tree at once, and so never returns from one that contains itself.
    """
    found = jax.tree_util.default_registry.flatten_one_level(node)
    return None if found is None else found[0]


def base_array(x: Any) -> Any:
    """The array of integers that an array of PRNG keys wraps; any other array itself.

    JAX 0.9 – 0.12: ``jax.random.key_data`` makes a new one.
    """
    return getattr(x, "_base_array", x)


def held_array(x: Any) -> Any:
    """The array that a ``jax.Ref`` holds now; anything else itself.

    JAX 0.9 – 0.12: reading a ``Ref`` copies it. A ``Ref`` that does not hold an array is returned as it is.
    """
    return getattr(getattr(x, "_refs", None), "_buf", x) if isinstance(x, jax.Ref) else x


def is_ready(x: Any) -> bool:
    """Whether an array has been computed. JAX 0.9 – 0.12: not in the public type, and not of arrays of keys."""
    return base_array(x).is_ready()


def memory_at(x: Any) -> tuple[Any, ...]:
    """Addresses of this process's shards in the memory of their devices; empty if the backend does not give them.

    JAX 0.9 – 0.12: reading an array's values leaves arrays of its single shards behind, on the same memory, which
    ``jax.live_arrays`` lists as well.
    """
    x = base_array(x)
    try:
        parts = () if not x.size else x._arrays if len(x.sharding.device_set) > 1 else (x,)
        return tuple((next(iter(part.devices())), part.unsafe_buffer_pointer()) for part in parts)
    except (RuntimeError, AttributeError, NotImplementedError, TypeError):
        return ()
