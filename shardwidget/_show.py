"""``show``: the widget that fits what it is given."""

from __future__ import annotations

from typing import Any

from shardwidget.widgets.array_view import ArrayView
from shardwidget.widgets.stepper import ShardMapStepper


def show(x: Any, *args: Any, **options: Any) -> ArrayView | ShardMapStepper:
    """Shows a JAX object with the widget that fits it.

    Args:
        x: a ``jax.Array``, a ``jax.ShapeDtypeStruct`` with a sharding, a tuple ``(shape, dtype, sharding)``, or a
            ``jax.sharding.Mesh`` or ``AbstractMesh`` alone: an ``ArrayView``. A function that calls ``jax.shard_map``:
            a ``ShardMapStepper``.
        *args: the function's arguments.
        **options: keyword arguments of that widget, for example ``name=`` or ``mode="html"``.

    Returns:
        The widget, which a notebook displays where it is a cell's last expression.

    Raises:
        TypeError: no widget fits, or there are arguments and no function; the message lists every legal form.
        ValueError: the function has no ``shard_map`` in it, or the sharding does not fit the shape.
    """
    # A mesh is callable too, as a decorator.
    if callable(x) and not hasattr(x, "axis_names"):
        return ShardMapStepper(x, *args, **options)
    if args:
        raise TypeError(
            f"show takes one object, or a function and its arguments: show(x), or show(f, *args); got "
            f"{type(x).__name__} and {len(args)} more"
        )
    return ArrayView(x, **options)
