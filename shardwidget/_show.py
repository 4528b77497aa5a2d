"""``show``: the widget that fits what it is given."""

from __future__ import annotations

from typing import Any

from shardwidget.widgets.array_view import ArrayView


def show(x: Any, **options: Any) -> ArrayView:
    """Shows a JAX object with the widget that fits it.

    Args:
        x: a ``jax.Array``, a ``jax.ShapeDtypeStruct`` with a sharding, a tuple ``(shape, dtype, sharding)``, or a
            ``jax.sharding.Mesh`` or ``AbstractMesh`` alone: an ``ArrayView``.
        **options: keyword arguments of that widget, for example ``name=`` or ``mode="html"``.

    Returns:
        The widget, which a notebook displays where it is a cell's last expression.

    Raises:
        TypeError: no widget fits; the message lists every legal form.
    """
    return ArrayView(x, **options)
