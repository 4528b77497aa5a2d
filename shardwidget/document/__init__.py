"""Documents: everything a picture needs, as plain frozen data.

A reader (``shardwidget.read``) turns a JAX object into one of these; the front end, the saved page and the text
picture draw it. Nothing here imports JAX. A document carries no value that can be derived: which slice a device
holds follows from its mesh coordinates, so 4096 devices are a mesh shape and a few integers.

``to_wire`` turns a document into JSON-able dicts with ``bytes`` leaves (ipywidgets sends those as binary buffers).
The TypeScript types in ``js/src/model/document.gen.ts`` are generated from the dataclasses here.
"""

from shardwidget.document.comparison import Choice, Compared, Comparison, Continuation, Enclosure, Layout, Row, Stop
from shardwidget.document.exercise import Exercises, Feedback, Field, Figure, Given, Part, Question, Table
from shardwidget.document.mesh import AxisType, Mesh, MeshAxis
from shardwidget.document.placement import Block, Cut, Dim, Placement, Values
from shardwidget.document.playground import DtypeName, Playground, SpecDraft, SpecEntry, Terms, Wording
from shardwidget.document.program import HloCollective, Memory, Program, Programs, Timing, Work
from shardwidget.document.trace import (
    Collective,
    Failure,
    Listing,
    Mend,
    Move,
    Plan,
    Region,
    Scope,
    Source,
    Step,
    Trace,
    Variable,
    Window,
)
from shardwidget.document.wire import VERSION, Ints, to_wire

Document = Placement | Trace | Comparison | Program | Programs | Exercises | Playground
"""Any document."""

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
    "Enclosure",
    "Exercises",
    "Failure",
    "Feedback",
    "Field",
    "Figure",
    "Given",
    "HloCollective",
    "Ints",
    "Layout",
    "Listing",
    "Memory",
    "Mend",
    "Mesh",
    "MeshAxis",
    "Move",
    "Part",
    "Placement",
    "Plan",
    "Playground",
    "Program",
    "Programs",
    "Question",
    "Region",
    "Row",
    "Scope",
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
