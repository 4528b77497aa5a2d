"""Readers: JAX objects in, documents out. The only code that asks JAX questions."""

from shardwidget.read._array import array
from shardwidget.read._trace import shard_map
from shardwidget.read._values import values

__all__ = ["array", "shard_map", "values"]
