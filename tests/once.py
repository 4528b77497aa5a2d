"""``jax.jit`` for functions that a test runs once: most of its time would be XLA's compilation."""

from collections.abc import Callable
from typing import Any

import jax

from shardwidget import _jax


def once(f: Callable[..., Any]) -> Any:
    """A jitted function; for CPUs without what makes machine code fast. Its values are those of ``jax.jit(f)``."""
    return jax.jit(f, compiler_options=_jax.quick_options())
