"""shardwidget shows where JAX arrays live on a mesh of devices, in the notebook where you work.

```python
import shardwidget as sw
sw.show(x)
```
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from shardwidget import read
from shardwidget._doctor import doctor
from shardwidget._show import show
from shardwidget.document import Placement
from shardwidget.widgets.array_view import ArrayView

if TYPE_CHECKING:
    from shardwidget._tpu import tpu_mesh
    from shardwidget.cost import Interconnect
    from shardwidget.document import Comparison, Program, Trace
    from shardwidget.widgets.comparison import ShardingComparison
    from shardwidget.widgets.compiled import CompiledProgram
    from shardwidget.widgets.exercise import Exercise
    from shardwidget.widgets.exercise_set import ExerciseSet
    from shardwidget.widgets.playground import SpecPlayground
    from shardwidget.widgets.stepper import ShardMapStepper

__version__ = "0.1.0"

__all__ = [
    "ArrayView",
    "Comparison",
    "CompiledProgram",
    "Exercise",
    "ExerciseSet",
    "Interconnect",
    "Placement",
    "Program",
    "ShardMapStepper",
    "ShardingComparison",
    "SpecPlayground",
    "Trace",
    "doctor",
    "read",
    "show",
    "tpu_mesh",
]

# What not every notebook needs is imported when it is first used.
_LATE = {
    "Comparison": "shardwidget.document",
    "CompiledProgram": "shardwidget.widgets.compiled",
    "Exercise": "shardwidget.widgets.exercise",
    "ExerciseSet": "shardwidget.widgets.exercise_set",
    "Interconnect": "shardwidget.cost",
    "Program": "shardwidget.document",
    "ShardMapStepper": "shardwidget.widgets.stepper",
    "ShardingComparison": "shardwidget.widgets.comparison",
    "SpecPlayground": "shardwidget.widgets.playground",
    "Trace": "shardwidget.document",
    "tpu_mesh": "shardwidget._tpu",
}


def __getattr__(name: str) -> Any:
    if name in _LATE:
        return getattr(import_module(_LATE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
