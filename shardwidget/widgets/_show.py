"""``show``: the widget that fits what it is given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shardwidget._late import late
from shardwidget.document import Trace
from shardwidget.document.base import Document

if TYPE_CHECKING:
    from shardwidget.widgets._base import DocumentWidget


def show(x: Any, *args: Any, kwargs: Mapping[str, Any] | None = None, **options: Any) -> DocumentWidget[Any]:
    """Shows a JAX object with the widget that fits it.

    Args:
        x: a ``jax.Array``, a ``jax.ShapeDtypeStruct`` with a sharding, a tuple ``(shape, dtype, sharding)``, or a
            ``jax.sharding.Mesh`` or ``AbstractMesh`` alone: an ``ArrayView``. An array on groups of devices (JaxPP's
            ``MpmdArray`` or, with ``groups=(mesh, axis)``, plain arrays): the same. A pytree of arrays (parameters, an
            optimizer's state, a module): a ``ModelView``. A function that calls ``jax.shard_map``: a
            ``ShardMapStepper``; any other function: a ``ShardingComparison``, or where nothing is on a mesh, a
            ``CompiledProgram``. What ``trace()``, ``lower()`` or ``compile()`` returns: a ``CompiledProgram``. What a
            reader returns, such as ``read.memory(f, x)`` or ``read.schedule(x)``: the widget that shows it.
        *args: the function's arguments.
        kwargs: the function's keyword arguments.
        **options: keyword arguments of that widget, for example ``name=`` or ``mode="html"``.

    Returns:
        The widget, which a notebook displays when it is a cell's last expression.

    Raises:
        TypeError: no widget fits, or there are arguments but ``x`` is not a function; the message lists the legal
            forms.
        ValueError: there is no mesh, or the sharding does not fit the shape.
    """
    given = _Given(x, args, kwargs, on_groups="groups" in options)
    if (args or kwargs) and not (given.is_function or given.is_compiled):
        raise TypeError(
            f"show takes one object, or a function and its arguments: show(x), or show(f, *args, kwargs={{...}}); got "
            f"{type(x).__name__} and {len(args) + len(kwargs or {})} more"
        )
    if kwargs:
        options["kwargs"] = kwargs
    if isinstance(x, Document):
        options.setdefault("mode", None)
    try:
        return _view(given)(x, *args, **options)
    except ValueError as error:
        from shardwidget.read._comparison.question import NoMeshError

        if not isinstance(error, NoMeshError) or options.keys() - {"kwargs", "mode", "name"}:
            raise
    return _named("CompiledProgram")(x, *args, **options)


@dataclass(frozen=True)
class _Given:
    """What ``show`` was called with."""

    x: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any] | None
    on_groups: bool
    """Whether ``groups=`` says that this is one array on groups of a mesh."""

    @property
    def is_compiled(self) -> bool:
        """Whether this is traced, lowered or compiled, which is callable too."""
        traced = hasattr(self.x, "jaxpr") and hasattr(self.x, "lower")
        # The last is what read.compiled returns.
        return traced or (hasattr(self.x, "as_text") and hasattr(self.x, "cost_analysis")) or hasattr(self.x, "lowered")

    @property
    def is_function(self) -> bool:
        """Whether this is a function; a mesh is callable too, as a decorator."""
        return callable(self.x) and not hasattr(self.x, "axis_names")

    @property
    def calls_shard_map(self) -> bool:
        """Whether this is a function that calls ``jax.shard_map``."""
        from shardwidget.read._kind import calls_shard_map

        return self.is_function and calls_shard_map(self.x, *self.args, kwargs=self.kwargs)

    @property
    def is_tree(self) -> bool:
        """Whether this is a container of arrays, such as a module, which is callable too."""
        from shardwidget.read._kind import is_tree

        return not (self.args or self.kwargs or hasattr(self.x, "axis_names")) and is_tree(self.x)


_OF_DOCUMENTS = {
    "baseline diff": "TextView",
    "comparison": "ShardingComparison",
    "comparison diff": "DiffView",
    "links": "LinksView",
    "kernel": "KernelView",
    "memory": "CompiledProgram",
    "memory diff": "DiffView",
    "model": "ModelView",
    "model comparison": "ModelComparisonView",
    "mpmd": "ArrayView",
    "namespace": "Inspector",
    "overlap": "CompiledProgram",
    "placement": "ArrayView",
    "playground": "SpecPlayground",
    "program": "CompiledProgram",
    "program diff": "DiffView",
    "programs": "CompiledProgram",
    "recompiled": "TextView",
    "remedies": "TextView",
    "reshard": "ReshardPlanView",
    "run": "RunView",
    "runs": "RunView",
    "schedule": "PipelineView",
    "schedules": "PipelineView",
    "search": "SearchView",
    "search diff": "DiffView",
    "trace": "ShardMapStepper",
    "trace diff": "DiffView",
    "why": "TextView",
}
"""The widget for each kind of document that a reader returns."""


_named, _ = late(
    {
        "ArrayView": "shardwidget.widgets.array_view",
        "CompiledProgram": "shardwidget.widgets.compiled",
        "DiffView": "shardwidget.widgets.diff",
        "KernelView": "shardwidget.widgets.kernel",
        "Inspector": "shardwidget.widgets.inspector",
        "LinksView": "shardwidget.widgets.links",
        "ModelComparisonView": "shardwidget.widgets.model_comparison",
        "ModelView": "shardwidget.widgets.model",
        "PipelineView": "shardwidget.widgets.pipeline",
        "ReshardPlanView": "shardwidget.widgets.reshard",
        "RunView": "shardwidget.widgets.run",
        "SpecPlayground": "shardwidget.widgets.playground",
        "SearchView": "shardwidget.widgets.search",
        "ShardMapStepper": "shardwidget.widgets.stepper",
        "ShardingComparison": "shardwidget.widgets.comparison",
        "TextView": "shardwidget.widgets.text",
    },
    __name__,
)


def _view(given: _Given) -> type[DocumentWidget[Any]]:
    """The first view that fits; what the others need is not imported."""
    ours = type(given.x).__module__.startswith("shardwidget.") and not given.is_compiled
    if isinstance(given.x, Document) or ours:
        kind = getattr(given.x, "kind", "") if isinstance(given.x, Document) else ""
        if kind not in _OF_DOCUMENTS:
            raise TypeError(f"there is no widget for a {type(given.x).__name__}: print it")
        if isinstance(given.x, Trace) and not (given.x.regions or given.x.error):  # No steps on devices to draw.
            return _named("TextView")
        return _named(_OF_DOCUMENTS[kind])
    if given.is_compiled:
        from shardwidget.widgets.compiled import CompiledProgram as View
    elif given.is_tree and not given.on_groups:
        from shardwidget.widgets.model import ModelView as View
    elif given.calls_shard_map and not given.on_groups:
        from shardwidget.widgets.stepper import ShardMapStepper as View
    elif given.is_function and not given.on_groups:
        from shardwidget.widgets.comparison import ShardingComparison as View
    else:
        from shardwidget.widgets.array_view import ArrayView as View
    return View
