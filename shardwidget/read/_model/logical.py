"""Logical names of dimensions, which flax keeps beside a parameter: ``('embed', 'mlp')``."""

from __future__ import annotations

import sys
from typing import Any


def logical_names(box: Any) -> tuple[str, ...]:
    """The names in what holds one parameter: a ``Partitioned`` of flax linen, a ``Variable`` of flax nnx.

    Empty where there are none; a dimension without a name has an empty one. Whoever holds such has imported flax.
    """
    if not type(box).__module__.startswith("flax."):
        return ()
    meta, nnx = sys.modules.get("flax.core.meta"), sys.modules.get("flax.nnx")
    if meta is not None and isinstance(box, meta.Partitioned):
        names = box.names
    elif nnx is not None and isinstance(box, nnx.Variable):
        metadata = box.get_metadata()
        names = ()
        for key in _KEYS:
            if isinstance(metadata.get(key), tuple):
                names = metadata[key]
                break
    else:
        return ()
    return tuple([name if isinstance(name, str) else "" for name in names]) if any(names) else ()


_KEYS = ("out_sharding", "sharding_names", "sharding")
"""What flax calls them; the second and third before 0.12."""
