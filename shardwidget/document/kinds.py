"""All kinds of documents."""

from shardwidget.document.comparison import Comparison
from shardwidget.document.exercise import Exercises
from shardwidget.document.model import Model
from shardwidget.document.placement import Placement
from shardwidget.document.playground import Playground
from shardwidget.document.program import Program, Programs
from shardwidget.document.schedule import Schedule, Schedules
from shardwidget.document.trace import Trace

Document = Placement | Trace | Comparison | Program | Programs | Exercises | Playground | Model | Schedule | Schedules
"""Any document."""
