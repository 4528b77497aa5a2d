"""Readers: JAX objects in, documents out. The only code that asks JAX questions."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from shardwidget.read._placement import placement
from shardwidget.read._values import values

if TYPE_CHECKING:
    from shardwidget.read._comparison.entry import ComparisonReader, comparison
    from shardwidget.read._kind import calls_shard_map
    from shardwidget.read._model.entry import model
    from shardwidget.read._program.entry import program, programs
    from shardwidget.read._program.timing import time_program
    from shardwidget.read._spec import playground
    from shardwidget.read._trace.entry import trace

__all__ = [
    "ComparisonReader",
    "calls_shard_map",
    "comparison",
    "model",
    "placement",
    "playground",
    "program",
    "programs",
    "time_program",
    "trace",
    "values",
]

# These take a good deal of JAX along: who only shows arrays does not wait for them.
_LATE = {
    "ComparisonReader": "shardwidget.read._comparison.entry",
    "calls_shard_map": "shardwidget.read._kind",
    "model": "shardwidget.read._model.entry",
    "playground": "shardwidget.read._spec",
    "program": "shardwidget.read._program.entry",
    "programs": "shardwidget.read._program.entry",
    "comparison": "shardwidget.read._comparison.entry",
    "trace": "shardwidget.read._trace.entry",
    "time_program": "shardwidget.read._program.timing",
}


def __getattr__(name: str) -> Any:
    if name in _LATE:
        return getattr(import_module(_LATE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
