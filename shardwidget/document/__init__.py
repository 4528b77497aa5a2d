"""Documents: everything a picture needs, as plain frozen data.

A reader (``shardwidget.read``) turns a JAX object into one of these; the front end, the saved page and the text
picture draw it. Nothing here imports JAX. A document carries no value that can be derived: which slice a device
holds follows from its mesh coordinates, so 4096 devices are a mesh shape and a few integers.

``to_wire`` turns a document into JSON-able dicts with ``bytes`` leaves (ipywidgets sends those as binary buffers).
The TypeScript types in ``js/src/core/document.gen.ts`` are generated from the dataclasses here.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shardwidget.document.algorithms import *  # noqa: F403
    from shardwidget.document.base import *  # noqa: F403
    from shardwidget.document.baseline_diff import *  # noqa: F403
    from shardwidget.document.collective import *  # noqa: F403
    from shardwidget.document.comparison import *  # noqa: F403
    from shardwidget.document.comparison_diff import *  # noqa: F403
    from shardwidget.document.exercise import *  # noqa: F403
    from shardwidget.document.fix import *  # noqa: F403
    from shardwidget.document.kernel import *  # noqa: F403
    from shardwidget.document.leaf import *  # noqa: F403
    from shardwidget.document.links import *  # noqa: F403
    from shardwidget.document.memory import *  # noqa: F403
    from shardwidget.document.memory_diff import *  # noqa: F403
    from shardwidget.document.mesh import *  # noqa: F403
    from shardwidget.document.model import *  # noqa: F403
    from shardwidget.document.model_comparison import *  # noqa: F403
    from shardwidget.document.mpmd import *  # noqa: F403
    from shardwidget.document.namespace import *  # noqa: F403
    from shardwidget.document.order import *  # noqa: F403
    from shardwidget.document.overlap import *  # noqa: F403
    from shardwidget.document.placement import *  # noqa: F403
    from shardwidget.document.playground import *  # noqa: F403
    from shardwidget.document.program import *  # noqa: F403
    from shardwidget.document.program_diff import *  # noqa: F403
    from shardwidget.document.recompiled import *  # noqa: F403
    from shardwidget.document.remedies import *  # noqa: F403
    from shardwidget.document.reshard import *  # noqa: F403
    from shardwidget.document.run import *  # noqa: F403
    from shardwidget.document.schedule import *  # noqa: F403
    from shardwidget.document.search import *  # noqa: F403
    from shardwidget.document.search_diff import *  # noqa: F403
    from shardwidget.document.step import *  # noqa: F403
    from shardwidget.document.trace import *  # noqa: F403
    from shardwidget.document.trace_diff import *  # noqa: F403
    from shardwidget.document.why import *  # noqa: F403
    from shardwidget.document.wire import *  # noqa: F403

# Each comes after those that it imports itself.
_MODULES = (
    "wire",
    "base",
    "mesh",
    "collective",
    "placement",
    "mpmd",
    "fix",
    "step",
    "trace_diff",
    "trace",
    "program_diff",
    "links",
    "overlap",
    "program",
    "why",
    "comparison_diff",
    "comparison",
    "playground",
    "memory_diff",
    "memory",
    "leaf",
    "model_comparison",
    "model",
    "namespace",
    "recompiled",
    "baseline_diff",
    "remedies",
    "reshard",
    "order",
    "schedule",
    "run",
    "algorithms",
    "exercise",
    "search_diff",
    "search",
    "kernel",
)


def __getattr__(name: str) -> Any:
    # Showing an array does not wait until the classes of all other documents are created.
    modules = (import_module(f"{__name__}.{module}") for module in _MODULES)
    if name == "__all__":
        return sorted(public for module in modules for public in module.__all__)
    for module in modules:
        if name in module.__all__:
            return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
