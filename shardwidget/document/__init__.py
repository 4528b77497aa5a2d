"""Documents: everything a picture needs, as plain frozen data.

A reader (``shardwidget.read``) turns a JAX object into one of these; the front end, the saved page and the text
picture draw it. Nothing here imports JAX. A document carries no value that can be derived: which slice a device
holds follows from its mesh coordinates, so 4096 devices are a mesh shape and a few integers.

``to_wire`` turns a document into JSON-able dicts with ``bytes`` leaves (ipywidgets sends those as binary buffers).
The TypeScript types in ``js/src/model/document.gen.ts`` are generated from the dataclasses here.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from shardwidget.document.mesh import AxisType, Mesh, MeshAxis
from shardwidget.document.placement import Block, Cut, Dim, Placement, Values
from shardwidget.document.wire import VERSION, Ints, to_wire

if TYPE_CHECKING:
    from shardwidget.document.collective import Collective, Move, Plan, Semantics
    from shardwidget.document.comparison import Choice, Compared, Comparison, Continuation, Enclosure, Layout, Row, Stop
    from shardwidget.document.exercise import Exercises, Feedback, Field, Figure, Given, Part, Question, Table
    from shardwidget.document.kinds import Document
    from shardwidget.document.model import Flag, Key, LeafType, Model
    from shardwidget.document.playground import DtypeName, Playground, SpecDraft, SpecEntry, Terms, Wording
    from shardwidget.document.program import HloCollective, Memory, Program, Programs, Timing, Work
    from shardwidget.document.schedule import Durations, Order, Recipe, Schedule, Schedules
    from shardwidget.document.trace import (
        Failure,
        Fix,
        Listing,
        Region,
        Scope,
        Source,
        Step,
        Trace,
        Variable,
        Window,
    )

__all__ = [
    "VERSION",
    "AxisType",
    "Block",
    "Choice",
    "Collective",
    "Compared",
    "Comparison",
    "Continuation",
    "Cut",
    "Dim",
    "Document",
    "DtypeName",
    "Durations",
    "Enclosure",
    "Exercises",
    "Failure",
    "Feedback",
    "Field",
    "Figure",
    "Fix",
    "Flag",
    "Given",
    "HloCollective",
    "Ints",
    "Key",
    "Layout",
    "LeafType",
    "Listing",
    "Memory",
    "Mesh",
    "MeshAxis",
    "Model",
    "Move",
    "Order",
    "Part",
    "Placement",
    "Plan",
    "Playground",
    "Program",
    "Programs",
    "Question",
    "Recipe",
    "Region",
    "Row",
    "Schedule",
    "Schedules",
    "Scope",
    "Semantics",
    "Source",
    "SpecDraft",
    "SpecEntry",
    "Step",
    "Stop",
    "Table",
    "Terms",
    "Timing",
    "Trace",
    "Values",
    "Variable",
    "Window",
    "Wording",
    "Work",
    "to_wire",
]

# Who only shows arrays does not wait for the classes of all other documents to be made. Each module stands after those
# that it takes along itself.
_LATE = ("collective", "trace", "program", "comparison", "playground", "model", "exercise", "schedule", "kinds")


def __getattr__(name: str) -> Any:
    if name in __all__:
        for module in _LATE:
            found = getattr(import_module(f"{__name__}.{module}"), name, None)
            if found is not None:
                return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
