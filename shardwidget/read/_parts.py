"""Values whose parts are still to be combined over unreduced axes, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shardwidget import _jax
from shardwidget.collectives import STATEMENTS

_STILL = {
    "sum": "partial sums are still to be added",
    "max": "partial maxima are still to be combined",
    "min": "partial minima are still to be combined",
}


def in_parts(name: str, aval: Any, axes: Sequence[str]) -> str:
    """What is said of a value of this type: ``b is unreduced over y: its partial sums are still to be added``."""
    return f"{name} is unreduced over {' and '.join(axes)}: its {_STILL[_jax.partial_kind(aval)]}"


def takes_no_parts(operation: str, error: Exception) -> str:
    """What an operation takes instead, by JAX's words."""
    return f"{operation} takes {'partial sums alone' if _jax.messages.is_of_kind(error) else 'whole values'}"


def combining(aval: Any) -> str:
    """The collective of ``jax.lax`` that combines the parts of a value of this type."""
    kind = _jax.partial_kind(aval)
    return next(s.completes.reducer.function for s in STATEMENTS if s.completes and s.semantics.combines == kind)
