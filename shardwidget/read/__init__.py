"""Readers: JAX objects in, documents out. The only code that asks JAX questions."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from shardwidget.read._array import array
from shardwidget.read._values import values

if TYPE_CHECKING:
    from shardwidget.read._kind import calls_shard_map
    from shardwidget.read._program.entry import program, programs
    from shardwidget.read._program.timing import time_program
    from shardwidget.read._propagation.entry import PropagationReader, propagation
    from shardwidget.read._spec import playground
    from shardwidget.read._trace.entry import shard_map

__all__ = [
    "PropagationReader",
    "array",
    "calls_shard_map",
    "playground",
    "program",
    "programs",
    "propagation",
    "shard_map",
    "time_program",
    "values",
]

# These take a good deal of JAX along: who only shows arrays does not wait for them.
_LATE = {
    "PropagationReader": "shardwidget.read._propagation.entry",
    "calls_shard_map": "shardwidget.read._kind",
    "playground": "shardwidget.read._spec",
    "program": "shardwidget.read._program.entry",
    "programs": "shardwidget.read._program.entry",
    "propagation": "shardwidget.read._propagation.entry",
    "shard_map": "shardwidget.read._trace.entry",
    "time_program": "shardwidget.read._program.timing",
}


def __getattr__(name: str) -> Any:
    if name in _LATE:
        return getattr(import_module(_LATE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
