"""What shardwidget consists of: its public names, its readers, and its kinds of documents.

A new reader, document or widget is one line in each table below, one import for type checkers in the ``__init__`` of
its package, and its modules: ``read/…``, ``document/NAME.py``, ``export/NAME.py`` (the document in words), and
``widgets/…``. A new front end is one file in ``js/src/entries``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

PUBLIC = {
    "AlgorithmView": "shardwidget.widgets.algorithms",
    "ArrayView": "shardwidget.widgets.array_view",
    "Comparison": "shardwidget.document",
    "CompiledProgram": "shardwidget.widgets.compiled",
    "Exercise": "shardwidget.widgets.exercise",
    "ExerciseSet": "shardwidget.widgets.exercise_set",
    "Inspector": "shardwidget.widgets.inspector",
    "Interconnect": "shardwidget.cost",
    "Memory": "shardwidget.document",
    "Model": "shardwidget.document",
    "ModelComparison": "shardwidget.document",
    "ModelView": "shardwidget.widgets.model",
    "MpmdPlacement": "shardwidget.document",
    "Namespace": "shardwidget.document",
    "PipelineView": "shardwidget.widgets.pipeline",
    "Placement": "shardwidget.document",
    "Program": "shardwidget.document",
    "ReshardPlan": "shardwidget.document",
    "ReshardPlanView": "shardwidget.widgets.reshard",
    "Run": "shardwidget.document",
    "RunView": "shardwidget.widgets.run",
    "ShardMapStepper": "shardwidget.widgets.stepper",
    "ShardingComparison": "shardwidget.widgets.comparison",
    "SpecPlayground": "shardwidget.widgets.playground",
    "Trace": "shardwidget.document",
    "config": "shardwidget._config",
    "doctor": "shardwidget._doctor",
    "grade": "shardwidget.widgets.grades",
    "pipeline": "shardwidget.pipeline",
    "read": "shardwidget.read",
    "show": "shardwidget._show",
    "tpu_mesh": "shardwidget._tpu",
}
"""Names of ``shardwidget``, and the module that each is imported from when it is first used."""

READERS = {
    "comparison": "shardwidget.read._comparison.comparison",
    "compiled": "shardwidget.read._program.executable",
    "fetch": "shardwidget.read._fetch",
    "memory": "shardwidget.read._memory.memory",
    "model": "shardwidget.read._model.model",
    "namespace": "shardwidget.read._namespace.namespace",
    "placement": "shardwidget.read._placement",
    "program": "shardwidget.read._program.programs",
    "programs": "shardwidget.read._program.programs",
    "reshard_plan": "shardwidget.read._reshard.plan",
    "remedies": "shardwidget.read._memory.remedies",
    "run": "shardwidget.read._run.run",
    "schedule": "shardwidget.read._schedule.schedule",
    "time_program": "shardwidget.read._program.timing",
    "trace": "shardwidget.read._trace.trace",
    "values": "shardwidget.read._values",
}
"""Names of ``shardwidget.read``, and the module that each is imported from when it is first used."""

DOCUMENTS = {
    "Placement": "placement",
    "Trace": "trace",
    "Comparison": "comparison",
    "Program": "program",
    "Programs": "program",
    "Exercises": "exercise",
    "Playground": "playground",
    "Memory": "memory",
    "Model": "model",
    "ModelComparison": "model_comparison",
    "MpmdPlacement": "mpmd",
    "Namespace": "namespace",
    "ReshardPlan": "reshard",
    "Schedule": "schedule",
    "Schedules": "schedule",
    "Run": "run",
    "Runs": "run",
    "Algorithms": "algorithms",
}
"""Kinds of documents, and the module of each: in ``shardwidget.document``, and in ``shardwidget.export`` the functions
``headline``, ``picture`` and ``table`` that put it into words."""


def find(name: str) -> Any:
    """The public object of this name."""
    return late(PUBLIC, "shardwidget")[0](name)


def words(document: object) -> ModuleType:
    """The module that puts a document into words."""
    return import_module(f"shardwidget.export.{DOCUMENTS[type(document).__name__]}")


def late(names: Mapping[str, str], package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package whose names are imported when they are first used.

    Args:
        names: the module of each name; the name itself may be a module.
        package: its name, for messages.
    """

    def getattribute(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(names[name])
        return module if names[name] == f"{package}.{name}" else getattr(module, name)

    return getattribute, lambda: sorted(names)
