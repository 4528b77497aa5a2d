"""Values whose parts are still to be combined over unreduced axes, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shardwidget import _jax

_PARTS = {
    "sum": ("partial sums are still to be added", "psum"),
    "max": ("partial maxima are still to be combined", "pmax"),
    "min": ("partial minima are still to be combined", "pmin"),
}


def in_parts(name: str, aval: Any, axes: Sequence[str]) -> str:
    """What is said of a value of this type: ``b is unreduced over y: its partial sums are still to be added``."""
    return f"{name} is unreduced over {' and '.join(axes)}: its {_PARTS[_jax.partial_kind(aval)][0]}"


def takes_no_parts(operation: str, error: Exception) -> str:
    """What an operation takes instead, by JAX's words."""
    return f"{operation} takes {'partial sums alone' if _jax.messages.is_of_kind(error) else 'whole values'}"


def combining(aval: Any) -> str:
    """The collective of ``jax.lax`` that combines the parts of a value of this type."""
    return _PARTS[_jax.partial_kind(aval)][1]
