"""A traced function as data: StableHLO, without the Python that it was traced from.

``jax.export`` writes files only with another package, and takes the results' shardings from the function that was
traced. What is kept here leaves those to the compiler, so the program is compiled as ``jax.jit`` compiles the function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
from jax import export


@dataclass(frozen=True)
class Exported:
    """A program for arguments of given types."""

    module: bytes
    """Serialized StableHLO."""
    kept: tuple[int, ...]
    """The arguments that it takes: those that are not used are left out."""
    devices: int
    version: int
    """Of its calling convention."""
    results: tuple[tuple[tuple[int, ...], str], ...]
    """Shape and dtype of each result."""
    tree: str
    """The structure of the results."""


def exported(f: Callable[..., Any], args: tuple[Any, ...]) -> Exported:
    """Traces a function.

    Raises:
        Exception: it cannot be traced, or calls back into Python.
    """
    made = export.export(jax.jit(f))(*args)
    return Exported(
        bytes(made.mlir_module_serialized),
        tuple(made.module_kept_var_idx),
        made.nr_devices,
        made.calling_convention_version,
        tuple((tuple(aval.shape), str(aval.dtype)) for aval in made.out_avals),
        str(made.out_tree),
    )


def call_exported(program: Exported, args: tuple[Any, ...]) -> Callable[..., Any]:
    """The function that a program computes, with its results in a list.

    Args:
        program: what ``exported`` returned.
        args: arguments of the same types.
    """
    # The frame of an export with these arguments and results, around the program. JAX 0.9 to 0.11.
    frame = export.export(jax.jit(lambda *_: [jnp.zeros(shape, dtype) for shape, dtype in program.results]))(*args)
    count = len(program.results)
    changed = {
        "mlir_module_serialized": program.module,
        "module_kept_var_idx": program.kept,
        "nr_devices": program.devices,
        "calling_convention_version": program.version,
        "_has_named_shardings": False,
        "_out_named_shardings": (None,) * count,
        "out_shardings_hlo": (None,) * count,
    }
    fields: dict[str, Any] = {name: value for name, value in changed.items() if hasattr(frame, name)}
    return replace(frame, **fields).call
