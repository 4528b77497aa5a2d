"""shardwidget shows where JAX arrays live on a mesh of devices, in the notebook where you work.

```python
import shardwidget as sw
sw.show(x)
```
"""

from typing import TYPE_CHECKING, Any

from shardwidget._late import late
from shardwidget._version import __version__ as __version__
from shardwidget.document.base import provide

_PUBLIC = {
    "AlgorithmView": "shardwidget.widgets.algorithms",
    "ArrayView": "shardwidget.widgets.array_view",
    "Comparison": "shardwidget.document",
    "ComparisonDiff": "shardwidget.document",
    "CompiledProgram": "shardwidget.widgets.compiled",
    "DiffView": "shardwidget.widgets.diff",
    "Exercise": "shardwidget.widgets.exercise",
    "ExerciseSet": "shardwidget.widgets.exercise_set",
    "Inspector": "shardwidget.widgets.inspector",
    "Interconnect": "shardwidget.cost",
    "Kernel": "shardwidget.document",
    "KernelView": "shardwidget.widgets.kernel",
    "Links": "shardwidget.document",
    "LinksView": "shardwidget.widgets.links",
    "Memory": "shardwidget.document",
    "MemoryDiff": "shardwidget.document",
    "Model": "shardwidget.document",
    "ModelComparison": "shardwidget.document",
    "ModelView": "shardwidget.widgets.model",
    "MpmdPlacement": "shardwidget.document",
    "Namespace": "shardwidget.document",
    "PipelineView": "shardwidget.widgets.pipeline",
    "Placement": "shardwidget.document",
    "Program": "shardwidget.document",
    "Recompiled": "shardwidget.document",
    "ProgramDiff": "shardwidget.document",
    "Remedies": "shardwidget.document",
    "ReshardPlan": "shardwidget.document",
    "ReshardPlanView": "shardwidget.widgets.reshard",
    "Run": "shardwidget.document",
    "RunView": "shardwidget.widgets.run",
    "Search": "shardwidget.document",
    "SearchDiff": "shardwidget.document",
    "SearchView": "shardwidget.widgets.search",
    "ShardMapStepper": "shardwidget.widgets.stepper",
    "ShardingComparison": "shardwidget.widgets.comparison",
    "SpecPlayground": "shardwidget.widgets.playground",
    "TextView": "shardwidget.widgets.text",
    "Trace": "shardwidget.document",
    "TraceDiff": "shardwidget.document",
    "config": "shardwidget._config",
    "doctor": "shardwidget._doctor",
    "grade": "shardwidget.widgets.grades",
    "json_schema": "shardwidget.document.schema",
    "load": "shardwidget._json",
    "pipeline": "shardwidget.pipeline",
    "read": "shardwidget.read",
    "show": "shardwidget.widgets._show",
    "tpu_mesh": "shardwidget._tpu",
}
"""The public names, and the module that each is imported from when it is first used."""

if TYPE_CHECKING:
    from shardwidget import pipeline as pipeline
    from shardwidget import read as read
    from shardwidget._config import config as config
    from shardwidget._doctor import doctor as doctor
    from shardwidget._json import load as load
    from shardwidget._tpu import tpu_mesh as tpu_mesh
    from shardwidget.cost import Interconnect as Interconnect
    from shardwidget.document import Comparison as Comparison
    from shardwidget.document import ComparisonDiff as ComparisonDiff
    from shardwidget.document import Kernel as Kernel
    from shardwidget.document import Links as Links
    from shardwidget.document import Memory as Memory
    from shardwidget.document import MemoryDiff as MemoryDiff
    from shardwidget.document import Model as Model
    from shardwidget.document import ModelComparison as ModelComparison
    from shardwidget.document import MpmdPlacement as MpmdPlacement
    from shardwidget.document import Namespace as Namespace
    from shardwidget.document import Placement as Placement
    from shardwidget.document import Program as Program
    from shardwidget.document import ProgramDiff as ProgramDiff
    from shardwidget.document import Recompiled as Recompiled
    from shardwidget.document import Remedies as Remedies
    from shardwidget.document import ReshardPlan as ReshardPlan
    from shardwidget.document import Run as Run
    from shardwidget.document import Search as Search
    from shardwidget.document import SearchDiff as SearchDiff
    from shardwidget.document import Trace as Trace
    from shardwidget.document import TraceDiff as TraceDiff
    from shardwidget.document.schema import json_schema as json_schema
    from shardwidget.widgets._show import show as show
    from shardwidget.widgets.algorithms import AlgorithmView as AlgorithmView
    from shardwidget.widgets.array_view import ArrayView as ArrayView
    from shardwidget.widgets.comparison import ShardingComparison as ShardingComparison
    from shardwidget.widgets.compiled import CompiledProgram as CompiledProgram
    from shardwidget.widgets.diff import DiffView as DiffView
    from shardwidget.widgets.exercise import Exercise as Exercise
    from shardwidget.widgets.exercise_set import ExerciseSet as ExerciseSet
    from shardwidget.widgets.grades import grade as grade
    from shardwidget.widgets.inspector import Inspector as Inspector
    from shardwidget.widgets.kernel import KernelView as KernelView
    from shardwidget.widgets.links import LinksView as LinksView
    from shardwidget.widgets.model import ModelView as ModelView
    from shardwidget.widgets.pipeline import PipelineView as PipelineView
    from shardwidget.widgets.playground import SpecPlayground as SpecPlayground
    from shardwidget.widgets.reshard import ReshardPlanView as ReshardPlanView
    from shardwidget.widgets.run import RunView as RunView
    from shardwidget.widgets.search import SearchView as SearchView
    from shardwidget.widgets.stepper import ShardMapStepper as ShardMapStepper
    from shardwidget.widgets.text import TextView as TextView
else:
    __all__ = sorted(_PUBLIC)
    __getattr__, __dir__ = late(_PUBLIC, __name__)

_PROVIDED = {
    "against": "shardwidget.read._trace.against",
    "beside": "shardwidget.read._program.beside",
    "chrome_trace": "shardwidget.measured.chrome",
    "comparison_diff": "shardwidget.findings.comparison_difference",
    "dump": "shardwidget._json",
    "events": "shardwidget.measured.lanes",
    "generate": "shardwidget.pipeline.generators",
    "merge": "shardwidget.measured.merge",
    "links": "shardwidget.read._links.links",
    "overlap": "shardwidget.read._program.overlap",
    "program_diff": "shardwidget.findings.difference",
    "search_diff": "shardwidget.findings.search_difference",
    "simulate": "shardwidget.pipeline.simulation",
    "trace_diff": "shardwidget.findings.trace_difference",
    "why": "shardwidget.export.why",
    "why_collective": "shardwidget.export.why",
    "words_of": "shardwidget.export",
}
"""Functions that documents do their work with, and the module of each; documents do not import them."""

provide(late(_PROVIDED, __name__)[0])


def load_ipython_extension(shell: Any) -> None:
    """What ``%load_ext shardwidget`` calls."""
    from shardwidget import _extension

    _extension.load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """What ``%unload_ext shardwidget`` calls."""
    from shardwidget import _extension

    _extension.unload(shell)
