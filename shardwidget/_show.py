"""``show``: the widget that fits what it is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shardwidget import read
from shardwidget.widgets.array_view import ArrayView

if TYPE_CHECKING:
    from shardwidget.widgets.comparison import ShardingComparison
    from shardwidget.widgets.compiled import CompiledProgram
    from shardwidget.widgets.stepper import ShardMapStepper


def show(
    x: Any, *args: Any, kwargs: Mapping[str, Any] | None = None, **options: Any
) -> ArrayView | ShardMapStepper | ShardingComparison | CompiledProgram:
    """Shows a JAX object with the widget that fits it.

    Args:
        x: a ``jax.Array``, a ``jax.ShapeDtypeStruct`` with a sharding, a tuple ``(shape, dtype, sharding)``, or a
            ``jax.sharding.Mesh`` or ``AbstractMesh`` alone: an ``ArrayView``. A dict, list or tuple of arrays: a
            ``ShardingComparison`` of them. A function that calls ``jax.shard_map``: a ``ShardMapStepper``; any other
            function: a ``ShardingComparison``. What ``lower()`` or ``compile()`` gave: a ``CompiledProgram``.
        *args: the function's arguments.
        kwargs: the function's keyword arguments.
        **options: keyword arguments of that widget, for example ``name=`` or ``mode="html"``.

    Returns:
        The widget, which a notebook displays where it is a cell's last expression.

    Raises:
        TypeError: no widget fits, or there are arguments and no function; the message lists every legal form.
        ValueError: there is no mesh, or the sharding does not fit the shape.
    """
    # A compiled program is callable too.
    if hasattr(x, "as_text") and hasattr(x, "cost_analysis"):
        from shardwidget.widgets.compiled import CompiledProgram

        return CompiledProgram(x, *args, **options)
    # A mesh is callable too, as a decorator.
    is_function = callable(x) and not hasattr(x, "axis_names")
    if (args or kwargs) and not is_function:
        raise TypeError(
            f"show takes one object, or a function and its arguments: show(x), or show(f, *args, kwargs={{...}}); got "
            f"{type(x).__name__} and {len(args) + len(kwargs or {})} more"
        )
    if kwargs:
        options["kwargs"] = kwargs
    if is_function and read.calls_shard_map(x, *args, kwargs=kwargs):
        from shardwidget.widgets.stepper import ShardMapStepper

        return ShardMapStepper(x, *args, **options)
    if is_function or _is_tree(x):
        from shardwidget.widgets.comparison import ShardingComparison

        return ShardingComparison(x, *args, **options)
    return ArrayView(x, **options)


def _is_tree(x: Any) -> bool:
    """Whether this is a container of arrays; a shape, a dtype and a sharding in a tuple are one array."""
    if isinstance(x, dict):
        return bool(x) and all(_is_tree(v) or _is_array(v) for v in x.values())
    if isinstance(x, tuple) and len(x) == 3 and hasattr(type(x[2]), "device_set"):
        return False
    return isinstance(x, list | tuple) and bool(x) and all(_is_tree(v) or _is_array(v) for v in x)


def _is_array(x: Any) -> bool:
    return x is None or (hasattr(x, "sharding") and hasattr(x, "dtype"))
