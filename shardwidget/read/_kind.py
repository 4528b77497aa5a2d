"""What a function is: one that calls ``jax.shard_map``, or one of global arrays alone."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from shardwidget import _jax
from shardwidget.read._trace.arguments import Arguments


def calls_shard_map(f: Callable[..., Any], *args: Any, kwargs: Mapping[str, Any] | None = None) -> bool:
    """Whether a function calls ``jax.shard_map``. It is traced, and not run.

    Of a function that cannot be traced: whether it had come to a ``shard_map`` when it stopped.
    """
    try:
        closed, _ = _jax.unfiltered(Arguments(f, args, kwargs).trace)
    except Exception as error:
        files = (Path(frame.f_code.co_filename).name for frame, _ in traceback.walk_tb(error.__traceback__))
        return "shard_map.py" in files
    return any(eqn.primitive.name == "shard_map" for eqn in _jax.every_equation(closed))
