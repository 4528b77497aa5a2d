"""Readers: JAX objects in, documents out. The only code that asks JAX questions."""

from typing import TYPE_CHECKING, Any

from shardwidget.read._array import array
from shardwidget.read._values import values

if TYPE_CHECKING:
    from shardwidget.read._trace.entry import shard_map

__all__ = ["array", "shard_map", "values"]


def __getattr__(name: str) -> Any:
    # Tracing takes a good deal of JAX along: who only shows arrays does not wait for it.
    if name == "shard_map":
        from shardwidget.read._trace.entry import shard_map

        return shard_map
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
