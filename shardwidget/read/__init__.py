"""Readers: JAX objects in, documents out. The only code that queries JAX."""

from typing import TYPE_CHECKING

from shardwidget._late import late

_READERS = {
    "added": "shardwidget.read._program.programs",
    "comparison": "shardwidget.read._comparison.comparison",
    "compiled": "shardwidget.read._program.executable",
    "fetch": "shardwidget.read._fetch",
    "kernel": "shardwidget.read._kernel.kernel",
    "links": "shardwidget.read._links.links",
    "memory": "shardwidget.read._memory.memory",
    "model": "shardwidget.read._model.model",
    "namespace": "shardwidget.read._namespace.namespace",
    "overlap": "shardwidget.read._program.overlap",
    "placement": "shardwidget.read._placement",
    "program": "shardwidget.read._program.programs",
    "programs": "shardwidget.read._program.programs",
    "recompiled": "shardwidget.read._recompiled",
    "reshard_plan": "shardwidget.read._reshard.plan",
    "remedies": "shardwidget.read._instead.remedies",
    "run": "shardwidget.read._run.run",
    "schedule": "shardwidget.read._schedule.schedule",
    "search": "shardwidget.read._search.search",
    "time_program": "shardwidget.read._program.timing",
    "trace": "shardwidget.read._trace.trace",
    "values": "shardwidget.read._values",
}
"""The readers, and the module that each is imported from when it is first used."""

if TYPE_CHECKING:
    from shardwidget.read._comparison.comparison import comparison as comparison
    from shardwidget.read._fetch import fetch as fetch
    from shardwidget.read._instead.remedies import remedies as remedies
    from shardwidget.read._kernel.kernel import kernel as kernel
    from shardwidget.read._links.links import links as links
    from shardwidget.read._memory.memory import memory as memory
    from shardwidget.read._model.model import model as model
    from shardwidget.read._namespace.namespace import namespace as namespace
    from shardwidget.read._placement import placement as placement
    from shardwidget.read._program.executable import compiled as compiled
    from shardwidget.read._program.overlap import overlap as overlap
    from shardwidget.read._program.programs import added as added
    from shardwidget.read._program.programs import program as program
    from shardwidget.read._program.programs import programs as programs
    from shardwidget.read._program.timing import time_program as time_program
    from shardwidget.read._recompiled import recompiled as recompiled
    from shardwidget.read._reshard.plan import reshard_plan as reshard_plan
    from shardwidget.read._run.run import run as run
    from shardwidget.read._schedule.schedule import schedule as schedule
    from shardwidget.read._search.search import search as search
    from shardwidget.read._trace.trace import trace as trace
    from shardwidget.read._values import values as values
else:
    __all__ = sorted(_READERS)
    __getattr__, __dir__ = late(_READERS, __name__)
